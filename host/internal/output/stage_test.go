package output

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// Before the commit there are only hidden files that tell their run, beside what was there.
func TestPrepareStagesWhatItKnows(t *testing.T) {
	inFolder(t, map[string]string{"out/a.jsonl": "old\n"}, nil)
	s := newSet(t)
	addSink(t, s, "a", "out/a.jsonl")
	addSink(t, s, "b", "new/deep/{split}.jsonl")
	addReport(t, s, "report", "out/ranks.json")
	addReceipt(t, s, "out/receipt.json")
	wantTree(t, map[string]string{"out/a.jsonl": "old\n"})
	prepare(t, s)
	wantTree(t, map[string]string{
		"out/a.jsonl":                         "old\n",
		"out/.a.jsonl.TESTRUN1-0.sluice":      "",
		"out/.ranks.json.TESTRUN1-1.sluice":   "",
		"out/.receipt.json.TESTRUN1-2.sluice": "",
		"new/deep":                            "empty folder",
	})
	for range 2 {
		must(t, s.Abort())
		wantTree(t, map[string]string{"out/a.jsonl": "old\n"})
	}
}

// What cannot be written is found before anything runs, and leaves nothing.
func TestPrepareFindsTheProblem(t *testing.T) {
	tests := []struct {
		reason string
		claim  func(*testing.T, *Set)
		before func(*testing.T) // after the claims
		want   string
	}{
		{"no standard output", func(t *testing.T, s *Set) { addSink(t, s, "sink a", "-") }, nil, "sink a: want standard output, have a run without it"},
		{"a folder has come up", func(t *testing.T, s *Set) { addSink(t, s, "sink a", "new/x") },
			func(t *testing.T) { must(t, os.MkdirAll("new/x", 0o777)) }, `sink a: want a file to write, have the folder "new/x"`},
		{"the receipt cannot be written", func(t *testing.T, s *Set) {
			addSink(t, s, "sink a", "out/a.jsonl")
			addReceipt(t, s, "/proc/nope/r.json")
		}, nil, "receipt: /proc/nope: no such file or directory"},
		{"a report cannot be written", func(t *testing.T, s *Set) {
			addSink(t, s, "sink a", "out/a.jsonl")
			addReport(t, s, "report of first f", "/proc/r.json")
		}, nil, "report of first f: /proc/r.json: no such file or directory"},
		{"labels into a folder that takes no files", func(t *testing.T, s *Set) { addSink(t, s, "sink a", "/proc/{k}") }, nil,
			"sink a: /proc: no such file or directory"},
		{"a run without a fit id", func(_ *testing.T, s *Set) { s.opts.Run = "../x" }, nil,
			`want the id of the run to be 8 to 64 letters and digits, have "../x"`},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			if _, err := os.Stat("/proc/self"); err != nil && strings.Contains(tt.want, "/proc") {
				return // only where the system has this folder
			}
			inFolder(t, nil, nil)
			s := newSet(t)
			tt.claim(t, s)
			if tt.before != nil {
				tt.before(t)
			}
			err := s.Prepare(t.Context())
			if err == nil || err.Error() != tt.want {
				t.Errorf("have %v, want %q", err, tt.want)
			}
			must(t, s.Abort())
			for name, data := range tree(t) {
				if data != "empty folder" || !strings.HasPrefix(name, "new") {
					t.Errorf("%s is left behind", name)
				}
			}
		})
	}
}

// Two runs into one folder at once would mix their files; one after the other is fine.
func TestFoldersAreLocked(t *testing.T) {
	inFolder(t, map[string]string{"out/x": ""}, map[string]string{"same": "out"})
	first, second := newSet(t), newSet(t)
	second.opts.Run = "TESTRUN2"
	addSink(t, first, "sink a", "out/a.jsonl")
	addSink(t, first, "sink b", "out/b.jsonl") // shares the lock
	addSink(t, second, "sink c", "same/c.jsonl")
	prepare(t, first)
	err := second.Prepare(t.Context())
	if err == nil || err.Error() != "sink c: another run is writing into same" {
		t.Fatalf("have %v", err)
	}
	if _, err := os.Stat("out/.a.jsonl.TESTRUN1-0.sluice"); err != nil {
		t.Errorf("the second run has swept the first one's files: %v", err)
	}
	must(t, second.Abort())
	finish(t, first)
	must(t, first.Commit())

	third := newSet(t)
	addSink(t, third, "sink c", "same/c.jsonl")
	prepare(t, third)
	must(t, third.Abort())
	fourth := newSet(t)
	addSink(t, fourth, "sink c", "out/c.jsonl")
	prepare(t, fourth)
}

