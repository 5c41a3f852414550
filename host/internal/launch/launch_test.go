package launch

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/wire"
)

// builtIns are the plugins that this test binary serves when it is started as one.
var builtIns = []sdk.Plugin{
	spoil,
	{
		Name: "echo", Doc: "changes nothing",
		New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(func(*sdk.Record) error { return nil }), nil },
	},
	{
		Name: "mark", Doc: "sets a member", Args: markArgs{}, Labels: []string{"marked"},
		New: func(a sdk.Args) (sdk.Processor, error) {
			var cfg markArgs
			if err := a.Decode(&cfg); err != nil {
				return nil, err
			}
			return sdk.Map(func(r *sdk.Record) error { r.SetLabel("marked", cfg.Key); return r.Set(cfg.Key, true) }), nil
		},
	},
	{
		Name: "fan", Doc: "emits every record n times, each with pad bytes more", Args: fanArgs{},
		New: func(a sdk.Args) (sdk.Processor, error) {
			var cfg fanArgs
			if err := a.Decode(&cfg); err != nil {
				return nil, err
			}
			return fan{cfg.N, strings.Repeat("x", cfg.Pad)}, nil
		},
	},
	{
		Name: "trouble", Doc: "does what the record says",
		New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(misbehave), nil },
	},
	{
		Name: "discreet", Doc: "does what the record says, and shows none", Private: true,
		New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(misbehave), nil },
	},
	{
		Name: "counting", Doc: "does what the record says, and keeps state", Ordered: true,
		New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(misbehave), nil },
	},
	{
		Name: "closing", Doc: "minds how it closes", Args: closingArgs{},
		New: func(a sdk.Args) (sdk.Processor, error) {
			var cfg closingArgs
			if err := a.Decode(&cfg); err != nil {
				return nil, err
			}
			if _, err := os.Stat(cfg.File); err == nil {
				panic("as asked")
			}
			return closing{&cfg}, nil
		},
	},
	holding, numbering,
	{
		Name: "steady", Doc: "keeps records in order", Ordered: true,
		New: func(sdk.Args) (sdk.Processor, error) { return sdk.Map(func(*sdk.Record) error { return nil }), nil },
	},
}

type closingArgs struct {
	How  string `hcl:"how"`
	File string `hcl:"file,optional"` // it panics at its start if there is one
}

type closing struct{ *closingArgs }

func (closing) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	emit(r)
	return misbehave(r)
}

func (c closing) Close() error {
	switch c.How {
	case "error":
		return errors.New("could not flush")
	case "exit":
		os.Exit(4)
	case "hang":
		select {}
	case "panic":
		panic("as asked")
	}
	return nil
}

type markArgs struct {
	Key string `hcl:"key"`
}

type fanArgs struct {
	N   int `hcl:"n"`
	Pad int `hcl:"pad,optional"`
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

func misbehave(r *sdk.Record) error {
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
	case "eat shared":
		return eatShared()
	case "say":
		fmt.Fprintln(os.Stderr, "on stderr")
		fmt.Println("on stdout")
	case "reject":
		return sdk.Reject("bad", "do", "as asked")
	case "drop":
		return sdk.Drop("as asked")
	case "grandchild":
		return leaveChild()
	case "shout":
		fmt.Fprint(os.Stderr, strings.Repeat("a", 8<<20))
	case "fatal":
		return sdk.Fatal("cannot go on")
	case "env":
		return r.Set("env", strings.Join(os.Environ(), " "))
	}
	return nil
}

// programs are what this test binary is when a script starts it with one of the words, as an external plugin.
var programs = map[string]func(){}

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == ServeArg {
		sdk.Main(builtIns...)
	}
	if len(os.Args) > 1 && programs[os.Args[1]] != nil {
		programs[os.Args[1]]()
	}
	// A race ends a process that a test starts, so that it is seen; and none waits a second for others at its end.
	os.Setenv("GORACE", "halt_on_error=1 atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// modes are all ways to send records to a step.
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
		if err := fleet.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return fleet
}

// defaults sets the options that every test needs.
func defaults(opts Options) Options {
	opts.BuiltIns = sdk.Host(builtIns...)
	opts.Depth = 1000
	if opts.RecordLimit == 0 {
		opts.RecordLimit = 16 << 20
	}
	if opts.Log == nil {
		opts.Log = func(string, string) {}
	}
	return opts
}

func tryStart(opts Options, requests ...Request) (*Fleet, []Problem, error) {
	for i := range requests {
		r := &requests[i]
		r.Workers = max(r.Workers, 1)
		r.Name = r.Plugin + ".x"
	}
	return Start(context.Background(), defaults(opts), requests)
}

