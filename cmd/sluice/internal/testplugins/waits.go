package main

import (
	"context"
	"os"
	"time"

	"github.com/sluicehq/sluice/sdk"
)

type waitsArgs struct {
	Concurrency int `hcl:"concurrency,optional"`
}

// waits answers after a millisecond, as a step does that asks a service, with several calls under way.
var waits = sdk.Plugin{
	Name: "waits", Doc: "waits for each record", Args: waitsArgs{8}, Concurrent: true, Outputs: []string{"seen"}, Labels: []string{"part"},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg waitsArgs
		err := a.Decode(&cfg)
		return sdk.Concurrent(cfg.Concurrency, sdk.Func(func(ctx context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
			select {
			case <-time.After(time.Millisecond):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			r.Side("seen", []byte(`{}`))
			r.SetLabel("part", r.Get("part").String())
			switch r.Get("do").String() {
			case "exit":
				os.Exit(3)
			case "panic":
				panic("as asked")
			case "hang":
				select {}
			case "reject":
				return sdk.Reject("bad", "do", "as asked")
			case "decline":
				return sdk.Decline("as asked")
			case "drop":
				return sdk.Drop("as asked")
			}
			if err := r.Set("waited", true); err != nil {
				return err
			}
			emit(r)
			return nil
		})), err
	},
}
