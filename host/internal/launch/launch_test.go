package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/batch"
)

// builtIns are the plugins that this test binary serves when it is started as one.
var builtIns = []sdk.Plugin{
	{
		Name: "echo", Doc: "changes nothing",
		New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(func(*sdk.Record) error { return nil }), nil },
	},
	{
		Name: "mark", Doc: "sets a member",
		New: func(a sdk.Args) (sdk.Processor, error) {
			var cfg struct {
				Key string `hcl:"key"`
			}
			if err := a.Decode(&cfg); err != nil {
				return nil, err
			}
			return sdk.Map(func(r *sdk.Record) error { r.SetLabel("marked", cfg.Key); return r.Set(cfg.Key, true) }), nil
		},
	},
	{
		Name: "fan", Doc: "emits every record n times, each with pad bytes more",
		New: func(a sdk.Args) (sdk.Processor, error) {
			var cfg struct {
				N   int `hcl:"n"`
				Pad int `hcl:"pad,optional"`
			}
			if err := a.Decode(&cfg); err != nil {
				return nil, err
			}
			return fan{cfg.N, strings.Repeat("x", cfg.Pad)}, nil
		},
	},
	{
		Name: "trouble", Doc: "does what the record says",
		New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(trouble), nil },
	},
	{
		Name: "discreet", Doc: "does what the record says, and shows none", Private: true,
		New: func(sdk.Args) (sdk.Processor, error) {
			return sdk.Map(func(r *sdk.Record) error {
				if r.Get("show").Bool() {
					r.Conceal([]byte(`"shown"`))
				}
				return trouble(r)
			}), nil
		},
	},
	{
		Name: "steady", Doc: "keeps records in order", Ordered: true,
		New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(func(*sdk.Record) error { return nil }), nil },
	},
}

type fan struct {
	n   int
	pad string
}

func (f fan) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	for i := range f.n {
		if err := r.Set("copy", i); err != nil {
			return err
		}
		if f.pad != "" {
			if err := r.Set("pad", f.pad); err != nil {
				return err
			}
		}
		emit(r)
	}
	return nil
}

func trouble(r *sdk.Record) error {
	switch r.Get("do").Str {
	case "panic":
		panic("as asked")
	case "exit":
		os.Exit(3)
	case "hang":
		select {}
	case "eat":
		var all [][]byte
		for {
			all = append(all, bytes.Repeat([]byte{1}, 1<<20))
		}
	case "say":
		fmt.Fprintln(os.Stderr, "on stderr")
		fmt.Println("on stdout")
	case "reject":
		return sdk.Reject("bad", "do", "as asked")
	case "drop":
		return sdk.Drop("as asked")
	case "env":
		return r.Set("env", strings.Join(os.Environ(), " "))
	}
	return nil
}

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == ServeArg {
		for _, p := range builtIns {
			if p.Name == os.Args[2] {
				sdk.Main(p)
			}
		}
	}
	os.Exit(m.Run())
}

// modes are the ways in which records can reach a step.
var modes = map[string]Options{
	"shared memory": {},
	"inline":        {Inline: true},
	"in process":    {InProcess: true},
}

