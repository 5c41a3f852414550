package pair

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// choices are the answers that a question offers. Those of no question have no texts.
type choices struct {
	columns []string // that hold them
	texts   []string
	labels  []string // by which the record names them; nil: by the index from 0
	key     string   // the column that says which one is right
}

// keys are the columns that say which choice is right, in order.
var keys = []string{
	"answerKey", "answer_key", "answer_idx", "answer_index", "correct_answer_idx", "correct_index", "correct_option", "correct_choice",
	"correct_answer", "correct", "cop", "gold", "label", "answer", "target", "solution", "output", "response", "completion",
	"explanation",
}

// maxChoices is how many choices have a letter.
const maxChoices = 26

// findChoices returns the choices of the record and the column with the right one.
func (p *adapter) findChoices() (c choices, err error) {
	if !p.isOpen {
		return c, nil
	}
	if c = p.choicesIn(); c.texts == nil {
		c = p.choicesOf()
	}
	if c.texts == nil {
		return c, nil
	}
	if c.key = p.first(keys, func(v jsontext.JSON) bool { return v.Kind() != '{' && v != `""` }); c.key == "" {
		return choices{}, nil
	}
	if len(c.texts) > maxChoices {
		return c, sdk.Reject("bad_choice", c.columns[0], "want at most %d choices, have %d", maxChoices, len(c.texts))
	}
	c.texts = withoutLetters(c.texts)
	return c, nil
}

// offers are columns that hold all choices.
var offers = []string{"choices", "options", "endings", "answer_choices", "answer_options"}

// choicesIn returns the choices that one column holds: a list of texts or of labels with texts, an object of both, or a text
// by each label.
func (p *adapter) choicesIn() (c choices) {
	for _, column := range offers {
		value := p.value(column)
		if body, ok := value.Quoted(); ok {
			value, _ = calls.Value(body.Text())
		}
		switch c = (choices{columns: []string{column}}); value.Kind() {
		case '[':
			for _, v := range value.Elements() {
				label, text := v.Get("label"), v
				if v.Kind() == '{' {
					text = v.Get("text")
					c.labels = append(c.labels, textOf(label))
				}
				c.texts = append(c.texts, textOf(text))
			}
		case '{':
			c.fromObject(value)
		}
		if len(c.texts) > 1 && !slices.Contains(c.texts, "") && (c.labels == nil || len(c.labels) == len(c.texts)) {
			return c
		}
	}
	return choices{}
}

func (c *choices) fromObject(value jsontext.JSON) {
	labels, texts := value.Get("label"), value.Get("text")
	if texts.Kind() == '[' {
		for _, v := range texts.Elements() {
			c.texts = append(c.texts, textOf(v))
		}
		for _, v := range labels.Elements() {
			c.labels = append(c.labels, textOf(v))
		}
		return
	}
	for key, v := range value.Members() {
		if len(key) > 2 { // an object of settings
			c.texts = nil
			return
		}
		c.labels, c.texts = append(c.labels, key), append(c.texts, textOf(v))
	}
}

// textOf returns a text or a number as a text, "" for any other value.
func textOf(v jsontext.JSON) string {
	switch v.Kind() {
	case '"':
		return strings.TrimSpace(v.Text())
	case '{', '[', 'n', 't', 'f', 0:
		return ""
	}
	return string(v)
}

// numbered are the names of columns with one choice each, before their number or letter.
var numbered = []struct{ name, first string }{
	{"", "A"}, {"option_", "a"}, {"option_", "A"}, {"option", "A"}, {"option", "a"}, {"choice_", "a"}, {"choice_", "A"}, {"choice", "A"}, {"op", "a"},
	{"opt", "a"}, {"answer_", "a"}, {"answer", "A"}, {"option", "1"}, {"option_", "1"}, {"option", "0"}, {"option_", "0"}, {"choice", "1"}, {"choice_", "1"}, {"choice", "0"}, {"choice_", "0"},
	{"ending", "0"}, {"ending", "1"}, {"ending_", "0"}, {"sol", "1"},
}

