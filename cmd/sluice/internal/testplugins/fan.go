package main

import (
	"context"
	"fmt"

	"github.com/sluicehq/sluice/sdk"
)

// fan makes many records of one.
var fan = sdk.Plugin{
	Name: "fan",
	Doc:  "makes records of a number",
	New: func(sdk.Args) (sdk.Processor, error) {
		return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
			for i := range r.Get("n").Int() {
				emit(r.Derive(fmt.Appendf(nil, `{"i":%d}`, i)))
			}
			return nil
		}), nil
	},
}
