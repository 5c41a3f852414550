package main

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/scaffold"
	"github.com/sluicehq/sluice/host/registry"
	"github.com/sluicehq/sluice/sdk/wire"
)

func pluginCommand(out *cli.Printer) *cobra.Command {
	c := &cobra.Command{
		Use:   "plugin",
		Short: "Create, list, lock, try and verify plugins",
		Long: `A plugin that is not built in is a program named sluice-plugin-NAME, beside the pipeline, in a folder of SLUICE_PLUGIN_PATH,
or in the virtual environment of Python that is active. sluice docs NAME prints what a plugin does and takes.`,
		RunE: cli.Subcommands,
	}
	c.AddCommand(pluginNewCommand(out), pluginListCommand(out), pluginLockCommand(out), pluginRunCommand(out), pluginVerifyCommand(out), pluginProtoCommand(out))
	return c
}

func pluginNewCommand(out *cli.Printer) *cobra.Command {
	p := scaffold.Plugin{Sluice: out.Version}
	c := &cobra.Command{
		Use:   "new NAME",
		Short: "Create a plugin: code, tests, a pipeline and its test",
		Long: `new creates the folder NAME with a plugin that runs: its code, cases for its tests, a pipeline that uses it, a test of that pipeline,
a CI workflow and a README. It is in Go, or in Python with --lang python. With --adapter it is an adapter in Go, which reads a shape
of your own and writes canonical rows.

The module requires the version of this sluice. With --sdk it takes the SDK from a checkout instead.`,
		Example: `  sluice plugin new hello
  sluice plugin new hello --lang python
  sluice plugin new desk --adapter --module example.com/team/desk
  sluice plugin new hello --sdk ../sluice`,
		Args: cli.Arguments(1, 1, "the name of the plugin"),
		RunE: func(c *cobra.Command, args []string) error {
			p.Name = args[0]
			if err := p.Check(); err != nil {
				return cli.Usage(c, err)
			}
			if err := p.Write(c.Context()); err != nil {
				return err
			}
			out.Say("wrote %[1]s; next:\n  cd %[1]s\n%[2]s\n  sluice test %[1]s.hcl", p.Name, p.Next())
			return nil
		},
	}
	c.Flags().StringVar(&p.Lang, "lang", scaffold.Go, "write it in `LANGUAGE`: go or python")
	c.Flags().BoolVar(&p.Adapter, "adapter", false, "write an adapter")
	c.Flags().StringVar(&p.Module, "module", "", "name the module `PATH`; by default sluice-plugin-NAME, in Python plugin_NAME")
	c.Flags().StringVar(&p.SDK, "sdk", "", "take the SDK from a checkout of sluice at `PATH`")
	return c
}

func pluginListCommand(out *cli.Printer) *cobra.Command {
	var asJSON, trusted bool
	c := &cobra.Command{
		Use:   "list [FILE]",
		Short: "List the plugins that a pipeline could name",
		Long: `list prints the plugins that the steps of the pipeline FILE can name; without FILE, those of a pipeline in the current folder.
For each it prints where it is found, its version and hash, whether FILE or the lock pins it, and which program of the same name
it hides. It starts the programs that you trust to ask for their names and versions; see sluice trust.`,
		Example: `  sluice plugin list
  sluice plugin list pipelines/eliza-sft.hcl --json`,
		Args: cli.Arguments(0, 1, "one pipeline file at most"),
		RunE: func(c *cobra.Command, args []string) error {
			all, err := registry.List(c.Context(), strings.Join(args, ""), cli.Looking(out.Options(c), trusted))
			return out.Answer(asJSON, all, err, func() error { return out.Plugins(all) })
		},
	}
	cli.TrustFlag(c, &trusted)
	cli.JSONFlag(c, &asJSON)
	return c
}

func pluginLockCommand(out *cli.Printer) *cobra.Command {
	var binaries []string
	var asJSON bool
	c := &cobra.Command{
		Use:   "lock FILE",
		Short: "Pin the programs of a pipeline's plugins",
		Long: `lock writes .sluice.lock.hcl beside the pipeline FILE. For each plugin that is not built in, it holds the version and the
SHA-256 of the program that is found now; lock starts these programs to ask for their versions. From then on, runs of pipelines
in that folder start these programs and no others. After a change that you trust, lock again. Keep the file in git. To lock a
program is to trust it in that folder; a lock that somebody else has written makes nothing trusted. See sluice trust. Where every
plugin is built in, lock writes nothing; where the lock is a symbolic link, it writes the file that the link leads to.

--binary adds the hash of a program for another system, which is kept until the version of the plugin changes.`,
		Example: `  sluice plugin lock tickets.hcl
  sluice plugin lock tickets.hcl --binary desk:darwin_arm64=dist/darwin/sluice-plugin-desk`,
		Args: cli.OneFile,
		RunE: func(c *cobra.Command, args []string) error {
			others, err := parseBinaries(binaries)
			if err != nil {
				return cli.Usage(c, err)
			}
			opts := out.Options(c)
			done, err := registry.Lock(c.Context(), args[0], others, opts)
			if err == nil {
				keepTrust(args[0], opts)
			}
			return out.Answer(asJSON, done, err, func() error { out.Locked(done); return nil })
		},
	}
	c.Flags().StringArrayVar(&binaries, "binary", nil, "pin the program of a plugin on another system, as `NAME:SYSTEM=PATH`; may be repeated")
	cli.JSONFlag(c, &asJSON)
	return c
}

// The systems and architectures that Go builds programs for.
var (
	systems       = []string{"aix", "darwin", "dragonfly", "freebsd", "illumos", "linux", "netbsd", "openbsd", "plan9", "solaris", "windows"}
	architectures = []string{"386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le", "riscv64", "s390x"}
)

func parseBinaries(given []string) (all []registry.Binary, err error) {
	for _, text := range given {
		what, path, _ := strings.Cut(text, "=")
		name, system, _ := strings.Cut(what, ":")
		machine, arch, _ := strings.Cut(system, "_")
		switch {
		case name == "" || path == "" || machine == "" || arch == "":
			err = errors.Join(err, fmt.Errorf("--binary: want NAME:SYSTEM=PATH, such as desk:linux_arm64=dist/sluice-plugin-desk, have %q", text))
		case !slices.Contains(systems, machine) || !slices.Contains(architectures, arch):
			err = errors.Join(err, fmt.Errorf("--binary: want a system as Go names it, such as linux_amd64 or darwin_arm64, have %q", system))
		case machine == runtime.GOOS && arch == runtime.GOARCH:
			err = errors.Join(err, fmt.Errorf("--binary: want another system than this one, whose program is found, have %q", system))
		}
		all = append(all, registry.Binary{Plugin: name, System: system, Path: path})
	}
	return all, err
}

func pluginProtoCommand(out *cli.Printer) *cobra.Command {
	return &cobra.Command{
		Use:   "proto",
		Short: "Print the messages of the protocol, for plugins in other languages",
		Long: `proto prints wire.proto, from which the messages between host and plugin are generated. sdk/wire/PROTOCOL.md of the same version
explains them.`,
		Example: `  sluice plugin proto >wire.proto
  python3 -m grpc_tools.protoc -I. --python_out=. --grpc_python_out=. wire.proto`,
		Args: cli.NoArguments,
		RunE: func(*cobra.Command, []string) error { return out.Write(wire.Proto) },
	}
}
