package main

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
)

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
