package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/sdk/wire"
)

var oldRun = map[string]string{
	"out/a.jsonl": "old a\n", "out/test.jsonl": "old test\n", "out/ranks.json": "old ranks\n", "out/receipt.json": "old receipt\n",
}

var newRun = map[string]string{
	"out/a.jsonl": "1\n", "out/test.jsonl": "2\n", "out/train.jsonl": "3\n", "out/ranks.json": "ranks\n", "out/receipt.json": "receipt\n",
}

// order is how the files of finishedRun get their names.
var order = []string{"out/a.jsonl", "out/test.jsonl", "out/train.jsonl", "out/ranks.json", "out/receipt.json"}

// finishedRun is a run of which all is written but nothing has its name. note sees each change of the disk before it is
// done, and may forbid it.
func finishedRun(t *testing.T, id string, note func(op, name string) error) *Set {
	t.Helper()
	s := newSet(t)
	s.opts.Run = id
	s.disk = watched(note)
	receipt := addReceipt(t, s, "out/receipt.json") // claimed first, and named last all the same
	a := addSink(t, s, "sink a", "out/a.jsonl")
	labelled := addSink(t, s, "sink split", "out/{split}.jsonl")
	report := addReport(t, s, "report", "out/ranks.json")
	prepare(t, s)
	must(t, a.Write(records("1")))
	must(t, labelled.Write([]wire.Record{split("train", "3"), split("test", "2")}))
	must(t, report.Write([]byte("ranks\n")))
	finish(t, s)
	must(t, receipt.Write([]byte("receipt\n")))
	return s
}

// watched is the disk, of which note sees each change before it is done, one at a time.
func watched(see func(op, name string) error) disk {
	var seeing sync.Mutex
	note := func(op, name string) error {
		seeing.Lock()
		defer seeing.Unlock()
		return see(op, name)
	}
	return disk{
		sync: func(f *os.File) error {
			if err := note("sync", f.Name()); err != nil {
				return err
			}
			return f.Sync()
		},
		rename: func(from, to string) error {
			if err := note("rename", to); err != nil {
				return err
			}
			return os.Rename(from, to)
		},
		remove: func(name string) error {
			if err := note("remove", name); err != nil {
				return err
			}
			return os.Remove(name)
		},
	}
}

// claimedAgain returns a Set with the claims of finishedRun.
func claimedAgain(t *testing.T) *Set {
	t.Helper()
	s := newSet(t)
	addReceipt(t, s, "out/receipt.json")
	addSink(t, s, "sink a", "out/a.jsonl")
	addSink(t, s, "sink split", "out/{split}.jsonl")
	addReport(t, s, "report", "out/ranks.json")
	return s
}

// complete does what run --resume does with a commit that has begun, and reports whether there is one.
func complete(t *testing.T) bool {
	t.Helper()
	s := claimedAgain(t)
	i, err := s.Interrupted()
	must(t, err)
	if i == nil || !i.Committing {
		return false
	}
	must(t, s.Complete(t.Context(), i))
	must(t, s.Abort())
	return true
}

// All bytes are durable before the first name is given, and so is the list of what the commit does. The old receipt goes before outputs
// that it is not about come, and the new one is named last, behind names that are durable.
func TestCommitOrder(t *testing.T) {
	inFolder(t, oldRun, nil)
	var have []string
	s := finishedRun(t, testRun, func(op, name string) error {
		have = append(have, op+" "+filepath.Base(name))
		return nil
	})
	must(t, s.Commit())
	slices.Sort(have[1:4]) // at the same time
	want := []string{
		"sync .ranks.json.TESTRUN1-2.sluice", // as soon as it is written
		"sync .a.jsonl.TESTRUN1-1.sluice", "sync .test.jsonl.TESTRUN1-4.sluice", "sync .train.jsonl.TESTRUN1-3.sluice",
		"sync .receipt.json.TESTRUN1-0.sluice",
		"sync out", "sync out", // the hidden names, and the folder of the list
		"sync .receipt.json.resume.TESTRUN1-5.sluice", "rename receipt.json.resume", "sync .sluice",
		"remove receipt.json", "sync out",
		"rename a.jsonl", "rename test.jsonl", "rename train.jsonl", "rename ranks.json", "sync out",
		"rename receipt.json", "sync out",
		"remove receipt.json.resume", "sync .sluice",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	wantTree(t, newRun)
	must(t, s.Abort())
	wantTree(t, newRun)
}

// A commit that fails says what is in place, and nothing that was written is lost: with the list on disk it can be completed, and
// before that the old files stand. The receipt of another run never stands beside new files, nor that of the failure beside a completed one.
func TestCommitFailsAtEveryName(t *testing.T) {
	given := func(n int) string {
		in, left := strings.Join(order[:n], ", "), strings.Join(order[n:], ", ")
		if n == 0 {
			in = "nothing"
		}
		return fmt.Sprintf("broken (in place: %s; not in place: %s; all is written and kept, and run --resume completes it)", in, left)
	}
	for k, message := range []string{
		"the state of the run: broken",
		"receipt: out/receipt.json: old file: " + given(0),
		"sink a: out/a.jsonl: " + given(0),
		"sink split: out/test.jsonl: " + given(1),
		"sink split: out/train.jsonl: " + given(2),
		"report: out/ranks.json: " + given(3),
		"receipt: out/receipt.json: " + given(4),
	} {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			inFolder(t, oldRun, nil)
			broken := errors.New("broken")
			names := 0
			s := finishedRun(t, testRun, func(op, name string) error {
				if op == "sync" || isTemporary(filepath.Base(name)) {
					return nil
				}
				names++
				if names == k+1 {
					return broken
				}
				return nil
			})
			err := s.Commit()
			if !errors.Is(err, broken) || err.Error() != message {
				t.Errorf("want %q, have %q", message, err)
			}
			if k > 0 {
				failed, err := (&Report{set: s, claim: s.receipt}).WriteFailed(t.Context(), []byte(receiptMark+"it failed"))
				if err != nil || failed == "" {
					t.Errorf("have %q (%v)", failed, err)
				}
			}
			for range 2 {
				must(t, s.Abort())
			}
			if k == 0 {
				wantTree(t, oldRun)
				return
			}
			have := tree(t)
			if have["out/receipt.json"] != "" && k > 1 {
				t.Errorf("have the receipt %q", have["out/receipt.json"])
			}
			if !complete(t) {
				t.Error("want a commit to complete, have none")
			}
			wantTree(t, newRun)
		})
	}
}

