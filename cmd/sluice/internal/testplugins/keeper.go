package main

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk"
)

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
