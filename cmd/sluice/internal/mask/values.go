package mask

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/trace"
	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/plugins/privacy/redact"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Values holds the personal values of a trace: what a privacy step has found in its records, and what its rules find
// anywhere else. Each is shown under one name everywhere, so that a change from one to another shows. nil hides nothing.
type Values struct {
	names map[string]string // by value, as "(EMAIL_ADDRESS 1)"
	count map[string]int    // of names, by entity
	hide  *strings.Replacer
}

const maxSearched = 8 << 20

// NewValues finds all personal values of a trace.
func NewValues(x *trace.Trace) *Values {
	v := &Values{names: map[string]string{}, count: map[string]int{}}
	seen := map[*byte]bool{}
	look := func(text []byte) {
		if len(text) == 0 || len(text) > maxSearched || seen[&text[0]] {
			return
		}
		seen[&text[0]] = true
		for _, f := range privacy.Find(text) {
			v.add(f.Entity, f.Value)
		}
	}
	passages := slices.Clone(x.Final)
	for _, r := range x.Records {
		look(r.Read.JSON)
		passages = append(passages, r.Visits...)
	}
	for i := range passages {
		p := &passages[i]
		v.collect(p)
		look(p.In.JSON)
		for _, out := range p.Out {
			look(out.JSON)
		}
		for _, row := range p.Rows {
			look(row.JSON)
		}
	}
	v.hide = strings.NewReplacer(v.pairs()...)
	return v
}

// collect adds the places that the rows of a privacy step name, or all that it changed when they lead to no value.
func (v *Values) collect(p *trace.Visit) {
	if !p.Private || len(p.In.JSON) == 0 || len(p.In.JSON) > maxSearched {
		return
	}
	placed, text := 0, string(p.In.JSON)
	runes := []rune(text)
	for _, row := range p.Rows {
		x := gjson.ParseBytes(row.JSON)
		path, entity := x.Get("path").Str, cmp.Or(x.Get("entity").Str, "PRIVATE")
		if x.Get("place").Str == "key" {
			placed += min(1, v.collectKeys(p, path, entity))
			continue
		}
		from, to, ok := redact.Locate(text, "@fromstr."+path, false, int(x.Get("start").Int()), int(x.Get("end").Int()))
		if ok && 0 <= from && from < to && to <= len(runes) {
			v.add(entity, string(runes[from:to]))
			placed++
		}
	}
	if placed == len(p.Rows) && (placed > 0 || len(p.Out) == 0) {
		return
	}
	left := map[string]bool{}
	for _, out := range p.Out {
		for _, token := range tokens(out.JSON) {
			left[token] = true
		}
	}
	for _, token := range tokens(p.In.JSON) {
		if !left[token] {
			v.add("PRIVATE", token)
		}
	}
}

// collectKeys adds the keys that an object lacks behind the step, and returns how many. The path leads to one of them, hidden.
func (v *Values) collectKeys(p *trace.Visit, path, entity string) (n int) {
	object := func(text []byte) gjson.Result {
		if i := strings.LastIndexByte(path, '.'); i > 0 {
			return gjson.GetBytes(text, path[:i])
		}
		return gjson.ParseBytes(text)
	}
	left := map[string]bool{}
	for _, out := range p.Out {
		object(out.JSON).ForEach(func(key, _ gjson.Result) bool {
			left[key.Str] = true
			return true
		})
	}
	object(p.In.JSON).ForEach(func(key, _ gjson.Result) bool {
		if key.Type == gjson.String && !left[key.Str] {
			v.add(entity, key.Str)
			n++
		}
		return true
	})
	return n
}

func tokens(text []byte) (all []string) {
	eachToken(text, func(start, end int, _ bool) { all = append(all, string(text[start:end])) })
	return all
}

func eachToken(text []byte, call func(start, end int, quoted bool)) {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '"':
			end, ok := jsontext.BodyEnd(text, i+1)
			if !ok {
				return
			}
			call(i+1, end, true)
			i = end + 1
		case c == '-' || '0' <= c && c <= '9':
			end := len(text) - len(bytes.TrimLeft(text[i:], "+-.0123456789eE"))
			call(i, end, false)
			i = end
		default:
			i++
		}
	}
}

// Hidden reports whether there are values to hide.
func (v *Values) Hidden() bool { return v != nil && len(v.names) > 0 }

// add names a value, which may be written with escapes, in a string or in JSON inside of one.
func (v *Values) add(entity, value string) {
	plain := value
	for range 3 {
		if !strings.Contains(plain, `\`) || jsontext.Check(`"`+plain+`"`, 1) != nil {
			break
		}
		plain = jsontext.Body(plain).Text()
	}
	if strings.TrimSpace(plain) == "" {
		return
	}
	name := v.names[plain]
	if name == "" {
		v.count[entity]++
		name = fmt.Sprintf("(%s %d)", entity, v.count[entity])
	}
	for _, written := range []string{plain, value} {
		v.names[written] = name
	}
	for range 2 { // as JSON inside of a string has it
		plain = string(jsontext.AppendBody(nil, plain))
		v.names[plain] = name
	}
}

// pairs returns the values with their names, the longest first, since it may hold another.
func (v *Values) pairs() (pairs []string) {
	values := slices.Collect(maps.Keys(v.names))
	slices.SortFunc(values, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, value := range values {
		pairs = append(pairs, value, v.names[value])
	}
	return pairs
}

// JSON returns a JSON text with names for personal values.
func (v *Values) JSON(text []byte) []byte {
	if v == nil || len(text) == 0 {
		return text
	}
	out, from := make([]byte, 0, len(text)), 0
	eachToken(text, func(start, end int, quoted bool) {
		written := string(text[start:end])
		if quoted {
			written = jsontext.Body(written).Text()
			start, end = start-1, end+1
		}
		if hidden := v.hide.Replace(written); hidden != written {
			out = jsontext.AppendString(append(out, text[from:start]...), hidden)
			from = end
		}
	})
	return Row(append(out, text[from:]...))
}

// Text returns a text with names for personal values.
func (v *Values) Text(s string) string {
	if v == nil || s == "" {
		return s
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return Text(v.hide.Replace(s))
}

// Labels returns labels with names for personal values.
func (v *Values) Labels(labels map[string]string) map[string]string {
	if v == nil || len(labels) == 0 {
		return labels
	}
	hidden := map[string]string{}
	for name, value := range labels {
		hidden[v.Text(name)] = v.Text(value)
	}
	return hidden
}

// Counts returns counts with names for personal values in theirs. Those that have one name then are added up.
func (v *Values) Counts(counts map[string]int64) map[string]int64 {
	if v == nil || len(counts) == 0 {
		return counts
	}
	hidden := map[string]int64{}
	for name, n := range counts {
		hidden[v.Text(name)] += n
	}
	return hidden
}
