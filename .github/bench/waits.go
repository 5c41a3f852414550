// Command sluice-plugin-waits waits at records, as a plugin does that asks a service.
package main

import (
	"time"

	"github.com/sluicehq/sluice/sdk"
)

type config struct {
	Each int `hcl:"each,optional" doc:"microseconds a record, all spent at every tenth"`
}

func main() {
	sdk.Main(sdk.Plugin{Name: "waits", Doc: "waits at records", Args: config{100}, TakesAll: true, New: open})
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	err := a.Decode(&cfg)
	n := 0
	return sdk.Map(func(*sdk.Record) error {
		if n++; n%10 == 0 {
			time.Sleep(time.Duration(10*cfg.Each) * time.Microsecond)
		}
		return nil
	}), err
}