// Folders that labels lead to are locked and swept as they come.
func TestLabelledFoldersAreLocked(t *testing.T) {
	inFolder(t, map[string]string{"out/train/.x.jsonl.DEADRUN1-7.sluice": "left"}, nil)
	first, second := newSet(t), newSet(t)
	second.opts.Run = "TESTRUN2"
	a := addSink(t, first, "sink a", "out/{split}/a.jsonl")
	b := addSink(t, second, "sink b", "{a}/{split}/b.jsonl")
	prepare(t, first)
	prepare(t, second)
	must(t, a.Write([]wire.Record{split("train", "1")}))
	wantTree(t, map[string]string{"out/train/.a.jsonl.TESTRUN1-0.sluice": ""})
	r := split("train", "2")
	r.Labels = []wire.Label{{Name: "a", Value: "out"}, {Name: "split", Value: "train"}}
	if err := b.Write([]wire.Record{r}); err == nil || err.Error() != "another run is writing into out/train" {
		t.Errorf("have %v", err)
	}
}

// A dead run's files go, and nothing else: not what only looks like one, not links, not folders.
func TestSweep(t *testing.T) {
	inFolder(t, map[string]string{
		"out/.train.jsonl.DEADRUN1-12.sluice":        "left",
		"out/.b.ABCDEFGHIJKLMNOPQRSTUVWXYZ-0.sluice": "left",
		"out/train.jsonl":                            "old",
		"out/.train.jsonl.sluice":                    "kept",
		"out/.train.jsonl.DEADRUN1.sluice":           "kept",
		"out/.train.jsonl.DEADRUN1-x.sluice":         "kept",
		"out/.train.jsonl.short-1.sluice":            "kept",
		"out/train.jsonl.DEADRUN1-1.sluice":          "kept",
		"out/.train.jsonl.DEADRUN1-1.sluice.bak":     "kept",
		"out/.folder.DEADRUN1-1.sluice/x":            "kept",
		"elsewhere/.train.jsonl.DEADRUN1-1.sluice":   "kept",
	}, map[string]string{"out/.link.DEADRUN1-1.sluice": "train.jsonl"})
	want := tree(t)
	for name, data := range want {
		if data == "left" {
			delete(want, name)
		}
	}
	s := newSet(t)
	addSink(t, s, "a", "out/{split}.jsonl")
	prepare(t, s)
	wantTree(t, want)
}

// Attachments of a state that a run left which was killed before its first state was whole go with the hidden files of that run. Those of a state
// that is there stay, and so do those that may be of another part, which may go on.
func TestSweepsPartsOfNoState(t *testing.T) {
	for _, tt := range []struct {
		reason, part string
		stays        []string
	}{
		{"a whole run", "", []string{"out/.sluice/b.json.resume", "out/.sluice/b.json.resume-1", "out/.sluice/b.json.resume-x"}},
		{"a part", "00000-of-00002", []string{"out/.sluice/a.json.resume-1", "out/.sluice/b.json.resume", "out/.sluice/b.json.resume-1", "out/.sluice/b.json.resume-x", "out/.sluice/r-00001-of-00002.json.resume-1"}},
	} {
		inFolder(t, map[string]string{
			"out/.sluice/a.json.resume-1": "", "out/.sluice/r-00000-of-00002.json.resume-12": "", "out/.sluice/r-00001-of-00002.json.resume-1": "",
			"out/.sluice/b.json.resume": `{"schema":"sluice.resume.v1","run":"OTHERRUN"}`, "out/.sluice/b.json.resume-1": "", "out/.sluice/b.json.resume-x": "",
		}, nil)
		s := New(Options{Run: testRun, Origins: true, Part: tt.part})
		sink := addSink(t, s, "a", "out/a.jsonl")
		prepare(t, s)
		must(t, sink.Write(records("1")))
		must(t, s.Abort())
		var have []string
		for name := range tree(t) {
			if strings.Contains(name, stateEnding) {
				have = append(have, name)
			}
		}
		slices.Sort(have)
		if !slices.Equal(have, tt.stays) {
			t.Errorf("%s: want %q to stay, have %q", tt.reason, tt.stays, have)
		}
	}
}

