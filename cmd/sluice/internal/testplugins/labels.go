package main

import (
	"context"

	"github.com/sluicehq/sluice/sdk"
)

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
