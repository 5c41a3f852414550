package output

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A commit that is killed at any change of the disk is completed with everything that belongs to the outputs: origins are those of the
// rows beside them, not an older run's.
func TestCompleteKeepsOrigins(t *testing.T) {
	const records = 7
	inFolder(t, nil, nil)
	calm := begin(t, testRun)
	calm.write(t, records)
	calm.commit(t)
	want := tree(t)
	for k := 0; ; k += 5 {
		inFolder(t, nil, nil)
		older := begin(t, "OLDERRUN")
		older.write(t, 3)
		older.commit(t)
		j := begin(t, testRun)
		j.write(t, records)
		done := j.killedInCommit(t, func(n int, _, _ string) bool { return n == k })
		next := newJob(t, "OTHERRUN")
		i, err := next.set.Interrupted()
		must(t, err)
		if i == nil && !done { // before the list, or behind its end
			continue
		}
		if i != nil {
			must(t, next.set.Complete(t.Context(), i))
			must(t, next.set.Abort())
		}
		if diff := cmp.Diff(names(want), names(tree(t))); diff != "" {
			t.Fatalf("killed at %d: %s", k, diff)
		}
		if done {
			return
		}
	}
}

// killedInCommit ends the run at a change of the disk in its commit, and reports whether the commit came to its end.
func (j *job) killedInCommit(t *testing.T, at func(n int, op, name string) bool) (done bool) {
	t.Helper()
	type killed struct{}
	defer func() {
		j.die()
		if r := recover(); r != nil && r != (killed{}) {
			panic(r)
		}
	}()
	must(t, j.ranks.Write(fmt.Appendf(nil, "%d\n", j.next)))
	files, err := j.set.Finish()
	must(t, err)
	must(t, j.receipt.Write(accountOf(t, files)))
	n := 0
	j.set.disk = watched(func(op, name string) error {
		if at(n, op, name) {
			panic(killed{})
		}
		n++
		return nil
	})
	must(t, j.set.Commit())
	return true
}

// atFirstName is when a commit has written its list, and given no name yet.
func atFirstName(_ int, op, name string) bool {
	return op == "rename" && filepath.Base(name) == "plain.jsonl"
}

// strangers are files that no run may touch.
var strangers = map[string]string{
	"mine/notes.txt": "notes\n", "mine/.notes.txt.TESTRUN1-0.sluice": "hidden\n", "mine/.sluice/x.origins": "", "out/other.jsonl": "other\n",
	"out/.other.jsonl.TESTRUN1-99.sluice": "other\n", "out/.sluice/a.jsonl.zst.origins": originsStart + "}\n", "labels/.x": "x\n",
	"labels/0/deep.jsonl": "deep\n", "mine/rows-00009.jsonl": "9\n", "mine/.sluice/rows-00009.jsonl.origins": originsStart + "}\n",
}

