package output

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A path that two would write, or that one reads and the other writes, is found before anything runs: neither rows nor
// inputs get lost.
func TestConflicts(t *testing.T) {
	inFolder(t, map[string]string{"in.jsonl": "1\n", "out/one": "", "other/x": ""}, map[string]string{
		"same":          "out",
		"chain":         "same",
		"to-input":      "in.jsonl",
		"out/dangling":  "../deep/new.jsonl",
		"out/dangling2": "dangling",
	})
	must(t, os.Link("out/one", "out/two"))
	here, err := os.Getwd()
	must(t, err)
	tests := []struct {
		reason, a, b string // a path of a sink, or "reads", "report", "receipt" with one
		want         string
	}{
		{"two files", "out/a.jsonl", "out/b.jsonl", ""},
		{"one file", "out/a.jsonl", "out/a.jsonl", `want a path of its own, have "out/a.jsonl", which a writes`},
		{"spelled otherwise", "out/a.jsonl", "./out/../out//a.jsonl", `want a path of its own, have "./out/../out//a.jsonl", which a writes as "out/a.jsonl"`},
		{"absolute", "new/a.jsonl", here + "/new/a.jsonl", "which a writes as"},
		{"through a folder that is a link", "out/a.jsonl", "same/a.jsonl", "which a writes as"},
		{"through a chain of links", "out/a.jsonl", "chain/a.jsonl", "which a writes as"},
		{"behind a link, .. is the folder above its target", "a.jsonl", "same/../a.jsonl", "which a writes as"},
		{"a link to nothing", "out/dangling", "deep/new.jsonl", "which a writes as"},
		{"a link to a link to nothing", "out/dangling2", "out/dangling", "which a writes as"},
		{"hard links", "out/one", "out/two", "which a writes as"},
		{"report and sink", "report out/a.json", "out/a.json", "which a writes"},
		{"receipt and sink", "out/receipt.json", "receipt out/receipt.json", "which a writes"},
		{"receipt and report", "report out/r", "receipt same/r", "which a writes"},
		{"input and sink", "reads in.jsonl", "in.jsonl", `want a path of its own, have "in.jsonl", which a reads`},
		{"the sink is claimed first", "in.jsonl", "reads in.jsonl", `want a path of its own, have "in.jsonl", which b reads`},
		{"input and receipt", "reads in.jsonl", "receipt to-input", "which a reads"},
		{"an input that is a link", "reads to-input", "in.jsonl", "which a reads"},
		{"two inputs", "reads in.jsonl", "reads to-input", ""},
		{"standard input and output", "reads -", "-", ""},
		{"standard output twice", "-", "-", "which a writes"},
		{"the null device may be shared", "/dev/null", "/dev/null", ""},
		{"a file where a folder must be", "out/a", "out/a/b.jsonl", `which a writes as "out/a"`},
		{"a folder where a file must be", "out/a/b.jsonl", "out/a", `which a writes as "out/a/b.jsonl"`},
		{"what a failed run keeps", "report out/x.json", "out/x.failed.json", `have "out/x.failed.json", which a writes`},
		{"and the other way", "out/x.failed.json", "report out/x.json", `have "out/x.failed.json", which a writes`},

		{"one pattern", "out/{split}.jsonl", "out/{split}.jsonl", "which a writes"},
		{"one pattern, spelled otherwise", "out/{split}.jsonl", "same/{split}.jsonl", "which a writes as"},
		{"one pattern in the folder of the run", "{split}", "./{split}", "which a writes as"},
		{"patterns that data keeps apart, or does not", "out/{split}.jsonl", "out/{split}-x.jsonl", ""},
		{"patterns of two labels", "out/{split}.jsonl", "out/{kind}.jsonl", ""},
		{"a pattern that may lead to a file", "out/{k}.jsonl", "out/rejects.jsonl", ""},
		{"a pattern that may lead to an input", "{k}.jsonl", "reads in.jsonl", ""},
		{"a pattern in a file", "out/a", "out/a/{k}", "which a writes as"},
		{"a file where a pattern has its folder", "out/p/{k}", "out/p", "which a writes as"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := newSet(t)
			for i, path := range []string{tt.a, tt.b} {
				c := Claim{What: string(rune('a' + i)), Path: path, Tag: i}
				claimAs(t, s, c)
			}
			have := ""
			for _, c := range s.Conflicts() {
				have = c.Message
				if c.Claim.Tag == c.With.Tag {
					t.Errorf("claims %v and %v", c.Claim, c.With)
				}
			}
			if n := len(s.Conflicts()); n > 1 {
				t.Errorf("have %d conflicts of two claims", n)
			}
			fits := strings.Contains(have, tt.want)
			if tt.want == "" || strings.HasPrefix(tt.want, "want ") {
				fits = have == tt.want
			}
			if !fits {
				t.Errorf("have %q, want %q", have, tt.want)
			}
			if err := s.Prepare(t.Context()); tt.want != "" && err == nil {
				t.Error("it is prepared all the same")
			}
		})
	}
}