func start(t testing.TB, opts Options, requests ...Request) *Fleet {
	t.Helper()
	fleet, problems, err := tryStart(opts, requests...)
	if err != nil || problems != nil {
		t.Fatalf("start: %v %v", problems, err)
	}
	t.Cleanup(func() {
		if err := fleet.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return fleet
}

func tryStart(opts Options, requests ...Request) (*Fleet, []Problem, error) {
	opts.Finder.BuiltIns = builtIns
	if opts.RecordLimit == 0 {
		opts.RecordLimit = 16 << 20
	}
	if opts.Log == nil {
		opts.Log = func(string, string) {}
	}
	for i := range requests {
		r := &requests[i]
		r.Workers = max(r.Workers, 1)
		r.Step = r.Plugin + ".x"
	}
	return Start(context.Background(), opts, requests)
}

// records lays texts into one region of the fleet's source arena.
func records(t testing.TB, f *Fleet, texts ...string) []batch.Record {
	t.Helper()
	region, err := f.Source.Alloc(context.Background(), len(strings.Join(texts, "")))
	if err != nil {
		t.Fatal(err)
	}
	mem, in := region.Bytes(), []batch.Record(nil)
	for i, text := range texts {
		n := copy(mem, text)
		in = append(in, batch.Record{Data: mem[:n:n], Mem: region, File: "in.jsonl", Line: int64(i + 1), Ord: uint64(i)})
		mem = mem[n:]
	}
	batch.RetainAll(in)
	region.Release()
	return in
}

// send gives in to a worker and writes the outcomes down, one a line. It releases everything.
func send(ctx context.Context, w *Worker, in []batch.Record) (string, error) {
	var b strings.Builder
	at := 0
	err := w.Process(ctx, in, func(a batch.Answer) error {
		for _, o := range a.Outcomes {
			switch o.Verdict {
			case batch.Unchanged:
				fmt.Fprintf(&b, "%s\n", in[at].Data)
			case batch.Emitted:
				for _, r := range o.Emitted {
					fmt.Fprintf(&b, "%s%v\n", r.Data, r.Labels)
				}
				batch.ReleaseAll(o.Emitted)
			default:
				fmt.Fprintf(&b, "%d %s %s\n", o.Verdict, o.Fault.Code, o.Fault.Message)
			}
			at++
		}
		return nil
	})
	batch.ReleaseAll(in)
	return b.String(), err
}

func TestProcess(t *testing.T) {
	cases := []struct {
		reason, plugin, args string
		in                   []string
		want                 string
	}{
		{"what is not edited goes on as it is", "echo", "{}", []string{`{"a": 1}`, `[]`}, "{\"a\": 1}\n[]\n"},
		{"an edited record is new and has its label", "mark", `{"key":"k"}`, []string{`{"a": 1}`}, "{\"a\": 1,\"k\":true}[{marked k}]\n"},
		{"faults come with code and message", "trouble", "{}", []string{`{"do":"reject"}`, `{"do":"drop"}`, `{}`}, "3 bad as asked\n2  as asked\n{}\n"},
		{"one record can become many", "fan", `{"n":3}`, []string{`{}`}, "{\"copy\":0}[]\n{\"copy\":1}[]\n{\"copy\":2}[]\n"},
	}
	for mode, opts := range modes {
		for _, c := range cases {
			t.Run(mode+"/"+c.reason, func(t *testing.T) {
				f := start(t, opts, Request{Plugin: c.plugin, Args: []byte(c.args)})
				have, err := send(t.Context(), f.Steps[0].Stages()[0], records(t, f, c.in...))
				if err != nil || have != c.want {
					t.Errorf("want %q, have %q (%v)", c.want, have, err)
				}
				checkEmpty(t, f)
			})
		}
	}
}

// checkEmpty fails when a region was not given back.
func checkEmpty(t *testing.T, f *Fleet) {
	t.Helper()
	if n := f.Source.InUse(); n != 0 {
		t.Errorf("want an empty source arena, have %d bytes in use", n)
	}
	for _, s := range f.Steps {
		for _, a := range s.out {
			if n := a.InUse(); n != 0 {
				t.Errorf("want an empty arena of %s, have %d bytes in use", s.Step, n)
			}
		}
	}
}

func TestMemoryNeverLocks(t *testing.T) {
	big := `{"a":"` + strings.Repeat("b", 15<<20) + `"}`
	cases := []struct {
		reason, args string
		in           []string
		lines        int
	}{
		{"a record nearly as large as the arena's budget, twice over", `{"n":1}`, []string{big, big}, 2},
		{"1,000 records from one", `{"n":1000}`, []string{`{}`}, 1000},
		{"1,000 records of 40 kB from one: more than the budget", `{"n":1000,"pad":40000}`, []string{`{}`}, 1000},
		{"40 records that grow to 1 MB each: more than the budget, from a small batch", `{"n":1,"pad":1000000}`, make40(), 40},
		{"more than one record may become", `{"n":100,"pad":1000000}`, []string{`{}`}, 1},
	}
	for mode, opts := range modes {
		for _, c := range cases {
			t.Run(mode+"/"+c.reason, func(t *testing.T) {
				f := start(t, opts, Request{Plugin: "fan", Args: []byte(c.args)})
				have, err := send(t.Context(), f.Steps[0].Stages()[0], records(t, f, c.in...))
				if n := strings.Count(have, "\n"); err != nil || n != c.lines {
					t.Errorf("want %d records, have %d (%v)", c.lines, n, err)
				}
				if strings.HasPrefix(c.reason, "more than one") && !strings.Contains(have, "too_large") {
					t.Errorf("want a too_large reject, have %.80s", have)
				}
				checkEmpty(t, f)
			})
		}
	}
}

func make40() []string {
	in := make([]string, 40)
	for i := range in {
		in[i] = "{}"
	}
	return in
}

func TestCrash(t *testing.T) {
	in := []string{`{"n":1}`, `{"n":2}`, `{"do":"%s"}`, `{"n":4}`, `{"n":5}`}
	want := "{\"n\":1}\n{\"n\":2}\n3 crash the plugin ended: %s\n{\"n\":4}\n{\"n\":5}\n"
	cases := []struct {
		reason, do, how string
		request         Request
	}{
		{"a panic is a crash", "panic", "exit status 2", Request{}},
		{"an exit is a crash", "exit", "exit status 3", Request{}},
		{"no answer within the timeout is a crash", "hang", "want an answer within 300ms, have none", Request{Timeout: 300 * time.Millisecond}},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			r := c.request
			r.Plugin = "trouble"
			texts := append([]string(nil), in...)
			texts[2] = fmt.Sprintf(in[2], c.do)

			f := start(t, Options{}, r)
			_, err := send(t.Context(), f.Steps[0].Stages()[0], records(t, f, texts...))
			if crash, ok := errors.AsType[*Crash](err); !ok || crash.How != c.how {
				t.Errorf("want a crash that fails the run with %q, have %v", c.how, err)
			}

			r.Reject = true
			f = start(t, Options{}, r)
			have, err := send(t.Context(), f.Steps[0].Stages()[0], records(t, f, texts...))
			if want := fmt.Sprintf(want, c.how); err != nil || have != want {
				t.Errorf("want the one record rejected:\n%s\nhave (%v)\n%s", want, err, have)
			}
		})
	}
}

