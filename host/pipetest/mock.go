package pipetest

import (
	"context"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/sdk"
)

type mockArgs struct {
	Key   string `hcl:"key,optional" doc:"the path of what tells records apart; the whole record without it" example:"\"id\""`
	Pairs string `hcl:"pairs" doc:"a JSON array of records with what becomes of each" example:"\"[]\""`
}

// Mock is the plugin of steps that tests have in place of others. The program that runs tests serves it beside its own.
var Mock = sdk.Plugin{
	Name:   config.MockPlugin,
	Doc:    "makes of each record what a test says",
	Args:   mockArgs{},
	Labels: []string{"*"},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var args mockArgs
		if err := a.Decode(&args); err != nil {
			return nil, err
		}
		return &mock{args.Key, gjson.Parse(args.Pairs).Array()}, nil
	},
}

type mock struct {
	key   string
	pairs []gjson.Result
}

// Process looks for the record among the pairs. One that is not there ends the run.
func (m *mock) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	have := gjson.ParseBytes(r.JSON())
	for _, pair := range m.pairs {
		if in := pair.Get("in"); !m.same(in, have) {
			continue
		}
		if reason := pair.Get("drop"); reason.Exists() {
			return sdk.Drop(reason.String())
		}
		if reason := pair.Get("decline"); reason.Exists() {
			return sdk.Decline(reason.String())
		}
		if code := pair.Get("reject"); code.Exists() {
			return sdk.Reject(code.String(), "", "the mock rejects it")
		}
		rows := pair.Get("emit")
		if !rows.IsArray() {
			emit(r.Derive([]byte(rows.Raw)))
			return nil
		}
		for _, row := range rows.Array() {
			emit(r.Derive([]byte(row.Raw)))
		}
		return nil
	}
	if m.key != "" {
		have = have.Get(m.key)
	}
	return sdk.Fatal("want a record that the mock has a pair for, have one with %s", excerpt(have.Raw))
}

func (m *mock) same(in, have gjson.Result) bool {
	if m.key != "" {
		in, have = in.Get(m.key), have.Get(m.key)
	}
	return in.Exists() && have.Exists() && equalRows(in.Raw, have.Raw)
}
