package main

import "github.com/sluicehq/sluice/sdk"

// unique is the plugin. It is ordered, so that one worker sees all records, in the order of the input.
var unique = sdk.Plugin{
	Name:    "unique",
	Doc:     "drops records whose key came before",
	Args:    config{},
	New:     open,
	Ordered: true,
	Codes:   map[string]string{"no_key": "the record does not have the key, so nobody knows whether it came before"},
}

type config struct {
	Key string `hcl:"key" doc:"the gjson path of what tells records apart"`
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	seen := map[string]bool{}
	return sdk.Map(func(r *sdk.Record) error {
		key := r.Get(cfg.Key) // a copy, unlike View: seen keeps it
		if !key.Exists() {
			return sdk.Reject("no_key", cfg.Key, "want a key, have none")
		}
		id := key.Type.String() + " " + key.String() // the number 1 is not the string "1"
		if seen[id] {
			return sdk.Drop("duplicate")
		}
		seen[id] = true
		return nil
	}), a.Decode(&cfg)
}