func claimAs(t *testing.T, s *Set, c Claim) {
	t.Helper()
	kind, path, ok := strings.Cut(c.Path, " ")
	if ok {
		c.Path = path
	}
	var err error
	switch {
	case !ok:
		_, err = s.Sink("jsonl", c)
	case kind == "reads":
		err = s.Reads(c)
	case kind == "report":
		c.KeepFailed = true
		_, err = s.Report(c)
	default:
		_, err = s.Receipt(c)
	}
	must(t, err)
}

// A claim writes nothing, and says at once what can be known at once.
func TestClaimErrors(t *testing.T) {
	files := map[string]string{"folder/x": "", "file": ""}
	links := map[string]string{"loop": "loop", "to-folder": "folder", "to-sidecars": "out/.sluice"}
	inFolder(t, files, links)
	before := tree(t)
	tests := []struct {
		reason, kind string
		claim        Claim
		want         string
	}{
		{"a kind that there is not", "arrow", Claim{Path: "x"}, `want one of jsonl, parquet, have "arrow"`},
		{"no path", "jsonl", Claim{}, `want a file to write, have ""`},
		{"the path of a folder", "jsonl", Claim{Path: "new/"}, `want a file to write, have "new/"`},
		{"a folder is in the way", "jsonl", Claim{Path: "folder"}, `want a file to write, have the folder "folder"`},
		{"a link to a folder", "jsonl", Claim{Path: "to-folder"}, `want a file to write, have the folder "to-folder"`},
		{"a file where a folder has to be", "jsonl", Claim{Path: "file/out.jsonl"}, "file/out.jsonl: not a directory"},
		{"a file far up where a folder has to be", "jsonl", Claim{Path: "file/a/b/out.jsonl"}, "file/a/b/out.jsonl: not a directory"},
		{"a file where labels need a folder", "jsonl", Claim{Path: "file/{k}"}, "file/: not a directory"},
		{"links in a circle", "jsonl", Claim{Path: "loop"}, "loop: too many levels of symbolic links"},
		{"a label that is not closed", "jsonl", Claim{Path: "out/{split"}, `want a label such as {split} at '{', have "out/{split"`},
		{"a label without a name", "jsonl", Claim{Path: "out/{}"}, `want a label such as {split} at '{', have "out/{}"`},
		{"a label in a label", "jsonl", Claim{Path: "out/{a{b}}"}, `want a label such as {split} at '{', have "out/{a{b}}"`},
		{"a label that was not opened", "jsonl", Claim{Path: "out/split}"}, `want '{' before '}', have "out/split}"`},
		{"a label that leads nowhere", "jsonl", Claim{Path: "out/{a}/../x"}, `want no ".." behind a label, have "out/{a}/../x"`},
		{"a compression that is not written", "jsonl", Claim{Path: "x.jsonl.xz"}, `want a name that ends in .gz, in .zst or like no compressed file, have "x.jsonl.xz"`},
		{"a compression in upper case", "jsonl", Claim{Path: "{k}.GZ"}, `want a name that ends in .gz, in .zst or like no compressed file, have "{k}.GZ"`},
		{"labels where rows have none", "jsonl", Claim{Path: "{k}.jsonl", Fixed: true}, `want a path without labels, have {k} in "{k}.jsonl"`},
		{"labels in what is kept", "jsonl", Claim{Path: "{k}.jsonl", KeepFailed: true}, `want a path without labels, have {k} in "{k}.jsonl"`},
		{"a report to standard output", "report", Claim{Path: "-"}, `want a file to write, have "-"`},
		{"a report with labels", "report", Claim{Path: "{k}"}, `want a path without labels, have {k} in "{k}"`},
		{"a name that would be swept", "jsonl", Claim{Path: ".x.ABCDEFGH-1.sluice"}, `want a name that is not one of a temporary file, have ".x.ABCDEFGH-1.sluice"`},
		{"the state of the run", "jsonl", Claim{Path: "out/.sluice/receipt.json.resume"}, `want a path outside of the folder .sluice, where runs keep what describes their outputs, have "out/.sluice/receipt.json.resume"`},
		{"a folder of sidecars, through a link", "jsonl", Claim{Path: "to-sidecars/x.jsonl", Rotate: Rotate{Rows: 1}}, `want a path outside of the folder .sluice, where runs keep what describes their outputs, have "to-sidecars/x.jsonl"`},
		{"labels in a folder of sidecars", "jsonl", Claim{Path: "out/.sluice/{k}.jsonl"}, `want a path outside of the folder .sluice, where runs keep what describes their outputs, have "out/.sluice/{k}.jsonl"`},
		{"a report in a folder of sidecars", "report", Claim{Path: ".sluice/x.json"}, `want a path outside of the folder .sluice, where runs keep what describes their outputs, have ".sluice/x.json"`},
		{"a second receipt", "receipt", Claim{Path: "b.json"}, `want one receipt, have a second at "b.json"`},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := newSet(t)
			var err error
			switch tt.kind {
			case "report":
				_, err = s.Report(tt.claim)
			case "receipt":
				addReceipt(t, s, "a.json")
				_, err = s.Receipt(tt.claim)
			default:
				_, err = s.Sink(tt.kind, tt.claim)
			}
			if err == nil || err.Error() != tt.want {
				t.Errorf("have %v, want %q", err, tt.want)
			}
		})
	}
	wantTree(t, before)
	if diff := cmp.Diff([]string{"jsonl", "parquet"}, Kinds()); diff != "" {
		t.Error(diff)
	}
}

