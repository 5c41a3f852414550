package main

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/trust"
	"github.com/sluicehq/sluice/host"
)

func trustCommand(out *cli.Printer) *cobra.Command {
	var flags cli.PipelineFlags
	var forget bool
	c := &cobra.Command{
		Use:   "trust [FILE|DIR]",
		Short: "Let sluice start what a pipeline names when you only look at it",
		Long: `trust remembers that you trust a pipeline FILE as it is now: it may read variables of the environment and files outside of its folder,
and start the programs of its plugins, each known by its SHA-256. When you trust a folder DIR, that holds for all pipelines in it and
all programs that they name, now and later. Without an argument it lists what you trust. It starts nothing.

A pipeline may come from somebody else. So validate, graph, view, docs, plugin list and an editor start no program that lies beside it
or that it names, and read no variable of the environment and no file outside of its folder, until you trust it; with --trust one
command does so without remembering it. run, test, explain and bench are told to run the pipeline, and do. A pipeline that has run to
its end is trusted from then on, as it was, and so are the programs that plugin lock has locked.

Plugins of sluice itself and those in an absolute folder of SLUICE_PLUGIN_PATH or in the virtual environment of Python that is active
need no trust. A program is known by its own file: what it loads or starts in turn may change without being noticed. What you trust
is in the folder sluice/trust of your settings.`,
		Example: `  sluice trust tickets.hcl
  sluice trust .
  sluice trust . --forget`,
		Args: cli.Arguments(0, 1, "one pipeline file or folder at most"),
		RunE: func(c *cobra.Command, args []string) error {
			store := trust.Open()
			if len(args) == 0 && forget {
				return cli.Usage(c, errors.New("want a pipeline file or folder with --forget"))
			}
			if len(args) == 0 {
				return listTrust(out, store)
			}
			info, err := os.Stat(args[0])
			folder := args[0]
			if err == nil && !info.IsDir() {
				folder = filepath.Dir(folder)
			}
			switch {
			case forget:
				gone, err := store.Forget(folder)
				for _, e := range gone {
					out.Say("no longer trusted: %s", mask.Name(e.What))
				}
				if len(gone) == 0 {
					out.Say("%s: nothing in it was trusted", mask.Name(folder))
				}
				return err
			case err == nil && info.IsDir():
				if err := store.AcceptFolder(folder); err != nil {
					return err
				}
				out.Say("%s: you trust its pipelines and the programs that they name, now and later", mask.Name(folder))
				return nil
			}
			opts, err := flags.Options(c, out)
			if err != nil {
				return err
			}
			claims, err := claimsOf(args[0], opts)
			if err != nil {
				return err
			}
			return accept(out, store, claims)
		},
	}
	flags.AddVars(c)
	c.Flags().BoolVar(&forget, "forget", false, "forget what you trust in the folder, or in that of the file")
	return c
}

// listTrust prints what is trusted, each folder with its entries below it.
func listTrust(out *cli.Printer, store trust.Store) error {
	all, err := store.All()
	var b strings.Builder
	gone := 0
	for len(all) > 0 {
		n := slices.IndexFunc(all, func(e trust.Entry) bool { return e.Folder != all[0].Folder })
		if n < 0 {
			n = len(all)
		}
		if all[0].Gone() {
			gone++
		} else {
			writeTrust(&b, all[:n])
		}
		all = all[n:]
	}
	out.Print(b.String())
	if gone > 0 {
		out.Say("folders that are gone, not listed: %d", gone)
	}
	return err
}

// writeTrust writes the entries of one folder.
func writeTrust(b *strings.Builder, entries []trust.Entry) {
	b.WriteString(cli.OneLine(mask.Name(entries[0].Folder)) + ":\n")
	for _, e := range entries {
		b.WriteString("  " + cli.OneLine(mask.Name(e.What)))
		if e.SHA256 != "" {
			b.WriteString(" sha256 " + e.SHA256)
		}
		b.WriteString("\n")
	}
}

// claimsOf returns what a pipeline claims, once it is trusted to read what it reads.
func claimsOf(path string, opts host.Options) (*host.Claims, error) {
	opts.Trusted = nil
	p, err := host.Load(path, opts)
	if p == nil {
		return nil, err
	}
	return p.Claims(), nil
}

// keepTrust remembers what a pipeline claims that the user has just had started. Where that is not possible, the next command asks.
func keepTrust(path string, opts host.Options) {
	if c, err := claimsOf(path, opts); err == nil {
		_ = trust.Open().Accept(c)
	}
}

// accept remembers claims, and says each.
func accept(out *cli.Printer, store trust.Store, c *host.Claims) error {
	if c.Empty() {
		out.Say("%s: it starts no program that is not in sluice, and reads nothing outside of its folder, so there is nothing to trust", mask.Name(c.Path))
		return nil
	}
	if err := store.Accept(c); err != nil {
		return err
	}
	for _, line := range c.Lines() {
		out.Say("trusted: %s %s", mask.Name(c.Path), line)
	}
	return nil
}

// askTrust asks the person at the terminal, if there is one, whether to trust what a pipeline claims, and remembers it. It reports
// whether that is new.
func askTrust(c *cobra.Command, out *cli.Printer, p *host.Pipeline, opts host.Options) (bool, error) {
	in, ok := c.InOrStdin().(*os.File)
	if opts.Trusted == nil || !ok || !term.IsTerminal(int(in.Fd())) || !out.ErrIsTerminal() {
		return false, nil
	}
	rest := p.Claims().Untrusted(opts.Trusted)
	if rest.Empty() {
		return false, nil
	}
	for _, line := range rest.Lines() {
		out.Say("%s %s", mask.Name(rest.Path), line)
	}
	out.Say("want to trust it, now and later? [y/N]")
	answer, err := bufio.NewReader(in).ReadString('\n')
	if err != nil || !strings.EqualFold(strings.TrimSpace(answer), "y") {
		return false, nil
	}
	return true, trust.Open().Accept(rest)
}