// A folder whose names cannot be made durable fails the run, but one of a system that has no means to do it passes.
func TestCommitFailsForFolders(t *testing.T) {
	for _, tt := range []struct {
		err    error
		passes bool
	}{{syscall.EIO, false}, {syscall.ENOSPC, false}, {syscall.EINVAL, true}, {syscall.ENOTSUP, true}} {
		for k := range 7 {
			inFolder(t, oldRun, nil)
			folders := 0
			s := finishedRun(t, testRun, func(op, name string) error {
				if info, err := os.Stat(name); op == "sync" && err == nil && info.IsDir() {
					if folders++; folders == k+1 {
						return tt.err
					}
				}
				return nil
			})
			err := s.Commit()
			passes := tt.passes || k == 6 // all names are given then
			if folders <= k || (err == nil) != passes || (s.StateLeft() == nil) != (tt.passes || k != 6) || err != nil && !errors.Is(err, tt.err) {
				t.Errorf("%v at folder %d of %d: have %v", tt.err, k, folders, err)
			}
			must(t, s.Abort())
			if done := complete(t); !done && err != nil && k != 6 { // before the list is written
				wantTree(t, oldRun)
				continue
			}
			wantTree(t, newRun)
		}
	}
}

// What can be known before the first name is given is known then: the outputs of the last run stay whole.
func TestCommitFindsFoldersFirst(t *testing.T) {
	inFolder(t, oldRun, nil)
	s := finishedRun(t, testRun, func(string, string) error { return nil })
	must(t, os.MkdirAll("out/train.jsonl/x", 0o777))
	err := s.Commit()
	if want := `sink split: want a file to write, have the folder "out/train.jsonl"`; err == nil || err.Error() != want {
		t.Errorf("have %v, want %q", err, want)
	}
	must(t, s.Abort())
	must(t, os.RemoveAll("out/train.jsonl"))
	wantTree(t, oldRun)
}

// The steps of the end come in their order.
func TestCommitTooEarly(t *testing.T) {
	inFolder(t, oldRun, nil)
	s := newSet(t)
	addSink(t, s, "sink a", "out/a.jsonl")
	receipt := addReceipt(t, s, "out/receipt.json")
	prepare(t, s)
	const want = "want everything finished and the receipt written before the commit"
	if err := s.Commit(); err == nil || err.Error() != want {
		t.Errorf("have %v before Finish", err)
	}
	finish(t, s)
	if err := s.Commit(); err == nil || err.Error() != want {
		t.Errorf("have %v before the receipt", err)
	}
	must(t, receipt.Write([]byte("1")))
	if err := receipt.Write([]byte("2")); err == nil || err.Error() != "out/receipt.json: want it written once, have a second time" {
		t.Errorf("have %v for a second receipt", err)
	}
	must(t, s.Abort())
	wantTree(t, oldRun)
}

