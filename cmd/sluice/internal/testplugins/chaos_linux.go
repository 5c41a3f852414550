package main

import "github.com/sluicehq/sluice/cmd/sluice/internal/chaos"

func init() {
	for _, name := range []string{"chaos", "chaos-inline", "chaos-plain"} {
		plugins[name] = chaos.Serve
	}
}
