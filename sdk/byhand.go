package sdk

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// startedByHost tells whether a host started this program, and not a person.
func startedByHost() bool {
	return os.Getenv(rpc.Handshake.MagicCookieKey) == rpc.Handshake.MagicCookieValue
}

// byHand tells a person who started the program what it is, and does not return.
func byHand(plugins []Plugin, args []string) {
	switch {
	case slices.Contains(args, "--version"):
		fmt.Println(version())
	case slices.Contains(args, "--help") || slices.Contains(args, "-h"):
		fmt.Print(documentation(plugins))
	default:
		name := filepath.Base(os.Args[0])
		fmt.Fprintf(os.Stderr, "%s is a plugin of sluice, which starts it for the steps of a pipeline; %[1]s --help tells what it does\n", name)
		os.Exit(1)
	}
	os.Exit(0)
}

// documentation is what plugins say of themselves, for a terminal.
func documentation(plugins []Plugin) string {
	var texts []string
	for _, p := range plugins {
		var b strings.Builder
		info := p.info()
		fmt.Fprintf(&b, "plugin %s: %s\n\n  step %[1]q \"NAME\" {\n", info.Name, info.Doc)
		for _, a := range info.Args {
			if !strings.Contains(a.Name, ".") {
				fmt.Fprintf(&b, "    %s = %s\n", a.Name, standsFor(a))
			}
		}
		b.WriteString("  }\n")
		list := func(title string, names ...string) {
			if len(names) > 0 {
				fmt.Fprintf(&b, "\n%s: %s\n", title, strings.Join(names, ", "))
			}
		}
		list("outputs", info.Outputs...)
		list("labels", info.Labels...)
		list("reject codes", slices.Sorted(maps.Keys(info.Codes))...)
		texts = append(texts, b.String())
	}
	return strings.Join(texts, "\n") + "\nsluice docs NAME tells all of it. It runs beside a pipeline, as sluice-plugin-NAME; sluice plugin run NAME tries it.\n"
}

// standsFor shows the value that an attribute has, or an example, and what it is.
func standsFor(a wire.Arg) string {
	value := a.Default
	if value == "" {
		value = a.Example
	}
	if value == "" {
		value = "..."
	}
	about := a.Type
	if a.Required {
		about += ", required"
	}
	if a.Doc != "" {
		about += ": " + a.Doc
	}
	return value + " # " + about
}
