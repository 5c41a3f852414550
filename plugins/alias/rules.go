package alias

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// rules map retired names to current ones. They apply to normalised names; targets keep their spelling.
type rules struct {
	exact    map[string]string
	prefixes []prefix
}

// A prefix rule replaces the beginning of a normalised name.
type prefix struct{ from, to string }

// readFile reads a file of rules: an object of aliases, a list of prefixes.
func readFile(name string) (aliases, prefixes gjson.Result, err error) {
	if name == "" {
		return aliases, prefixes, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return aliases, prefixes, err
	}
	doc := gjson.ParseBytes(data)
	if jsontext.Check(data, jsontext.EmbeddedDepth) != nil || !doc.IsObject() {
		return aliases, prefixes, fmt.Errorf("want a JSON object with aliases and prefixAliases in %s", name)
	}
	aliases, prefixes = doc.Get("aliases"), doc.Get("prefixAliases")
	if aliases.Type == gjson.Null {
		aliases = gjson.Result{}
	}
	switch {
	case aliases.Exists() && !aliases.IsObject():
		err = fmt.Errorf("want aliases to be an object in %s, have %.20s", name, aliases.Raw)
	case prefixes.Type != gjson.Null && !prefixes.IsArray():
		err = fmt.Errorf("want prefixAliases to be a list in %s, have %.20s", name, prefixes.Raw)
	}
	return aliases, prefixes, err
}

// load reads the rules of the file and the inline aliases, which win. It reports a mistake at its attribute.
func load(a sdk.Args, aliases, prefixes gjson.Result, inline map[string]string) (*rules, error) {
	r := &rules{exact: map[string]string{}}
	if err := cmp.Or(r.take(aliases, prefixes), r.ends()); err != nil {
		return nil, a.Errorf("file", "%v", err)
	}
	seen := map[string]string{}
	for _, from := range slices.Sorted(maps.Keys(inline)) {
		if err := r.add(seen, from, inline[from]); err != nil {
			return nil, a.Errorf("aliases."+from, "%v", err)
		}
	}
	if err := r.ends(); err != nil {
		return nil, a.Errorf("aliases", "%v", err)
	}
	return r, nil
}

func (r *rules) take(aliases, prefixes gjson.Result) error {
	var errs []error
	seen, begun := map[string]string{}, map[string]string{}
	aliases.ForEach(func(from, to gjson.Result) bool {
		errs = append(errs, r.add(seen, from.Str, to.Str))
		return true
	})
	for _, item := range prefixes.Array() {
		p := prefix{normal(item.Get("from").Str), strings.TrimSpace(item.Get("to").Str)}
		if !item.IsObject() || p.from == "" || p.to == "" {
			errs = append(errs, fmt.Errorf("want a prefix as {from, to}, have %s", item.Raw))
			continue
		}
		errs = append(errs, oneTarget(begun, p.from, p.to))
		r.prefixes = append(r.prefixes, p)
	}
	slices.SortStableFunc(r.prefixes, func(a, b prefix) int { return cmp.Compare(len(b.from), len(a.from)) })
	return errors.Join(errs...)
}

// add adds one exact rule. seen holds those of its source.
func (r *rules) add(seen map[string]string, from, to string) error {
	from, to = normal(from), strings.TrimSpace(to)
	if from == "" || to == "" {
		return fmt.Errorf("want a name and its target, have %q and %q", from, to)
	}
	r.exact[from] = to
	return oneTarget(seen, from, to)
}

// oneTarget reports a normalised name to which seen has another target, in whatever spelling.
func oneTarget(seen map[string]string, from, to string) error {
	if before, ok := seen[from]; ok && before != to {
		return fmt.Errorf("want one target of %s, have %q and %q", from, before, to)
	}
	seen[from] = to
	return nil
}