func TestPrivate(t *testing.T) {
	for mode, opts := range modes {
		f := start(t, opts, Request{Plugin: "discreet", Reject: true})
		in := records(t, f, `{"do":"reject"}`, `{"do":"reject","show":true}`, `{"do":"panic","show":true}`, `{"do":"drop"}`)
		var have []string
		err := f.Steps[0].Stages()[0].Process(t.Context(), in, func(a batch.Answer) error {
			for _, o := range a.Outcomes {
				have = append(have, string(o.Fault.Record))
			}
			return nil
		})
		batch.ReleaseAll(in)
		want := []string{"null", `"shown"`, "null", ""}
		if err != nil || !slices.Equal(have, want) {
			t.Errorf("%s: want the dead letter to show %q, have %q (%v)", mode, want, have, err)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	f := start(t, Options{}, Request{Plugin: "trouble", Memory: 256 << 20})
	_, err := send(t.Context(), f.Steps[0].Stages()[0], records(t, f, `{"do":"eat"}`))
	if err == nil || !strings.Contains(err.Error(), "want at most 268435456 bytes of memory") {
		t.Errorf("want a crash for memory, have %v", err)
	}
}

func TestProblems(t *testing.T) {
	cases := []struct {
		reason  string
		request Request
		want    string
	}{
		{"a missing attribute is named", Request{Plugin: "mark", Args: []byte("{}")}, `[{0 false key want a string, have nothing <nil>}]`},
		{"an unknown one too", Request{Plugin: "echo2"}, `no plugin "echo2": looked for a built-in plugin, /nowhere/sluice-plugin-echo2`},
		{"an ordered plugin has one worker", Request{Plugin: "steady", Workers: 2}, `want 1 worker, since plugin steady keeps records in order, have 2`},
	}
	for _, c := range cases {
		for _, here := range []bool{false, true} {
			_, problems, err := tryStart(Options{InProcess: here, Finder: Finder{Dir: "/nowhere"}}, c.request)
			if have := fmt.Sprint(problems); err != nil || !strings.Contains(have, c.want) {
				t.Errorf("%s (in process: %v): want %s, have %s (%v)", c.reason, here, c.want, have, err)
			}
		}
	}
}

func TestNotAPlugin(t *testing.T) {
	cases := []struct{ reason, name, script, want string }{
		{"prints before the handshake", "chatty", "echo hello; sleep 5", `want the handshake on stdout, have "hello"`},
		{"exits at once", "gone", "echo no license >&2; exit 7", `have one that ended (exit status 7) after saying "no license"`},
		{"speaks another version", "old", "echo '1|9|unix|/tmp/x|grpc|'; sleep 5", "want protocol version 1, have 9"},
	}
	dir := t.TempDir()
	for _, c := range cases {
		path := filepath.Join(dir, Prefix+c.name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		_, _, err := tryStart(Options{Finder: Finder{Dir: dir}}, Request{Plugin: c.name})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %q, have %v", c.reason, c.want, err)
		}
	}
}

func TestOutputAndEnvironment(t *testing.T) {
	t.Setenv("SECRET", "hidden")
	t.Setenv("NAMED", "shown")
	var mu sync.Mutex
	said := map[string]bool{}
	log := func(step, line string) {
		mu.Lock()
		defer mu.Unlock()
		said[step+": "+line] = true
	}
	f := start(t, Options{Log: log}, Request{Plugin: "trouble", Env: []string{"NAMED"}})
	have, err := send(t.Context(), f.Steps[0].Stages()[0], records(t, f, `{"do":"env"}`, `{"do":"say"}`))
	if err != nil || strings.Contains(have, "hidden") || !strings.Contains(have, "NAMED=shown") {
		t.Errorf("want only the named variable, have %s (%v)", have, err)
	}
	f.Steps[0].stop() // which waits for the rest of its output
	mu.Lock()
	defer mu.Unlock()
	if !said["trouble.x: on stderr"] {
		t.Errorf("want what the plugin says under the step's name, have %v", said)
	}
}

func BenchmarkEcho(b *testing.B) {
	row := `{"a":"` + strings.Repeat("b", 8590) + `"}`
	texts := make([]string, 120)
	for i := range texts {
		texts[i] = row
	}
	for mode, opts := range modes {
		b.Run(mode, func(b *testing.B) {
			f := start(b, opts, Request{Plugin: "echo"})
			w := f.Steps[0].Stages()[0]
			in := records(b, f, texts...)
			b.SetBytes(int64(len(row) * len(texts)))
			for b.Loop() {
				if err := w.Process(b.Context(), in, func(batch.Answer) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			batch.ReleaseAll(in)
		})
	}
}
