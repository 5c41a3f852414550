package modelspec

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// styleOf returns how the calls of the row are written: a value of the attribute calls other than "auto". A model stops at the first
// message in a format that halts, so "auto" puts several calls at the end of a row into one message: calls of one tool into a
// list, those of different tools into Python, if Python can express the names. All other rows have a message for each call.
func (c *converter) styleOf() string {
	if c.Calls != "auto" {
		return c.Calls
	}
	several, different, last := false, false, jsontext.Body("")
	t := c.row.Response
	for i := t.From; i < t.To; i++ {
		switch p := &c.row.Parts[i]; p.Kind {
		case canonical.ResultPart:
			several, different, last = false, false, ""
			i += p.Sub
		case canonical.CallPart:
			different = different || last != "" && !last.Is(p.Name)
			several, last = last != "", p.Name
		}
	}
	noIdentifier := func(p canonical.Part) bool {
		return p.Kind == canonical.CallPart && !toolschema.IsIdentifier(p.Name.Text())
	}
	switch {
	case several && !different:
		return "array"
	case several && !slices.ContainsFunc(c.row.Parts, noIdentifier):
		return "python"
	}
	return "consecutive"
}

// arrange changes the answer, in a copy of the row, where a thread of it would not be what the model did. An answer that is the
// input of the one tool to call, as JSON in a text, becomes the call. Texts behind a call that halts go before it, since the
// model stops there.
func (c *converter) arrange(r *sdk.Record) {
	t := c.row.Response
	if c.row.Has(t, canonical.ResultPart) || c.row.Has(t, canonical.StepPart) {
		return
	}
	parts := c.row.Parts[t.From:t.To]
	if text, call, ok := c.calledInText(parts); ok {
		r.Count("call.in_text", 1)
		parts = slices.Clone(parts)
		for i := range parts {
			if i == text {
				parts[i] = call
			} else if parts[i].Kind == canonical.CallPart {
				parts[i] = canonical.Part{Kind: canonical.TextPart, Mate: -1}
			}
		}
	} else if c.speaksAfterCall(parts) {
		r.Count("repair.text_after_call", 1)
		parts = slices.SortedStableFunc(slices.Values(parts), func(a, b canonical.Part) int { return callsLast(a) - callsLast(b) })
	} else {
		return
	}
	c.own = *c.row
	c.own.Parts = slices.Concat(c.row.Parts[:t.From], parts, c.row.Parts[t.To:])
	c.row = &c.own
}

func callsLast(p canonical.Part) int {
	if p.Kind == canonical.CallPart {
		return 1
	}
	return 0
}

// speaksAfterCall reports whether a text follows a call that halts.
func (c *converter) speaksAfterCall(parts []canonical.Part) bool {
	halts := false
	for _, p := range parts {
		switch {
		case p.Kind == canonical.CallPart:
			halts = halts || !c.unanswered[p.Name.Text()] && !c.unanswered[notation.PythonTool]
		case halts && p.Kind == canonical.TextPart && !p.Body.Blank():
			return true
		}
	}
	return false
}

// calledInText returns the index of the only text of an answer and the call that the text is: an object that fits the input of the
// one tool to call. Beside it there may be a call of that tool, whose arguments are members of the text.
func (c *converter) calledInText(parts []canonical.Part) (text int, call canonical.Part, ok bool) {
	at := c.toolToCall()
	if at < 0 || c.row.Output.Kind() == '{' {
		return 0, call, false
	}
	text = -1
	var made []canonical.Part
	for i, p := range parts {
		switch p.Kind {
		case canonical.TextPart, canonical.MediaPart:
			if text >= 0 || p.Kind == canonical.MediaPart {
				return 0, call, false
			}
			text = i
		case canonical.CallPart:
			made = append(made, p)
		}
	}
	if text < 0 || len(made) > 1 {
		return 0, call, false
	}
	input, ok := unfenced(parts[text].Body.Text())
	if named := input.Get("arguments"); ok && input.Get("name").Text() == c.section.tools[at].name && named.Kind() == '{' {
		input = named
	}
	if !ok || !c.fits(c.section.defined[at].Schema, input) {
		return 0, call, false
	}
	call = canonical.Part{Kind: canonical.CallPart, Name: jsontext.BodyOf(c.section.tools[at].name), Value: input, Mate: -1}
	if len(made) == 1 {
		call.ID = made[0].ID
		return text, call, made[0].Name.Text() == c.section.tools[at].name && isPart(made[0].Value, input)
	}
	return text, call, true
}

// toolToCall returns the index of the tool that the choice of tools names, or else of the only one, or -1.
func (c *converter) toolToCall() int {
	choice := c.row.ToolChoice
	name := choice.Text()
	allowed, n := jsontext.JSON(""), 0
	for _, tool := range choice.Get("tools").Elements() { // of OpenAI's "allowed_tools"
		allowed = tool
		n++
	}
	if n == 1 {
		choice = allowed
	}
	for _, path := range [][]string{{"toolName"}, {"name"}, {"function", "name"}, {"tool", "name"}} {
		value := choice
		for _, key := range path {
			value = value.Get(key)
		}
		if text := value.Text(); text != "" {
			name = text
		}
	}
	if i, ok := c.section.named[name]; ok {
		return i
	}
	if name == "none" || choice.Get("type").Text() == "none" || len(c.section.tools) != 1 {
		return -1
	}
	return 0
}

// fits reports whether an object is the input of a tool: it fits the schema and has a member that the schema names, unless that leaves
// the members to alternatives. Where nothing forces a call, all its members are of the schema.
func (c *converter) fits(schema, input jsontext.JSON) bool {
	properties, open := schema.Get("properties"), schema.Get("additionalProperties")
	alternatives := schema.Get("anyOf") != "" || schema.Get("oneOf") != "" || schema.Get("allOf") != ""
	known, others := 0, 0
	for key := range input.Members() {
		if properties.Get(key) != "" {
			known++
		} else {
			others++
		}
	}
	switch {
	case notation.Conform(schema, input) != "":
		return false
	case c.row.Forced():
		return known > 0 || others == 0 || alternatives
	}
	return known > 0 && (others == 0 || open != "" && open != "false")
}

// isPart reports whether every argument of a call is a member of an object.
func isPart(args, object jsontext.JSON) bool {
	if body, quoted := args.Quoted(); quoted {
		args, _ = body.Embedded()
	}
	for key, value := range args.Members() {
		if !toolschema.Same(value, object.Get(key)) {
			return false
		}
	}
	return args == "" || args.Kind() == '{' || args.Kind() == 'n'
}

// unfenced returns the object that a text consists of. A code fence may surround it.
func unfenced(text string) (jsontext.JSON, bool) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "```"); ok {
		_, inner, _ = strings.Cut(inner, "\n")
		text = strings.TrimSuffix(inner, "```")
	}
	value, ok := jsontext.Embedded(text)
	return value, ok && value.Kind() == '{'
}
