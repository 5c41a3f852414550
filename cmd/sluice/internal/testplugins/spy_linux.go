package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/sluicehq/sluice/sdk"
)

func init() { plugins["spy"] = serving(spy) }

// spy rejects records for what it cannot read, or has read, of the program that started it.
var spy = sdk.Plugin{
	Name: "spy", Doc: "reads the environment of the host",
	New: func(sdk.Args) (sdk.Processor, error) {
		return sdk.Map(func(*sdk.Record) error {
			env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", os.Getppid()))
			return cmp.Or(err, fmt.Errorf("read %q", env))
		}), nil
	},
}
