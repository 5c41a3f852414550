package output

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A run that is killed when its receipt is in place leaves nothing behind, or a state that leads to what is left: its commit completes then.
func TestKilledBehindReceipt(t *testing.T) {
	inFolder(t, nil, nil)
	calm := begin(t, testRun)
	calm.write(t, 7)
	calm.commit(t)
	want := names(tree(t))
	for k := 1; ; k++ {
		inFolder(t, nil, nil)
		j := begin(t, testRun)
		j.write(t, 7)
		behind := 0
		done := j.killedInCommit(t, func(_ int, op, name string) bool {
			if behind > 0 || op == "rename" && filepath.Base(name) == "receipt.json" {
				behind++
			}
			return behind == k+1
		})
		next := newJob(t, "OTHERRUN")
		i, err := next.set.Interrupted()
		must(t, err)
		if i != nil {
			must(t, next.set.Complete(t.Context(), i))
			must(t, next.set.Abort())
		}
		if diff := cmp.Diff(want, names(tree(t))); diff != "" {
			t.Errorf("killed %d changes behind the receipt, state %v: %s", k, i != nil, diff)
		}
		if done {
			return
		}
	}
}

// A run that is killed at any point leaves a receipt only beside outputs that it is about. Its commit can be completed, or the next run
// clears up.
func TestKilledAtEveryPoint(t *testing.T) {
	for _, completes := range []bool{true, false} {
		for k := 0; ; k++ {
			inFolder(t, oldRun, nil)
			done := killedAt(t, k, func(string, string) {})
			have := tree(t)
			if receipt := have["out/receipt.json"]; receipt != "" {
				want := newRun
				if receipt == oldRun["out/receipt.json"] {
					want = oldRun
				}
				for name, data := range want {
					if have[name] != data {
						t.Errorf("killed at %d: %s is %q beside %q", k, name, have[name], receipt)
					}
				}
			}
			if completes && complete(t) {
				wantTree(t, newRun)
			}
			if done {
				if k < 2*len(order) {
					t.Errorf("have only %d points", k)
				}
				break
			}
			next := finishedRun(t, testRun, func(string, string) error { return nil })
			must(t, next.Commit())
			wantTree(t, newRun)
		}
	}
}

// killedAt kills a run at the kth change of the disk in its commit, and reports whether it came to its end. note sees all changes, also
// those before the commit.
func killedAt(t *testing.T, k int, note func(op, name string)) (done bool) {
	t.Helper()
	type killed struct{}
	n := 0
	var s *Set
	defer func() {
		s.leaveFolders() // as the system does for a dead process
		if r := recover(); r != nil && r != (killed{}) {
			panic(r)
		}
	}()
	s = finishedRun(t, "DEADRUN1", func(op, name string) error {
		if s != nil { // else still at work, which TestPrepareStagesWhatItKnows looks at
			n++
			if n == k+1 {
				panic(killed{})
			}
		}
		note(op, name)
		return nil
	})
	s.kept = true // the killed process removes nothing
	must(t, s.Commit())
	return true
}
