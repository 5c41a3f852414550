package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"github.com/sluicehq/sluice/sdk/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// options are the defaults for all that a test does not set.
func options(o Options) Options {
	if o.Limit == 0 {
		o.Limit = Defaults().Limit
	}
	if o.Depth == 0 {
		o.Depth = Defaults().Depth
	}
	if o.Batch == 0 {
		o.Batch = Defaults().Batch
	}
	return o
}

func newArena(n int) *wire.Arena { return wire.NewArena(make([]byte, n), n, nil) }

// drain reads to the end, giving every chunk back before the next one. Records read "FILE:LINE DATA" and, when there
// is a fault, " CODE MESSAGE".
func drain(t testing.TB, s timed, mem *wire.Arena) ([]string, error) {
	t.Helper()
	var rows []string
	for {
		more, err := next(t, t.Context(), s, mem)
		if err != nil {
			if mem.InUse() != 0 {
				t.Errorf("%d bytes of the arena are still out", mem.InUse())
			}
			if err == io.EOF {
				err = nil
			}
			return rows, errors.Join(err, s.Close())
		}
		rows = append(rows, more...)
	}
}

// patience is how long a call of a source may take, many times what the slowest machine needs.
const patience = 30 * time.Second

// A timed source fails the test when a call does not return, with the rule of Source that it breaks. Whatever a kind does
// wrong, no test of this package hangs.
type timed struct {
	*Source
	t    testing.TB
	most int // records of a chunk; 0: any number
}

func open(t testing.TB, kind string, opts Options) (timed, error) {
	s, err := Open(kind, opts)
	if err != nil {
		return timed{}, err
	}
	return timed{s, t, 0}, nil
}

func (s timed) Next(ctx context.Context, mem *wire.Arena) (chunk wire.Chunk, err error) {
	s.t.Helper()
	s.within("records that have come are passed on before the source waits for more, of this file or the next; a Next that waits ends with its context",
		func() { chunk, err = s.Source.Next(ctx, mem, s.most) })
	return chunk, err
}

func (s timed) Close() (err error) {
	s.t.Helper()
	s.within("Close ends the source, whatever it waits for", func() { err = s.Source.Close() })
	return err
}

func (s timed) within(rule string, call func()) {
	s.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		s.t.Fatalf("the source hangs; it breaks this rule of Source: %s", rule)
	}
}

