package output

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	s.run = id
	s.disk = disk{
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

// All bytes are durable before the first name is given, the old receipt goes before outputs that it is not about come,
// and the new one is named last, behind names that are durable.
func TestCommitOrder(t *testing.T) {
	inFolder(t, oldRun, nil)
	var have []string
	s := finishedRun(t, testRun, func(op, name string) error {
		have = append(have, op+" "+filepath.Base(name))
		return nil
	})
	must(t, s.Commit())
	want := []string{
		"sync .ranks.json.TESTRUN1-2.sluice", // as soon as it is written
		"sync .a.jsonl.TESTRUN1-1.sluice", "sync .test.jsonl.TESTRUN1-4.sluice", "sync .train.jsonl.TESTRUN1-3.sluice",
		"sync .receipt.json.TESTRUN1-0.sluice",
		"remove receipt.json", "sync out",
		"rename a.jsonl", "rename test.jsonl", "rename train.jsonl", "rename ranks.json", "sync out",
		"rename receipt.json", "sync out",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	wantTree(t, newRun)
	must(t, s.Abort())
	wantTree(t, newRun)
}

// A commit that fails says what is in place; the receipt of another run never stands beside it, and nothing hidden stays.
func TestCommitFailsAtEveryName(t *testing.T) {
	for k := range len(order) + 1 {
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
			if !errors.Is(err, broken) {
				t.Fatalf("have %v", err)
			}
			want := maps.Clone(oldRun)
			text := "receipt: old receipt: out/receipt.json: broken"
			if k > 0 {
				delete(want, "out/receipt.json")
				given, left := order[:k-1], order[k-1:]
				for _, name := range given {
					want[name] = newRun[name]
				}
				in := strings.Join(given, ", ")
				if in == "" {
					in = "nothing"
				}
				text = fmt.Sprintf("%s: broken (in place: %s; not in place: %s)", left[0], in, strings.Join(left, ", "))
			}
			if !strings.HasSuffix(err.Error(), text) {
				t.Errorf("have %q, want %q", err, text)
			}
			must(t, s.Abort())
			wantTree(t, want)
		})
	}
}

// A run that is killed at any point leaves a receipt only beside outputs that it is about, and the next run clears up.
func TestKilledAtEveryPoint(t *testing.T) {
	type killed struct{}
	for k := 0; ; k++ {
		inFolder(t, oldRun, nil)
		n := 0
		var s *Set
		done := func() (done bool) {
			defer func() {
				if r := recover(); r != nil && r != (killed{}) {
					panic(r)
				}
			}()
			s = finishedRun(t, "DEADRUN1", func(string, string) error {
				if s == nil { // still at work, which TestPrepareStagesWhatItKnows looks at
					return nil
				}
				n++
				if n == k+1 {
					panic(killed{})
				}
				return nil
			})
			must(t, s.Commit())
			return true
		}()
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
		s.leaveFolders() // as the system does for a dead process
		if done {
			if k < len(order) {
				t.Errorf("have only %d points", k)
			}
			return
		}
		next := finishedRun(t, testRun, func(string, string) error { return nil })
		must(t, next.Commit())
		wantTree(t, newRun)
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
		{Claim{What: "b", Path: "b.jsonl", Tag: 7}, "b.jsonl", 2, 0, filehash.Sum{}, map[int64]int64{8: 1, 16: 1}, nil},
		{Claim{What: "a", Path: "{split}.jsonl"}, "x.jsonl", 1, 0, filehash.Sum{}, map[int64]int64{1: 1}, nil},
		{Claim{What: "a", Path: "{split}.jsonl"}, "y.jsonl", 2, 0, filehash.Sum{}, map[int64]int64{1: 2}, nil},
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