// A state may come with the folder of somebody else. A commit is completed only when all that its list names is claimed by this run, and
// otherwise nothing is touched, nor by the run that begins anew.
func TestCompleteOnlyClaimed(t *testing.T) {
	hidden := func(real, name string) move {
		return move{What: "sink 0", Path: "out/plain.jsonl", Real: real, Hidden: name, Bytes: 7, Loose: true}
	}
	for _, tt := range []struct {
		reason string
		spoil  func(x *state)
	}{
		{"removes a file elsewhere", func(x *state) { x.Commit = append(x.Commit, move{Real: "../../mine/notes.txt"}) }},
		{"removes by a whole path", func(x *state) {
			abs, _ := filepath.Abs("mine/notes.txt")
			x.Commit = append(x.Commit, move{Real: abs})
		}},
		{"removes a file beside the outputs", func(x *state) { x.Commit = append(x.Commit, move{Real: "../other.jsonl"}) }},
		{"removes an output", func(x *state) { x.Commit = append(x.Commit, move{Real: "../plain.jsonl"}) }},
		{"removes what has a number elsewhere", func(x *state) { x.Commit = append(x.Commit, move{Real: "../../mine/rows-00009.jsonl"}) }},
		{"renames elsewhere", func(x *state) {
			x.Commit = append(x.Commit, hidden("../../mine/notes.txt", ".notes.txt.TESTRUN1-0.sluice"))
		}},
		{"renames to a name that is not claimed", func(x *state) {
			x.Commit = append(x.Commit, hidden("../other.jsonl", ".other.jsonl.TESTRUN1-99.sluice"))
		}},
		{"a hidden file in another folder", func(x *state) { x.Commit[0].Hidden = "../mine/.notes.txt.TESTRUN1-0.sluice" }},
		{"a file that is not hidden", func(x *state) { x.Commit[0].Hidden = "other.jsonl" }},
		{"another file's hidden name", func(x *state) { x.Commit[0].Hidden = x.Commit[2].Hidden }},
		{"another run's hidden name", func(x *state) { x.Commit[0].Hidden = ".plain.jsonl.OTHERRUN-0.sluice" }},
		{"one file twice", func(x *state) { x.Commit = append(x.Commit, x.Commit[0]) }},
		{"of another sink", func(x *state) { x.Commit[0].What = "sink 9" }},
		{"a path with labels that leads elsewhere", func(x *state) {
			x.Commit = append(x.Commit, move{What: "sink 5", Path: "labels/../mine/notes.jsonl", Real: "../../mine/notes.jsonl", Hidden: ".notes.jsonl.TESTRUN1-0.sluice"})
		}},
		{"a hidden label", func(x *state) {
			x.Commit = append(x.Commit, move{What: "sink 5", Path: "labels/.x.jsonl", Real: "../../labels/.x.jsonl", Hidden: "..x.jsonl.TESTRUN1-0.sluice"})
		}},
		{"a number where nothing rotates", func(x *state) {
			x.Commit = append(x.Commit, move{What: "sink 0", Path: "out/plain-00001.jsonl", Real: "../plain-00001.jsonl", Hidden: ".plain-00001.jsonl.TESTRUN1-0.sluice"})
		}},
		{"a folder elsewhere", func(x *state) { x.Folders = append(x.Folders, "../../mine") }},
		{"a folder elsewhere that the run has made", func(x *state) { x.Made = append(x.Made, "../../mine/empty") }},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			inFolder(t, strangers, nil)
			must(t, os.Mkdir("mine/empty", 0o700))
			j := begin(t, testRun)
			j.write(t, 4)
			j.killedInCommit(t, atFirstName)
			for name, text := range strangers {
				must(t, os.WriteFile(name, []byte(text), 0o600))
			}
			x, err := readState("out/.sluice/receipt.json.resume")
			must(t, err)
			tt.spoil(x)
			must(t, j.set.writeState(x))
			before := tree(t)
			next := newJob(t, "OTHERRUN")
			i, err := next.set.Interrupted()
			must(t, err)
			if err = next.set.Complete(t.Context(), i); err == nil || !strings.Contains(err.Error(), "run without --resume") {
				t.Errorf("have %v", err)
			}
			must(t, next.set.Abort())
			wantTree(t, before)

			fresh := begin(t, "FRESHRUN")
			must(t, fresh.set.Discard())
			must(t, fresh.set.Abort())
			have := tree(t)
			maps.DeleteFunc(have, func(name, _ string) bool { _, is := strangers[name]; return !is && name != "mine/empty" })
			for name, text := range strangers {
				if have[name] != text && !strings.Contains(name, "out/.other") { // which lies beside the state, so it is the run's
					t.Errorf("%s: want %q, have %q", name, text, have[name])
				}
			}
			if have["mine/empty"] == "" {
				t.Error("want the empty folder left, have it removed")
			}
		})
	}
}

// What a checkpoint names is reopened only when this run claims it; nothing is touched before all of it is checked.
func TestResumeOnlyClaimed(t *testing.T) {
	first := func(x *state, sink int) *fileMark { return &x.Sinks[sink].Series[0].Files[0] }
	for _, tt := range []struct {
		reason string
		spoil  func(x *state)
	}{
		{"a hidden file in another folder", func(x *state) { first(x, 7).Hidden = "../../mine/.notes.txt.TESTRUN1-0.sluice" }},
		{"a file that is not hidden", func(x *state) { first(x, 7).Hidden = "x" }},
		{"origins in another folder", func(x *state) { first(x, 7).Origins.Hidden = "../../../mine/.notes.txt.TESTRUN1-0.sluice" }},
		{"labels that lead elsewhere", func(x *state) { x.Sinks[5].Series[0].Path = "labels/../mine/notes.jsonl" }},
		{"another path of a sink", func(x *state) { x.Sinks[0].Series[0].Path = "mine/notes.txt" }},
		{"a second file without rotation", func(x *state) {
			x.Sinks[0].Series[0].Files = append(x.Sinks[0].Series[0].Files, *first(x, 0))
		}},
		{"a folder elsewhere that the run has made", func(x *state) { x.Made = append(x.Made, "../../mine/empty") }},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			inFolder(t, strangers, nil)
			must(t, os.Mkdir("mine/empty", 0o700))
			j := begin(t, testRun)
			j.write(t, 4)
			j.save(t)
			j.write(t, 5)
			j.die()
			before := tree(t)
			next := newJob(t, "OTHERRUN")
			i, err := next.set.Interrupted()
			must(t, err)
			tt.spoil(i.state)
			next.set.Resume(i)
			if err = next.set.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "run without --resume") {
				t.Errorf("have %v", err)
			}
			must(t, next.set.Abort())
			wantTree(t, before)
		})
	}
}

