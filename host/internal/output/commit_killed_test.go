package output

import "testing"

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