// Finish tells what lies on disk, sink by sink in the order of their claims; a report that nobody wrote leaves what was
// there.
func TestFinishTells(t *testing.T) {
	inFolder(t, map[string]string{"ranks.json": "old"}, nil)
	s := newSet(t)
	addReport(t, s, "report", "ranks.json")
	b, err := s.Sink("jsonl", Claim{What: "b", Path: "b.jsonl", Tag: 7})
	must(t, err)
	a := addSink(t, s, "a", "{split}.jsonl")
	addSink(t, s, "none", "{a}.jsonl")
	unwritten := split("never", "")
	prepare(t, s)
	must(t, b.Write(records(`{"a":1}`, "[\n 1,\r\n\t\"b \\\" c\" ]")))
	if fault := a.Accepts(&unwritten); fault != nil {
		t.Fatal(fault)
	}
	must(t, a.Write([]wire.Record{split("y", "1"), split("x", "2"), split("y", "3")}))
	want := []File{
		{Claim{What: "b", Path: "b.jsonl", Tag: 7}, "b.jsonl", 2, 0, filehash.Sum{}, map[int64]int64{7: 1, 12: 1}, nil, nil, nil},
		{Claim{What: "a", Path: "{split}.jsonl"}, "x.jsonl", 1, 0, filehash.Sum{}, map[int64]int64{1: 1}, nil, nil, nil},
		{Claim{What: "a", Path: "{split}.jsonl"}, "y.jsonl", 2, 0, filehash.Sum{}, map[int64]int64{1: 2}, nil, nil, nil},
	}
	have := finish(t, s)
	for i, data := range []string{"{\"a\":1}\n[1,\"b \\\" c\"]\n", "2\n", "1\n3\n"} {
		want[i].Bytes, want[i].Sum = int64(len(data)), sumOf([]byte(data))
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	must(t, s.Commit())
	wantTree(t, map[string]string{"b.jsonl": "{\"a\":1}\n[1,\"b \\\" c\"]\n", "ranks.json": "old", "x.jsonl": "2\n", "y.jsonl": "1\n3\n"})
}

// TestLastReport holds that a report about what the sinks hold can be written when they are finished, and that no run ends
// without it.
func TestLastReport(t *testing.T) {
	inFolder(t, nil, nil)
	s := newSet(t)
	sink := addSink(t, s, "sink a", "out/a.jsonl")
	report, err := s.Report(Claim{What: "the manifest", Path: "out/manifest.json", AfterFinish: true})
	must(t, err)
	prepare(t, s)
	must(t, sink.Write(records("1")))
	if _, err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(); err == nil || !strings.Contains(err.Error(), "want the manifest written before the commit") {
		t.Errorf("want the manifest missed, have %v", err)
	}
	must(t, report.Write([]byte("manifest\n")))
	must(t, s.Commit())
	for name, want := range map[string]string{"out/a.jsonl": "1\n", "out/manifest.json": "manifest\n"} {
		if have, err := os.ReadFile(name); err != nil || string(have) != want {
			t.Errorf("%s: want %q, have %q, %v", name, want, have, err)
		}
	}
}

// A manifest, which whoever gets the files reads, is gone before the first of them changes.
func TestManifestGoesFirst(t *testing.T) {
	inFolder(t, map[string]string{"out/a.jsonl": "old\n", "out/manifest.json": "old\n"}, nil)
	s := newSet(t)
	sink := addSink(t, s, "sink a", "out/a.jsonl")
	manifest, err := s.Report(Claim{What: "the manifest", Path: "out/manifest.json", AfterFinish: true})
	must(t, err)
	s.disk = watched(func(op, name string) error {
		if _, err := os.Stat("out/manifest.json"); op == "rename" && filepath.Base(name) == "a.jsonl" && err == nil {
			t.Error("the old manifest stands when its file changes")
		}
		return nil
	})
	prepare(t, s)
	must(t, sink.Write(records("1")))
	finish(t, s)
	must(t, manifest.Write([]byte("new\n")))
	must(t, s.Commit())
	wantTree(t, map[string]string{"out/a.jsonl": "1\n", "out/manifest.json": "new\n"})
}

// TestSyncsTogether holds that files are made durable several at a time: here no sync ends before another has begun.
func TestSyncsTogether(t *testing.T) {
	inFolder(t, nil, nil)
	s := newSet(t)
	sink := addSink(t, s, "sink split", "out/{split}.jsonl")
	receipt := addReceipt(t, s, "out/receipt.json")
	s.opts.Origins = true
	prepare(t, s)
	var pairs sync.Mutex
	var other chan struct{}
	s.disk.sync = func(f *os.File) error {
		if !strings.Contains(f.Name(), ".jsonl") { // a folder, the receipt or the list
			return f.Sync()
		}
		pairs.Lock()
		mine := other
		if mine != nil {
			close(mine)
			other = nil
		} else {
			mine = make(chan struct{})
			other = mine
		}
		pairs.Unlock()
		select {
		case <-mine:
			return f.Sync()
		case <-time.After(30 * time.Second):
			return errors.New("want another file synced meanwhile, have none")
		}
	}
	for _, label := range []string{"a", "b", "c", "d"} {
		must(t, sink.Write([]wire.Record{split(label, "1")}))
	}
	finish(t, s)
	must(t, receipt.Write([]byte("receipt\n")))
	must(t, s.Commit())
}
