package output

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A testReceipt begins as receipts do.
type testReceipt struct {
	Run   string   `json:"run"`
	Files []Listed `json:"files"`
}

func listedIn(path string) []Listed {
	var x testReceipt
	text, _ := os.ReadFile(path)
	_ = json.Unmarshal(text, &x)
	return x.Files
}

// listedRun writes one row, all but for the commit. The error is that of the sink.
func listedRun(t *testing.T, run, path, receipt string, replace bool) (*Set, error) {
	t.Helper()
	s := New(Options{Run: run, Origins: true, Listed: listedIn, Replace: replace, Shown: func(path string) string {
		return strings.ReplaceAll(path, "jane", "(NAME)")
	}})
	t.Cleanup(func() { _ = s.Abort() })
	sink, err := s.Sink("jsonl", Claim{What: "sink a", Path: path})
	must(t, err)
	to := addReceipt(t, s, receipt)
	if err := s.Prepare(t.Context()); err != nil {
		return s, err
	}
	if err := sink.Write([]wire.Record{{Data: []byte(`{}`), Labels: []wire.Label{{Name: "tier", Value: run}}}}); err != nil {
		return s, err
	}
	x := testReceipt{Run: run}
	for _, f := range finish(t, s) {
		x.Files = append(x.Files, Listed{s.opts.Shown(f.Path), "a", f.Bytes, f.Sum, f.Origins.Sum})
	}
	text, err := json.Marshal(x)
	must(t, err)
	must(t, to.Write(text))
	return s, nil
}

// No run writes a file of another one whose receipt it does not replace, wherever that receipt is.
func TestReplacesNoOtherRun(t *testing.T) {
	const other, unknown = "want no file of another run, have one that out/a.json lists", "want no file of another run, have rows of one whose receipt is not out/b.json"
	for _, tt := range []struct {
		reason, first, receipt string
		change                 func(t *testing.T)
		path, next             string // of the second run
		replace                bool
		want                   string
	}{
		{"a receipt in the folder", "out/x.jsonl", "out/a.json", nil, "out/x.jsonl", "out/b.json", false, other},
		{"the receipt of the same run", "out/x.jsonl", "out/a.json", nil, "out/x.jsonl", "out/a.json", false, ""},
		{"its name is shown otherwise", "out/jane.jsonl", "out/a.json", nil, "out/jane.jsonl", "out/a.json", false, ""},
		{"its name is shown otherwise, by another run", "out/jane.jsonl", "out/a.json", nil, "out/jane.jsonl", "out/b.json", false, other},
		{"a receipt in the folder of the own one", "rows/x.jsonl", "out/a.json", nil, "rows/x.jsonl", "out/b.json", false, other},
		{"a receipt elsewhere", "rows/x.jsonl", "far/a.json", nil, "rows/x.jsonl", "out/b.json", false, unknown},
		{"a receipt that is gone", "out/x.jsonl", "out/a.json", func(t *testing.T) { must(t, os.Remove("out/a.json")) }, "out/x.jsonl", "out/b.json", false, unknown},
		{"a file for a label", "out/SECONDRUN.jsonl", "out/a.json", nil, "out/{tier}.jsonl", "out/b.json", false, other},
		{"told to", "out/x.jsonl", "out/a.json", nil, "out/x.jsonl", "out/b.json", true, ""},
		{"a file of no run", "out/y.jsonl", "out/a.json", func(t *testing.T) { must(t, os.WriteFile("out/x.jsonl", nil, 0o600)) }, "out/x.jsonl", "out/b.json", false, ""},
		{"no file", "out/x.jsonl", "out/a.json", func(t *testing.T) { must(t, os.Remove("out/x.jsonl")) }, "out/x.jsonl", "out/b.json", false, ""},
	} {
		inFolder(t, nil, nil)
		s, err := listedRun(t, "FIRSTRUN1", tt.first, tt.receipt, false)
		must(t, err)
		must(t, s.Commit())
		if tt.change != nil {
			tt.change(t)
		}
		before := outputs(t)
		s, err = listedRun(t, "SECONDRUN", tt.path, tt.next, tt.replace)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: want %q, have %v", tt.reason, tt.want, err)
		}
		must(t, s.Abort())
		if after := outputs(t); len(after) != len(before) {
			t.Errorf("%s: want %d files, have %d", tt.reason, len(before), len(after))
		}
	}
}

// A run whose commit has ended amid the names has no receipt, but the names that it has given are those of the next run with its receipt.
func TestReplacesInterruptedCommit(t *testing.T) {
	inFolder(t, nil, nil)
	s, err := listedRun(t, "FIRSTRUN1", "rows/x.jsonl", "out/a.json", false)
	must(t, err)
	s.disk = watched(func(op, name string) error {
		if op == "rename" && strings.HasSuffix(name, "a.json") {
			return os.ErrPermission
		}
		return nil
	})
	if s.Commit() == nil {
		t.Fatal("want an error of the commit, have nil")
	}
	must(t, s.Abort())
	s, err = listedRun(t, "SECONDRUN", "rows/x.jsonl", "out/a.json", false)
	must(t, err)
	must(t, s.Discard())
	must(t, s.Commit())
}

