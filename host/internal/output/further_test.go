package output

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listedAt reads what numberedRun writes as a receipt.
func listedAt(path string) (all []Listed) {
	text, _ := os.ReadFile(path)
	_ = json.Unmarshal(text, &all)
	return all
}

// numberedRun writes rows to numbered files of out.jsonl, one to each, and the receipt, all but for the commit.
func numberedRun(t *testing.T, run string, rows int) *Set {
	t.Helper()
	s := New(Options{Run: run, Origins: true, Listed: listedAt, Replace: true})
	t.Cleanup(func() { _ = s.Abort() })
	sink, err := s.Sink("jsonl", Claim{What: "a", Path: "out.jsonl", Rotate: Rotate{Rows: 1}})
	must(t, err)
	receipt := addReceipt(t, s, "receipt.json")
	prepare(t, s)
	for i := range rows {
		must(t, sink.Write(records(fmt.Sprint(i))))
	}
	writeListed(t, receipt, finish(t, s))
	return s
}

func writeListed(t *testing.T, receipt *Report, files []File) {
	t.Helper()
	var all []Listed
	for _, f := range files {
		all = append(all, Listed{f.Path, f.Claim.What, f.Bytes, f.Sum, f.Origins.Sum})
	}
	text, err := json.Marshal(all)
	must(t, err)
	must(t, receipt.Write(text))
}

// Who reads all files with the names of a sink gets those of one run: what a longer one has left goes with the commit, and not before, if
// the receipt that is replaced lists it as it is. Everything else stays, and is named.
func TestLeftover(t *testing.T) {
	for _, tt := range []struct {
		reason string
		change func(t *testing.T) // what happens between a run of four files and one of two
		stay   []string
	}{
		{"as the longer run left them", func(*testing.T) {}, nil},
		{"a file of no run", func(t *testing.T) { must(t, os.WriteFile("out-00009.jsonl", []byte("mine\n"), 0o600)) }, []string{"out-00009.jsonl"}},
		{"names without a number of this form", func(t *testing.T) {
			must(t, os.WriteFile("out-1.jsonl", nil, 0o600))
			must(t, os.WriteFile("out-000004.jsonl", nil, 0o600))
		}, nil},
		{"an edit that keeps the size", func(t *testing.T) { must(t, os.WriteFile("out-00004.jsonl", []byte("4\n"), 0o600)) }, []string{"out-00004.jsonl"}},
		{"more behind the end", func(t *testing.T) { must(t, os.WriteFile("out-00003.jsonl", []byte("2\n3\n"), 0o600)) }, []string{"out-00003.jsonl"}},
		{"origins of another run", func(t *testing.T) {
			must(t, os.WriteFile(OriginsPath("out-00003.jsonl"), []byte(originsStart+"}\n"), 0o600))
		}, []string{"out-00003.jsonl"}},
		{"no origins", func(t *testing.T) { must(t, os.Remove(OriginsPath("out-00003.jsonl"))) }, []string{"out-00003.jsonl"}},
		{"no receipt", func(t *testing.T) { must(t, os.Remove("receipt.json")) }, []string{"out-00003.jsonl", "out-00004.jsonl"}},
		{"an output of another run with a receipt of its own", func(t *testing.T) { otherRun(t, "other.json") }, []string{"out-00007.jsonl"}},
		{"an output of another run whose receipt is replaced", func(t *testing.T) { otherRun(t, "receipt.json") }, []string{"out-00003.jsonl", "out-00004.jsonl", "out-00007.jsonl"}},
	} {
		inFolder(t, nil, nil)
		must(t, numberedRun(t, "LONGRUN1", 4).Commit())
		tt.change(t)
		before := outputs(t)
		must(t, numberedRun(t, testRun, 2).Abort())
		if diff := cmp.Diff(before, outputs(t)); diff != "" {
			t.Errorf("%s, aborted: %s", tt.reason, diff)
		}
		s := numberedRun(t, testRun, 2)
		must(t, s.Commit())
		var named []string
		for _, f := range s.Further() {
			named = append(named, f.Path)
		}
		stayed := slices.DeleteFunc(slices.Sorted(maps.Keys(outputs(t))), func(name string) bool {
			_, number := familyOf(name)
			return number < 3
		})
		if !slices.Equal(tt.stay, named) || !slices.Equal(tt.stay, stayed) {
			t.Errorf("%s: want %q to stay, have %q named and %q", tt.reason, tt.stay, named, stayed)
		}
		for _, name := range Written(".") {
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s: the origins of a file that is gone: %v", tt.reason, err)
			}
		}
	}
}

// otherRun writes one file that only its name makes one of the numbered.
func otherRun(t *testing.T, path string) {
	t.Helper()
	s := New(Options{Run: "OTHERRUN", Origins: true})
	defer func() { must(t, s.Abort()) }()
	sink := addSink(t, s, "a", "out-00007.jsonl")
	receipt := addReceipt(t, s, path)
	prepare(t, s)
	must(t, sink.Write(records("7")))
	writeListed(t, receipt, finish(t, s))
	must(t, s.Commit())
}

// A commit that was killed when the old receipt was gone removes what its list names all the same, unless it has changed since.
func TestLeftoverCompletes(t *testing.T) {
	for _, tt := range []struct {
		reason, text string
		stays        bool
	}{{"as it was", "3\n", false}, {"changed since", "4\n", true}} {
		inFolder(t, nil, nil)
		must(t, numberedRun(t, "LONGRUN1", 4).Commit())
		s := numberedRun(t, testRun, 2)
		s.disk = watched(func(op, name string) error {
			if op == "remove" && strings.HasSuffix(name, "receipt.json") {
				must(t, os.Remove(name))
				return os.ErrPermission
			}
			return nil
		})
		if s.Commit() == nil {
			t.Fatal("want an error of the commit, have nil")
		}
		must(t, s.Abort())
		must(t, os.WriteFile("out-00004.jsonl", []byte(tt.text), 0o600))
		next := New(Options{Run: "NEXTRUN1", Origins: true, Listed: listedAt})
		_, err := next.Sink("jsonl", Claim{What: "a", Path: "out.jsonl", Rotate: Rotate{Rows: 1}})
		must(t, err)
		addReceipt(t, next, "receipt.json")
		i, err := next.Interrupted()
		must(t, err)
		must(t, next.Complete(t.Context(), i))
		must(t, next.Abort())
		if _, stays := outputs(t)["out-00004.jsonl"]; stays != tt.stays {
			t.Errorf("%s: want it to stay: %v, have %v", tt.reason, tt.stays, stays)
		}
		if _, err := os.Stat("out-00003.jsonl"); err == nil {
			t.Errorf("%s: a file of the longer run is left", tt.reason)
		}
	}
}