// records copies texts into one region of the fleet's source arena.
func records(t testing.TB, f *Fleet, texts ...string) []wire.Record {
	t.Helper()
	region, err := f.Source.Alloc(context.Background(), len(strings.Join(texts, "")))
	if err != nil {
		t.Fatal(err)
	}
	mem, in := region.Bytes(), []wire.Record(nil)
	for i, text := range texts {
		n := copy(mem, text)
		in = append(in, wire.Record{Data: mem[:n:n], Mem: region, File: "in.jsonl", Line: int64(i + 1), Ord: uint64(i)})
		mem = mem[n:]
	}
	wire.RetainAll(in)
	region.Release()
	return in
}

// An answerLog writes down the outcomes of a worker, one on each line, and releases them.
type answerLog struct {
	strings.Builder
	in []wire.Record
	at int
}

func (p *answerLog) Waiting(bool) {}

func (p *answerLog) Answer(a wire.Answer) error {
	for _, o := range a.Outcomes {
		switch o.Verdict {
		case wire.Unchanged:
			fmt.Fprintf(p, "%s\n", p.in[p.at].Data)
		case wire.Emitted:
			for _, r := range o.Emitted {
				fmt.Fprintf(p, "%s%v\n", r.Data, r.Labels)
			}
			wire.ReleaseAll(o.Emitted)
		default:
			fmt.Fprintf(p, "%d %s %s\n", o.Verdict, o.Fault.Code, o.Fault.Message)
		}
		p.at++
	}
	return nil
}

// send sends in to a worker and returns the outcomes as text. It releases everything.
func send(ctx context.Context, st flow.Stage, in []wire.Record) (string, error) {
	p := &answerLog{in: in}
	err := st.Process(ctx, in, p)
	wire.ReleaseAll(in)
	return p.String(), err
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
				have, err := send(t.Context(), f.Chains[0].Stages()[0], records(t, f, c.in...))
				if err != nil || have != c.want {
					t.Errorf("want %q, have %q (%v)", c.want, have, err)
				}
				checkEmpty(t, f)
			})
		}
	}
}

// checkEmpty fails when a region was not released.
func checkEmpty(t *testing.T, f *Fleet) {
	t.Helper()
	if n := f.Source.InUse(); n != 0 {
		t.Errorf("want an empty source arena, have %d bytes in use", n)
	}
	for _, s := range f.Chains {
		for _, a := range slices.Concat(s.out, s.checked) {
			if n := a.InUse(); n != 0 {
				t.Errorf("want an empty arena of %s, have %d bytes in use", s.Name, n)
			}
		}
	}
}

var long = flag.Bool("long", false, "run every case in every mode, and not the largest in shared memory alone")

// TestMemoryNeverLocks checks that a worker that needs more memory than its arena's budget gets it in turn, and that a
// record beyond the limit is rejected.
func TestMemoryNeverLocks(t *testing.T) {
	big := `{"a":"` + strings.Repeat("b", 15<<20) + `"}`
	cases := []struct {
		reason, args string
		in           []string
		lines        int
		large        bool
	}{
		{"a record nearly as large as the arena's budget, twice over", `{"n":1}`, []string{big, big}, 2, false},
		{"1,000 records from one", `{"n":1000}`, []string{`{}`}, 1000, false},
		{"1,000 records of 40 kB from one: more than the budget", `{"n":1000,"pad":40000}`, []string{`{}`}, 1000, true},
		{"40 records that grow to 1 MB each: more than the budget, from a small batch", `{"n":1,"pad":1000000}`, slices.Repeat([]string{"{}"}, 40), 40, false},
		{"more than one record may become", `{"n":100,"pad":1000000}`, []string{`{}`}, 1, true},
	}
	for mode, opts := range modes {
		for _, c := range cases {
			if c.large && mode != "shared memory" && !*long {
				continue
			}
			t.Run(mode+"/"+c.reason, func(t *testing.T) {
				f := start(t, opts, Request{Plugin: "fan", Args: []byte(c.args)})
				have, err := send(t.Context(), f.Chains[0].Stages()[0], records(t, f, c.in...))
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

func BenchmarkEcho(b *testing.B) {
	row := `{"a":"` + strings.Repeat("b", 8590) + `"}`
	texts := make([]string, 120)
	for i := range texts {
		texts[i] = row
	}
	for mode, opts := range modes {
		b.Run(mode, func(b *testing.B) {
			f := start(b, opts, Request{Plugin: "echo"})
			w := f.Chains[0].Stages()[0]
			in := records(b, f, texts...)
			b.SetBytes(int64(len(row) * len(texts)))
			for b.Loop() {
				if err := w.Process(b.Context(), in, &answerLog{in: in}); err != nil {
					b.Fatal(err)
				}
			}
			wire.ReleaseAll(in)
		})
	}
}
