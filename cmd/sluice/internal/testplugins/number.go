package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk"
)

// number counts records over the whole run.
var number = sdk.Plugin{
	Name:    "number",
	Doc:     "numbers the records and tells at the end how many there were",
	Args:    numberArgs{},
	Ordered: true,
	Outputs: []string{"sum"},
	New: func(a sdk.Args) (sdk.Processor, error) {
		n := &numbering{}
		err := a.Decode(&n.numberArgs)
		n.n = n.From
		return n, err
	},
}

type numberArgs struct {
	From  int    `hcl:"from,optional"`  // what is added to each number
	Panic int    `hcl:"panic,optional"` // the record that panics
	Last  string `hcl:"last,optional"`  // "fail", "panic" or "hang" as it finishes, or "flush-fail" and so on before that; "nowhere" flushes a record without origins
}

type numbering struct {
	numberArgs
	n int
}

func (p *numbering) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if p.n++; p.n == p.Panic {
		panic("as asked")
	}
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
		return fmt.Errorf("want luck, have a bad day")
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
