package sdk

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// Main serves plugins to the host that started this process, and does not return. Output to stdout and stderr appears
// in the host's messages under the step's name. A plugin that Validate refuses ends the process with code 2. Started by a
// person, the program prints what it is, with --help what its plugins do and take, and with --version its version.
func Main(plugins ...Plugin) {
	if err := validate(plugins); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if os.Getenv(rpc.Handshake.MagicCookieKey) != rpc.Handshake.MagicCookieValue {
		printUsage(plugins, os.Args[1:])
	}
	rpc.Serve(Host(plugins...))
	os.Exit(0)
}

func validate(plugins []Plugin) error {
	var bad []error
	if len(plugins) == 0 {
		bad = append(bad, errors.New("want at least one plugin to serve, have 0"))
	}
	for i, p := range plugins {
		bad = append(bad, p.Validate())
		if slices.ContainsFunc(plugins[:i], func(q Plugin) bool { return q.Name == p.Name }) {
			bad = append(bad, fmt.Errorf("plugin %q: want one of that name, have two", p.Name))
		}
	}
	return errors.Join(bad...)
}

// Host returns plugins as a host runs them in its own process. It is for hosts and test kits, and promises plugins nothing, as package
// wire.
func Host(plugins ...Plugin) wire.Provider {
	provider := wire.Provider{Version: version()}
	for _, p := range plugins {
		provider.Plugins = append(provider.Plugins, p.info())
	}
	provider.Open = func(req wire.OpenRequest) (wire.Worker, []wire.ArgError) {
		var steps []*step
		var bad []wire.ArgError
		for i, want := range append([]wire.Step{{Plugin: req.Plugin, Args: req.Args}}, req.Behind...) {
			s, wrong := openStep(plugins, want, req.Worker, req.Flush)
			for _, e := range wrong {
				e.Step = i
				bad = append(bad, e)
			}
			steps = append(steps, s)
		}
		if len(bad) > 0 {
			return nil, bad
		}
		return newChain(steps, req), nil
	}
	return provider
}

func (p Plugin) info() wire.Info {
	return wire.Info{
		Name: p.Name, Doc: p.Doc, Ordered: p.Ordered, Private: p.Private, Concurrent: p.Concurrent, TakesAll: p.TakesAll,
		Outputs: p.Outputs, Labels: p.Labels, LabelValues: p.LabelValues, Args: describe(p.Args), Codes: p.Codes, Drops: p.Drops,
	}
}

func openStep(plugins []Plugin, want wire.Step, number int, flushes bool) (*step, []wire.ArgError) {
	i := slices.IndexFunc(plugins, func(p Plugin) bool { return p.Name == want.Plugin })
	if i < 0 {
		return nil, []wire.ArgError{{Message: fmt.Sprintf("want a plugin of this program, have %q", want.Plugin)}}
	}
	p := plugins[i]
	args := Args{json: string(want.Args), declared: p.Args, Worker: number}
	if p.Args == nil {
		if err := args.Decode(&struct{}{}); err != nil {
			return nil, ArgErrors(err)
		}
	}
	proc, err := p.New(args)
	if err != nil {
		return nil, ArgErrors(err)
	}
	if proc == nil {
		return nil, []wire.ArgError{{Message: "want a processor from New, have nil"}}
	}
	if method := orderedMethod(proc); method != "" && !p.Ordered {
		return nil, []wire.ArgError{{Message: fmt.Sprintf("want plugin %s Ordered, since its processor has %s, which one worker calls", p.Name, method)}}
	} else if method == "Flush" && !flushes {
		return nil, []wire.ArgError{{Message: fmt.Sprintf("want a version of sluice that takes the records which plugin %s emits after the last one, have an older one", p.Name)}}
	}
	if c, ok := proc.(*concurrent); ok && (c.n < 1 || !p.Concurrent) {
		return nil, []wire.ArgError{{Message: fmt.Sprintf("want at least 1 call at once of a plugin that is declared Concurrent, have %d of plugin %s, declared %t", c.n, p.Name, p.Concurrent)}}
	}
	s := &step{plugin: p, proc: proc, or: want.Or}
	if p.Marks != nil {
		s.marks = p.Marks(args)
	}
	if l, ok := proc.(Labeller); ok {
		if err := s.setLabelValues(l.LabelValues()); err != nil {
			return nil, []wire.ArgError{{Message: err.Error()}}
		}
	}
	return s, nil
}

// setLabelValues narrows the values that the plugin declares to those that the processor says.
func (s *step) setLabelValues(own map[string][]string) error {
	declared := s.plugin.LabelValues
	s.plugin.LabelValues = maps.Clone(declared)
	if s.plugin.LabelValues == nil {
		s.plugin.LabelValues = map[string][]string{}
	}
	for _, label := range slices.Sorted(maps.Keys(own)) {
		if !slices.Contains(s.plugin.Labels, label) {
			return fmt.Errorf("label values of plugin %s: want labels that Labels has, have %q", s.plugin.Name, label)
		}
		known, listed := declared[label]
		for _, v := range own[label] {
			if listed && !slices.Contains(known, v) {
				return fmt.Errorf("label values of plugin %s: want values that LabelValues has for %q (%s), have %q", s.plugin.Name, label, strings.Join(known, ", "), v)
			}
		}
		s.plugin.LabelValues[label] = slices.Clone(own[label])
		s.labelValues = append(s.labelValues, wire.LabelValues{Label: label, Values: s.plugin.LabelValues[label]})
	}
	return nil
}

// version returns the main module's version, as the Go tool stamped it into the binary.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// sdkVersion returns the version of this module, as the Go tool stamped it into the binary: its commit, where it is no release.
func sdkVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Path != "github.com/sluicehq/sluice" {
			continue
		}
		if m.Replace != nil {
			m = m.Replace // a folder has no version
		}
		return cmp.Or(m.Version, "(devel)")
	}
	return "(devel)"
}

// printUsage prints what the program is, for a person who started it, and does not return.
func printUsage(plugins []Plugin, args []string) {
	switch {
	case slices.Contains(args, "--version"):
		fmt.Printf("%s (SDK of sluice %s, protocol %d, %s)\n", version(), sdkVersion(), rpc.MaxVersion, runtime.Version())
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
		for _, label := range slices.Sorted(maps.Keys(info.LabelValues)) {
			list("values of label "+label, info.LabelValues[label]...)
		}
		list("reject codes", slices.Sorted(maps.Keys(info.Codes))...)
		list("drop reasons", slices.Sorted(maps.Keys(info.Drops))...)
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
