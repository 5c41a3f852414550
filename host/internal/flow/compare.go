package flow

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A result is what a step made of a record.
type result struct {
	verdict       string // "emitted", "dropped", "rejected", "declined" or "crashed"
	code, message string
	records       [][]byte
}

const crashed = "crashed"

func resultOf(in *wire.Record, o *wire.Outcome) result {
	switch o.Verdict {
	case wire.Unchanged:
		return result{verdict: "emitted", records: [][]byte{in.Data}}
	case wire.Emitted:
		r := result{verdict: "emitted", records: make([][]byte, len(o.Emitted))}
		for i := range o.Emitted {
			r.records[i] = o.Emitted[i].Data
		}
		return r
	case wire.Dropped:
		return result{verdict: "dropped", message: o.Fault.Message}
	case wire.Declined:
		return result{verdict: "declined", message: o.Fault.Message}
	}
	if o.Fault.Code == CrashCode {
		return result{verdict: crashed, code: CrashCode, message: o.Fault.Message}
	}
	return result{verdict: "rejected", code: o.Fault.Code, message: o.Fault.Message}
}

// outcome is as in "emitted 2" or "rejected no_user".
func (r *result) outcome() string {
	switch r.verdict {
	case "emitted":
		return fmt.Sprintf("emitted %d", len(r.records))
	case "rejected":
		return "rejected " + r.code
	}
	return r.verdict
}

// A difference comes with what each side has there, as far as it may be shown.
type difference struct {
	Difference
	current, candidate string
}

// A display says what of records may be shown.
type display struct{ values, private bool }

// maxShown is how many bytes of a value are shown.
const maxShown = 200

func (d display) show(text string) string {
	switch {
	case text == "":
		return ""
	case d.private:
		return "(private)"
	case len(text) <= maxShown:
		return text
	}
	const more = "…"
	end := maxShown - len(more)
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + more
}

// value is what may be shown of JSON text.
func (d display) value(raw string) string {
	if !d.values {
		return ""
	}
	return d.show(strings.Clone(raw[:min(len(raw), maxShown+1)]))
}

// of is what may be shown of a whole result: its message or its first record.
func (d display) of(r *result) string {
	if len(r.records) > 0 {
		return d.value(jsontext.View(r.records[0]))
	}
	return d.show(r.message)
}

// compare tells how two results differ, each difference once.
func compare(a, b result, d display) []difference {
	if x, y := a.outcome(), b.outcome(); x != y {
		return []difference{{Difference{Current: x, Candidate: y}, d.of(&a), d.of(&b)}}
	}
	c := comparing{display: d}
	for i := range a.records {
		if !bytes.Equal(a.records[i], b.records[i]) {
			c.diff("", gjson.Parse(jsontext.View(a.records[i])), gjson.Parse(jsontext.View(b.records[i])), 0)
		}
	}
	slices.SortFunc(c.found, func(a, b difference) int { return inAlphabet(a.Difference, b.Difference) })
	return c.found
}

// comparing collects the differences of one record.
type comparing struct {
	display
	found []difference
	known map[Difference]bool
}

func (c *comparing) add(path, current, candidate string, a, b gjson.Result) {
	x := Difference{path, current, candidate}
	if c.known[x] {
		return
	}
	if c.known == nil {
		c.known = map[Difference]bool{}
	}
	c.known[x] = true
	c.found = append(c.found, difference{x, c.value(a.Raw), c.value(b.Raw)})
}

// maxLevels is how deep two values are compared member by member; below, their bytes are. The comparison recurses.
const maxLevels = 1000

// diff finds the differences between two values. The order of keys is none.
func (c *comparing) diff(path string, a, b gjson.Result, level int) {
	switch {
	case a.Raw == b.Raw:
	case kindOf(a) != kindOf(b):
		c.add(path, kindOf(a), kindOf(b), a, b)
	case a.IsObject() && level < maxLevels:
		left, right := a.Map(), b.Map()
		for key, x := range left {
			if y, ok := right[key]; ok {
				c.diff(under(path, key), x, y, level+1)
			} else {
				c.add(under(path, key), kindOf(x), nothing, x, y)
			}
		}
		for key, y := range right {
			if x, ok := left[key]; !ok {
				c.add(under(path, key), nothing, kindOf(y), x, y)
			}
		}
	case a.IsArray() && level < maxLevels:
		left, right := a.Array(), b.Array()
		path = under(path, "#")
		for i := range max(len(left), len(right)) {
			switch {
			case i >= len(left):
				c.add(path, nothing, kindOf(right[i]), gjson.Result{}, right[i])
			case i >= len(right):
				c.add(path, kindOf(left[i]), nothing, left[i], gjson.Result{})
			default:
				c.diff(path, left[i], right[i], level+1)
			}
		}
	case a.Type == gjson.String && a.Str == b.Str:
	case a.Type == gjson.Number && a.Num == b.Num && !(isWhole(a.Raw) && isWhole(b.Raw)):
	default:
		_, noun, _ := strings.Cut(kindOf(a), " ")
		c.add(path, kindOf(a), "another "+noun, a, b)
	}
}

// isWhole tells that a number has its digits written out; two such that are spelled in different ways are different,
// even where they are too large for a float64 to show it.
func isWhole(raw string) bool { return raw != "-0" && !strings.ContainsAny(raw, ".eE") }

const nothing = "nothing"

func kindOf(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "an array"
	case v.Type == gjson.String:
		return "a string"
	case v.Type == gjson.Number:
		return "a number"
	case v.Type == gjson.Null:
		return "null"
	}
	return v.Raw // true or false
}

// maxPath is how long paths grow.
const maxPath = 1000

// under joins a path and a key. Keys that are not plain names may be data, and stand as *.
func under(path, key string) string {
	const name = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-#"
	switch {
	case key == "" || len(key) > 40 || strings.Trim(key, name) != "":
		key = "*"
	default:
		key = strings.Clone(key)
	}
	switch {
	case path == "":
		return key
	case len(path) >= maxPath:
		return path
	}
	return path + "." + key
}
