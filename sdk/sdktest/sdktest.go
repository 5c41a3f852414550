// Package sdktest runs a Plugin value against text cases, without a process.
//
// A case is a txtar archive:
//
//	what the case is about
//	-- args.json --
//	{"field": "text"}
//	-- in.jsonl --
//	{"text": "a"}
//	{"text": 1}
//	-- want --
//	emit {"text": "A"}
//	reject bad_text at text: want a string, have a number
//
// Lines of want, in the order of the records: "emit JSON [label=value ...]", "drop REASON", "decline REASON",
// "reject CODE [at PATH]: MESSAGE", and before the record they belong to "side OUTPUT JSON"; at the end of the
// archive "count NAME N". A plugin that refuses its arguments wants "bad ARG: MESSAGE".
package sdktest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/batch"
)

var update = flag.Bool("update", false, "write what the plugins answer into the want sections of the cases")

// A Result is what a plugin answered to one record.
type Result struct {
	Verdict string // "emit", "drop", "reject" or "decline"
	Emitted []string
	Labels  []map[string]string // of each emitted record
	Code    string              // of a reject
	Path    string              // of a reject
	Message string              // of a reject; the reason of a drop or decline
	Sides   map[string][]string // rows written beside the stream, by output
}

// Run gives each input record to a new processor of p and returns the answers, with the counts. It fails the test
// when p refuses args (a JSON object, or "") or emits what is not JSON.
func Run(t testing.TB, p sdk.Plugin, args string, inputs ...string) ([]Result, map[string]int64) {
	t.Helper()
	results, counts, err := run(p, args, inputs)
	if err != nil {
		t.Fatalf("%s: %v", p.Name, err)
	}
	for _, r := range results {
		for _, e := range r.Emitted {
			if !gjson.Valid(e) {
				t.Errorf("%s: want JSON emitted, have %s", p.Name, e)
			}
		}
	}
	return results, counts
}

// Files runs every case that glob matches as a subtest. With -update the want sections are written anew.
func Files(t *testing.T, p sdk.Plugin, glob string) {
	t.Helper()
	files, err := filepath.Glob(glob)
	if err != nil || len(files) == 0 {
		t.Fatalf("want cases at %s, have none (%v)", glob, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { checkFile(t, p, file) })
	}
}

func checkFile(t *testing.T, p sdk.Plugin, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	section := func(name string) string {
		for _, f := range archive.Files {
			if f.Name == name {
				return string(f.Data)
			}
		}
		return ""
	}
	inputs := slices.DeleteFunc(strings.Split(section("in.jsonl"), "\n"), func(s string) bool { return s == "" })
	have := answer(p, section("args.json"), inputs)
	if *update {
		archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
		archive.Files = append(archive.Files, txtar.File{Name: "want", Data: []byte(have)})
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(section("want"), have); diff != "" {
		t.Errorf("%s (-want +have):\n%s", file, diff)
	}
}

// answer writes results as the want section has them.
func answer(p sdk.Plugin, args string, inputs []string) string {
	var b strings.Builder
	results, counts, err := run(p, args, inputs)
	if err != nil {
		for _, e := range p.ArgErrors(err) {
			fmt.Fprintf(&b, "bad %s: %s\n", e[0], e[1])
		}
		return b.String()
	}
	for _, r := range results {
		for _, name := range slices.Sorted(keys(r.Sides)) {
			for _, row := range r.Sides[name] {
				fmt.Fprintf(&b, "side %s %s\n", name, row)
			}
		}
		switch r.Verdict {
		case "emit":
			for i, e := range r.Emitted {
				b.WriteString("emit " + e)
				for _, name := range slices.Sorted(keys(r.Labels[i])) {
					fmt.Fprintf(&b, " %s=%s", name, r.Labels[i][name])
				}
				b.WriteByte('\n')
			}
		case "reject":
			at := ""
			if r.Path != "" {
				at = " at " + r.Path
			}
			fmt.Fprintf(&b, "reject %s%s: %s\n", r.Code, at, r.Message)
		default:
			fmt.Fprintf(&b, "%s %s\n", r.Verdict, r.Message)
		}
	}
	for _, name := range slices.Sorted(keys(counts)) {
		fmt.Fprintf(&b, "count %s %d\n", name, counts[name])
	}
	return b.String()
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func run(p sdk.Plugin, args string, inputs []string) ([]Result, map[string]int64, error) {
	w, err := p.Open([]byte(args), 0)
	if err != nil {
		return nil, nil, err
	}
	defer w.Close()
	in := make([]batch.Record, len(inputs))
	for i, s := range inputs {
		in[i] = batch.Record{Data: []byte(s), File: "in.jsonl", Line: int64(i + 1), Ord: uint64(i)}
	}
	results, counts := make([]Result, 0, len(in)), map[string]int64{}
	sides := map[int]map[string][]string{}
	err = w.Process(context.Background(), in, heap{}, func(a batch.Answer) error {
		for _, s := range a.Sides {
			if sides[s.Index] == nil {
				sides[s.Index] = map[string][]string{}
			}
			sides[s.Index][s.Output] = append(sides[s.Index][s.Output], string(s.JSON))
		}
		for _, c := range a.Counts {
			counts[c.Name] += c.N
		}
		for _, o := range a.Outcomes {
			i := len(results)
			results = append(results, result(&in[i], o, sides[i]))
		}
		return nil
	})
	if err == nil && len(results) != len(in) {
		err = fmt.Errorf("want %d outcomes, have %d", len(in), len(results))
	}
	return results, counts, err
}

func result(in *batch.Record, o batch.Outcome, sides map[string][]string) Result {
	r := Result{Sides: sides}
	emitted := o.Emitted
	switch o.Verdict {
	case batch.Unchanged:
		r.Verdict, emitted = "emit", []batch.Record{*in}
	case batch.Emitted:
		r.Verdict = "emit"
	case batch.Dropped:
		r.Verdict = "drop"
	case batch.Rejected:
		r.Verdict = "reject"
	case batch.Declined:
		r.Verdict = "decline"
	}
	for _, e := range emitted {
		labels := map[string]string{}
		for _, l := range e.Labels {
			labels[l.Name] = l.Value
		}
		r.Emitted, r.Labels = append(r.Emitted, string(e.Data)), append(r.Labels, labels)
	}
	if o.Fault != nil {
		r.Code, r.Path, r.Message = o.Fault.Code, o.Fault.Path, o.Fault.Message
	}
	return r
}

// heap is a space without a limit.
type heap struct{}

func (heap) Take(n int) []byte               { return make([]byte, n) }
func (heap) Grow(context.Context, int) error { return nil }
