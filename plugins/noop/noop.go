// Package noop is a step that does nothing: it shows what a step costs.
package noop

import "github.com/sluicehq/sluice/sdk"

// Plugin is the noop plugin.
var Plugin = sdk.Plugin{
	Name:     "noop",
	Doc:      "passes every record on as it is, to measure what a step costs",
	Codes:    map[string]string{},
	TakesAll: true,
	New: func(sdk.Args) (sdk.Processor, error) {
		return sdk.Map(func(*sdk.Record) error { return nil }), nil
	},
}
