package publish

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A place says where in a row a value is, and so whether it may have a type of its own. datasets reads a file in blocks and
// wants one type for each column in all of them, so a list or an object is typed only where chat formats fix its members.
// Anywhere else it is published as JSON text.
type place byte

const (
	atAny      place = iota
	atRow            // a row
	atMessages       // a list of messages, or a text
	atMessage
	atContent // a text or a list of parts
	atPart
	atCalls
	atCall
	atClosed // an object of single values
	atSteps  // a list of steps, or of their labels
	atStep
)

// element returns the place of the elements of a list, atAny for a place that is none.
func (p place) element() place {
	switch p {
	case atMessages:
		return atMessage
	case atContent:
		return atPart
	case atCalls:
		return atCall
	case atSteps:
		return atStep
	}
	return atAny
}

// member returns the place of a member of an object.
func (p place) member(key string) place {
	switch p {
	case atRow:
		if slices.Contains([]string{"messages", "prompt", "completion", "chosen", "rejected"}, key) {
			return atMessages
		}
		if key == "completions" || key == "labels" {
			return atSteps
		}
	case atMessage:
		switch key {
		case "content":
			return atContent
		case "tool_calls":
			return atCalls
		}
	case atCall:
		if key == "function" {
			return atClosed
		}
	case atPart:
		if strings.HasSuffix(key, "_url") {
			return atClosed
		}
	}
	return atAny
}

func (p place) object() bool {
	return slices.Contains([]place{atRow, atMessage, atPart, atCall, atClosed}, p)
}

// A column is what the values at one place of all rows of a config are.
type column struct {
	place place
	// kinds has the first bytes of the values, each once: '0' for an integer, '9' for a large one, '.' for another
	// number, 't' for a boolean.
	kinds   string
	wide    bool // there is a number that no column of numbers holds
	dated   bool // there is a text that Arrow takes for a time
	undated bool // there is another text
	names   []string
	members map[string]*column
	element *column

	form form
}

// A form is how the values of a column are published.
type form byte

const (
	asIs form = iota
	asText
	asParts // a text becomes a list with one part
	inside  // as it is but for columns within
)

const mostMembers = 1000

// dateForm matches what Arrow may take for a time, and then writes in another way.
var dateForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}([ T][0-9:.,+Zz-]*)?$`)

func newColumn(p place) *column { return &column{place: p} }

// add notes a value. It fails for a value that no column can hold.
func (c *column) add(v jsontext.JSON) error {
	kind := v.Kind()
	switch kind {
	case '{':
		if c.place.object() {
			return c.addMembers(v)
		}
	case '[':
		if p := c.place.element(); p != atAny {
			if c.element == nil {
				c.element = newColumn(p)
			}
			c.note('[')
			for _, e := range v.Elements() {
				if err := c.element.add(e); err != nil {
					return err
				}
			}
			return nil
		}
	case '"':
		if !c.dated || !c.undated {
			dated := dateForm.MatchString(v.Text())
			c.dated, c.undated = c.dated || dated, c.undated || !dated
		}
	case 't', 'f':
		kind = 't'
	case 'n':
	default:
		kind = c.number(string(v))
	}
	c.note(kind)
	return nil
}

func (c *column) note(kind byte) {
	if strings.IndexByte(c.kinds, kind) < 0 {
		c.kinds += string(rune(kind))
	}
}

func (c *column) addMembers(v jsontext.JSON) error {
	c.note('{')
	if c.members == nil {
		c.members = map[string]*column{}
	}
	seen := map[string]bool{}
	for key, value := range v.Members() {
		if seen[key] {
			return fmt.Errorf("want each member once, have %q twice", key)
		}
		seen[key] = true
		m := c.members[key]
		if m == nil {
			if len(c.names) == mostMembers {
				return fmt.Errorf("want at most %d columns", mostMembers)
			}
			m = newColumn(c.place.member(key))
			c.members[key], c.names = m, append(c.names, key)
		}
		if err := m.add(value); err != nil {
			return err
		}
	}
	return nil
}

// exact is the first integer behind which not every one is a float64.
const exact = 1 << 53

// number returns the kind of a number.
func (c *column) number(text string) byte {
	if strings.ContainsAny(text, ".eE") {
		if f, err := strconv.ParseFloat(text, 64); err != nil || math.IsInf(f, 0) {
			c.wide = true
		}
		return '.'
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if c.wide = c.wide || err != nil; n > exact || n < -exact {
		return '9'
	}
	return '0'
}

// all reports whether all values that are not null are of these kinds, and some is.
func (c *column) all(kinds string) bool {
	rest := strings.ReplaceAll(c.kinds, "n", "")
	return rest != "" && strings.Trim(rest, kinds) == ""
}

// settle decides how the values are published, from the innermost outwards.
func (c *column) settle() {
	within := c.names
	for _, name := range within {
		c.members[name].settle()
	}
	if c.element != nil {
		c.element.settle()
	}
	changed := slices.ContainsFunc(within, func(name string) bool { return c.members[name].form != asIs })
	typed := c.element != nil && c.element.all("{") && c.element.form != asText && !strings.Contains(c.element.kinds, "n")
	if c.place == atSteps && c.element != nil && !strings.Contains(c.element.kinds, "n") {
		typed = c.element.dtype() == "string" || c.element.dtype() == "bool"
	}
	switch {
	case c.place.object():
		c.form = asText
		if c.all("{") && len(within) > 0 {
			c.form = asIs
			if changed {
				c.form = inside
			}
		}
	case c.all("[") && typed:
		c.form = c.element.form
	case c.place == atContent && c.all(`["`) && strings.Contains(c.kinds, "[") && typed:
		c.form = asParts
	case strings.ContainsAny(c.kinds, "{[") || c.dtype() == "":
		c.form = asText
	}
}

