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

	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/plugins/privacy/backend"
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/redact"
	"github.com/sluicehq/sluice/plugins/privacy/report"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk"
)

type config struct {
	profile.Choice
	Structured   *bool             `hcl:"structured,optional" doc:"in profile reference: find coordinates among numbers too"`
	Strict       *bool             `hcl:"strict,optional" doc:"reject a record in which the rules find something after the filter"`
	HashKey      string            `hcl:"hash_key,optional" doc:"16 bytes or more: the key of hashes and of pseudonyms of a run" example:"\"0123456789abcdef\""`
	LedgerHash   string            `hcl:"ledger_hash,optional" oneof:"key run none" doc:"the key of the value hashes in ledger rows; key with a hash_key, otherwise none"`
	Action       string            `hcl:"action,optional" oneof:"mask hash pseudonym reject" doc:"the action for entities that entities does not name"`
	Scope        string            `hcl:"pseudonym_scope,optional" oneof:"record run" doc:"where equal values have the same pseudonym"`
	Entities     map[string]string `hcl:"entities,optional" oneof:"mask hash pseudonym reject off" doc:"the action for each entity" example:"{\"EMAIL_ADDRESS\":\"hash\",\"PERSON\":\"off\"}"`
	Handles      string            `hcl:"handles,optional" oneof:"social all off" doc:"the names of accounts to find"`
	Regions      []string          `hcl:"phone_regions,optional" doc:"countries whose national telephone numbers to find" example:"[\"US\",\"DE\"]"`
	KeepDocs     bool              `hcl:"keep_documentation_addresses,optional" doc:"leave IP addresses that are meant for documentation"`
	KeepReserved bool              `hcl:"keep_reserved,optional" doc:"leave what is reserved for documents and tests: example.com, .test, 555 numbers, private and documentation addresses"`
	Names        string            `hcl:"names_file,optional" doc:"a file of names to find as PERSON, one a line" example:"\"names.txt\""`
	Allow        struct {
		Exact    []string `hcl:"exact,optional" doc:"values" example:"[\"support@example.com\"]"`
		Patterns []string `hcl:"patterns,optional" doc:"regular expressions of whole values" example:"[\"TICKET-[0-9]+\"]"`
		Paths    []string `hcl:"paths,optional" doc:"gjson paths; * is any component" example:"[\"metadata.*\"]"`
	} `hcl:"allow,optional" doc:"what to leave as it is"`
	Rules   []rules.Rule    `hcl:"rules,optional" doc:"rules of your own"`
	Backend *backend.Config `hcl:"backend,optional" doc:"a recogniser of your own, which is a program"`
}

// ledgerKey returns the key for hashes of values in the ledger, or nil for none. Without one, two runs write the same ledger.
func (c *config) ledgerKey(a sdk.Args) ([]byte, error) {
	switch {
	case c.LedgerHash == "key" && c.HashKey == "":
		return nil, a.Errorf("ledger_hash", "want a hash_key for \"key\"")
	case c.LedgerHash == "key", c.LedgerHash == "" && c.HashKey != "":
		return []byte(c.HashKey), nil
	case c.LedgerHash == "run":
		return report.RunKey(), nil
	}
	return nil, nil
}

var defaultRegions = []string{"US", "GB", "DE", "FR", "ES", "IT", "NL", "IN", "AU", "BR", "JP", "PL", "CN"}

// standard returns the filter of a config, and sets the backend of p. The error holds all mistakes.
func (c *config) standard(a sdk.Args, p *processor) (*redact.Filter, error) {
	var errs []error
	fail := func(attr, format string, args ...any) { errs = append(errs, a.Errorf(attr, format, args...)) }
	e := c.engine(fail)
	f := &redact.Filter{Engine: e, Hash: hashOf(report.NewHasher([]byte(c.HashKey))), Actions: c.actions(e, fail)}
	if f.Actions.Uses(redact.WithHash) && c.HashKey == "" {
		fail("hash_key", "want a key for hashes and for pseudonyms of a run, on which all workers must agree")
	} else if c.HashKey != "" && len(c.HashKey) < 16 {
		fail("hash_key", "want at least 16 bytes, have %d", len(c.HashKey))
	}
	if c.Backend != nil {
		p.backend, p.stops = c.Backend.Open(fail), c.Backend.OnFailure == "stop"
	}
	f.Allowed = redact.Allowed{Exact: map[string]bool{}, Paths: c.Allow.Paths}
	for _, v := range c.Allow.Exact {
		f.Allowed.Exact[v] = true
	}
	for i, p := range c.Allow.Patterns {
		re, err := regexp.Compile(`^(?:` + p + `)$`)
		if err != nil {
			fail(fmt.Sprintf("allow.patterns.%d", i), "want a regular expression: %v", err)
			continue
		}
		f.Allowed.Patterns = append(f.Allowed.Patterns, re)
	}
	if c.Names != "" {
		list, err := readNames(c.Names)
		if err != nil {
			fail("names_file", "want a file of names, one a line: %v", err)
		}
		e.AddNames(list)
	}
	return f, errors.Join(errs...)
}

// engine returns the recognisers, with the rules of the user.
func (c *config) engine(fail func(attr, format string, args ...any)) *recognise.Engine {
	o := recognise.Options{Regions: c.Regions, KeepDocumentation: c.KeepDocs, KeepReserved: c.KeepReserved}
	if o.Regions == nil {
		o.Regions = defaultRegions
	}
	o.Handles = handleModes[c.Handles]
	if street, ok := c.Entities[rules.StreetAddress]; ok {
		o.Addresses = street != "off"
	}
	e := recognise.New(o)
	keyed := 0
	for i, r := range c.Rules {
		if len(r.Key) > 0 {
			keyed++
		}
		if keyed > maxKeyed {
			fail(fmt.Sprintf("rules.%d.key", i), "want at most %d rules with keys, of which this is number %d", maxKeyed, keyed)
			break
		}
		if attr, err := recognise.CheckRule(r); err != nil {
			fail(fmt.Sprintf("rules.%d.%s", i, attr), "%v", err)
			continue
		}
		e.AddRule(r)
	}
	return e
}

const maxKeyed = 40

var handleModes = map[string]recognise.HandleMode{"social": recognise.HandlesSocial, "off": recognise.HandlesOff, "all": recognise.HandlesAll}

// actions returns the action for each entity, and switches entities off.
func (c *config) actions(e *recognise.Engine, fail func(attr, format string, args ...any)) redact.Actions {
	actions := map[string]redact.Action{"mask": redact.Mask, "hash": redact.WithHash, "pseudonym": redact.Pseudonym, "reject": redact.Reject}
	if c.Scope == "run" {
		actions["pseudonym"] = redact.WithHash // on which all workers agree
	}
	all := redact.Actions{Usual: actions[c.Action], Entity: map[string]redact.Action{}}
	for _, entity := range slices.Sorted(maps.Keys(c.Entities)) {
		switch act := c.Entities[entity]; {
		case !e.IsEntity(entity):
			fail("entities."+entity, "want one of %s, have %q", strings.Join(slices.Sorted(maps.Keys(rules.Entities())), ", "), entity)
		case act == "off":
			e.SwitchOff(entity)
		default:
			all.Entity[entity] = actions[act]
		}
	}
	return all
}

// readNames reads one name a line, without blank lines and lines that begin with #.
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
