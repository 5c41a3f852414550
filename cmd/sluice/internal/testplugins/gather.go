package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/sluicehq/sluice/sdk"
)

// gather joins as many records as it is told, whatever is in them, and saves those that it has.
var gather = sdk.Plugin{
	Name: "gather", Doc: "joins records", Args: gatherArgs{}, Ordered: true,
	New: func(a sdk.Args) (sdk.Processor, error) {
		g := &gathering{}
		return g, a.Decode(&g.args)
	},
}

type gatherArgs struct {
	Size int `hcl:"size" doc:"how many records"`
}

type gathering struct {
	args    gatherArgs
	texts   []string
	origins []sdk.Pos
}

func (g *gathering) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	g.texts, g.origins = append(g.texts, string(r.JSON())), append(g.origins, r.Origins()...)
	if len(g.texts) < g.args.Size {
		return sdk.Drop("joined")
	}
	return g.emit(r, emit)
}

func (g *gathering) Flush(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if len(g.texts) == 0 {
		return nil
	}
	return g.emit(r, emit)
}

func (g *gathering) emit(r *sdk.Record, emit func(*sdk.Record)) error {
	joined := r.Derive([]byte("{}"))
	joined.SetOrigins(g.origins...)
	err := joined.Set("text", strings.Join(g.texts, ""))
	g.texts, g.origins = nil, nil
	emit(joined)
	return err
}

func (g *gathering) Save(w io.Writer) error {
	return json.NewEncoder(w).Encode([]any{g.texts, g.origins})
}

func (g *gathering) Restore(r io.Reader) error {
	return json.NewDecoder(r).Decode(&[]any{&g.texts, &g.origins})
}
