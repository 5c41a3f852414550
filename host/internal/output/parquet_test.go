package output

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/internal/parquet"
	"github.com/sluicehq/sluice/sdk/wire"
)

// table opens a sink of Parquet.
func table(t *testing.T, c Claim) (*Set, *Sink) {
	t.Helper()
	s := New(Options{Run: testRun, Origins: true})
	t.Cleanup(func() { must(t, s.Abort()) })
	c.What = "t"
	sink, err := s.Sink("parquet", c)
	must(t, err)
	prepare(t, s)
	return s, sink
}

// rowsIn returns the rows of a file of Parquet as lines.
func rowsIn(t *testing.T, name string, nulls parquet.Nulls) string {
	t.Helper()
	data, err := os.ReadFile(name)
	must(t, err)
	f, err := parquet.Open(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	var lines strings.Builder
	must(t, f.WriteLines(&lines, 0, len(f.Groups), nulls, func(int64) error { return nil }))
	return lines.String()
}

// TestParquetFiles holds that files of one sink have one schema, that of the rows of all of them, and that nothing but them is left.
func TestParquetFiles(t *testing.T) {
	inFolder(t, nil, nil)
	s, sink := table(t, Claim{Path: "out/{split}.parquet", Rotate: Rotate{Rows: 2}})
	must(t, sink.Write([]wire.Record{
		split("train", `{"a":1}`), split("test", `{"a":[ ],"b":null}`), split("train", `{"a":"x"}`), split("train", "{\"a\":\n2,\"b\":{\"c\":[1.5]}}"),
	}))
	files := finish(t, s)
	must(t, s.Commit())
	want := map[string]string{
		"out/train-00001.parquet": `{"a":1}` + "\n" + `{"a":"x"}` + "\n",
		"out/train-00002.parquet": `{"a":2,"b":{"c":[1.5]}}` + "\n",
		"out/test-00001.parquet":  `{"a":[],"b":null}` + "\n",
	}
	asJSON := []parquet.Column{
		{Path: "a", Why: "values of different types: number, string, array"}, {Path: "b", Why: "null in some rows and left out in others"},
	}
	for _, f := range files {
		data, err := os.ReadFile(f.Path)
		must(t, err)
		if have := rowsIn(t, f.Path, parquet.AsWritten); have != want[f.Path] || f.Records != int64(strings.Count(have, "\n")) || f.Sum != sumOf(data) || f.Bytes != int64(len(data)) {
			t.Errorf("want %s of %+v, have %s", want[f.Path], f, have)
		}
		if d := cmp.Diff(asJSON, f.AsJSON); d != "" {
			t.Error(d)
		}
		delete(want, f.Path)
	}
	if len(want) > 0 {
		t.Errorf("want %v as well", want)
	}
	for name := range tree(t) {
		if !strings.HasSuffix(name, ".parquet") && !strings.HasSuffix(name, ".parquet.origins") {
			t.Errorf("want the files and their origins alone, have %s", name)
		}
	}
}

// TestParquetGiven holds that a type which is given is that of the column, whatever the rows have.
func TestParquetGiven(t *testing.T) {
	inFolder(t, nil, nil)
	given := Table{Columns: map[string]parquet.Type{"a": parquet.Double, "m[].x": parquet.JSON, "later": parquet.Int}}
	s, sink := table(t, Claim{Path: "o.parquet", Table: given})
	must(t, sink.Write(records(`{"a":1,"m":[{"x":1},{"x":null},{}]}`)))
	finish(t, s)
	must(t, s.Commit())
	if have, want := rowsIn(t, "o.parquet", parquet.AsWritten), `{"a":1.0,"m":[{"x":1},{"x":null},{}]}`+"\n"; have != want {
		t.Errorf("want %s, have %s", want, have)
	}

	s, sink = table(t, Claim{Path: "p.parquet", Table: given})
	must(t, sink.Write(records(`{"a":"x"}`)))
	if _, err := s.Finish(); err == nil || !strings.Contains(err.Error(), `row 1: column "a": want a value of type double, have a string`) {
		t.Errorf("have %v", err)
	}
}

// TestParquetInterrupted holds that an interrupted run does not first make Parquet of its rows.
func TestParquetInterrupted(t *testing.T) {
	inFolder(t, nil, nil)
	s := New(Options{Run: testRun})
	t.Cleanup(func() { must(t, s.Abort()) })
	sink, err := s.Sink("parquet", Claim{What: "t", Path: "o.parquet"})
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	must(t, s.Prepare(ctx))
	must(t, sink.Write(records(`{"a":1}`)))
	cancel()
	if _, err := s.Finish(); !errors.Is(err, context.Canceled) {
		t.Errorf("want the end of the context, have %v", err)
	}
}

// TestParquetRefused holds what no sink of Parquet writes.
func TestParquetRefused(t *testing.T) {
	inFolder(t, nil, nil)
	_, sink := table(t, Claim{Path: "o.parquet", Table: Table{Columns: map[string]parquet.Type{"a": parquet.Int}}})
	for row, want := range map[string]string{
		` [1]`:            "want an object for a row of Parquet, have an array",
		`{"b":1,"b":2}`:   "want each name once in an object, have one name for members 1 and 2",
		`{"a":"one"}`:     `column "a": want a value of type int64, have a string`,
		`{"a":1,"b":"x"}`: "",
	} {
		var have wire.Fault
		if fault := sink.Accepts(&wire.Record{Data: []byte(row)}); fault != nil {
			have = *fault
		}
		if have.Message != want || (want == "") != (have.Code == "") || want != "" && have.Code != BadRow {
			t.Errorf("%s: want %q, have %+v", row, want, have)
		}
	}
	if fault := sink.Accepts(&wire.Record{}); fault != nil {
		t.Errorf("labels alone: have %+v", fault)
	}
	for kind, path := range map[string]string{"parquet": "x.jsonl", "jsonl": "x.parquet"} {
		if _, err := newSet(t).Sink(kind, Claim{What: "a", Path: path}); err == nil || !strings.Contains(err.Error(), "want a name that ends in ") {
			t.Errorf("%s into %s: have %v", kind, path, err)
		}
	}
	if _, err := newSet(t).Sink("parquet", Claim{What: "a", Path: "-"}); err == nil {
		t.Error("want no Parquet on standard output")
	}
}

// TestSharedSchema holds that sinks which share a schema have that of the rows of all, and others their own.
func TestSharedSchema(t *testing.T) {
	inFolder(t, nil, nil)
	s := New(Options{Run: testRun})
	t.Cleanup(func() { must(t, s.Abort()) })
	var sinks []*Sink
	for _, x := range [][2]string{{"a", "one"}, {"b", "one"}, {"c", ""}, {"d", ""}} {
		sink, err := s.Sink("parquet", Claim{What: x[0], Path: x[0] + ".parquet", Table: Table{Schema: x[1]}})
		must(t, err)
		sinks = append(sinks, sink)
	}
	prepare(t, s)
	for _, sink := range sinks {
		must(t, sink.Write([]wire.Record{{Data: []byte(`{"` + sink.claim.What + `":1}`)}}))
	}
	finish(t, s)
	must(t, s.Commit())
	for path, want := range map[string]string{"a.parquet": `{"a":1,"b":null}`, "b.parquet": `{"a":null,"b":1}`, "c.parquet": `{"c":1}`, "d.parquet": `{"d":1}`} {
		if have := rowsIn(t, path, parquet.KeepNulls); have != want+"\n" {
			t.Errorf("%s: want %s, have %s", path, want, have)
		}
	}
}
