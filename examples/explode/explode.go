// Command sluice-plugin-explode is a plugin of one's own that makes several records of one: it splits a list, with labels for a route.
package main

import (
	"context"
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk"
)

func main() { sdk.Main(explode) }

// explode is the plugin. It needs no order: each record is split by itself, by any worker.
var explode = sdk.Plugin{
	Name: "explode", Doc: "makes a record of each object in a list", Args: config{}, New: open,
	Labels: []string{"kind"},
	Codes: map[string]string{
		"no_list":   "the record does not have the list, so there is nothing to split",
		"no_object": "an element of the list is not an object",
	},
	Drops: map[string]string{"empty list": "the record's list has no element, so nothing is made of it"},
}

type config struct {
	List string   `hcl:"list" doc:"the gjson path of the list"`
	Kind string   `hcl:"kind" doc:"the gjson path, in an element, of the value that becomes the label kind"`
	Keep []string `hcl:"keep,optional" doc:"members of the record that every element gets"`
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
		list := r.View(cfg.List)
		if !list.IsArray() {
			return sdk.Reject("no_list", cfg.List, "want a list")
		}
		elements := list.Array()
		if len(elements) == 0 {
			return sdk.Drop("empty list")
		}
		for i, element := range elements {
			if !element.IsObject() {
				return sdk.Reject("no_object", cfg.List+"."+strconv.Itoa(i), "want an object")
			}
			if err := cfg.emit(r, element, emit); err != nil {
				return err
			}
		}
		return nil
	}), a.Decode(&cfg)
}

// emit emits one element as a record with the label kind. Its origin is that of r.
func (cfg *config) emit(r *sdk.Record, element gjson.Result, emit func(*sdk.Record)) error {
	made := r.Derive([]byte(element.Raw))
	for _, name := range cfg.Keep {
		if value := r.View(name); value.Exists() {
			if err := made.SetRaw(name, []byte(value.Raw)); err != nil {
				return err
			}
		}
	}
	kind := made.View(cfg.Kind).String()
	if kind == "" {
		kind = "none"
	}
	made.SetLabel("kind", kind)
	emit(made)
	return nil
}
