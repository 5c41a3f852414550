package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
)

func pluginCommand(out *report) *cobra.Command {
	c := &cobra.Command{
		Use:   "plugin",
		Short: "begin, list, lock, try and verify plugins",
		Long: `plugin is about plugins outside of a pipeline's run: programs named sluice-plugin-NAME beside the pipeline or in a folder of
SLUICE_PLUGIN_PATH. What a plugin does and takes, sluice docs NAME tells.`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return c.Help()
		},
	}
	c.AddCommand(pluginNewCommand(out), pluginListCommand(out), pluginLockCommand(out), pluginRunCommand(out), pluginVerifyCommand(out), pluginProtoCommand(out))
	return c
}

// pluginOptions are what the host needs to start plugins outside of a run.
func pluginOptions(c *cobra.Command, out *report) host.Options {
	return host.Options{BuiltIns: plugins.All, Version: version(), Stdin: c.InOrStdin(), Log: out.plugin, MaskName: mask.Name}
}

func pluginListCommand(out *report) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "list [FILE]",
		Short: "list the plugins that a pipeline could name",
		Long: `list tells the plugins that the steps of a pipeline FILE could name, or those of one in the folder where the command runs:
where each is found, its version and hash, whether FILE or the lock pins it, and which programs are not used because a plugin
of the same name comes first. Programs are started to ask what they are.`,
		Example: `  sluice plugin list
  sluice plugin list pipelines/eliza-sft.hcl --json`,
		Args: atMostOne,
		RunE: func(c *cobra.Command, args []string) error {
			all, err := host.ListPlugins(c.Context(), strings.Join(args, ""), pluginOptions(c, out))
			if err != nil {
				return out.json(json, err)
			}
			if json {
				return out.writeJSON(all)
			}
			return out.listPlugins(all)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "write what a machine reads to stdout")
	return c
}

// listPlugins tells a line for each plugin, and under it what a person should know.
func (r *report) listPlugins(all []host.Listed) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, p := range all {
		where := p.Path
		if p.Wrong != "" {
			where = "cannot be used: " + p.Wrong
		}
		marks := ""
		if p.SHA256 != "" {
			marks = "  sha256 " + p.SHA256[:12]
		}
		for _, m := range []struct {
			is   bool
			what string
		}{{p.Pinned, "  pinned"}, {p.Locked, "  locked"}, {p.Hides != "", "  hides " + p.Hides}} {
			if m.is {
				marks += m.what
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", p.Name, p.Version, oneLine(format.Printable(where+marks)))
	}
	_ = w.Flush()
	return r.text(b.String())
}

func pluginLockCommand(out *report) *cobra.Command {
	var binaries []string
	var json bool
	c := &cobra.Command{
		Use:   "lock FILE",
		Short: "note which programs a pipeline's plugins are",
		Long: `lock writes .sluice.lock.hcl beside the pipeline FILE: for each plugin that is not built in, the version and SHA-256 of the
program that is found now. From then on, runs of pipelines in that folder start these programs and no others; after a change that
you trust, lock it again. Keep the file in git.

Hashes for other systems come from --binary. They stay until the version of the plugin changes.`,
		Example: `  sluice plugin lock tickets.hcl
  sluice plugin lock tickets.hcl --binary desk:darwin_arm64=dist/darwin/sluice-plugin-desk`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			others, err := parseBinaries(binaries)
			if err != nil {
				return &usageError{command: c, err: err}
			}
			done, err := host.LockPlugins(c.Context(), args[0], others, pluginOptions(c, out))
			if err == nil {
				err = done.Accept()
			}
			if err != nil {
				return out.json(json, err)
			}
			if json {
				return out.writeJSON(done)
			}
			out.locked(done)
			return nil
		},
	}
	c.Flags().StringArrayVar(&binaries, "binary", nil, "the program that a plugin is on another system, as `NAME:SYSTEM=PATH`; may be given again")
	c.Flags().BoolVar(&json, "json", false, "write what a machine reads to stdout")
	return c
}

// parseBinaries reads what --binary says.
func parseBinaries(given []string) (all []host.Binary, err error) {
	for _, text := range given {
		what, path, _ := strings.Cut(text, "=")
		name, system, _ := strings.Cut(what, ":")
		if machine, arch, _ := strings.Cut(system, "_"); name == "" || path == "" || machine == "" || arch == "" {
			err = errors.Join(err, fmt.Errorf("--binary: want NAME:SYSTEM=PATH, such as desk:linux_arm64=dist/sluice-plugin-desk, have %q", text))
		}
		all = append(all, host.Binary{Plugin: name, System: system, Path: path})
	}
	return all, err
}

// locked tells what a lock holds now.
func (r *report) locked(x *host.Locking) {
	if len(x.Locked) == 0 {
		r.say("%s: every plugin of the pipeline is built in, so there is nothing to lock", x.Lock.Path)
		return
	}
	for _, name := range x.Changed {
		r.say("changed: plugin %s is another program than it was", name)
	}
	for _, gone := range x.Gone {
		r.say("left out: the hash of plugin %s, which was of another version; --binary adds that of this one", gone)
	}
	for _, name := range x.Locked {
		p := x.Lock.Programs[name]
		r.say("locked: plugin %s %s for %s", name, p.Version, strings.Join(slices.Sorted(maps.Keys(p.SHA256)), ", "))
	}
	r.say("wrote %s", x.Lock.Path)
}

func pluginProtoCommand(out *report) *cobra.Command {
	return &cobra.Command{
		Use:   "proto",
		Short: "print the messages of the protocol, for plugins in other languages",
		Long: `proto prints wire.proto, from which the messages between host and plugin are generated. What they mean stands in
sdk/wire/PROTOCOL.md of the same version.`,
		Example: `  sluice plugin proto >wire.proto
  python3 -m grpc_tools.protoc -I. --python_out=. --grpc_python_out=. wire.proto`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return out.text(host.Proto) },
	}
}

func atMostOne(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return &usageError{command: c, err: fmt.Errorf("want one pipeline file at most, have %d arguments", len(args))}
	}
	return nil
}
