package alias

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Rules are normalised on both sides. Pairs with a blank side do not count.
type rules struct {
	exact    map[string]string
	prefixes [][2]string
}

func (r *rules) take(aliases, prefixes gjson.Result, inline map[string]string) {
	add := func(from, to string) {
		if from, to = normal(from), normal(to); from != "" && to != "" {
			r.exact[from] = to
		}
	}
	aliases.ForEach(func(from, to gjson.Result) bool {
		add(from.Str, text(jsontext.JSON(to.Raw)))
		return true
	})
	for from, to := range inline {
		add(from, to)
	}
	for _, item := range prefixes.Array() {
		from, to := normal(text(jsontext.JSON(item.Get("from").Raw))), normal(text(jsontext.JSON(item.Get("to").Raw)))
		if item.IsObject() && from != "" && to != "" {
			r.prefixes = append(r.prefixes, [2]string{from, to})
		}
	}
}

// upper changes case as Python's str.upper does, by full Unicode, so that ß becomes SS.
var upper = cases.Upper(language.Und)

// text returns a JSON value as text, and "" for what Python takes for false.
func text(value jsontext.JSON) string {
	if !value.Truthy() {
		return ""
	}
	return python.Str(value)
}

// normal returns a name in upper case, without white space around it, with runs of white space, '.' and '-' as one '_'.
func normal(name string) string {
	var b strings.Builder
	run := false
	for _, c := range strings.TrimFunc(name, jsontext.IsSpace) {
		joint := c == '.' || c == '-' || jsontext.IsSpace(c)
		switch {
		case !joint:
			b.WriteRune(c)
		case !run:
			b.WriteByte('_')
		}
		run = joint
	}
	return upper.String(b.String())
}

// lookup follows exact rules until a name repeats, then the first prefix rule that fits, once. It returns the new name, which for
// an unknown name is the normalised one, with the counts of the rules.
func (r *rules) lookup(name string) (to string, counts []string) {
	to = normal(name)
	var seen []string
	for {
		next, ok := r.exact[to]
		if !ok || slices.Contains(seen, to) {
			break
		}
		seen = append(seen, to)
		counts = append(counts, "rule."+strings.ToLower(to))
		to = next
	}
	for _, p := range r.prefixes {
		if rest, ok := strings.CutPrefix(to, p[0]); ok {
			to, counts = p[1]+rest, append(counts, "rule."+strings.ToLower(p[0])+"*")
			break
		}
	}
	if len(counts) == 0 {
		counts = []string{"spelling"}
	}
	return to, counts
}
