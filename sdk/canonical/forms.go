package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// namesInArguments adds the names in the arguments of calls of Eliza's own: the lists in the answer of its message handler, and the tool
// that an action leads to. Arguments of other calls hold no names.
func (rd *reader) namesInArguments(name jsontext.Body, args jsontext.JSON) {
	if rd.found == nil {
		return
	}
	switch name {
	case "HANDLE_RESPONSE":
		rd.postponeValue(inOptions, rd.found.unwrap(args))
	case "TASKS", "TASK_CALL":
		inner := rd.at(rd.found.unwrap(args))
		for key := range inner.Members() {
			if key == "tool" {
				inner.name(CallUse)
			}
		}
	}
}

// listed adds the names in a text with commas.
func (f *found) listed(body jsontext.Body) {
	for more := true; more; {
		var name, rest string
		name, rest, more = strings.Cut(string(body), ",")
		name = name[space(jsontext.Body(name)):]
		f.add(TextUse, jsontext.Body(strings.TrimRight(string(trimBreaks(jsontext.Body(strings.TrimRight(name, " ")))), " ")))
		body = jsontext.Body(rest)
	}
}

// actionNames reads the actions of an envelope, a list or a text with commas, and returns their names.
func (rd *reader) actionNames() (names []jsontext.Body) {
	from := len(rd.found.names)
	if rd.Kind() == '"' {
		body, _ := rd.String()
		rd.found.listed(body)
	}
	for range rd.Elements() {
		if rd.Kind() == '"' {
			rd.name(TextUse)
			continue
		}
		value := rd.Value()
		rd.at(value).call("", 0)
		inner := rd.at(value)
		for key := range inner.Members() {
			if key == "action" {
				inner.name(TextUse)
			}
		}
	}
	for _, n := range rd.found.names[from:] {
		names = append(names, n.Body)
	}
	return names
}

// keysAmong adds the keys of an object that are names of a list: an envelope has parameters by the names of its actions.
func (rd *reader) keysAmong(names []jsontext.Body) {
	if rd.JSON == "" || len(names) == 0 {
		return
	}
	among := map[string]bool{}
	for _, name := range names {
		among[strings.ToUpper(name.Text())] = true
	}
	for key := range rd.Members() {
		if among[strings.ToUpper(key)] {
			rd.found.add(TextUse, jsontext.JSON(strings.TrimRight(string(rd.JSON[rd.Key:rd.At]), ": \t\r\n")).Body())
		}
	}
}

// plain adds the names of an answer in one of Eliza's earlier forms, and reports whether it is one: TOON, whose line "actions[1]: NAME"
// comes with one of a thought, or <response> with <actions>.
func (f *found) plain(body jsontext.Body) bool {
	text := string(body)
	switch {
	case strings.HasPrefix(text, "thought: "), strings.HasPrefix(text, "actions["):
		return f.toon(body)
	case strings.HasPrefix(text, "<response>"):
		_, text, _ = strings.Cut(text, "<actions>")
		text, _, ok := strings.Cut(text, "</actions>")
		if ok && !strings.Contains(text, "<") {
			f.listed(jsontext.Body(text))
		} else if ok {
			f.elements(text)
		}
		return ok
	}
	return false
}

// toon adds the names in the line of the actions.
func (f *found) toon(body jsontext.Body) bool {
	const word = "actions["
	at := strings.Index(string(body), word)
	if at < 0 || at > 0 && !endsLine(body[:at]) {
		return false
	}
	line := body[at+len(word):]
	count := len(line) - len(strings.TrimLeft(string(line), "0123456789"))
	list, ok := strings.CutPrefix(string(line[count:]), "]:")
	if !ok || count == 0 {
		return false
	}
	if end := strings.Index(list, `\n`); end >= 0 {
		list = list[:end]
	}
	f.listed(jsontext.Body(list))
	return true
}

// elements adds the names in <name> and, without one, in <action>.
func (f *found) elements(text string) {
	for {
		_, inner, ok := strings.Cut(text, "<action>")
		if !ok {
			return
		}
		if inner, text, ok = strings.Cut(inner, "</action>"); !ok {
			return
		}
		if _, name, ok := strings.Cut(inner, "<name>"); ok {
			inner, _, _ = strings.Cut(name, "</name>")
		}
		f.listed(jsontext.Body(inner))
	}
}

// offered adds the names of tools between tags, as Hermes lists them.
func (f *found) offered(body jsontext.Body) {
	const open, end = "<tools>", "</tools>"
	_, list, ok := strings.Cut(string(body), open)
	if !ok {
		return
	}
	if list, _, ok = strings.Cut(list, end); ok {
		f.toolsIn(jsontext.Body(list[space(jsontext.Body(list)):]))
	}
}

// toolsIn reads the lists and objects that a body begins with.
func (f *found) toolsIn(body jsontext.Body) {
	if body == "" || body[0] != '[' && body[0] != '{' || len(body) > 6*jsontext.EmbeddedSize {
		return
	}
	text := body.Text()
	f.inner, f.sorted = append(f.inner, inner{body: body, text: text}), false
	c := jsontext.JSON(text).Cursor()
	for kind := c.Kind(); kind == '[' || kind == '{'; kind = c.Kind() {
		value, ok := jsontext.Embedded(string(c.Value()))
		if !ok {
			return
		}
		(&reader{Cursor: value.Cursor(), row: f.aside, found: f}).tools()
	}
}
