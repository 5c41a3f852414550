package publish

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/template"

	_ "embed"

	"github.com/sluicehq/sluice/cmd/sluice/internal/attest"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/plugins/mix"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

//go:embed card.md.tmpl
var cardText string

var cardTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("card").Funcs(template.FuncMap{
		"group": plural.Count, "size": format.Size, "quote": func(s string) string { return fmt.Sprintf("%q", s) },
	}).Parse(cardText))
})

// A card is the content of a dataset card.
type card struct {
	Name, License string
	Configs       []config
	Unfiltered    []string // outputs that no privacy step has seen
	Partly        bool     // a privacy step has seen others
	Attested      []string
	Run           *receipt.Receipt
	found         *found
}

func (c *card) text() string {
	var b strings.Builder
	if err := cardTemplate().Execute(&b, c); err != nil {
		panic(err) // the template is fixed
	}
	return b.String()
}

// Default returns the config that is loaded when none is named.
func (c *card) Default() string { return c.Configs[0].Name }

// Size returns the Hub's name for how many rows there are in the largest config.
func (c *card) Size() string {
	var most int64
	for _, x := range c.Configs {
		var rows int64
		for _, s := range x.Splits {
			rows += s.Rows
		}
		most = max(most, rows)
	}
	names := []string{"n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M", "10M<n<100M", "100M<n<1B", "n>1B"}
	i := 0
	for limit := int64(1000); most >= limit && i < len(names)-1; limit *= 10 {
		i++
	}
	return names[i]
}

// A counted name is one that rows have, with how many.
type counted struct {
	Name string
	N    int64
}

func countedNames(by map[string]int64) (all []counted) {
	for _, name := range slices.Sorted(maps.Keys(by)) {
		all = append(all, counted{name, by[name]})
	}
	return all
}

// Licenses returns those that rows name, and last how many rows name none; nothing when no row names one.
func (c *card) Licenses() []counted { return c.named(c.found.licenses) }

// Datasets returns those that rows name as their source, likewise.
func (c *card) Datasets() []counted { return c.named(c.found.datasets) }

func (c *card) named(by map[string]int64) []counted {
	if by[none] == c.found.rows {
		return nil
	}
	all := countedNames(by)
	slices.SortStableFunc(all, func(a, b counted) int { return cmp.Compare(strings.Count(a.Name, none), strings.Count(b.Name, none)) })
	return all
}

// A filter is a privacy step, with what people should know of what it looked for.
type filter struct {
	Line       string
	Statements []attestation.Statement
}

// Filters returns the privacy steps.
func (c *card) Filters() (all []filter) {
	filters := c.Run.Filters()
	for _, s := range c.Run.Steps {
		if !slices.Contains(filters, s.Name) {
			continue
		}
		if s.Facts[receipt.FactRules] == "" {
			rules := s.Rules()
			for i := range rules {
				rules[i] = mask.Word(rules[i])
			}
			all = append(all, filter{Line: fmt.Sprintf("`%s` of plugin `%s`, which is not part of sluice; it states rules `%s`, %s rows in, %s out",
				s.Name, s.Plugin, strings.Join(rules, "`, `"), plural.Count(s.In), plural.Count(s.Out))})
			continue
		}
		strict := "strict: the rules find nothing more in what it let through"
		if s.Facts[attest.FactStrict] != "true" {
			strict = "not strict: the rules did not search its rows again"
		}
		line := fmt.Sprintf("`%s`, %s; rules `%s`, configuration `%s`, %s rows in, %s out",
			s.Name, strict, s.Facts[receipt.FactRules], s.Facts[attest.FactConfig], plural.Count(s.In), plural.Count(s.Out))
		suspects := map[string]int64{}
		for name, n := range s.Counts {
			if kind, ok := strings.CutPrefix(name, "suspect."); ok {
				suspects[kind] = n
			}
		}
		all = append(all, filter{line, attest.Scope(s.Facts).Statements(suspects)})
	}
	return all
}

// Weak returns the privacy steps whose profile misses most.
func (c *card) Weak() (names []string) {
	for _, s := range c.Run.Steps {
		if p := s.Facts[attest.FactProfile]; p != "" && !s.Candidate && !attest.Scope(s.Facts).Standard() {
			names = append(names, s.Name)
		}
	}
	return names
}

// A mixed source is one that step mix drew rows of.
type mixed struct {
	Name                 string
	Seen, Kept, Repeated int64
}

// Mixture returns what steps mix drew of each source that they name, and of all others together.
func (c *card) Mixture() (all []mixed) {
	for _, s := range c.Run.Steps {
		if s.Plugin != mix.Plugin.Name || s.Candidate {
			continue
		}
		for _, count := range slices.Sorted(maps.Keys(s.Counts)) {
			if name, ok := strings.CutPrefix(count, mix.Seen); ok {
				all = append(all, mixed{Name: name, Seen: s.Counts[count], Kept: s.Counts[mix.Kept+name], Repeated: s.Counts[mix.Repeated+name]})
			}
		}
	}
	return all
}

// Pipeline returns the name of the file that was run, without its folder, which depends on the machine.
func (c *card) Pipeline() string { return filepath.Base(c.Run.Pipeline.Path) }

// Command returns how the run was started. Values that are paths are left out.
func (c *card) Command() string {
	command := "sluice run " + c.Pipeline()
	for _, name := range slices.Sorted(maps.Keys(c.Run.Variables)) {
		value := c.Run.Variables[name]
		if strings.ContainsAny(value, `/\ "'`) {
			value = "..."
		}
		command += fmt.Sprintf(" --var %s=%s", name, value)
	}
	return command
}

// Steps returns the steps in the order of the file, each with its program.
func (c *card) Steps() (lines []string) {
	for i, s := range c.Run.Steps {
		line := fmt.Sprintf("`%s`", s.Name)
		if i < len(c.Run.Plugins) && c.Run.Plugins[i].Path != receipt.BuiltIn {
			x := c.Run.Plugins[i]
			line += fmt.Sprintf(" (%s %s, `%s`)", x.Name, x.Version, x.SHA256)
		}
		lines = append(lines, line)
	}
	return lines
}

// Gone counts the records that are not among the rows, by reason.
func (c *card) Gone() []counted {
	by := map[string]int64{}
	for code, n := range c.Run.Totals.Rejected.By {
		by["rejected: "+code] = n
	}
	for reason, n := range c.Run.Totals.Dropped.By {
		by["dropped: "+reason] = n
	}
	return countedNames(by)
}
