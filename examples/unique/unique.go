// Command sluice-plugin-unique is a plugin of one's own that knows what came before: it drops repeated records.
package main

import "github.com/sluicehq/sluice/sdk"

func main() { sdk.Main(unique) }

// unique is the plugin. It is ordered, so that one worker sees all records, in the order of the input.
var unique = sdk.Plugin{
	Name:    "unique",
	Doc:     "drops records whose key came before",
	Args:    config{},
	New:     open,
	Ordered: true,
	Codes:   map[string]string{"no_key": "the record does not have the key, so it cannot be compared with earlier ones"},
}

type config struct {
	Key string `hcl:"key" doc:"the gjson path of the value that identifies a record"`
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	err := a.Decode(&cfg)
	seen := map[string]bool{}
	return sdk.Map(func(r *sdk.Record) error {
		key := r.Get(cfg.Key) // a copy, unlike View: seen keeps it
		if !key.Exists() {
			return sdk.Reject("no_key", cfg.Key, "want a key")
		}
		id := key.Type.String() + " " + key.String() // the number 1 is not the string "1"
		if seen[id] {
			return sdk.Drop("duplicate")
		}
		seen[id] = true
		return nil
	}), err
}
