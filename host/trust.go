package host

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/sdk"
)

// Claims are what a pipeline takes of the machine that is not in sluice, so that a person should trust it: programs to start, and
// what env and file read outside of its folder.
type Claims struct {
	Path     string    `json:"path"`     // of the pipeline
	Folder   string    `json:"folder"`   // of it, absolute
	SHA256   string    `json:"sha256"`   // of it, as receipts have it
	Programs []Program `json:"programs"` // by plugin
	Reads    []string  `json:"reads"`    // such as "the environment variable HOME"
}

// Program is a program that a pipeline would start.
type Program struct {
	Plugin string `json:"plugin"`
	Path   string `json:"path,omitempty"`      // "" when an attribute of a built-in plugin names it
	SHA256 string `json:"sha256,omitempty"`    // of the program
	Attr   string `json:"attribute,omitempty"` // that names it
}

// String names the program, for people.
func (p Program) String() string {
	if p.Attr != "" {
		return fmt.Sprintf("the program that %s of plugin %s names", p.Attr, p.Plugin)
	}
	return fmt.Sprintf("the program %s of plugin %s, sha256 %.12s", p.Path, p.Plugin, p.SHA256)
}

// Claims returns what the pipeline claims, trusted or not. It starts nothing.
func (p *Pipeline) Claims() *Claims {
	mask := p.opts.MaskName
	c := &Claims{Path: p.tree.Path, Folder: p.tree.Dir, SHA256: p.tree.SHA256, Programs: []Program{}, Reads: []string{}}
	finder := plan.Unlocked(p.tree.Dir)
	finder.Pins = plan.Pins(p.tree)
	builtIns := sdk.Host(p.opts.BuiltIns...)
	for _, name := range p.tree.PluginNames() {
		if u := finder.Foreign(name, &builtIns); u != nil {
			c.Programs = append(c.Programs, Program{Plugin: name, Path: u.Path, SHA256: u.SHA256})
		}
	}
	for _, s := range p.tree.Steps() {
		x := Program{Plugin: s.Type, Attr: plan.ProgramAttr(p.tree, s, p.opts.Programs)}
		if x.Attr != "" && !slices.Contains(c.Programs, x) {
			c.Programs = append(c.Programs, x)
		}
	}
	for _, r := range config.Outside(slices.Concat(p.tree.Reads, p.tree.Withheld)) {
		r.Name = mask(r.Name)
		if text := r.String(); !slices.Contains(c.Reads, text) {
			c.Reads = append(c.Reads, text)
		}
	}
	return c
}

// Untrusted returns the claims that remain for a person to trust. trusted has the meaning of Options.Trusted.
func (c *Claims) Untrusted(trusted func(folder, sha256 string) bool) *Claims {
	rest := *c
	pipeline := trusted == nil || trusted(c.Folder, c.SHA256)
	if pipeline {
		rest.Reads = []string{}
	}
	rest.Programs = slices.DeleteFunc(slices.Clone(c.Programs), func(p Program) bool {
		if p.Attr != "" {
			return pipeline
		}
		return trusted == nil || trusted(c.Folder, p.SHA256)
	})
	return &rest
}

// Empty reports whether nothing is claimed.
func (c *Claims) Empty() bool { return len(c.Programs)+len(c.Reads) == 0 }

// Lines names each claim in a line, for people.
func (c *Claims) Lines() (lines []string) {
	for _, p := range c.Programs {
		lines = append(lines, "starts "+p.String())
	}
	for _, r := range c.Reads {
		lines = append(lines, "reads "+r)
	}
	return lines
}

// isTrusted reports whether the user trusts the pipeline file.
func (p *Pipeline) isTrusted() bool {
	return p.opts.Trusted == nil || p.opts.Trusted(p.tree.Dir, p.tree.SHA256)
}

// mayStart returns an error when the pipeline claims what the user does not trust.
func (p *Pipeline) mayStart() error {
	if p.opts.Trusted == nil {
		return nil
	}
	rest := p.Claims().Untrusted(p.opts.Trusted)
	if rest.Empty() {
		return nil
	}
	path := p.opts.MaskName(p.tree.Path)
	return fmt.Errorf("%s: %s; it %s", path, config.NotTrusted(path), strings.Join(rest.Lines(), ", and "))
}

// unchecked returns a warning for each plugin whose steps were not checked, since that would start a program that is not trusted.
func (p *Pipeline) unchecked(pl *plan.Plan, problems []launch.Problem) (diags Diagnostics) {
	steps := map[launch.Untrusted][]*plan.Step{}
	var causes []launch.Untrusted
	for _, x := range problems {
		u, ok := errors.AsType[*launch.Untrusted](x.Cause)
		if !ok || pl.Steps[x.Request].Doubted {
			continue
		}
		if steps[*u] == nil {
			causes = append(causes, *u)
		}
		steps[*u] = append(steps[*u], pl.Steps[x.Request])
	}
	for _, u := range causes {
		all := steps[u]
		what := "step " + all[0].Label()
		if n := len(all) - 1; n > 0 {
			what += fmt.Sprintf(" and %d more", n)
		}
		why := config.ProgramNotTrusted(u.Plugin, u.Path, p.tree.Path)
		if u.Attr != "" {
			why = u.Attr + " names a program; " + config.NotTrusted(p.tree.Path)
		}
		diags = append(diags, p.tree.AtRange(all[0].Range, what+" not checked", why).AsUntrusted())
	}
	return diags
}

// Given returns what the packages below host read the pipeline file at path with.
func (o Options) Given(path string) config.Given {
	given := config.Given{Vars: o.Vars, Env: o.Env}
	if o.Trusted != nil {
		given.Trusted = func(sum string) bool {
			dir, err := filepath.Abs(filepath.Dir(path))
			return err == nil && o.Trusted(dir, sum)
		}
	}
	return given
}

// Launch returns the options with which the packages below host start the plugins that f finds.
func (o Options) Launch(f launch.Finder) launch.Options {
	if o.Trusted != nil {
		f.Trusted = func(sum string) bool { return o.Trusted(f.Dir, sum) }
	}
	return launch.Options{
		Finder: f, BuiltIns: sdk.Host(o.BuiltIns...), InProcess: o.InProcess, Inline: o.Inline || runtime.GOOS == "windows",
		Poison: o.Poison, Plain: o.Poison, RecordLimit: plan.CorpusLimit, Depth: plan.MinDepth, Hide: o.hide, Env: o.Pass, Log: o.Log, OnStart: o.Started,
	}
}
