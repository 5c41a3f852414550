package flow

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	values "github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/host/internal/ignore"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A resultComparison collects how the results of two steps for one record differ.
type resultComparison struct {
	ignore  ignore.Paths
	shown   display
	known   map[receipt.ShadowDifference]bool
	found   []difference
	ignored bool // they differ at ignored paths too
}

// compare returns how two results differ, each difference once. ignored reports whether they differ at ignored paths too.
func compare(a, b result, ignore ignore.Paths, d display) (found []difference, ignored bool) {
	if outA, outB := a.outcome(), b.outcome(); outA != outB {
		return []difference{{receipt.ShadowDifference{Current: outA, Candidate: outB}, d.result(&a), d.result(&b), ""}}, false
	}
	c := &resultComparison{ignore: ignore, shown: d, known: map[receipt.ShadowDifference]bool{}}
	for i := range a.records {
		if !bytes.Equal(a.records[i], b.records[i]) {
			c.values("", trimmed(a.records[i]), trimmed(b.records[i]), ignore)
		}
		c.labels(a.labelsOf(i), b.labelsOf(i))
	}
	c.sideRows(a.rows, b.rows)
	slices.SortFunc(c.found, func(a, b difference) int { return compareDifferences(a.ShadowDifference, b.ShadowDifference) })
	return c.found, c.ignored
}

// values compares two values whose paths begin with a prefix.
func (c *resultComparison) values(prefix string, a, b jsontext.JSON, except ignore.Paths) {
	found, ignored := values.Values(a, b, except)
	c.ignored = c.ignored || ignored
	for _, f := range found {
		at := ""
		if f.At != f.Path {
			at = prefix + f.At
		}
		c.add(prefix+f.Path, f.A, f.B, f.TextA, f.TextB, at)
	}
}

func (c *resultComparison) add(path, a, b string, textA, textB jsontext.JSON, at string) {
	diff := receipt.ShadowDifference{Path: path, Current: a, Candidate: b}
	if !c.known[diff] {
		c.known[diff] = true
		c.found = append(c.found, difference{diff, c.shown.value(string(textA)), c.shown.value(string(textB)), at})
	}
}

// labels compares the labels of one record. The path of a label is @ and its name.
func (c *resultComparison) labels(a, b []wire.Label) {
	if slices.Equal(a, b) {
		return
	}
	inA, inB := textsByName(a), textsByName(b)
	for _, name := range namesIn(inA, inB) {
		textA, textB := inA[name], inB[name]
		if textA == textB {
			continue
		}
		if _, ends := c.ignore.Beside("@" + name); ends {
			c.ignored = true
			continue
		}
		kindA, kindB := "a string", "another string"
		if textA == "" {
			kindA, kindB = values.Nothing, "a string"
		} else if textB == "" {
			kindB = values.Nothing
		}
		c.add("@"+values.Path([]string{name}), kindA, kindB, textA, textB, "")
	}
}

// textsByName returns the values of labels as JSON text.
func textsByName(labels []wire.Label) map[string]jsontext.JSON {
	texts := map[string]jsontext.JSON{}
	for _, l := range labels {
		texts[l.Name] = jsontext.JSON(jsontext.AppendString(nil, l.Value))
	}
	return texts
}

// namesIn returns the keys of both maps, sorted.
func namesIn[V any](a, b map[string]V) []string {
	names := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

// sideRows compares the rows of each side output as one array. The path of a side output is / and its name.
func (c *resultComparison) sideRows(a, b sideTexts) {
	for _, output := range namesIn(a, b) {
		if slices.Equal(a[output], b[output]) {
			continue
		}
		except, ends := c.ignore.Beside("/" + output)
		if ends {
			c.ignored = true
			continue
		}
		c.values("/"+values.Path([]string{output})+".", a.array(output), b.array(output), except)
	}
}

// array returns the rows of an output as a JSON array.
func (s sideTexts) array(output string) jsontext.JSON {
	return jsontext.JSON("[" + strings.Join(s[output], ",") + "]")
}
