package privacy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/plugins/privacy/report"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk"
)

// A Setup is what the attributes of a step make it do, without the records.
type Setup struct {
	report.Scope
	Strict     bool
	NamesFile  string // path, or ""
	LedgerHash string // the key of value hashes in ledger rows: "key", "run" or "none"
}

// SetupOf returns the setup of a step with attributes in a JSON object.
func SetupOf(attributes []byte) (Setup, error) {
	c := Plugin.Args.(config)
	if err := sdk.ParseArgs(attributes).Decode(&c); err != nil {
		return Setup{}, err
	}
	s := Setup{Scope: c.scope(), Strict: c.strict(), NamesFile: c.Names, LedgerHash: c.LedgerHash}
	if s.LedgerHash == "" {
		s.LedgerHash = "none"
		if c.HashKey != "" {
			s.LedgerHash = "key"
		}
	}
	return s, nil
}

// strict reports whether the step rejects residue. The renderer's filter in the reference, which is not structured, does not.
func (c *config) strict() bool {
	if c.Strict != nil {
		return *c.Strict
	}
	return c.Structured == nil || *c.Structured
}

// scope returns what the step looks for.
func (c *config) scope() report.Scope {
	s := report.Scope{Profile: cmp.Or(c.Profile, profile.Standard.Profile)}
	for _, kind := range rules.NotLookedFor() {
		s.NotLookedFor = append(s.NotLookedFor, kind.Name)
	}
	all := slices.Sorted(maps.Keys(rules.Entities()))
	if s.Profile == "reference" {
		if r, ok := profile.Lookup[Reference]("privacy"); ok {
			s.LookedFor = r.Entities()
		}
		found := func(entity string) bool { return slices.Contains(s.LookedFor, entity) }
		s.NotLookedFor = slices.Concat(slices.DeleteFunc(all, found), s.NotLookedFor)
		return s
	}
	for _, r := range c.Rules {
		all = append(all, r.Entity)
	}
	slices.Sort(all)
	for _, entity := range slices.Compact(all) {
		switch c.sought(entity) {
		case sought:
			s.LookedFor = append(s.LookedFor, entity)
		case off:
			s.Off = append(s.Off, entity)
		}
	}
	s.Kept, s.NamesFile = c.kept(), c.Names != ""
	if c.Backend != nil {
		s.Recogniser = program(c.Backend.Command)
	}
	return s
}

// Whether a step looks for an entity.
const (
	sought  = "sought"
	off     = "off"     // an attribute says so
	unasked = "unasked" // no attribute makes it look
)

func (c *config) sought(entity string) string {
	action, named := c.Entities[entity]
	switch {
	case action == "off", entity == rules.SocialHandle && c.Handles == "off":
		return off
	case entity == rules.StreetAddress && !named && !c.owns(entity), entity == rules.Person && c.Names == "" && !c.owns(entity):
		return unasked
	}
	return sought
}

// owns reports whether a rule of the user finds an entity.
func (c *config) owns(entity string) bool {
	return slices.ContainsFunc(c.Rules, func(r rules.Rule) bool { return r.Entity == entity })
}

// CheckScope returns an error unless a scope of the standard profile names every kind that the rules do not look for, and every
// entity of theirs as looked for or switched off.
func CheckScope(s report.Scope) error {
	var errs []error
	optional := map[string]bool{}
	for _, kind := range rules.NotLookedFor() {
		optional[kind.Entity] = true
		if !slices.Contains(s.NotLookedFor, kind.Name) {
			errs = append(errs, fmt.Errorf("want %q in scope.not_looked_for, which the rules do not look for", kind.Name))
		}
	}
	for _, entity := range slices.Sorted(maps.Keys(rules.Entities())) {
		if !optional[entity] && !slices.Contains(s.LookedFor, entity) && !slices.Contains(s.Off, entity) {
			errs = append(errs, fmt.Errorf("want %s in scope.looked_for or scope.switched_off, have it in neither", entity))
		}
	}
	return errors.Join(errs...)
}

// kept returns what the step leaves as it is though the rules find it, without the values.
func (c *config) kept() (all []string) {
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			all = append(all, "1 "+one)
		case n > 1:
			all = append(all, fmt.Sprintf("%d %s", n, many))
		}
	}
	add(len(c.Allow.Exact), "allowed value", "allowed values")
	add(len(c.Allow.Patterns), "allowed pattern", "allowed patterns")
	add(len(c.Allow.Paths), "allowed path", "allowed paths")
	if c.KeepReserved {
		all = append(all, "what is reserved for documents and tests")
	} else if c.KeepDocs {
		all = append(all, "addresses that are meant for documentation")
	}
	return all
}

// program returns the name of the program that a command starts: of the script, when an interpreter runs it.
func program(command []string) string {
	for _, word := range command {
		if slices.Contains([]string{".py", ".js", ".rb", ".sh"}, filepath.Ext(word)) {
			return filepath.Base(word)
		}
	}
	return filepath.Base(strings.Join(command[:min(1, len(command))], ""))
}
