package main

import (
	"context"

	"github.com/sluicehq/sluice/sdk"
)

// once drops a record whose id came before, so that of two that are alike it answers otherwise to the second.
var once = sdk.Plugin{
	Name:    "once",
	Doc:     "drops a record whose id came before",
	Ordered: true,
	New: func(sdk.Args) (sdk.Processor, error) {
		seen := map[string]bool{}
		return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
			id := r.Get("id").String()
			if seen[id] {
				return sdk.Drop("seen")
			}
			seen[id] = true
			emit(r)
			return nil
		}), nil
	},
}
