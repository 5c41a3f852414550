package sdk

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/wire"
)

// printUsage prints what the program is, for a person who started it, and does not return.
func printUsage(plugins []Plugin, args []string) {
	switch {
	case slices.Contains(args, "--version"):
		fmt.Println(version())
	case slices.Contains(args, "--help") || slices.Contains(args, "-h"):
		fmt.Print(documentation(plugins))
	default:
		name := filepath.Base(os.Args[0])
		fmt.Fprintf(os.Stderr, "%s is a plugin of sluice, which starts it for the steps of a pipeline; %[1]s --help shows what it does\n", name)
		os.Exit(1)
	}
	os.Exit(0)
}

// documentation returns the declarations of plugins as text for a terminal.
func documentation(plugins []Plugin) string {
	var texts []string
	for _, p := range plugins {
		var b strings.Builder
		info := p.info()
		fmt.Fprintf(&b, "plugin %s: %s\n\n  step %[1]q \"NAME\" {\n", info.Name, info.Doc)
		for _, a := range info.Args {
			if !strings.Contains(a.Name, ".") {
				fmt.Fprintf(&b, "    %s = %s\n", a.Name, usageOf(a))
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
	return strings.Join(texts, "\n") + "\nsluice docs NAME shows all of it. Beside a pipeline it is found as sluice-plugin-NAME; sluice plugin run NAME tries it.\n"
}

// usageOf returns the default or an example of an attribute, with a comment on its type and meaning.
func usageOf(a wire.Arg) string {
	about := a.Type
	if a.Required {
		about += ", required"
	}
	if a.Doc != "" {
		about += ": " + a.Doc
	}
	return cmp.Or(a.Default, a.Example, "...") + " # " + about
}