// On a file system that makes no difference of case, two spellings are one file, whichever form an accent has.
func TestCaseBlind(t *testing.T) {
	inFolder(t, map[string]string{"out/x": ""}, nil)
	tests := []struct {
		reason, a, b string
		blind        bool
		want         bool // a conflict
	}{
		{"a file system that knows case", "out/A.jsonl", "out/a.jsonl", false, false},
		{"one that does not", "out/A.jsonl", "out/a.jsonl", true, true},
		{"in folders to come", "out/New/a.jsonl", "out/new/A.jsonl", true, true},
		{"letters beyond ASCII", "out/É.jsonl", "out/é.jsonl", true, true},
		{"composed and not", "out/\u00e9.jsonl", "out/e\u0301.jsonl", true, true},
		{"two names", "out/a.jsonl", "out/b.jsonl", true, false},
		{"patterns", "out/X{k}", "out/x{k}", true, true},
		{"labels keep their case", "out/{K}", "out/{k}", true, false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			s := newSet(t)
			s.blind = func(string) bool { return tt.blind }
			addSink(t, s, "a", tt.a)
			addSink(t, s, "b", tt.b)
			if have := len(s.Conflicts()) > 0; have != tt.want {
				t.Errorf("have a conflict %v, want %v", have, tt.want)
			}
		})
	}
	t.Run("values of a label", func(t *testing.T) {
		s := newSet(t)
		s.blind = func(string) bool { return true }
		sink := addSink(t, s, "a", "out/{split}.jsonl")
		upper, lower := split("Train", "1"), split("train", "2")
		if fault := sink.Accepts(&upper); fault != nil {
			t.Error(fault)
		}
		if fault := sink.Accepts(&lower); fault == nil || fault.Code != BadLabel {
			t.Errorf("have %v for a name that is the same file", fault)
		}
	})
}

