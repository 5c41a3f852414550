// Command sluice-plugin-hello is a plugin of one's own: it greets whoever a record names.
package main

import "github.com/sluicehq/sluice/sdk"

func main() {
	sdk.Main(sdk.Plugin{
		Name: "hello",
		Doc:  "greets whoever a record names",
		New: func(a sdk.Args) (sdk.Processor, error) {
			cfg := struct {
				Greeting string `hcl:"greeting,optional"`
			}{"hello"}
			return sdk.Map(func(r *sdk.Record) error {
				return r.Set("greeting", cfg.Greeting+" "+r.Get("name").String())
			}), a.Decode(&cfg)
		},
	})
}
