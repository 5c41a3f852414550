package alias

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Rules say what retired names have become. What they apply to is normalised; a target stands as it was written.
type rules struct {
	reference bool // follow the reference's lookup instead of a fixed point
	exact     map[string]string
	prefixes  []prefix
}

// A prefix rule replaces the beginning of a normalised name.
type prefix struct{ from, to string }

// load reads the file and the inline aliases, which win. What is wrong is reported at the attribute it came from.
func load(a sdk.Args, cfg config) (*rules, error) {
	r := &rules{reference: cfg.Profile == "reference", exact: map[string]string{}}
	if cfg.File != "" {
		if err := r.read(cfg.File); err != nil {
			return nil, a.Errorf("file", "%v", err)
		}
		if err := r.ends(); err != nil {
			return nil, a.Errorf("file", "%v", err)
		}
	}
	for from, to := range cfg.Aliases {
		if err := r.add(from, to); err != nil {
			return nil, a.Errorf("aliases."+from, "%v", err)
		}
	}
	if err := r.ends(); err != nil {
		return nil, a.Errorf("aliases", "%v", err)
	}
	return r, nil
}

func (r *rules) read(name string) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	doc := gjson.ParseBytes(data)
	if jsontext.Check(data, jsontext.EmbeddedDepth) != nil || !doc.IsObject() {
		return fmt.Errorf("want a JSON object with aliases and prefixAliases in %s, have none", name)
	}
	exact, prefixes := doc.Get("aliases"), doc.Get("prefixAliases")
	if exact.Type != gjson.Null && !exact.IsObject() {
		return fmt.Errorf("want aliases to be an object in %s, have %.20s", name, exact.Raw)
	}
	if prefixes.Type != gjson.Null && !prefixes.IsArray() {
		return fmt.Errorf("want prefixAliases to be a list in %s, have %.20s", name, prefixes.Raw)
	}
	var errs []error
	seen := map[string]string{}
	for _, pair := range pairs(exact) {
		from, to := pair[0], pair[1]
		if before, ok := seen[from.Str]; ok && before != to.Raw && !r.reference {
			errs = append(errs, fmt.Errorf("want one target of %s, have %s and %s", from.Str, before, to.Raw))
		}
		seen[from.Str] = to.Raw
		errs = append(errs, r.add(from.Str, r.text(to)))
	}
	for _, item := range prefixes.Array() {
		p := prefix{r.normal(r.text(item.Get("from"))), r.target(r.text(item.Get("to")))}
		if item.IsObject() && p.from != "" && p.to != "" {
			r.prefixes = append(r.prefixes, p)
		} else if !r.reference {
			errs = append(errs, fmt.Errorf("want a prefix as {from, to}, have %s", item.Raw))
		}
	}
	if !r.reference {
		slices.SortStableFunc(r.prefixes, func(a, b prefix) int { return cmp.Compare(len(b.from), len(a.from)) })
	}
	return errors.Join(errs...)
}

// pairs gives the members of an object in their order.
func pairs(object gjson.Result) (members [][2]gjson.Result) {
	if object.IsObject() {
		object.ForEach(func(key, value gjson.Result) bool {
			members = append(members, [2]gjson.Result{key, value})
			return true
		})
	}
	return members
}

// add takes in one exact rule. The reference leaves out a pair with a blank side.
func (r *rules) add(from, to string) error {
	from, to = r.normal(from), r.target(to)
	switch {
	case from != "" && to != "":
		r.exact[from] = to
	case !r.reference:
		return fmt.Errorf("want a name and its target, have %q and %q", from, to)
	}
	return nil
}

// text is the name that a value of the file gives. Only the reference takes a value that is not a string.
func (r *rules) text(v gjson.Result) string {
	if r.reference {
		return referenceText(jsontext.JSON(v.Raw))
	}
	return v.Str
}

func (r *rules) normal(name string) string {
	if r.reference {
		return referenceNormal(name)
	}
	return normal(name)
}

func (r *rules) target(name string) string {
	if r.reference {
		return referenceNormal(name)
	}
	return strings.TrimSpace(name)
}

// normal is how names are compared: without white space around them, runs of white space, '.' and '-' as one '_', and
// ASCII letters in upper case. Other letters stay, so ß is ß everywhere.
func normal(name string) string {
	name = strings.TrimFunc(name, func(c rune) bool { return c < 0x80 && isSpace(byte(c)) })
	out := make([]byte, 0, len(name))
	for i := range len(name) {
		switch c := name[i]; {
		case isSpace(c) || c == '.' || c == '-':
			if i == 0 || !isSpace(name[i-1]) && name[i-1] != '.' && name[i-1] != '-' {
				out = append(out, '_')
			}
		case c >= 'a' && c <= 'z':
			out = append(out, c-'a'+'A')
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// A rename is what became of a name. The zero value means that it stays.
type rename struct {
	to    string
	body  jsontext.Body // to, as the body of a JSON string
	rules []string      // the counts of the rules that led there, in order
}

// lookup follows exact rules and prefix rules, the longest first, until none applies. An unknown name stays as it is.
func (r *rules) lookup(name string) rename {
	if r.reference {
		return r.referenceLookup(name)
	}
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
		return to, "rule." + strings.ToLower(name), true
	}
	for _, p := range r.prefixes {
		if rest, ok := strings.CutPrefix(name, p.from); ok && p.from != normal(p.to) {
			return p.to + rest, "rule." + strings.ToLower(p.from) + "*", true
		}
	}
	return name, "", false
}

// ends makes sure that lookup ends for every name. A rule can lead to another when the other may apply to what it
// gives; around a circle of rules a name can go forever unless every rule of the circle makes it shorter.
func (r *rules) ends() error {
	if r.reference {
		return nil
	}
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
		// Search breadth-first for the shortest way from n back to n.
		came := make([]int, len(nodes)) // 1 + the node before
		queue := []int{start}
		for len(queue) > 0 && came[start] == 0 {
			at := queue[0]
			queue = queue[1:]
			for next := range nodes {
				if came[next] == 0 && leads(nodes[at], nodes[next]) {
					came[next] = at + 1
					queue = append(queue, next)
				}
			}
		}
		if came[start] > 0 {
			circle := n.from
			for at := came[start] - 1; at != start; at = came[at] - 1 {
				circle = nodes[at].from + " -> " + circle
			}
			return fmt.Errorf("want rules that come to an end, have the cycle %s -> %s", n.from, circle)
		}
	}
	return nil
}

// names remembers what lookup gave for the spellings of names that occur.
type names struct {
	rules *rules
	seen  map[jsontext.Body]*rename // by the body of the JSON string; nil means that it stays
}

// maxSeen bounds the memory: names are few unless a corpus puts something else in their place.
const maxSeen = 4096

// maxKnown is how long a name may be that is remembered, in bytes. Names of actions are short.
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

// look gives what a name has become, nil when it stays.
func (n *names) look(body jsontext.Body) *rename {
	decoded := body.Text()
	to := n.rules.lookup(decoded)
	if to.to == "" || to.to == decoded {
		return nil
	}
	to.body = jsontext.BodyOf(to.to)
	return &to
}
