// Command sluice-plugin-hello is a plugin of your own: it greets the person whom a record names.
package main

import "github.com/sluicehq/sluice/sdk"

type config struct {
	Greeting string `hcl:"greeting,optional" doc:"the words before the name"`
}

func main() {
	sdk.Main(sdk.Plugin{Name: "hello", Doc: "greets the person whom a record names", Args: config{"hello"}, New: open})
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	err := a.Decode(&cfg)
	return sdk.Map(func(r *sdk.Record) error {
		return r.Set("greeting", cfg.Greeting+" "+r.Get("name").String())
	}), err
}