// next reads one chunk and gives its memory back.
func next(t testing.TB, ctx context.Context, s timed, mem *wire.Arena) ([]string, error) {
	t.Helper()
	chunk, err := s.Next(ctx, mem)
	if err != nil {
		return nil, err
	}
	defer wire.ReleaseAll(chunk.Records)
	if len(chunk.Records) == 0 {
		t.Fatal("empty chunk")
	}
	if chunk.Faults != nil && len(chunk.Faults) != len(chunk.Records) {
		t.Fatalf("%d records, %d faults", len(chunk.Records), len(chunk.Faults))
	}
	var rows []string
	for i, r := range chunk.Records {
		row := fmt.Sprintf("%s:%d %s", filepath.Base(r.File), r.Line, r.Data)
		if chunk.Faults != nil && chunk.Faults[i] != nil {
			row += " " + chunk.Faults[i].Code + " " + chunk.Faults[i].Message
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// write puts files into a new folder and gives its name.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func gzipped(parts ...string) string {
	var b bytes.Buffer
	for _, part := range parts {
		z := gzip.NewWriter(&b)
		io.WriteString(z, part)
		z.Close()
	}
	return b.String()
}

func zstded(parts ...string) string {
	var b bytes.Buffer
	for _, part := range parts {
		z, _ := zstd.NewWriter(&b)
		io.WriteString(z, part)
		z.Close()
	}
	return b.String()
}

// A sample is a text of some kind, and the records that two files of it hold, called a and b.gz.
type sample struct {
	text string
	want []string
}

// samples has one for each kind. Tests read it through sampleOf.
var samples = map[string]sample{
	"auto":  {"{\"a\":1}\n2\n", []string{`a:1 {"a":1}`, "a:2 2", `b.gz:1 {"a":1}`, "b.gz:2 2"}},
	"csv":   {"a,b\n1,\"x\ny\"\n", []string{`a:2 {"a":"1","b":"x\ny"}`, `b.gz:2 {"a":"1","b":"x\ny"}`}},
	"json":  {`[{"a":1}, 2]`, []string{`a:1 {"a":1}`, "a:1 2", `b.gz:1 {"a":1}`, "b.gz:1 2"}},
	"jsonl": {"{\"a\":1}\n2\n", []string{`a:1 {"a":1}`, "a:2 2", `b.gz:1 {"a":1}`, "b.gz:2 2"}},
	"rejects": {`{"code":"c","message":"m","step":"a.b","plugin":"a","record":{"a":1}}` + "\n\n" + `{"code":"c","message":"m","step":"a.b","plugin":"a","record":2}`, []string{
		`a:1 {"a":1}`, "a:3 2", `b.gz:1 {"a":1}`, "b.gz:3 2"}},
	"sessions": {"{\"sessionId\":\"s\",\"a\":1}\n\n{\"sessionId\":\"t\"}\n{\"b\":2}\n{\"sessionId\":\"s\"}\n", []string{
		`a:1 {"session":"s","events":[{"sessionId":"s","a":1},{"sessionId":"s"}]}`, `a:3 {"session":"t","events":[{"sessionId":"t"},{"b":2}]}`,
		`b.gz:1 {"session":"s","events":[{"sessionId":"s","a":1},{"sessionId":"s"}]}`, `b.gz:3 {"session":"t","events":[{"sessionId":"t"},{"b":2}]}`}},
	"text": {"say hi\n", []string{`a:1 {"name":"a","text":"say hi\n"}`, `b.gz:1 {"name":"b.gz","text":"say hi\n"}`}},
}

// textKinds returns the kinds of source that read text, which may come compressed and through a pipe: all but parquet.
func textKinds() []string {
	return slices.DeleteFunc(Kinds(), func(kind string) bool { return kinds[kind].tables == onlyTables })
}

// sampleOf ends the test when a kind has no sample: an empty text would fail for a reason that is not the kind's.
func sampleOf(t *testing.T, kind string) sample {
	t.Helper()
	s, ok := samples[kind]
	if !ok {
		t.Fatalf("want a sample of kind %s in samples of source_test.go, have none", kind)
	}
	return s
}

// TestKinds holds every kind of the registry to what Source promises, so that a new kind is not forgotten here.
func TestKinds(t *testing.T) {
	for _, kind := range textKinds() {
		t.Run(kind, func(t *testing.T) {
			sample := sampleOf(t, kind)
			packed := gzipped(sample.text)
			dir := write(t, map[string]string{"a": sample.text, "b.gz": packed})
			files := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b.gz")}
			for _, batch := range []int{1, 7, 1 << 10} {
				s, err := open(t, kind, options(Options{Paths: []string{filepath.Join(dir, "*")}, Batch: batch}))
				if err != nil {
					t.Fatal(err)
				}
				rows, err := drain(t, s, newArena(1<<10))
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(sample.want, rows); d != "" {
					t.Errorf("batch %d: %s", batch, d)
				}
				if !slices.Equal(s.Files(), files) {
					t.Errorf("batch %d: have files %q", batch, s.Files())
				}
				var bytes, records int64
				for _, in := range s.Inputs() {
					bytes, records = bytes+in.Bytes, records+in.Records
				}
				all := int64(len(sample.text) + len(packed))
				if read, total := s.Progress(); bytes != all || read != all || total != all || records != int64(len(rows)) {
					t.Errorf("batch %d: have %d records, %d bytes, read %d of %d; want %d and %d", batch, records, bytes, read, total, len(rows), all)
				}
			}
		})
	}
	if len(samples) != len(textKinds()) {
		t.Errorf("%d samples for %d kinds", len(samples), len(textKinds()))
	}
}

// TestJoin holds that a kind reads back the JSON values that it has written for a test of a pipeline, from a file with
// its ending, and that a kind which writes none says so.
func TestJoin(t *testing.T) {
	for _, kind := range Kinds() {
		text, ok := Join(kind, []string{`{"a":1}`, `"b"`})
		if ok != (kinds[kind].join != nil) || Ending(kind) == "" {
			t.Errorf("%s: have %q, %t and the ending %q", kind, text, ok, Ending(kind))
		}
		if !ok {
			continue
		}
		name := filepath.Join(write(t, map[string]string{"a" + Ending(kind): text}), "a"+Ending(kind))
		s, err := open(t, kind, options(Options{Paths: []string{name}}))
		if err != nil {
			t.Fatal(err)
		}
		rows, err := drain(t, s, newArena(1<<20))
		if err != nil || len(rows) != 2 || !strings.HasSuffix(rows[0], ` {"a":1}`) || !strings.HasSuffix(rows[1], ` "b"`) {
			t.Errorf("%s: have %q, %v", kind, rows, err)
		}
	}
	if text, ok := Join("nope", []string{"1"}); !ok || text != "1\n" || Ending("nope") != ".jsonl" {
		t.Errorf("an unknown kind: have %q, %t and the ending %q, want those of jsonl", text, ok, Ending("nope"))
	}
}

func TestOptions(t *testing.T) {
	good := Defaults()
	good.Paths = []string{"a"}
	tests := []struct {
		reason string
		change func(*Options)
		want   []Mistake
	}{
		{"the defaults are good", func(o *Options) {}, nil},
		{"as small as allowed", func(o *Options) { o.Limit, o.Depth, o.Batch = 1, 1, 1 }, nil},
		{"as large as allowed", func(o *Options) { o.Limit, o.Batch = 1<<30, 256<<20 }, nil},
		{"nothing to read", func(o *Options) { o.Paths = []string{} }, []Mistake{{"paths", "want at least one path, have 0"}}},
		{"no record fits", func(o *Options) { o.Limit = 0 }, []Mistake{{"limit", "want a size from 1B to 1GiB, have 0 bytes"}}},
		{"more than memory holds", func(o *Options) { o.Limit = 1<<30 + 1 }, []Mistake{{"limit", "want a size from 1B to 1GiB, have 1073741825 bytes"}}},
		{"no array fits", func(o *Options) { o.Depth = 0 }, []Mistake{{"depth", "want a depth of at least 1, have 0"}}},
		{"depth below nothing", func(o *Options) { o.Depth = -1 }, []Mistake{{"depth", "want a depth of at least 1, have -1"}}},
		{"nothing moves", func(o *Options) { o.Batch = 0 }, []Mistake{{"batch", "want a size from 1B to 256MiB, have 0 bytes"}}},
		{"a batch that no arena holds", func(o *Options) { o.Batch = 256<<20 + 1 }, []Mistake{{"batch", "want a size from 1B to 256MiB, have 268435457 bytes"}}},
		{"all mistakes at once", func(o *Options) { *o = Options{} }, []Mistake{
			{"paths", "want at least one path, have 0"}, {"limit", "want a size from 1B to 1GiB, have 0 bytes"},
			{"depth", "want a depth of at least 1, have 0"}, {"batch", "want a size from 1B to 256MiB, have 0 bytes"}}},
	}
	for _, tt := range tests {
		o := good
		tt.change(&o)
		if d := cmp.Diff(tt.want, o.Check()); d != "" {
			t.Errorf("%s: %s", tt.reason, d)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := open(t, "nope", Options{}); err == nil || err.Error() != "want a source of type "+strings.Join(Kinds(), ", ")+`, have "nope"` {
		t.Errorf("an unknown kind: have %v", err)
	}
	for _, kind := range textKinds() {
		if _, err := open(t, kind, Defaults()); err == nil || err.Error() != "paths: want at least one path, have 0" {
			t.Errorf("%s: options that are wrong: have %v", kind, err)
		}
		if s, err := open(t, kind, options(Options{Paths: []string{"nope"}})); s.Source != nil || err == nil {
			t.Errorf("%s: no such file: have %v, %v, want no source and an error", kind, s, err)
		}
		s, err := open(t, kind, options(Options{Paths: []string{"-"}}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := next(t, t.Context(), s, newArena(1<<10)); err == nil || !strings.Contains(err.Error(), "want standard input, have a run without it") {
			t.Errorf("%s: no standard input: have %v", kind, err)
		}
	}
}