// A temporary name fits its file system and the sweep, whatever the file is called.
func FuzzTemporaryName(f *testing.F) {
	for _, name := range []string{"a", "train.jsonl", strings.Repeat("x", 255), strings.Repeat("é", 127), ".hidden", "a\xffb"} {
		f.Add(name, 0)
	}
	s := New(Options{Run: strings.Repeat("R", 64)})
	f.Fuzz(func(t *testing.T, name string, n int) {
		if name == "" || n < 0 || strings.ContainsAny(name, "/\x00\n\r") {
			return
		}
		temp := s.temporary(name, n)
		if len(temp) > maxName || temp[0] != '.' || !isTemporary(temp) {
			t.Errorf("have %q of %d bytes for %q", temp, len(temp), name)
		}
	})
}

// A file is put where its link points to, also when nothing is there yet, and has the mode of what it replaces.
func TestLinksAndModes(t *testing.T) {
	inFolder(t, map[string]string{"disk/old.jsonl": "old\n"}, map[string]string{
		"a.jsonl": "disk/old.jsonl", "b.jsonl": "disk/deep/new.jsonl", "c.jsonl": "b2", "b2": "disk/two",
	})
	must(t, os.Chmod("disk/old.jsonl", 0o600))
	s := newSet(t)
	for _, path := range []string{"a.jsonl", "b.jsonl", "c.jsonl"} {
		addSink(t, s, path, path)
	}
	prepare(t, s)
	for _, sink := range s.sinks {
		must(t, sink.Write(records("1")))
	}
	finish(t, s)
	must(t, s.Commit())
	wantTree(t, map[string]string{
		"disk/old.jsonl": "1\n", "disk/deep/new.jsonl": "1\n", "disk/two": "1\n",
		"a.jsonl": "link to disk/old.jsonl", "b.jsonl": "link to disk/deep/new.jsonl", "c.jsonl": "link to b2", "b2": "link to disk/two",
	})
	if info, err := os.Stat("disk/old.jsonl"); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// Folders that the run has made go when nothing is in them; others stay.
func TestMadeFolders(t *testing.T) {
	inFolder(t, map[string]string{"mine/x": ""}, nil)
	must(t, os.Mkdir("empty", 0o777))
	s := newSet(t)
	sink := addSink(t, s, "a", "made/{split}/{a}/x.jsonl")
	addSink(t, s, "b", "empty/b.jsonl")
	addSink(t, s, "c", "mine/new/c.jsonl")
	addSink(t, s, "d", "used/d.jsonl")
	prepare(t, s)
	must(t, sink.Write([]wire.Record{split("train", "1")}))
	must(t, os.WriteFile("used/by-somebody", nil, 0o666))
	must(t, s.Abort())
	wantTree(t, map[string]string{"empty": "empty folder", "mine/x": "", "used/by-somebody": ""})
}

// Where the lock cannot be had, a run goes on without it.
func TestUnreadableFolder(t *testing.T) {
	f, err := new(Set).lockFolder(filepath.Join(t.TempDir(), "none"))
	if f != nil || err != nil {
		t.Errorf("have %v, %v", f, err)
	}
}

// A folder that has two names, as one mounted twice, does not keep its own run out.
func TestFolderWithTwoNames(t *testing.T) {
	inFolder(t, map[string]string{"out/x": ""}, map[string]string{"same": "out"})
	s := newSet(t)
	for _, name := range []string{"out", "same", "out"} {
		must(t, s.enter(name, name))
	}
	if len(s.entered) != 2 || len(s.locks) != 1 {
		t.Errorf("have %v and %v", s.entered, s.locks)
	}
}

func TestBusyIsRecognized(t *testing.T) {
	dir := t.TempDir()
	f, err := new(Set).lockFolder(dir)
	must(t, err)
	if _, err := new(Set).lockFolder(dir); !errors.Is(err, errBusy) {
		t.Errorf("have %v", err)
	}
	must(t, f.Close())
	again, err := new(Set).lockFolder(dir)
	must(t, err)
	must(t, again.Close())
}

// What may hold personal data is for its owner alone, and so are the folders that are made for it.
func TestPrivate(t *testing.T) {
	inFolder(t, nil, nil)
	s := New(Options{Run: testRun, Origins: true})
	sink := addSink(t, s, "a", "out/{split}.jsonl")
	receipt := addReceipt(t, s, "out/receipt.json")
	prepare(t, s)
	must(t, sink.Write([]wire.Record{split("x", "1")}))
	finish(t, s)
	must(t, receipt.Write([]byte("{}")))
	must(t, s.Commit())
	for name, want := range map[string]os.FileMode{"out": 0o700, "out/.sluice": 0o700, "out/x.jsonl": 0o600, "out/receipt.json": 0o600, "out/.sluice/x.jsonl.origins": 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: want %v, have %v, %v", name, want, info.Mode(), err)
		}
	}
}