// The file system is asked, without writing: a link with the swapped name does not count.
func TestCaseBlindAsks(t *testing.T) {
	if runtime.GOOS != "linux" {
		return // elsewhere the answer depends on the disk
	}
	inFolder(t, map[string]string{"folder/12/x": ""}, map[string]string{"FOLDER": "folder"})
	for _, name := range []string{"folder", "folder/12"} {
		here, err := os.Getwd()
		must(t, err)
		if caseBlind(here + "/" + name) {
			t.Errorf("%s: have a folder that is blind for case", name)
		}
	}
}

// Standard output that leads to a file is that file.
func TestStandardOutputIsAFile(t *testing.T) {
	inFolder(t, nil, nil)
	out, err := os.Create("out.jsonl")
	must(t, err)
	defer out.Close()
	s := New(Options{Run: testRun, Stdout: out})
	addSink(t, s, "a", "-")
	addSink(t, s, "b", "out.jsonl")
	if len(s.Conflicts()) != 1 {
		t.Errorf("have %v", s.Conflicts())
	}
}

// Data decides where a label leads. What is somebody's already is refused record by record, so no row and no input is
// overwritten, and the message does not show the value.
func TestLabelsThatLeadToClaimedFiles(t *testing.T) {
	inFolder(t, map[string]string{"in.jsonl": "1\n", "data/hard": "2\n", "out/folder/x": ""},
		map[string]string{"out/link.jsonl": "../in.jsonl", "out/null.jsonl": "/dev/null"})
	must(t, os.Link("data/hard", "out/hard.jsonl"))
	s := newSet(t)
	sink := addSink(t, s, "sink a", "out/{split}.jsonl")
	deep := addSink(t, s, "sink deep", "out/{split}/{a}.jsonl")
	other := addSink(t, s, "sink other", "out/{split}-{a}.jsonl")
	bare := addSink(t, s, "sink bare", "out/{split}")
	hidden := addSink(t, s, "sink hidden", "out/.{split}/x.jsonl")
	addSink(t, s, "sink rejects", "out/rejects.jsonl")
	addSink(t, s, "sink far", "out/far/away.jsonl")
	addReport(t, s, "report", "out/ranks.jsonl")
	addReceipt(t, s, "out/account.jsonl")
	must(t, s.Reads(Claim{What: "source s", Path: "in.jsonl"}))
	must(t, s.Reads(Claim{What: "source s", Path: "data/hard"}))
	const own = "want labels that lead to a file of the sink's own, have "
	tests := []struct {
		reason string
		sink   *Sink
		value  string
		want   string
	}{
		{"a file of its own", sink, "train", ""},
		{"the same again", sink, "train", ""},
		{"another sink's file", sink, "rejects", own + "one that sink rejects writes"},
		{"a report", sink, "ranks", own + "one that report writes"},
		{"what a failed run keeps of a report", sink, "ranks.failed", own + "one that report writes"},
		{"the receipt", sink, "account", own + "one that receipt writes"},
		{"an input, through a link", sink, "link", own + "one that source s reads"},
		{"an input, as a hard link", sink, "hard", own + "one that source s reads"},
		{"a device", sink, "null", own + "a place where no file can be"},
		{"a folder that is there", bare, "folder", own + "a place where no file can be"},
		{"a folder that another sink needs", bare, "far", own + "one that sink far writes"},
		{"a file that another sink has, as folder", deep, "train.jsonl", own + "one that sink a writes"},
		{"what the other labelled sink has already", other, "y", ""},
		{"and comes second there", sink, "y-x", own + "one that sink other writes"},
		{"the folder of sidecars", hidden, "sluice", own + "a place where no file can be"},
		{"a hidden folder of another name", hidden, "sluices", ""},
		{"another compression", bare, "x.bz2", own + "a name that ends like another kind of file"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			r := split(tt.value, "1")
			var want *wire.Fault
			if tt.want != "" {
				want = &wire.Fault{Code: BadLabel, Message: tt.want}
			}
			if diff := cmp.Diff(want, tt.sink.Accepts(&r)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Names that no file system takes cost the record, not the run.
func TestLongLabels(t *testing.T) {
	inFolder(t, nil, nil)
	s := newSet(t)
	twice := addSink(t, s, "a", "out/{split}{split}.jsonl")
	folders := addSink(t, s, "b", "out/{split}/{split}/x")
	prepare(t, s)
	long := split(strings.Repeat("é", maxLabel/2), "1")
	if diff := cmp.Diff(&wire.Fault{Code: BadLabel, Message: "want labels that make names of at most 255 bytes, have 262"}, twice.Accepts(&long)); diff != "" {
		t.Error(diff)
	}
	fits := split(strings.Repeat("é", 124/2), "1") // 254 bytes, so the temporary name must be cut
	for _, sink := range []*Sink{twice, folders} {
		if fault := sink.Accepts(&fits); fault != nil {
			t.Error(fault)
		}
		must(t, sink.Write([]wire.Record{fits}))
	}
	finish(t, s)
	must(t, s.Commit())
	if have := tree(t); len(have) != 2 {
		t.Errorf("have %q", have)
	}
}

// Whatever a label holds, a record that is accepted goes to a file of the sink's folder that is not hidden.
func FuzzLabelStaysInItsFolder(f *testing.F) {
	for _, value := range []string{"train", "..", "../x", "/etc/x", `a\b`, ".x", "", "a\x00", "é", "c:x", "{split}"} {
		f.Add(value)
	}
	f.Chdir(f.TempDir())
	f.Fuzz(func(t *testing.T, value string) {
		s := New(Options{Run: testRun})
		sink := addSink(t, s, "a", "out/{split}")
		r := split(value, "1")
		if sink.Accepts(&r) != nil {
			return
		}
		real := sink.series["out/"+value].current().target.real
		folder, err := s.locate("out")
		must(t, err)
		if filepath.Dir(real) != folder.real || filepath.Base(real)[0] == '.' {
			t.Errorf("%q leads to %q", value, real)
		}
	})
}

func TestAccepts(t *testing.T) {
	t.Chdir(t.TempDir())
	tests := []struct{ reason, path, value, code string }{
		{"a plain value", "out/{split}.jsonl", "train", ""},
		{"letters of any script, and dots inside", "out/{split}.jsonl", "é..東", ""},
		{"no labels in the path", "out.jsonl", "../x", ""},
		{"a label the record lacks", "out/{other}.jsonl", "train", NoLabel},
		{"empty", "{split}", "", BadLabel},
		{"the folder above", "{split}/x", "..", BadLabel},
		{"a hidden file", "{split}", ".x", BadLabel},
		{"a name that would be swept", ".{split}", "x.ABCDEFGH-1.sluice", BadLabel},
		{"a separator", "{split}", "a/b", BadLabel},
		{"a separator elsewhere", "{split}", `a\b`, BadLabel},
		{"a drive or stream", "{split}", "c:x", BadLabel},
		{"a zero byte", "{split}", "a\x00", BadLabel},
		{"a line end", "{split}", "a\nb", BadLabel},
		{"not UTF-8", "{split}", "a\xff", BadLabel},
		{"too long for a label", "{split}", strings.Repeat("x", 129), BadLabel},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			r := split(tt.value, "1")
			fault := addSink(t, newSet(t), "a", tt.path).Accepts(&r)
			code := ""
			if fault != nil {
				code = fault.Code
			}
			if code != tt.code {
				t.Errorf("have %q, want %q", code, tt.code)
			}
			if fault != nil && tt.value != "" && len(tt.value) > 2 && bytes.Contains([]byte(fmt.Sprint(fault)), []byte(tt.value)) {
				t.Errorf("the value stands in %q", fault.Message)
			}
		})
	}
}
