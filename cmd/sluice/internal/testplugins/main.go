// Command testplugins serves the plugins, good ones and bad ones, that the tests of sluice run: the name that it is started under says which.
// It is a small program of its own, since a host reads a plugin's file at every start.
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
)

// plugins serve, each under its name.
var plugins = map[string]func(){
	"act": serving(act),
	"coded": func() {
		p := named(act, "coded")
		p.Codes = map[string]string{"known": "what a reader may look up"}
		p.Drops = map[string]string{"known": "what a reader may look up"}
		sdk.Main(p)
	},
	"upper":   serving(upper),
	"tier":    serving(tier),
	"grade":   serving(grade),
	"number":  serving(number),
	"keeper":  serving(keeper),
	"once":    serving(once),
	"environ": serving(environ),
	"herald":  serving(herald),
	"gate":    serving(gate),
	"gather":  serving(gather),
	"fan":     serving(fan),
	"waits":   serving(waits),
	"scrub":   serving(scrub),
	"alias2":  serving(upper),
	"prints": func() {
		fmt.Println("Starting up!")
		sdk.Main(named(upper, "prints"))
	},
	"quits": func() {
		fmt.Fprintln(os.Stderr, "no licence found")
		os.Exit(3)
	},
	"older1": func() { fmt.Println("1|1|unix|/nowhere/plugin1|grpc|") }, // what the SDK of version 1 says to a host of others
	"old":    func() { fmt.Println("1|99|tcp|127.0.0.1:1|grpc|") },
}

func serving(p sdk.Plugin) func() { return func() { sdk.Main(p) } }

func named(p sdk.Plugin, name string) sdk.Plugin {
	p.Name = name
	return p
}

// main serves the plugin that it is named after. Under any other name it prints the names of all.
func main() {
	name, _ := strings.CutPrefix(strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe"), "sluice-plugin-")
	if plugin := plugins[name]; plugin != nil {
		plugin()
		return
	}
	for _, name := range slices.Sorted(maps.Keys(plugins)) {
		fmt.Println(name)
	}
}