// What the run before has written and this one does not goes only where whoever reads all files of a sink with labels would take it for this
// run's. Any other file stays, and is named.
func TestSortReplaced(t *testing.T) {
	for _, tt := range []struct {
		reason, first, path string
		change              func(t *testing.T)
		replace             bool
		gone                bool
		named               string
	}{
		{"a label that does not come", "out/{tier}.jsonl", "out/{tier}.jsonl", nil, false, true, ""},
		{"a label that does not come, changed since", "out/{tier}.jsonl", "out/{tier}.jsonl",
			func(t *testing.T) { must(t, os.WriteFile("out/FIRSTRUN1.jsonl", []byte("[]\n"), 0o600)) }, false, false, "out/FIRSTRUN1.jsonl"},
		{"another path", "out/FIRSTRUN1.jsonl", "out/y.jsonl", nil, false, false, "out/FIRSTRUN1.jsonl"},
		{"another path, and told to", "out/FIRSTRUN1.jsonl", "out/y.jsonl", nil, true, false, ""},
	} {
		inFolder(t, nil, nil)
		s, err := listedRun(t, "FIRSTRUN1", tt.first, "out/a.json", false)
		must(t, err)
		must(t, s.Commit())
		if tt.change != nil {
			tt.change(t)
		}
		s, err = listedRun(t, "SECONDRUN", tt.path, "out/a.json", tt.replace)
		must(t, err)
		must(t, s.Commit())
		named := ""
		for _, f := range s.Further() {
			named += f.Path
		}
		_, err = os.Stat("out/FIRSTRUN1.jsonl")
		_, sidecar := os.Stat(OriginsPath("out/FIRSTRUN1.jsonl"))
		if gone := err != nil; named != tt.named || gone != tt.gone || gone != (sidecar != nil) {
			t.Errorf("%s: want it gone %v and named %q, have %v and %q, its origins: %v", tt.reason, tt.gone, tt.named, gone, named, sidecar)
		}
	}
}

// Nothing but the run whose file it is takes its place: no receipt and no page of another run, and nothing that is of no run.
func TestReplacesNoFileOfARun(t *testing.T) {
	report := func(s *Set, path string) (*Report, error) { return s.Report(Claim{What: "the report", Path: path}) }
	page := func(s *Set, path string) (*Report, error) { return s.Optional(Claim{What: "the page", Path: path}) }
	account := func(s *Set, path string) (*Report, error) { return s.Receipt(Claim{What: "the receipt", Path: path}) }
	const (
		listed = "want no file of another run, have one that out/a.json lists"
		apart  = "want no file of a run, have one of the run with the receipt out/a.json"
	)
	for _, c := range []struct {
		reason, path string
		claim        func(*Set, string) (*Report, error)
		apart        bool
		want         string
	}{
		{"a receipt at an output", "out/x.jsonl", account, false, listed},
		{"a receipt at the receipt, whose run it replaces", "out/a.json", account, false, ""},
		{"a page at an output", "out/x.jsonl", page, false, listed},
		{"a page at a receipt", "out/a.json", page, false, "want no file of another run, have its receipt"},
		{"a page among what lies hidden", "out/.sluice/x.jsonl.origins", page, false, "want a path outside of the folder .sluice"},
		{"a report at a receipt", "out/a.json", report, false, "want no file of another run, have its receipt"},
		{"what is of no run at an output", "out/x.jsonl", report, true, apart},
		{"what is of no run at a receipt", "out/a.json", report, true, apart},
		{"what is of no run at rows without their receipt", "out/moved.jsonl", report, true, "want no file of a run, have rows of one"},
		{"what is of no run at a file of nobody", "out/mine.html", report, true, ""},
		{"a page at a file of nobody", "out/mine.html", page, false, ""},
	} {
		inFolder(t, nil, nil)
		for path, receipt := range map[string]string{"out/x.jsonl": "out/a.json", "out/moved.jsonl": "far/b.json"} {
			s, err := listedRun(t, "FIRSTRUN1", path, receipt, false)
			must(t, err)
			must(t, s.Commit())
		}
		must(t, os.WriteFile("out/mine.html", []byte("mine"), 0o600))
		s := New(Options{Run: "SECONDRUN", Listed: listedIn, Apart: c.apart})
		r, err := c.claim(s, c.path)
		if err == nil {
			if err = s.Prepare(t.Context()); err == nil {
				err = r.claim.failure
			}
		}
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
		must(t, s.Abort())
	}
}
