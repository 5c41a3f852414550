package host_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/trace"
)

// all picks every record.
var all = trace.Selection{Match: func([]byte) bool { return true }, Count: 1 << 30}

// explain returns the trace of selected records.
func explain(t *testing.T, opts host.Options, pick trace.Selection) *trace.Trace {
	t.Helper()
	x, err := load(t, opts).Explain(t.Context(), pick)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// TestExplainIsRun holds that a trace agrees with a run in what reaches sinks, dead letter and side outputs and in the counts of
// each step, whatever the steps do, chained or not, in every mode.
func TestExplainIsRun(t *testing.T) {
	for name, mazes := range map[string]int64{"in process": mazes(6, 40), "shared memory": mazes(1, 6), "inline": mazes(2, 6)} {
		t.Run(name, func(t *testing.T) {
			for seed := range mazes {
				var in strings.Builder
				for i := range 60 {
					fmt.Fprintf(&in, "{\"i\": %d, \"text\":%q}\n", i, strings.Repeat("t", i))
				}
				m := &maze{Rand: rand.New(rand.NewSource(seed)), workers: 1, crash: seed%3 == 0}
				inFolder(t, m.pipeline(), in.String())
				x := explain(t, modes[name], all)
				if found := files(t); len(found) != 2 {
					t.Fatalf("want nothing written, have %v", found)
				}
				want := left(t, modes[name])
				if diff := cmp.Diff(wantSeen(t, want), seen(x)); diff != "" {
					t.Fatalf("seed %d (-run +explained):\n%s", seed, diff)
				}
			}
		})
	}
}

// seen holds what a trace says about a run's outputs and account.
func seen(x *trace.Trace) map[string]string {
	all, rows, counts := map[string]string{}, map[string]int{}, map[string]int64{}
	for _, r := range x.Records {
		for _, p := range r.Visits {
			if p.File != "" {
				all[p.File] += lined(p.In.JSON)
			}
			for range p.Rows {
				rows[p.Name]++
			}
			for name, n := range p.Counts {
				counts[p.Name+" "+name] += n
			}
		}
	}
	all["rows"], all["counts"] = fmt.Sprint(rows), fmt.Sprint(counts)
	return all
}

// wantSeen returns what a run says about the same.
func wantSeen(t *testing.T, left map[string]string) map[string]string {
	t.Helper()
	all, rows, counts := map[string]string{}, map[string]int{}, map[string]int64{}
	for name, text := range left {
		if filepath.Dir(name) != "out" || text == "" {
			continue
		}
		if !strings.HasPrefix(filepath.Base(name), "log-") {
			all[name] = text
		}
	}
	var account receipt.Receipt
	if err := json.Unmarshal([]byte(left["account"]), &account); err != nil {
		t.Fatal(err)
	}
	for _, s := range account.Steps {
		for name, n := range s.Counts {
			counts[s.Name+" "+name] += n
		}
		for _, n := range s.Unwanted {
			rows[s.Name] += int(n)
		}
	}
	for _, o := range account.Outputs {
		if step, _, ok := strings.Cut(o.Side, "/"); ok && o.Records > 0 {
			rows[step] += int(o.Records)
		}
	}
	all["rows"], all["counts"] = fmt.Sprint(rows), fmt.Sprint(counts)
	return all
}

// lined is a row as a sink writes it: on one line.
func lined(row []byte) string {
	var line bytes.Buffer
	if !bytes.ContainsRune(row, '\n') || json.Compact(&line, row) != nil {
		return string(row) + "\n"
	}
	return line.String() + "\n"
}

// TestExplainPlaces holds what a trace says about every kind of place, in the order of the file.
func TestExplainPlaces(t *testing.T) {
	const pipeline = `
source "jsonl" "in" {
  paths = ["missing.jsonl"]
}
step "act" "before" {}
first "shape" {
  step "act" "only" {}
}
step "total" "count" {}
shadow "trial" {
  current {
    step "act" "old" {}
  }
  candidate {
    step "act" "new" {}
  }
}
tee "copy" {
  step "act" "apart" {
    host {
      process = "own"
    }
  }
  sink "jsonl" "copy" {
    path = "out/{split}.jsonl"
  }
}
route "split" {
  on = "@split"
  case "x" {
    sink "jsonl" "x" {
      path = "out/x.jsonl"
    }
  }
}
`
	for name, mode := range modes {
		inFolder(t, pipeline, `{"do":"none"}
{"do":"label","to":"x"}
{"do":"label","to":"y"}
{"do":"reject"}
{"do":
`)
		var have []string
		for line := range int64(5) {
			x := explain(t, mode, trace.Selection{Records: []trace.Input{{File: "in.jsonl", Line: line + 1}}})
			r := x.Records[0]
			for _, p := range r.Visits {
				what := strings.Join(slices.DeleteFunc([]string{p.Verdict, p.Code, p.Branch + p.File}, func(s string) bool { return s == "" }), " ")
				have = append(have, fmt.Sprintf("%d %s %s %s %s %v", r.Line, strings.Join(p.Within, "/"), p.Kind, p.Name, what, p.In.Labels))
			}
		}
		if diff := cmp.Diff(strings.Split(strings.TrimSpace(wantPlaces), "\n"), have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", name, diff)
		}
	}
}

const wantPlaces = `
1  step act.before unchanged map[]
1 first shape step act.only unchanged map[]
1  step total.count emitted map[]
1 shadow trial, candidate step act.new unchanged map[]
1 shadow trial, current step act.old unchanged map[]
1 tee copy step act.apart unchanged map[]
1  route split none map[]
1  dead_letter jsonl.copy no_label out/rejects.jsonl map[]
1  dead_letter route.split no_route out/rejects.jsonl map[]
2  step act.before emitted map[]
2 first shape step act.only unchanged map[split:x]
2  step total.count emitted map[split:x]
2 shadow trial, candidate step act.new unchanged map[split:x]
2 shadow trial, current step act.old unchanged map[split:x]
2 tee copy step act.apart unchanged map[split:x]
2  route split case "x" map[split:x]
2 route split, case "x" sink jsonl.x out/x.jsonl map[split:x]
2  dead_letter jsonl.copy bad_label out/rejects.jsonl map[]
3  step act.before emitted map[]
3 first shape step act.only unchanged map[split:y]
3  step total.count emitted map[split:y]
3 shadow trial, candidate step act.new unchanged map[split:y]
3 shadow trial, current step act.old unchanged map[split:y]
3 tee copy step act.apart unchanged map[split:y]
3 tee copy sink jsonl.copy out/y.jsonl map[split:y]
3  route split none map[split:y]
3  dead_letter route.split no_route out/rejects.jsonl map[]
4  step act.before rejected bad map[]
4  dead_letter act.before bad out/rejects.jsonl map[]
5  dead_letter jsonl.in invalid_json out/rejects.jsonl map[]
`

// TestExplainWhere holds the error about a record that does not exist, and that sources are read no further than to its line.
func TestExplainWhere(t *testing.T) {
	const pipeline = `
source "json" "documents" {
  paths = ["doc.json"]
}
source "jsonl" "rows" {
  paths = ["*.jsonl"]
}
step "act" "act" {}
sink "jsonl" "out" {
  path = "out/out.jsonl"
}
`
	inFolder(t, pipeline, "\n{\"n\":2}\n\n{\"n\":4}\n")
	put(t, "doc.json", "[{\"n\":1},\n\n {\"n\":3}]")
	put(t, "broken.json", "[{\"n\":1},\n {\"n\":2}\n nothing")
	for _, c := range []struct {
		reason string
		wanted trace.Input
		want   string
	}{
		{"a record", trace.Input{File: "in.jsonl", Line: 4}, `{"n":4}`},
		{"the first of a file", trace.Input{File: "in.jsonl"}, `{"n":2}`},
		{"of a document", trace.Input{File: "doc.json", Line: 3}, `{"n":3}`},
		{"nothing behind it is read", trace.Input{File: "broken.json", Line: 1}, `{"n":1}`},
		{"one that is there already", trace.Input{File: "gone.jsonl", Line: 7, JSON: []byte(`{"n":7}`)}, `{"n":7}`},
		{"a blank line", trace.Input{File: "in.jsonl", Line: 3}, "in.jsonl:3: want a record that begins on this line, have the last one before on line 2, as source jsonl.rows reads it"},
		{"behind the end", trace.Input{File: "in.jsonl", Line: 9}, "in.jsonl:9: want a record that begins on this line, have the last one before on line 4"},
		{"before the first", trace.Input{File: "in.jsonl", Line: 1}, "in.jsonl:1: want a record that begins on this line, have 0 on the lines up to it"},
		{"no such file", trace.Input{File: "none.jsonl", Line: 1}, `want a file, have nothing at "none.jsonl"`},
	} {
		x, err := load(t, host.Options{InProcess: true}).Explain(t.Context(), trace.Selection{Records: []trace.Input{c.wanted}})
		have := fmt.Sprint(err)
		if err == nil {
			have = string(x.Records[0].Read.JSON)
		}
		if !strings.HasPrefix(c.want, "{") && strings.Contains(have, c.want) {
			continue
		}
		if have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}

// TestExplainFailure holds that a trace has a record that ends the run, as far as it came.
func TestExplainFailure(t *testing.T) {
	for name, mode := range modes {
		inFolder(t, `
source "jsonl" "in" {
  paths = ["in.jsonl"]
}
step "total" "count" {}
step "act" "act" {
  host {
    on_crash = "fail"
  }
}
sink "jsonl" "out" {
  path = "out/out.jsonl"
}
`, `{"do":"none"}
{"do":"panic"}
`)
		x, err := load(t, mode).Explain(t.Context(), trace.Selection{Records: []trace.Input{{File: "in.jsonl", Line: 2}}})
		if err == nil || !strings.Contains(err.Error(), "in.jsonl:2: step act.act: the plugin ended") {
			t.Errorf("%s: want the step that failed, have %v", name, err)
		}
		if x == nil || len(x.Records) != 1 || len(x.Records[0].Visits) != 1 || string(x.Records[0].Visits[0].Out[0].JSON) != `{"do":"panic","n":1}` {
			t.Errorf("%s: want what came before the failure, have %+v", name, x)
		}
	}
}

// TestPortions holds that a limit takes the first records and a sample exactly as many as it says, the same ones whatever
// the workers, that another seed draws others, and that all of it balances and says that it is not whole.
func TestPortions(t *testing.T) {
	inFolder(t, `
variable "workers" {
  default = 1
}
source "jsonl" "in" {
  paths = ["in.jsonl", "more.jsonl"]
  batch = "1KiB"
}
step "act" "act" {
  host {
    workers = var.workers
  }
}
sink "jsonl" "out" {
  path = "out/out.jsonl"
}
manifest {
  path = "out/manifest.json"
}
`, numbered(0, 300))
	put(t, "more.jsonl", numbered(300, 500)+"nothing\n")
	ran := func(opts host.Options) (rows string) {
		t.Helper()
		opts.InProcess = true
		r, err := load(t, opts).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r.Partial == nil || !r.Outputs[0].Partial || r.Recheck() != nil {
			t.Errorf("want a receipt that balances and says that the run was not whole, have %+v", r.Receipt)
		}
		left := files(t)
		if !strings.Contains(left["out/manifest.json"], `"partial": {`) {
			t.Errorf("want a manifest that says so, have %s", left["out/manifest.json"])
		}
		return left["out/out.jsonl"]
	}
	if have := ran(host.Options{Limit: 301}); have != numbered(0, 301) {
		t.Errorf("want the first 301 records, have %s", have)
	}
	drawn := map[string]bool{}
	for seed := range uint64(3) {
		rows := ran(host.Options{Sample: 20, Seed: seed})
		if n := strings.Count(rows, "\n"); n != 20 {
			t.Errorf("want 20 records, have %d", n)
		}
		for _, workers := range []string{"2", "5"} {
			if again := ran(host.Options{Sample: 20, Seed: seed, Vars: map[string]string{"workers": workers}}); again != rows {
				t.Errorf("want the same records with %s workers, have\n%s\nand\n%s", workers, rows, again)
			}
		}
		drawn[rows] = true
	}
	if len(drawn) != 3 {
		t.Errorf("want another sample for each seed, have %v", maps.Keys(drawn))
	}
	if have := ran(host.Options{Sample: 10_000}); have != numbered(0, 500) {
		t.Errorf("want all records of a sample that is larger than the input, have %d bytes", len(have))
	}
	piped := load(t, host.Options{InProcess: true, Sample: 1, Inputs: map[string][]string{"in": {"-"}}, Stdin: strings.NewReader("{}\n")})
	if _, err := piped.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "source jsonl.in: want files, since a sample reads them twice, have -") {
		t.Errorf("want a sample of what can be read twice, have %v", err)
	}
}

func numbered(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "{\"n\":%d}\n", i)
	}
	return b.String()
}