// dtype returns the type of a column of single values, "" for values of different types.
func (c *column) dtype() string {
	switch {
	case strings.Trim(c.kinds, "n") == "":
		return "null"
	case c.all(`"`) && !c.timed():
		return "string"
	case c.all("t"):
		return "bool"
	case c.wide:
	case c.all("09"):
		return "int64"
	case c.all("0."):
		return "float64"
	}
	return ""
}

// timed reports whether there can be a block in which all texts are times. A role or a content is a time too seldom for that.
func (c *column) timed() bool {
	return c.dated && (!c.undated || c.place == atAny)
}

// append appends a value as it is published.
func (c *column) append(dst []byte, v jsontext.JSON) []byte {
	kind := v.Kind()
	switch {
	case c.form == asIs || kind == 'n':
	case c.form == asText:
		return append(jsontext.AppendEscaped(append(dst, '"'), string(v)), '"')
	case c.form == asParts && kind == '"':
		return append(append(append(dst, `[{"type":"text","text":`...), v...), `}]`...)
	case kind == '{':
		dst = append(dst, '{')
		for key, value := range v.Members() {
			dst = c.members[key].append(jsontext.AppendKey(jsontext.AppendComma(dst), key), value)
		}
		return append(dst, '}')
	case kind == '[':
		dst = append(dst, '[')
		for _, e := range v.Elements() {
			dst = c.element.append(jsontext.AppendComma(dst), e)
		}
		return append(dst, ']')
	}
	return append(dst, v...)
}

// texts returns the paths where JSON text replaces a value.
func (c *column) texts(at string) (paths []string) {
	if c.form == asText {
		return []string{at}
	}
	if c.element != nil {
		return c.element.texts(at + "[]")
	}
	for _, name := range c.names {
		paths = append(paths, c.members[name].texts(strings.TrimPrefix(at+"."+name, "."))...)
	}
	return paths
}

// features appends the members of an object as datasets names its features in a card.
func (c *column) features(b *strings.Builder, indent string) {
	for _, name := range c.names {
		fmt.Fprintf(b, "%s- name: %q\n", indent, name)
		c.members[name].feature(b, indent+"  ")
	}
}

func (c *column) feature(b *strings.Builder, indent string) {
	switch {
	case c.form == asText:
		fmt.Fprintf(b, "%sdtype: string\n", indent)
	case c.place.object():
		fmt.Fprintf(b, "%sstruct:\n", indent)
		c.features(b, indent)
	case c.element != nil && c.place == atSteps:
		fmt.Fprintf(b, "%slist: %s\n", indent, c.element.dtype())
	case c.element != nil:
		fmt.Fprintf(b, "%slist:\n", indent)
		c.listed().features(b, indent)
	default:
		fmt.Fprintf(b, "%sdtype: %q\n", indent, c.dtype())
	}
}

// listed returns the elements, with the members that a text has as a part.
func (c *column) listed() *column {
	if c.form != asParts {
		return c.element
	}
	e := *c.element
	for _, name := range []string{"type", "text"} {
		if e.members[name] == nil {
			e.names, e.members[name] = append(e.names, name), &column{kinds: `"`}
		}
	}
	return &e
}
