package plan

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/source"
)

// parse reads a pipeline file p.hcl of the folder at hand, which is a new one.
func parse(t *testing.T, text string) *config.Pipeline {
	t.Helper()
	t.Chdir(t.TempDir())
	return parseHere(t, text)
}

// parseHere does what parse does, but stays in the folder at hand.
func parseHere(t *testing.T, text string) *config.Pipeline {
	t.Helper()
	put(t, "p.hcl", text)
	tree, diags := config.Load("p.hcl", config.Given{})
	if len(diags) > 0 {
		t.Fatalf("want a pipeline without mistakes, have\n%s", diags.Snippets())
	}
	return tree
}

// planned makes the plan of a file, with what is wrong with it.
func planned(t *testing.T, tree *config.Pipeline, opts Options) (*Plan, config.Diagnostics) {
	t.Helper()
	if opts.Mask == nil {
		opts.Mask = func(name string) string { return name }
	}
	opts.Run = "test0000"
	p, diags := New(tree, opts)
	t.Cleanup(func() {
		if err := p.Abort(); err != nil {
			t.Errorf("abort: %v", err)
		}
	})
	return p, diags
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// wantDiags compares one line for each diagnostic, in order.
func wantDiags(t *testing.T, want string, have config.Diagnostics) {
	t.Helper()
	var lines strings.Builder
	for _, d := range have {
		lines.WriteString(d.String() + "\n")
	}
	if diff := cmp.Diff(want, lines.String()); diff != "" {
		t.Error(diff)
	}
}

// TestBadArguments holds that what is wrong with a source or sink is told at its place, all of it at once.
func TestBadArguments(t *testing.T) {
	const sink = "\nsink \"jsonl\" \"out\" { path = \"out.jsonl\" }\n"
	for _, c := range []struct{ reason, text, want string }{
		{"sizes are read with their unit, up to the largest", `source "jsonl" "in" {
  paths = ["in.jsonl"]
  limit = "1GiB"
  batch = "256MiB"
  depth = 1
}` + sink, ""},
		{"what is no size", `source "jsonl" "in" {
  paths = ["in.jsonl"]
  limit = "much"
  batch = "0B"
}` + sink, `p.hcl:3:3: bad size; want a size such as "64MiB", have "much"
p.hcl:4:3: bad size; want a number of records or a size, such as "64 records" or "256KiB", have "0B"
`},
		{"sizes and depths out of bounds", `source "jsonl" "in" {
  paths = ["in.jsonl"]
  limit = "2GiB"
  batch = "257MiB"
  depth = 0
}` + sink, `p.hcl:3:3: source jsonl.in: bad attribute limit; want a size from 1B to 1GiB, have 2147483648 bytes
p.hcl:5:3: source jsonl.in: bad attribute depth; want a depth of at least 1, have 0
p.hcl:4:3: source jsonl.in: bad attribute batch; want a size from 1B to 256MiB, have 269484032 bytes
`},
		{"no paths", `source "jsonl" "in" { paths = [] }` + sink,
			"p.hcl:1:23: source jsonl.in: bad attribute paths; want at least one path, have 0\n"},
		{"an attribute that the source does not have", `source "jsonl" "in" {
  paths = ["in.jsonl"]
  dept  = 3
}` + sink, "p.hcl:3:3: source jsonl.in: bad attribute dept; want one of paths, limit, depth, batch, optional, have \"dept\"; did you mean \"depth\"? see sluice docs jsonl\n"},
		{"a kind of source that there is not", `source "jsnl" "in" { paths = ["in.jsonl"] }` + sink,
			"p.hcl:1:1: unknown source type \"jsnl\"; want one of " + strings.Join(source.Kinds(), ", ") + "; did you mean \"jsonl\"?\n"},
		{"a kind of sink that there is not", `source "jsonl" "in" { paths = ["in.jsonl"] }
sink "parket" "out" { path = "out.parquet" }
`, "p.hcl:2:1: unknown sink type \"parket\"; want one of jsonl, parquet; did you mean \"parquet\"?\n"},
		{"a sink without a path", `source "jsonl" "in" { paths = ["in.jsonl"] }
sink "jsonl" "out" {}
`, "p.hcl:2:1: sink jsonl.out: no attribute path; want a string; see sluice docs jsonl\n"},
		{"a file that would be packed in a way that is not written", `source "jsonl" "in" { paths = ["in.jsonl"] }
sink "jsonl" "out" { path = "out.jsonl.bz2" }
`, "p.hcl:2:22: bad path of sink jsonl.out; want a name that ends in .gz, in .zst or like no compressed file, have \"out.jsonl.bz2\"\n"},
		{"how much a file holds, in rows and in bytes", `source "jsonl" "in" { paths = ["in.jsonl"] }
tee "a" {
  sink "jsonl" "a" {
    path   = "a.jsonl"
    rotate = "100000 rows"
  }
}
tee "b" {
  sink "jsonl" "b" {
    path   = "b.jsonl"
    rotate = "1.5 GB"
  }
}
tee "c" {
  sink "jsonl" "c" {
    path   = "c.jsonl"
    rotate = "64MiB"
  }
}
sink "jsonl" "d" { path = "d.jsonl" }
`, ""},
		{"how much a file holds, in neither", `source "jsonl" "in" { paths = ["in.jsonl"] }
tee "a" {
  sink "jsonl" "a" {
    path   = "a.jsonl"
    rotate = "100000"
  }
}
tee "b" {
  sink "jsonl" "b" {
    path   = "b.jsonl"
    rotate = "0 rows"
  }
}
tee "c" {
  sink "jsonl" "c" {
    path   = "c.jsonl"
    rotate = "10 lines"
  }
}
sink "jsonl" "d" {
  path   = "-"
  rotate = "10 rows"
}
`, `p.hcl:5:5: sink jsonl.a: bad attribute rotate; want a number of rows or a size such as "100000 rows" or "500 MB", have "100000"
p.hcl:11:5: sink jsonl.b: bad attribute rotate; want a number of rows or a size such as "100000 rows" or "500 MB", have "0 rows"
p.hcl:17:5: sink jsonl.c: bad attribute rotate; want a number of rows or a size such as "100000 rows" or "500 MB", have "10 lines"
p.hcl:21:3: bad path of sink jsonl.d; want a file without rotation, have "-" with it: rejects, pipes and devices are written as one
`},
		{"wrong values beside attributes that the source and the sinks do not have", `source "csv" "in" {
  pahts     = ["in.csv"]
  depth     = 0
  delimiter = "||"
}
tee "a" {
  sink "jsonl" "a" {
    pth    = "a.jsonl"
    rotate = "5 apples"
  }
}
sink "parquet" "b" {
  pth       = "b.parquet"
  rotate    = "5 apples"
  row_group = "2 GB"
  columns   = { "a" = "text", "b" = "word" }
}
dead_letter {
  sink "jsonl" "rejects" {
    path   = "{split}.jsonl"
    rotate = "5 apples"
  }
}
`, `p.hcl:1:1: source csv.in: no attribute paths; want a list of strings; see sluice docs csv
p.hcl:2:3: source csv.in: bad attribute pahts; want one of paths, limit, depth, batch, optional, delimiter, have "pahts"; did you mean "paths"? see sluice docs csv
p.hcl:3:3: source csv.in: bad attribute depth; want a depth of at least 1, have 0
p.hcl:4:3: source csv.in: bad attribute delimiter; want one ASCII character that is not a quote or a line end, have "||"
p.hcl:7:3: sink jsonl.a: no attribute path; want a string; see sluice docs jsonl
p.hcl:8:5: sink jsonl.a: bad attribute pth; want one of path, rotate, unfiltered, have "pth"; did you mean "path"? see sluice docs jsonl
p.hcl:9:5: sink jsonl.a: bad attribute rotate; want a number of rows or a size such as "100000 rows" or "500 MB", have "5 apples"
p.hcl:12:1: sink parquet.b: no attribute path; want a string; see sluice docs parquet
p.hcl:13:3: sink parquet.b: bad attribute pth; want one of path, rotate, unfiltered, columns, row_group, have "pth"; did you mean "path"? see sluice docs parquet
p.hcl:14:3: sink parquet.b: bad attribute rotate; want a number of rows or a size such as "100000 rows" or "500 MB", have "5 apples"
p.hcl:16:3: sink parquet.b: bad attribute columns; want string, int64, uint64, double, bool or json for "a", have "text"
p.hcl:16:3: sink parquet.b: bad attribute columns; want string, int64, uint64, double, bool or json for "b", have "word"
p.hcl:15:3: sink parquet.b: bad attribute row_group; want at most 1 GiB, have "2 GB"
p.hcl:21:5: sink jsonl.rejects: bad attribute rotate; want a number of rows or a size such as "100000 rows" or "500 MB", have "5 apples"
p.hcl:20:5: bad path of sink jsonl.rejects; want a path without labels, have {split} in "{split}.jsonl"
`},
		{"paths that no file has", `source "jsonl" "in" { paths = ["in.jsonl", "[in.jsonl", "", "a/[]/*", "[[]in.jsonl"] }` + sink,
			`p.hcl:1:44: source jsonl.in: bad path; want a pattern whose [ have their ], and [[] for a [ in a name, have "[in.jsonl"
p.hcl:1:57: source jsonl.in: bad path; want a file or a pattern for some, have ""
p.hcl:1:61: source jsonl.in: bad path; want a pattern whose [ have their ], and [[] for a [ in a name, have "a/[]/*"
`},
		{"labels where rows of all kinds come together", `source "jsonl" "in" { paths = ["in.jsonl"] }
sink "jsonl" "out" { path = "out.jsonl" }
dead_letter {
  sink "jsonl" "rejects" { path = "{split}.jsonl" }
}
`, "p.hcl:4:28: bad path of sink jsonl.rejects; want a path without labels, have {split} in \"{split}.jsonl\"\n"},
		{"mistakes in several blocks", `source "jsonl" "in" { paths = [] }
sink "parket" "out" { path = "out.parquet" }
`, `p.hcl:1:23: source jsonl.in: bad attribute paths; want at least one path, have 0
p.hcl:2:1: unknown sink type "parket"; want one of jsonl, parquet; did you mean "parquet"?
`},
	} {
		t.Run(c.reason, func(t *testing.T) {
			_, diags := planned(t, parse(t, c.text), Options{})
			wantDiags(t, c.want, diags)
		})
	}
}

// TestBatchOfSource holds that a size which the file says goes with the source, in its unit, and no other does.
func TestBatchOfSource(t *testing.T) {
	for _, c := range []struct {
		written string
		want    flow.BatchSize
	}{
		{"", flow.BatchSize{}},
		{`batch = "4MiB"`, flow.BatchSize{Bytes: 4 << 20}},
		{`batch = "64 records"`, flow.BatchSize{Records: 64}},
	} {
		p, diags := planned(t, parse(t, "source \"jsonl\" \"in\" {\n  paths = [\"in.jsonl\"]\n  "+c.written+"\n}\nsink \"jsonl\" \"out\" { path = \"out.jsonl\" }\n"), Options{})
		wantDiags(t, "", diags)
		if have := p.Sources[0].batch; have != c.want {
			t.Errorf("%q: want %+v, have %+v", c.written, c.want, have)
		}
	}
}

// TestLimits holds that a plan is wide enough for the largest records of all its sources.
func TestLimits(t *testing.T) {
	p, diags := planned(t, parse(t, `
source "jsonl" "small" {
  paths = ["a"]
  limit = "1MiB"
  depth = 20000
}
source "jsonl" "large" {
  paths = ["b"]
  limit = "100MiB"
}
sink "jsonl" "out" { path = "out.jsonl" }
`), Options{})
	wantDiags(t, "", diags)
	if p.RecordLimit != 100<<20 || p.Depth != 20000 {
		t.Errorf("want 100 MiB and a depth of 20000, have %d and %d", p.RecordLimit, p.Depth)
	}
	if q, _ := planned(t, parse(t, inOut), Options{}); q.Depth != MinDepth {
		t.Errorf("want plugins free to nest %d deep whatever the sources allow, have %d", MinDepth, q.Depth)
	}
}

const inOut = `
source "jsonl" "in" { paths = ["in.jsonl"] }
sink "jsonl" "out" { path = "out.jsonl" }
`

// TestDir holds where receipt and rejects go when nobody says so.
func TestDir(t *testing.T) {
	const source = "source \"jsonl\" \"in\" { paths = [\"in.jsonl\"] }\n"
	for _, c := range []struct{ reason, text, want string }{
		{"beside the sink", `sink "jsonl" "a" { path = "out/a.jsonl" }`, "out"},
		{"in the folder at hand", `sink "jsonl" "a" { path = "a.jsonl" }`, "."},
		{"above the folders that labels name", `sink "jsonl" "a" { path = "out/x/{split}/{kind}/a.jsonl" }`, "out/x"},
		{"above the labels of the first folder", `sink "jsonl" "a" { path = "{split}/a.jsonl" }`, "."},
		{"not beside standard output", `sink "jsonl" "a" { path = "-" }`, "."},
		{"of a sink at the top, not of a later one below", `tee "t" {
  sink "jsonl" "b" { path = "below/b.jsonl" }
}
sink "jsonl" "a" { path = "out/a.jsonl" }`, "out"},
		{"of the last sink below when the top has none", `route "r" {
  on = "kind"
  case "a" {
    sink "jsonl" "a" { path = "one/a.jsonl" }
  }
  default {
    sink "jsonl" "b" { path = "two/b.jsonl" }
  }
}`, "two"},
		{"of the tee when the stream goes to standard output", `tee "t" {
  sink "jsonl" "b" { path = "below/b.jsonl" }
}
sink "jsonl" "a" { path = "-" }`, "below"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			p, diags := planned(t, parse(t, source+c.text+"\n"), Options{})
			wantDiags(t, "", diags)
			if have := filepath.ToSlash(p.dir()); have != c.want {
				t.Errorf("want %s, have %s", c.want, have)
			}
			if have, want := p.ReceiptPath(), filepath.Join(p.dir(), "receipt.json"); have != want {
				t.Errorf("want the receipt at %s, have %s", want, have)
			}
			if have, want := p.deadLetter.path, filepath.Join(p.dir(), "rejects.jsonl"); have != want {
				t.Errorf("want the rejects at %s, have %s", want, have)
			}
		})
	}
}

func TestReceiptPath(t *testing.T) {
	tree := parse(t, inOut)
	for _, c := range []struct {
		reason, want string
		opts         Options
	}{
		{"where it is asked for", "elsewhere/r.json", Options{Receipt: "elsewhere/r.json"}},
		{"nowhere when there shall be none", "", Options{NoReceipt: true}},
		{"nowhere, whatever the path", "", Options{NoReceipt: true, Receipt: "r.json"}},
	} {
		if p, _ := planned(t, tree, c.opts); p.ReceiptPath() != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, p.ReceiptPath())
		}
	}
}
