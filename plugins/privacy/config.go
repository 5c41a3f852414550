package privacy

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
)

// A config is the attributes of a step.
type config struct {
	Profile    string            `hcl:"profile,optional" doc:"standard or reference, which gives what the reference tooling gives"`
	Structured *bool             `hcl:"structured,optional" doc:"of the reference: coordinates among numbers too"`
	Strict     *bool             `hcl:"strict,optional" doc:"reject a record in which the rules find something after the filter"`
	HashKey    string            `hcl:"hash_key,optional" doc:"16 bytes or more: the key of hashes and of pseudonyms of a run"`
	LedgerHash string            `hcl:"ledger_hash,optional" doc:"key, run or none: what ledger rows say of a value"`
	Action     string            `hcl:"action,optional" doc:"mask, hash, pseudonym or reject, for entities that have no other"`
	Scope      string            `hcl:"pseudonym_scope,optional" doc:"record or run"`
	Entities   map[string]string `hcl:"entities,optional" doc:"entity to an action, or off"`
	Handles    string            `hcl:"handles,optional" doc:"social, all or off: names of accounts"`
	Regions    []string          `hcl:"phone_regions,optional" doc:"countries whose national telephone numbers are known"`
	KeepDocs   bool              `hcl:"keep_documentation_addresses,optional" doc:"leave IP addresses that are meant for documentation"`
	Names      string            `hcl:"names_file,optional" doc:"a file of names to find as PERSON, one a line"`
	Allow      struct {
		Exact    []string `hcl:"exact,optional" doc:"values"`
		Patterns []string `hcl:"patterns,optional" doc:"regular expressions of whole values"`
		Paths    []string `hcl:"paths,optional" doc:"gjson paths; * is any component"`
	} `hcl:"allow,optional" doc:"what is left as it is"`
	Rules []struct {
		Name    string `hcl:"name" doc:"what ledger rows call the rule"`
		Entity  string `hcl:"entity" doc:"what the rule finds"`
		Pattern string `hcl:"pattern" doc:"a regular expression; a group in it is what is taken out"`
		Anchor  string `hcl:"anchor,optional" doc:"a text that every match holds"`
	} `hcl:"rules,optional" doc:"rules of your own"`
	Backend *backendConfig `hcl:"backend,optional" doc:"a recogniser of your own, which is a program"`
}

// ledgerKey is the key for hashes of values in the ledger, nil for none. Without one, two runs write the same ledger.
func (c *config) ledgerKey(a sdk.Args) ([]byte, error) {
	switch {
	case c.LedgerHash == "key" && c.HashKey == "":
		return nil, a.Errorf("ledger_hash", "want a hash_key for \"key\", have none")
	case c.LedgerHash == "key", c.LedgerHash == "" && c.HashKey != "":
		return []byte(c.HashKey), nil
	case c.LedgerHash == "run":
		return processKey(), nil
	case c.LedgerHash == "none", c.LedgerHash == "":
		return nil, nil
	}
	return nil, a.Errorf("ledger_hash", "want one of key, none, run, have %q", c.LedgerHash)
}

// defaultRegions are those whose national telephone numbers are known when nothing is said.
var defaultRegions = []string{"US", "GB", "DE", "FR", "ES", "IT", "NL", "IN", "AU", "BR", "JP"}