// A commit that has given all names has succeeded, also when the list of them cannot be removed. It says so, and the next run removes
// the list, or goes on with it and finds all done.
func TestListLeftBehindCommit(t *testing.T) {
	for _, completes := range []bool{false, true} {
		inFolder(t, oldRun, nil)
		s := finishedRun(t, testRun, func(op, name string) error {
			if op == "remove" && strings.HasSuffix(name, stateEnding) {
				return syscall.EACCES
			}
			return nil
		})
		must(t, s.Commit())
		must(t, s.Abort())
		if err := s.StateLeft(); !errors.Is(err, syscall.EACCES) || !strings.Contains(err.Error(), "receipt.json.resume") {
			t.Errorf("have %v", err)
		}
		for name, want := range newRun {
			if have := tree(t)[name]; have != want {
				t.Errorf("%s: want %q, have %q", name, want, have)
			}
		}
		if completes {
			if !complete(t) {
				t.Error("want a list to go on with, have none")
			}
		} else {
			next := finishedRun(t, "NEXTRUN1", func(string, string) error { return nil })
			must(t, next.Discard())
			must(t, next.Commit())
			if err := next.StateLeft(); err != nil {
				t.Error(err)
			}
		}
		wantTree(t, newRun)
	}
}

// Where a hidden file was, a link is no file of the run: what it leads to stays as it is.
func TestResumeFollowsNoLinks(t *testing.T) {
	inFolder(t, map[string]string{"mine": "mine, and longer than what the run has written\n"}, nil)
	j := begin(t, testRun)
	j.save(t)
	j.die()
	next := newJob(t, "OTHERRUN")
	i, err := next.set.Interrupted()
	must(t, err)
	name := "out/" + i.state.Sinks[0].Series[0].Files[0].Hidden
	must(t, os.Remove(name))
	must(t, os.Symlink("../mine", name))
	next.set.Resume(i)
	if err := next.set.Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "have something else at") {
		t.Errorf("have %v", err)
	}
	must(t, next.set.Abort())
	if have, err := os.ReadFile("mine"); len(have) < 40 {
		t.Errorf("have %q, %v", have, err)
	}
}

// What a list completes is whole after a loss of power: origins are durable before it is, too.
func TestOriginsDurableBeforeList(t *testing.T) {
	inFolder(t, nil, nil)
	j := begin(t, testRun)
	j.write(t, 4)
	synced := map[string]bool{}
	j.killedInCommit(t, func(n int, op, name string) bool {
		synced[filepath.Base(name)] = synced[filepath.Base(name)] || op == "sync"
		return atFirstName(n, op, name)
	})
	x, err := readState("out/.sluice/receipt.json.resume")
	must(t, err)
	for _, m := range x.Commit {
		if strings.HasSuffix(m.Real, originsEnding) && (m.Loose || !synced[m.Hidden]) {
			t.Errorf("%s is not durable", m.Real)
		}
	}
}

// TestPartsOfNoState holds that the next run, as it begins, removes the parts of a checkpoint whose state was never written.
func TestPartsOfNoState(t *testing.T) {
	inFolder(t, nil, nil)
	j := begin(t, "KILLED01")
	j.write(t, 5)
	j.checkpoint(t)
	j.die()
	if left, err := filepath.Glob("out/.sluice/*" + stateEnding + "-*"); err != nil || len(left) == 0 {
		t.Fatalf("want parts of the run that died, or this test shows nothing (%v)", err)
	}
	next := begin(t, testRun)
	must(t, next.set.Discard())
	if left, err := filepath.Glob("out/.sluice/*" + stateEnding + "*"); err != nil || len(left) > 0 {
		t.Errorf("want nothing of the run that died, have %v (%v)", left, err)
	}
}