// choicesOf returns the choices that have a column each.
func (p *adapter) choicesOf() choices {
	for _, n := range numbered {
		var c choices
		for i := range maxChoices {
			label := string(n.first[0] + byte(i))
			text := textOf(p.value(n.name + label))
			if text == "" || label == ":" {
				break
			}
			c.columns, c.labels, c.texts = append(c.columns, n.name+label), append(c.labels, label), append(c.texts, text)
		}
		switch {
		case len(c.texts) < 2:
			continue
		case n.name == "op" || n.name == "sol" || n.name == "ending": // named by the index in MedMCQA, PIQA and SWAG
			c.labels = nil
		}
		return c
	}
	return choices{}
}

// withoutLetters cuts the letters off choices that all begin with theirs.
func withoutLetters(texts []string) []string {
	bare := make([]string, len(texts))
	for i, text := range texts {
		rest, ok := strings.CutPrefix(strings.TrimPrefix(text, "("), letter(i))
		if !ok || rest == "" || !strings.ContainsRune(".):", rune(rest[0])) {
			return texts
		}
		bare[i] = strings.TrimSpace(rest[1:])
	}
	return bare
}

func letter(i int) string { return string(rune('A' + i)) }

// text returns the choices, each on a line with its letter.
func (c *choices) text() jsontext.Body {
	lines := make([]string, len(c.texts))
	for i := range lines {
		lines[i] = c.at(i)
	}
	return jsontext.BodyOf(strings.Join(lines, "\n"))
}

func (c *choices) at(i int) string { return letter(i) + ". " + c.texts[i] }

// in reports whether a question lists the choices with their letters itself.
func (c *choices) in(question string) bool {
	for i, text := range c.texts {
		listed := slices.ContainsFunc([]string{". ", ") ", ": ", ".", ")"}, func(by string) bool {
			return strings.Contains(question, letter(i)+by+text)
		})
		if !listed {
			return false
		}
	}
	return true
}

// answer returns the right choice, with its letter, or the answer in words that the key is.
func (c *choices) answer(value jsontext.JSON) (jsontext.Body, error) {
	if list := value.List(); len(list) == 1 {
		value = list[0]
	}
	at, fits := c.index(value)
	if fits == 1 {
		return jsontext.BodyOf(c.at(at)), nil
	}
	body, isText := value.Quoted()
	if fits == 0 && isText && len(strings.Fields(body.Text())) > 1 {
		return body, nil
	}
	have := jsontext.Seen(value)
	if value.Kind() == '-' || value.Kind() >= '0' && value.Kind() <= '9' {
		have = string(value[:min(len(value), 8)])
	}
	if fits > 1 {
		return "", sdk.Reject("bad_choice", c.key, "want one of %d choices, have %s, which may mean two of them", len(c.texts), have)
	}
	return "", sdk.Reject("bad_choice", c.key, "want one of %d choices, have %s", len(c.texts), have)
}

// index returns the choice that a label, an index, a letter or a text names, and how many different ones it may name.
func (c *choices) index(value jsontext.JSON) (at, fits int) {
	name := textOf(value)
	if name == "" {
		return 0, 0
	}
	bare := strings.Trim(name, "().: ")
	var found []int
	note := func(i int) {
		if i >= 0 && i < len(c.texts) && !slices.Contains(found, i) {
			found = append(found, i)
		}
	}
	labels := c.labels
	if c.key == "label" && value.Kind() != '"' { // the number of a class, from 0
		labels = nil
	}
	byLabel := slices.IndexFunc(labels, func(label string) bool { return strings.EqualFold(label, bare) })
	note(byLabel)
	if byLabel < 0 {
		if n, err := strconv.Atoi(bare); err == nil && labels == nil {
			note(n)
		} else if len(bare) == 1 && (labels == nil || labels[0] == "1" || labels[0] == "0") {
			note(int(strings.ToUpper(bare)[0]) - 'A')
		}
	}
	if value.Kind() == '"' || len(found) > 0 {
		note(slices.IndexFunc(c.texts, func(text string) bool { return strings.EqualFold(text, name) }))
	}
	for i := range c.texts { // "B. text", and a choice that is said in full
		if strings.EqualFold(name, c.at(i)) || strings.EqualFold(name, letter(i)+") "+c.texts[i]) {
			note(i)
		}
	}
	if len(found) == 0 {
		return 0, 0
	}
	return found[0], len(found)
}
