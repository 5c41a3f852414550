package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk"
)

// testPlugins are programs that stand for plugins of other people, good and bad, by plugin name.
var testPlugins = map[string]func(){
	"act": serving(act),
	"coded": func() {
		p := named(act, "coded")
		p.Codes = map[string]string{"known": "what a reader may look up"}
		sdk.Main(p)
	},
	"upper":   serving(upper),
	"tier":    serving(tier),
	"grade":   serving(grade),
	"number":  serving(number),
	"keeper":  serving(keeper),
	"environ": serving(environ),
	"herald":  serving(herald),
	"alias2":  serving(upper),
	"prints": func() {
		fmt.Println("Starting up!")
		sdk.Main(named(upper, "prints"))
	},
	"quits": func() {
		fmt.Fprintln(os.Stderr, "no licence found")
		os.Exit(3)
	},
	"older1": func() { fmt.Println("1|1|unix|/nowhere/plugin1|grpc|") }, // what the SDK of version 1 says to a host of others
	"old":    func() { fmt.Println("1|99|tcp|127.0.0.1:1|grpc|") },
}

func serving(p sdk.Plugin) func() { return func() { sdk.Main(p) } }

func named(p sdk.Plugin, name string) sdk.Plugin {
	p.Name = name
	return p
}

// act does what the member "do" of a record says.
var act = sdk.Plugin{
	Name: "act",
	Doc:  "does what a record says",
	New:  func(sdk.Args) (sdk.Processor, error) { return sdk.Func(doing), nil },

	Outputs: []string{"log", "rows"}, Labels: []string{"*"},
}

func doing(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	what, with, _ := strings.Cut(r.Get("do").String(), " ")
	switch what {
	case "reject":
		return sdk.Reject(with, "do", "want a record that asks for something else")
	case "drop":
		return sdk.Drop(with)
	case "decline":
		return sdk.Decline(with)
	case "fail":
		return fmt.Errorf("want luck, have none")
	case "label":
		name, value, _ := strings.Cut(with, "=")
		r.SetLabel(name, value)
	case "side":
		r.Side(with, r.JSON())
	case "say":
		fmt.Fprintln(os.Stderr, with)
	case "panic":
		panic(with)
	case "twice":
		emit(r)
	}
	emit(r)
	return nil
}

// tier sets a label with two values to what a record says.
var tier = sdk.Plugin{
	Name: "tier",
	Doc:  "labels a record with its tier",
	New: func(sdk.Args) (sdk.Processor, error) {
		return sdk.Map(func(r *sdk.Record) error {
			r.SetLabel("tier", r.Get("tier").String())
			return nil
		}), nil
	},

	Labels: []string{"tier"}, LabelValues: map[string][]string{"tier": {"gold", "silver"}},
}

// grade sets a label to one of the words that the pipeline names.
var grade = sdk.Plugin{
	Name: "grade", Doc: "labels a record with its grade", Args: grader{}, Labels: []string{"grade"},
	New: func(a sdk.Args) (sdk.Processor, error) {
		g := &grader{}
		return g, a.Decode(g)
	},
}

type grader struct {
	Names []string `hcl:"names"`
}

func (g *grader) LabelValues() map[string][]string { return map[string][]string{"grade": g.Names} }

func (g *grader) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	r.SetLabel("grade", r.Get("tier").String())
	emit(r)
	return nil
}

type upperArgs struct {
	Field string `hcl:"field,optional"`
	Width int    `hcl:"width,optional"`
}

// upper writes one member in capitals.
var upper = sdk.Plugin{
	Name: "upper",
	Doc:  "writes a member in capitals",
	Args: upperArgs{Field: "text"},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg upperArgs
		if err := a.Decode(&cfg); err != nil {
			return nil, err
		}
		if cfg.Width < 0 {
			return nil, a.Errorf("width", "want 0 or more, have %d", cfg.Width)
		}
		return sdk.Map(func(r *sdk.Record) error {
			if v := r.Get(cfg.Field); v.Exists() {
				return r.Set(cfg.Field, strings.ToUpper(v.String())+strings.Repeat("!", cfg.Width))
			}
			return nil
		}), nil
	},
}

