package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host/conformance"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/registry"
)

// Plugins writes a line for each plugin to stdout.
func (p *Printer) Plugins(all []registry.Plugin) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, plugin := range all {
		where := plugin.Path
		if plugin.Problem != "" {
			where = "cannot be used: " + plugin.Problem
		}
		marks := ""
		if plugin.SHA256 != "" {
			marks = "  sha256 " + plugin.SHA256[:12]
		}
		if plugin.Code != "" {
			marks = fmt.Sprintf("  code %.12s, SDK %.12s", plugin.Code, plugin.SDK)
		}
		for _, m := range []struct {
			is   bool
			what string
		}{{plugin.Pinned, "  pinned"}, {plugin.Locked, "  locked"}, {plugin.Hides != "", "  hides " + plugin.Hides}} {
			if m.is {
				marks += m.what
			}
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", plugin.Name, plugin.Version, OneLine(format.Printable(where+marks)))
	}
	_ = w.Flush()
	return p.Write(b.String())
}

// Locked says what a lock holds now.
func (p *Printer) Locked(x *registry.LockUpdate) {
	if len(x.Locked) == 0 {
		p.Say("every plugin of the pipeline is built in, so there is nothing to lock")
		return
	}
	for _, name := range x.Changed {
		p.Say("changed: plugin %s has another program than before", name)
	}
	for _, gone := range x.Stale {
		p.Say("left out: the hash of plugin %s for another version; --binary adds one for this version", gone)
	}
	for _, name := range x.Locked {
		program := x.Lock.Programs[name]
		p.Say("locked: plugin %s %s for %s", name, program.Version, strings.Join(slices.Sorted(maps.Keys(program.SHA256)), ", "))
	}
	p.Say("wrote %s", x.Lock.Path)
}

// Verified writes the result of one check of a plugin to stdout.
func (p *Printer) Verified(c conformance.Result) {
	mark := map[string]string{conformance.Passed: "ok", conformance.Failed: "FAIL", conformance.Skipped: "skip", conformance.NotApplicable: "n/a"}[c.Outcome]
	line := fmt.Sprintf("%-4s  %-24s  %s", mark, c.Check, c.About)
	if c.Why != "" {
		line += "\n      " + strings.ReplaceAll(c.Why, "\n", "\n      ")
	}
	if c.Note != "" {
		line += "\n      " + c.Note
	}
	fmt.Fprintln(p.Out(), format.Printable(line))
}

// VerifiedAll sums up the checks of a plugin, and returns an error when one failed.
func (p *Printer) VerifiedAll(program string, results []conformance.Result, asJSON bool) error {
	counts := map[string]int{}
	var skipped []string
	for _, c := range results {
		if counts[c.Outcome]++; c.Outcome == conformance.Skipped {
			skipped = append(skipped, c.Check)
		}
	}
	sum := fmt.Sprintf("%s: %d of %d checks passed", program, counts[conformance.Passed], len(results)-counts[conformance.NotApplicable])
	if len(skipped) > 0 {
		sum += fmt.Sprintf(", %d skipped: %s", len(skipped), strings.Join(skipped, ", "))
	}
	var verdict error
	if n := counts[conformance.Failed]; n > 0 {
		verdict = fmt.Errorf("%s fails %s", program, plural.Of(n, "check"))
	}
	if !asJSON {
		fmt.Fprintln(p.Out(), format.Printable(sum))
		return verdict
	}
	return p.Result(struct {
		Program string               `json:"program"`
		Sum     string               `json:"sum"`
		Checks  []conformance.Result `json:"checks"`
	}{program, sum, results}, verdict)
}
