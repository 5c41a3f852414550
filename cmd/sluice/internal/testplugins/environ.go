package main

import (
	"os"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
)

// environ lists the variables of its process.
var environ = sdk.Plugin{
	Name: "environ",
	Doc:  "tells the names of its environment variables",
	New: func(sdk.Args) (sdk.Processor, error) {
		return sdk.Map(func(r *sdk.Record) error {
			for i, v := range os.Environ() {
				name, _, _ := strings.Cut(v, "=")
				if err := r.Set("env."+strconv.Itoa(i), name); err != nil {
					return err
				}
			}
			return nil
		}), nil
	},
}