// number counts records over the whole run.
var number = sdk.Plugin{
	Name:    "number",
	Doc:     "numbers the records and tells at the end how many there were",
	Args:    numberArgs{},
	Ordered: true,
	Outputs: []string{"sum"},
	New: func(a sdk.Args) (sdk.Processor, error) {
		n := &numbering{}
		return n, a.Decode(&n.numberArgs)
	},
}

type numberArgs struct {
	Last string `hcl:"last,optional"` // "fail", "panic" or "hang" as it finishes, or "flush-fail" and so on before that; "nowhere" flushes a record without origins
}

type numbering struct {
	numberArgs
	n int
}

func (p *numbering) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	p.n++
	if err := r.Set("n", p.n); err != nil {
		return err
	}
	emit(r)
	return nil
}

func (p *numbering) Flush(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if p.Last == "nowhere" {
		emit(r.Derive([]byte("{}")))
	}
	if last, ok := strings.CutPrefix(p.Last, "flush-"); ok {
		held := r.Derive([]byte(`{"held":true}`))
		held.SetOrigins(sdk.Pos{File: "in.jsonl", Line: 1})
		emit(held)
		return end(last)
	}
	return nil
}

// end ends a call as it is asked to.
func end(how string) error {
	switch how {
	case "fail":
		return fmt.Errorf("want luck, have none")
	case "panic":
		panic("as asked")
	case "hang":
		select {}
	}
	return nil
}

func (p *numbering) Finish(r *sdk.Record) error {
	if err := end(p.Last); err != nil {
		return err
	}
	r.Side("sum", fmt.Appendf(nil, `{"records":%d}`, p.n))
	r.Count("records", p.n)
	return nil
}

// environ tells which variables its process has.
var environ = sdk.Plugin{
	Name: "environ",
	Doc:  "tells the names of its environment variables",
	New: func(sdk.Args) (sdk.Processor, error) {
		return sdk.Map(func(r *sdk.Record) error {
			for i, v := range os.Environ() {
				name, _, _ := strings.Cut(v, "=")
				if err := r.Set("env."+strconv.Itoa(i), name); err != nil {
					return err
				}
			}
			return nil
		}), nil
	},
}

type heraldArgs struct {
	Pipe string `hcl:"pipe"`
}

// herald writes its process id to a named pipe when the first record comes.
var herald = sdk.Plugin{
	Name: "herald",
	Doc:  "tells when the first record has come",
	Args: heraldArgs{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg heraldArgs
		told := false
		return sdk.Map(func(*sdk.Record) error {
			if told {
				return nil
			}
			told = true
			return os.WriteFile(cfg.Pipe, []byte(strconv.Itoa(os.Getpid())), 0)
		}), a.Decode(&cfg)
	},
}

type keeperArgs struct {
	Use  string `hcl:"use,optional"`
	Copy bool   `hcl:"copy,optional"`
}

// seenEver counts the records of all workers of a process: what a plugin keeps outside of its processors is its own affair.
var seenEver atomic.Int64

// keeper uses in each record what it kept of the one before: the string, number or key of a member, or only whether it is the same.
var keeper = sdk.Plugin{
	Name:    "keeper",
	Doc:     "keeps a view of the record before",
	Args:    keeperArgs{Use: "string"},
	Outputs: []string{"before"},
	Labels:  []string{"before"},
	New: func(a sdk.Args) (sdk.Processor, error) {
		cfg := keeperArgs{Use: "string"}
		var kept gjson.Result
		return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
			seenEver.Add(1)
			before, now := kept, r.View("id")
			if kept = now; cfg.Copy {
				kept = r.Get("id")
			}
			var err error
			switch {
			case !before.Exists():
			case cfg.Use == "string":
				err = r.Set("before", before.String())
			case cfg.Use == "number":
				err = r.Set("before", len(strings.Trim(before.Str, "abc")))
			case cfg.Use == "same" && before.Str == now.Str:
				return sdk.Drop("as before")
			case cfg.Use == "row":
				r.Side("before", fmt.Appendf(nil, "{%q:1}", before.Str))
			case cfg.Use == "label":
				r.SetLabel("before", before.Str)
			case cfg.Use == "reject":
				return sdk.Reject("after", "", "want nothing behind %s", before.Str)
			case cfg.Use == "panic" && !strings.HasPrefix("abcabc", before.Str):
				panic("an id that is none")
			}
			emit(r)
			return err
		}), a.Decode(&cfg)
	},
}
