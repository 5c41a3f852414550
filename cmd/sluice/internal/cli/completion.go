package cli

import (
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/plugindocs"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/editor"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/registry"
	"github.com/sluicehq/sluice/plugins"
)

// AddCompletion adds the command that writes the script of a shell, and says what a shell can complete for the others.
func AddCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Short = "Write a completion script for a shell"
			c.Long = `completion writes a script for bash, zsh, fish or PowerShell. With it the shell completes commands and flags, pipeline files,
their variables with defaults, steps, plugins and codes. The help of each subcommand says where to put the script.`
			c.Example = `  source <(sluice completion bash)
  sluice completion fish >~/.config/fish/completions/sluice.fish`
			c.Args, c.RunE = cobra.ArbitraryArgs, Subcommands
			for _, shell := range c.Commands() {
				describeScript(shell)
			}
			continue
		}
		complete(c)
	}
}

// scripts are the names of shells, what their scripts need, and how a shell loads one: that at hand, and then all that start later.
var scripts = map[string]struct{ name, needs, example string }{
	"bash": {"bash", "It needs the package bash-completion.", `  source <(sluice completion bash)
  sluice completion bash >/etc/bash_completion.d/sluice
  sluice completion bash >$(brew --prefix)/etc/bash_completion.d/sluice   # macOS with Homebrew`},
	"zsh": {"zsh", `It needs the commands "autoload -U compinit" and "compinit" in ~/.zshrc.`, `  source <(sluice completion zsh)
  sluice completion zsh >"${fpath[1]}/_sluice"
  sluice completion zsh >$(brew --prefix)/share/zsh/site-functions/_sluice   # macOS with Homebrew`},
	"fish": {"fish", "", `  sluice completion fish | source
  sluice completion fish >~/.config/fish/completions/sluice.fish`},
	"powershell": {"PowerShell", "", `  sluice completion powershell | Out-String | Invoke-Expression
  Add-Content $PROFILE 'sluice completion powershell | Out-String | Invoke-Expression'`},
}

// describeScript sets the help of the command that writes the script of a shell.
func describeScript(c *cobra.Command) {
	s := scripts[c.Name()]
	c.Args = NoArguments
	c.Short = "Write the completion script for " + s.name
	c.Long = strings.TrimSpace(c.Name() + " writes the completion script for " + s.name + ` to stdout. The first example completes in the shell at hand, the next
one in all shells that you start later. ` + s.needs)
	c.Example = s.example
	if f := c.Flags().Lookup("no-descriptions"); f != nil {
		f.Usage = "complete words without their descriptions"
	}
}

func complete(c *cobra.Command) {
	for _, below := range c.Commands() {
		complete(below)
	}
	word := strings.Fields(c.Use)
	takesFile := len(word) > 1 && word[1] == "FILE"
	switch {
	case c.Name() == "docs":
		c.ValidArgsFunction = completeDocs
	case c.Name() == "fmt" || takesFile:
		c.ValidArgsFunction = completeFile
	}
	flags := map[string]cobra.CompletionFunc{
		"var": completeVar, "step": completeStep, "pipeline": completeFile, "rejects": completeRejects,
		"format": fixed("text", "mermaid", "dot"), "progress": fixed("auto", "plain", "off"), "adapters": fixed(plugins.Adapters...),
	}
	for name, words := range flags {
		if c.Flags().Lookup(name) != nil {
			_ = c.RegisterFlagCompletionFunc(name, words) // fails for a flag that is not there
		}
	}
}

func fixed(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

func completeFile(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return []string{"hcl"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeVar completes the names of the variables of the pipeline file on the command line, and after a name its default.
func completeVar(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var all []string
	for _, v := range documentOf(args).Variables() {
		_, given, _ := strings.Cut(typed, "=")
		if value := strings.Trim(v.Default, `"`); strings.HasPrefix(typed, v.Name+"=") && strings.HasPrefix(value, given) && value != "" {
			return []string{v.Name + "=" + value}, cobra.ShellCompDirectiveNoFileComp
		}
		about := v.Description
		if v.Default != "" {
			about = strings.TrimPrefix(about+", ", ", ") + "default " + strings.Join(strings.Fields(v.Default), " ")
		}
		if strings.HasPrefix(v.Name, typed) {
			all = append(all, cobra.CompletionWithDesc(v.Name+"=", about))
		}
	}
	if all == nil { // the value may be a path
		return nil, cobra.ShellCompDirectiveDefault
	}
	return all, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

func completeStep(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	steps := documentOf(args).Steps()
	if f := c.Flags().Lookup("receipt"); f != nil && len(args) == 0 {
		if r, err := receipt.Read(f.Value.String()); err == nil {
			for _, s := range r.Steps {
				steps = append(steps, s.Name)
			}
		}
	}
	return steps, cobra.ShellCompDirectiveNoFileComp
}

// completeRejects completes the codes of rejects: of the host, and of the built-in plugins that the pipeline file on the command line
// names, be it by an include; without one, of all.
func completeRejects(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	named := documentOf(args).Plugins()
	var all []string
	known := map[string]bool{}
	for _, code := range plugindocs.Codes() {
		of := len(code.Plugins) == 0 || len(named) == 0 || slices.ContainsFunc(code.Plugins, func(p string) bool { return slices.Contains(named, p) })
		if of && !known[code.Code] {
			known[code.Code] = true
			all = append(all, cobra.CompletionWithDesc(code.Code, code.Means))
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

func documentOf(args []string) *editor.Document {
	for _, arg := range args {
		if src, err := os.ReadFile(arg); err == nil && strings.HasSuffix(arg, ".hcl") {
			return editor.New(host.Options{}).Read(arg, src)
		}
	}
	return editor.New(host.Options{}).Read("", nil)
}

// completeDocs completes the names that docs knows, or codes.
func completeDocs(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var all []string
	if codes, err := c.Flags().GetBool("codes"); err == nil && codes {
		for _, code := range plugindocs.Codes() {
			all = append(all, cobra.CompletionWithDesc(code.Code, code.Means))
		}
		return slices.Compact(all), cobra.ShellCompDirectiveNoFileComp
	}
	pages, _ := plugindocs.All(c.Context(), "", "", host.Options{}) // what is built in is always known
	known := map[string]bool{}
	for _, p := range pages {
		known[p.Name] = known[p.Name] || p.Kind == "plugin"
		all = append(all, cobra.CompletionWithDesc(p.Name, p.Doc))
	}
	pipeline, _ := c.Flags().GetString("pipeline") // it has this flag
	nothing := func(string, string) bool { return false }
	names, _ := registry.Names(pipeline, host.Options{BuiltIns: plugins.All, Trusted: nothing}) // none of a file with mistakes
	for _, name := range names {
		if !known[name] {
			all = append(all, cobra.CompletionWithDesc(name, "a plugin that is not built in"))
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}