// standard makes the finder that a config describes, and reports all its mistakes at once.
func (c *config) standard(a sdk.Args) (*standard, error) {
	var errs []error
	fail := func(attr, format string, args ...any) { errs = append(errs, a.Errorf(attr, format, args...)) }
	o := options{regions: c.Regions, keepDocumentation: c.KeepDocs}
	if o.regions == nil {
		o.regions = defaultRegions
	}
	handles, ok := map[string]handleMode{"social": handlesSocial, "off": handlesOff, "all": handlesAll}[c.Handles]
	if !ok {
		fail("handles", "want one of all, off, social, have %q", c.Handles)
	}
	o.handles = handles
	if street, ok := c.Entities[streetAddress]; ok {
		o.addresses = street != "off"
	}
	f := &standard{engine: newEngine(o), actions: actions{entity: map[string]action{}}}
	f.customRules(c, fail)
	if f.actions.usual, ok = actionNames[c.Action]; !ok {
		fail("action", "want one of %s, have %q", names(actionNames), c.Action)
	}
	for _, entity := range slices.Sorted(maps.Keys(c.Entities)) {
		act := c.Entities[entity]
		known, ok := actionNames[act]
		switch {
		case !f.isEntity(entity):
			fail("entities."+entity, "want one of %s, have %q", names(entities), entity)
		case act == "off":
			f.off[entity] = true
		case !ok:
			fail("entities."+entity, "want one of %s, off, have %q", names(actionNames), act)
		default:
			f.actions.entity[entity] = known
		}
	}
	switch c.Scope {
	case "record":
	case "run":
		f.actions.useHashes()
	default:
		fail("pseudonym_scope", "want one of record, run, have %q", c.Scope)
	}
	if c.HashKey == "" && (f.actions.usual == actHash || slices.Contains(slices.Collect(maps.Values(f.actions.entity)), actHash)) {
		fail("hash_key", "want a key for hashes and for pseudonyms of a run, as workers must agree on them, have none")
	} else if c.HashKey != "" && len(c.HashKey) < 16 {
		fail("hash_key", "want at least 16 bytes, have %d", len(c.HashKey))
	}
	if c.Backend != nil {
		f.recognizer = c.Backend.open(fail)
	}
	f.allow.paths = c.Allow.Paths
	f.allow.exact = map[string]bool{}
	for _, v := range c.Allow.Exact {
		f.allow.exact[v] = true
	}
	for i, p := range c.Allow.Patterns {
		re, err := regexp.Compile(`^(?:` + p + `)$`)
		if err != nil {
			fail(fmt.Sprintf("allow.patterns.%d", i), "want a regular expression: %v", err)
			continue
		}
		f.allow.patterns = append(f.allow.patterns, re)
	}
	if c.Names != "" {
		list, err := readNames(c.Names)
		if err != nil {
			fail("names_file", "want a file of names, one a line: %v", err)
		}
		f.addNames(list)
	}
	return f, errors.Join(errs...)
}

// customRules adds the rules of the user.
func (f *standard) customRules(c *config, fail func(attr, format string, args ...any)) {
	for i, r := range c.Rules {
		at := fmt.Sprintf("rules.%d.", i)
		re, err := regexp.Compile(r.Pattern)
		switch {
		case err != nil:
			fail(at+"pattern", "want a regular expression: %v", err)
			continue
		case re.MatchString(""):
			fail(at+"pattern", "want a pattern that matches something, have %q, which matches nothing at all", r.Pattern)
			continue
		case !entityForm().MatchString(r.Entity):
			fail(at+"entity", "want a name such as CUSTOMER_ID, have %q", r.Entity)
			continue
		case r.Anchor != "" && (len(r.Anchor) < 2 || strings.ContainsAny(r.Anchor, "\"\\/\n\t\r")):
			fail(at+"anchor", `want two bytes or more without quotes, \, / and line breaks, have %q`, r.Anchor)
			continue
		}
		f.custom = append(f.custom, customRule{rule{name: r.Name, entity: r.Entity}, r.Anchor, re})
		if r.Anchor == "" {
			f.always = true
			continue
		}
		f.add(anchor{text: r.Anchor, try: func(*scan, int) {}})
	}
}

var entityForm = compiled(`^[A-Z][A-Z0-9_]{1,40}$`)

func names[V any](m map[string]V) string { return strings.Join(slices.Sorted(maps.Keys(m)), ", ") }

// readNames reads one name a line; blank lines and those that begin with # are left out.
func readNames(path string) (list []string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		name := strings.TrimSpace(lines.Text())
		switch {
		case name == "" || name[0] == '#':
		case len(name) < 2:
			return nil, fmt.Errorf("line %d: want two bytes or more, have %d", n, len(name))
		default:
			list = append(list, name)
		}
	}
	return list, lines.Err()
}