// Rules returns the sorted names under which a step with these arguments, a JSON object, counts the uses of its rules. It
// returns none for invalid arguments, and for the reference profile, which does not count.
func Rules(args []byte) []string {
	a := sdk.ParseArgs(args)
	cfg := config{Choice: profile.Standard}
	if err := a.Decode(&cfg); err != nil || cfg.Profile != "standard" {
		return nil
	}
	aliases, prefixes, err := readFile(cfg.File)
	if err != nil {
		return nil
	}
	r, err := load(a, aliases, prefixes, cfg.Aliases)
	if err != nil {
		return nil
	}
	var all []string
	for from, to := range r.exact {
		if normal(to) != from {
			all = append(all, exactRule(from))
		}
	}
	for _, p := range r.prefixes {
		if p.from != normal(p.to) {
			all = append(all, prefixRule(p))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func exactRule(from string) string { return "rule." + strings.ToLower(from) }
func prefixRule(p prefix) string   { return "rule." + strings.ToLower(p.from) + "*" }

// normal returns the form in which names are compared: trimmed, with runs of white space, '.' and '-' as one '_', and ASCII
// letters in upper case. Other letters stay as they are.
func normal(name string) string {
	name = strings.TrimFunc(name, jsontext.IsSpace)
	out := make([]byte, 0, len(name))
	joint := false
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		was := joint
		joint = jsontext.IsSpace(r) || r == '.' || r == '-'
		switch {
		case joint && was:
		case joint:
			out = append(out, '_')
		case r >= 'a' && r <= 'z':
			out = append(out, byte(r)-'a'+'A')
		default:
			out = append(out, name[i:i+size]...)
		}
		i += size
	}
	return string(out)
}

// A rename is the new name of a name. The zero value means that it stays.
type rename struct {
	to    string
	body  jsontext.Body // to, as the body of a JSON string
	rules []string      // the counts of the rules applied, in order
}

// namespace is what OpenAI's models write before the names of functions.
const namespace = "functions."

// lookup follows exact rules and prefix rules, the longest first, until none applies. An unknown name stays as it is, and so does the
// namespace of a known one.
func (r *rules) lookup(name string) rename {
	bare, ok := strings.CutPrefix(name, namespace)
	found := r.follow(bare)
	if ok && found.to != "" {
		found.to = namespace + found.to
	}
	return found
}

func (r *rules) follow(name string) rename {
	var found rename
	at := normal(name)
	for {
		next, rule, ok := r.step(at)
		if !ok {
			return found
		}
		at = normal(next)
		found.to, found.rules = next, append(found.rules, rule)
	}
}

func (r *rules) step(name string) (next, rule string, ok bool) {
	if to, ok := r.exact[name]; ok && normal(to) != name {
		return to, exactRule(name), true
	}
	for _, p := range r.prefixes {
		if rest, ok := strings.CutPrefix(name, p.from); ok && p.from != normal(p.to) {
			return p.to + rest, prefixRule(p), true
		}
	}
	return name, "", false
}

// ends checks that lookup ends for every name. A rule leads to another one that may apply to its result. In a cycle of rules
// lookup would not end, unless every rule of the cycle makes names shorter.
func (r *rules) ends() error {
	type node struct {
		prefix
		whole bool // an exact rule
	}
	var nodes []node
	for from, to := range r.exact {
		nodes = append(nodes, node{prefix{from, normal(to)}, true})
	}
	for _, p := range r.prefixes {
		nodes = append(nodes, node{prefix{p.from, normal(p.to)}, false})
	}
	nodes = slices.DeleteFunc(nodes, func(n node) bool { return n.from == n.to })
	slices.SortFunc(nodes, func(a, b node) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	leads := func(a, b node) bool {
		switch {
		case a.whole && b.whole:
			return a.to == b.from
		case a.whole:
			return strings.HasPrefix(a.to, b.from)
		case b.whole:
			return strings.HasPrefix(b.from, a.to)
		}
		return strings.HasPrefix(a.to, b.from) || strings.HasPrefix(b.from, a.to)
	}
	for start, n := range nodes {
		if len(n.to) < len(n.from) {
			continue
		}
		// Search breadth-first for the shortest path from n back to n.
		before := make([]int, len(nodes)) // 1 + the previous node
		queue := []int{start}
		for len(queue) > 0 && before[start] == 0 {
			at := queue[0]
			queue = queue[1:]
			for next := range nodes {
				if before[next] == 0 && leads(nodes[at], nodes[next]) {
					before[next] = at + 1
					queue = append(queue, next)
				}
			}
		}
		if before[start] > 0 {
			cycle := n.from
			for at := before[start] - 1; at != start; at = before[at] - 1 {
				cycle = nodes[at].from + " -> " + cycle
			}
			return fmt.Errorf("want rules without a cycle, have %s -> %s", n.from, cycle)
		}
	}
	return nil
}

// names caches the results of lookup.
type names struct {
	rules *rules
	seen  map[jsontext.Body]*rename // by the body of the JSON string; nil for a name that stays
}

// maxSeen bounds the cache: names are few unless a corpus has other texts in their place.
const maxSeen = 4096

// maxKnown is the length in bytes up to which names are cached. Names of actions are short.
const maxKnown = 128

func (n *names) of(body jsontext.Body) *rename {
	if len(body) > maxKnown {
		return n.look(body)
	}
	if found, ok := n.seen[body]; ok {
		return found
	}
	if n.seen == nil || len(n.seen) >= maxSeen {
		n.seen = map[jsontext.Body]*rename{}
	}
	body = jsontext.Body(strings.Clone(string(body)))
	found := n.look(body)
	n.seen[body] = found
	return found
}

// look returns the rename of a name, nil when it stays.
func (n *names) look(body jsontext.Body) *rename {
	decoded := body.Text()
	to := n.rules.lookup(decoded)
	if to.to == "" || to.to == decoded {
		return nil
	}
	to.body = jsontext.BodyOf(to.to)
	return &to
}

// Retired reads a file of rules, and returns a function that reports whether a rule replaces the name with a body. Only one
// goroutine may call it.
func Retired(file string) (func(jsontext.Body) bool, error) {
	aliases, prefixes, err := readFile(file)
	if err != nil {
		return nil, err
	}
	r := &rules{exact: map[string]string{}}
	if err := cmp.Or(r.take(aliases, prefixes), r.ends()); err != nil {
		return nil, err
	}
	n := names{rules: r}
	return func(name jsontext.Body) bool { return n.of(name) != nil }, nil
}
