package alias

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A tree is a decoded JSON value that keeps the order of members.
type tree struct {
	kind  byte // '{', '[', '"' or 0 for the other values
	text  string
	keys  []string
	items []*tree
}

func parse(text string) *tree {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	t, err := parseNext(d)
	if err != nil || d.More() {
		return nil
	}
	return t
}

func parseNext(d *json.Decoder) (*tree, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case string:
		return &tree{kind: '"', text: v}, nil
	case json.Delim:
		t := &tree{kind: byte(v)}
		for d.More() {
			if v == '{' {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				t.keys = append(t.keys, key.(string))
			}
			item, err := parseNext(d)
			if err != nil {
				return nil, err
			}
			t.items = append(t.items, item)
		}
		_, err = d.Token()
		return t, err
	}
	raw, err := json.Marshal(token)
	return &tree{text: string(raw)}, err
}

func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s)
	return strings.TrimSuffix(b.String(), "\n")
}

func (t *tree) String() string {
	var parts []string
	switch t.kind {
	case '"':
		return quoted(t.text)
	case '{':
		for i, item := range t.items {
			parts = append(parts, quoted(t.keys[i])+":"+item.String())
		}
		return "{" + strings.Join(parts, ",") + "}"
	case '[':
		for _, item := range t.items {
			parts = append(parts, item.String())
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return t.text
}

func (t *tree) get(key string) *tree {
	if i := slices.Index(t.keys, key); i >= 0 {
		return t.items[i]
	}
	return &tree{}
}

// grammar says for each context what the members of an object lead to. "[]x" is a list of x.
var grammar = map[string]map[string]string{
	"row": {"request": "request", "response": "response", "messages": "[]message", "tools": "tools", "toolChoice": "choice",
		"actions": "[]action", "agent_actions": "[]call", "availableActions": "set", "metadata": "options",
		"expectedResponse": "text", "memoryEntries": "[]message"},
	"request":  {"messages": "[]message", "tools": "tools", "toolChoice": "choice", "providerOptions": "options", "allowedToolNames": "set"},
	"response": {"text": "text", "toolCalls": "[]call", "steps": "[]response"},
	"message":  {"tool_calls": "[]call", "toolCalls": "[]call"},
	"call":     {"name": "name", "toolName": "name", "function": "call"},
	"planned":  {"name": "name", "toolName": "name", "function": "call"},
	"part":     {"toolName": "name", "toolInvocation": "call"},
	"action":   {"name": "name"},
	"choice":   {"name": "name", "toolName": "name", "function": "call", "tools": "tools"},
	"tool":     {"name": "name", "function": "function"},
	"function": {"name": "name"},
	"options":  {"toolSpecs": "tools", "availableActions": "set", "allowedToolNames": "set"},
	"envelope": {"toolCalls": "[]call", "actions": "[]planned", "candidateActions": "set", "plan": "envelope"},
}

// A model rewrites a tree as the package says it rewrites text.
type model struct {
	rules  *rules
	inside bool
}

func (m *model) rename(t *tree) bool {
	if t.kind != '"' {
		return false
	}
	found := m.rules.lookup(t.text)
	if found.to == "" || found.to == t.text {
		return false
	}
	t.text = found.to
	return true
}

func (m *model) walk(context string, t *tree) {
	if each, ok := strings.CutPrefix(context, "[]"); ok {
		if t.kind == '[' {
			for _, item := range t.items {
				m.walk(each, item)
			}
		}
		return
	}
	switch {
	case context == "name", t.kind == '"' && (context == "action" || context == "planned"):
		m.rename(t)
	case context == "text":
		m.text(t)
	case context == "set", context == "tools":
		m.set(context, t)
	case context == "choice" && t.kind == '"':
		if t.text != "auto" {
			m.rename(t)
		}
	case context == "envelope" && t.kind == '[':
		m.walk("[]envelope", t)
	case t.kind == '{':
		m.object(context, t)
	}
}

func (m *model) object(context string, t *tree) {
	before := t.get("name").text
	for i, key := range slices.Clone(t.keys) {
		switch child := grammar[context][key]; {
		case child != "":
			m.walk(child, t.items[i])
		case context == "options":
			if t.items[i].kind == '{' {
				m.object("options", t.items[i])
			}
		}
	}
	switch context {
	case "action":
		if name := slices.Index(t.keys, "name"); name >= 0 && t.items[name].text != before && !slices.Contains(t.keys, "originalName") {
			t.keys = slices.Insert(t.keys, name+1, "originalName")
			t.items = slices.Insert(t.items, name+1, &tree{kind: '"', text: before})
		}
	case "envelope":
		if slices.Contains(t.keys, "args") {
			m.rename(t.get("name"))
		}
	case "message":
		role := t.get("role").text
		if role == "tool" {
			m.rename(t.get("name"))
		}
		switch content := t.get("content"); {
		case content.kind == '[':
			for _, part := range content.items {
				m.walk("part", part)
				if part.kind == '{' && part.get("type").text == "tool-call" {
					m.rename(part.get("name"))
				}
				if role == "assistant" && part.kind == '{' {
					m.text(part.get("text"))
				}
			}
		case role == "assistant":
			m.text(content)
		}
	}
}

func (m *model) text(t *tree) {
	if t.kind != '"' || m.inside || t.text == "" || t.text[0] != '{' && t.text[0] != '[' {
		return
	}
	m.nested("envelope", t)
}

func (m *model) nested(context string, t *tree) {
	if m.inside {
		return
	}
	if held := parse(t.text); held != nil {
		m.inside = true
		m.walk(context, held)
		m.inside = false
		t.text = held.String()
	}
}

// set renames what a list or map of names holds and takes out what stands twice afterwards.
func (m *model) set(context string, t *tree) {
	if t.kind == '"' && context == "tools" {
		m.nested("tools", t)
	}
	if t.kind != '[' && (t.kind != '{' || context != "tools") {
		return
	}
	names, renamed := make([]string, len(t.items)), make([]bool, len(t.items))
	for i, item := range t.items {
		switch {
		case t.kind == '{':
			key := &tree{kind: '"', text: t.keys[i]}
			renamed[i] = m.rename(key)
			names[i], t.keys[i] = key.text, key.text
			m.walk("tool", item)
		case item.kind == '"':
			renamed[i] = m.rename(item)
			names[i] = item.text
		case item.kind == '{':
			before := toolName(item)
			m.walk("tool", item)
			names[i] = toolName(item)
			renamed[i] = names[i] != before
		}
	}
	for i := len(t.items) - 1; i >= 0; i-- {
		double := false
		for j := range names {
			double = double || renamed[i] && j != i && names[j] == names[i] && (!renamed[j] || j < i)
		}
		if double {
			t.items = slices.Delete(t.items, i, i+1)
			if t.kind == '{' {
				t.keys = slices.Delete(t.keys, i, i+1)
			}
		}
	}
}

// toolName is the last of the names that a definition has.
func toolName(t *tree) (name string) {
	for i, key := range t.keys {
		switch item := t.items[i]; {
		case key == "name" && item.kind == '"':
			name = item.text
		case key == "function" && item.kind == '{' && item.get("name").kind == '"':
			name = item.get("name").text
		}
	}
	return name
}

// A dice makes choices out of the bytes of a fuzz input; when they are used up, it always gives 0.
type dice struct{ data []byte }

func (d *dice) roll(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	c := d.data[0]
	d.data = d.data[1:]
	return int(c) % n
}

var fuzzNames = []string{"REPLY", "SHELL_COMMAND", "shell command", "RUN_SHELL_COMMAND", "TASKS", "SPAWN_AGENT", "TASK_CALL", "web_search", "", "é\"\\\n😀", "response", "\u2028"}

// document builds what a context holds, or something else in its place.
func (d *dice) document(context string, depth int) *tree {
	name := &tree{kind: '"', text: fuzzNames[d.roll(len(fuzzNames))]}
	if each, ok := strings.CutPrefix(context, "[]"); ok {
		t := &tree{kind: '['}
		for range d.roll(4) {
			t.items = append(t.items, d.document(each, depth-1))
		}
		return t
	}
	if depth <= 0 || d.roll(12) == 0 {
		return []*tree{name, {text: "null"}, {text: "1"}, {kind: '['}, {kind: '{'}}[d.roll(5)]
	}
	switch context {
	case "name":
		return name
	case "text":
		if d.roll(3) == 0 {
			return name
		}
		return &tree{kind: '"', text: d.document([]string{"envelope", "[]envelope"}[d.roll(2)], depth-1).String()}
	case "set":
		return d.document([]string{"[]name", "[]tool"}[d.roll(2)], depth)
	case "tools":
		switch d.roll(3) {
		case 0:
			return &tree{kind: '"', text: d.document("[]tool", depth-1).String()}
		case 1:
			t := &tree{kind: '{'}
			for range d.roll(4) {
				if key := fuzzNames[d.roll(len(fuzzNames))]; !slices.Contains(t.keys, key) {
					t.keys, t.items = append(t.keys, key), append(t.items, d.document("tool", depth-1))
				}
			}
			return t
		}
		return d.document("[]tool", depth)
	}
	return d.object(context, depth)
}

func (d *dice) object(context string, depth int) *tree {
	children := map[string]string{"description": "name"}
	for key, child := range grammar[context] {
		children[key] = child
	}
	switch context {
	case "message":
		children["content"] = []string{"text", "[]part"}[d.roll(2)]
		children["name"] = "name"
	case "part":
		children["name"], children["text"] = "name", "text"
	case "envelope":
		children["name"], children["args"] = "name", "call"
	case "options":
		children["eliza"] = "options"
	}
	var keys []string
	for key := range children {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	t := &tree{kind: '{'}
	for range d.roll(5) {
		if key := keys[d.roll(len(keys))]; !slices.Contains(t.keys, key) {
			t.keys, t.items = append(t.keys, key), append(t.items, d.document(children[key], depth-1))
		}
	}
	kinds := map[string][]string{"message": {"assistant", "tool", "user", "system"}, "part": {"text", "tool-call", "tool-SPAWN_AGENTS"}}[context]
	if kinds != nil {
		key := map[string]string{"message": "role", "part": "type"}[context]
		t.keys, t.items = append(t.keys, key), append(t.items, &tree{kind: '"', text: kinds[d.roll(len(kinds))]})
	}
	return t
}

// FuzzAlias compares the walk over text with the model over a tree, and makes sure that a second pass changes nothing.
func FuzzAlias(f *testing.F) {
	for seed := range 64 {
		data := make([]byte, 200)
		x := uint32(seed)*2654435761 + 1
		for i := range data {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
			data[i] = byte(x >> 8)
		}
		f.Add(data)
	}
	rules := loaded(f, "standard", shipped, nil)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data}
		row := d.object("row", 9)
		text := row.String()
		have := rewritten(rules, text)
		(&model{rules: rules}).walk("row", row)
		if want := row.String(); have != want {
			t.Fatalf("%s:\nwant %s\nhave %s", text, want, have)
		}
		var loose bytes.Buffer
		json.Indent(&loose, []byte(text), " ", "\t")
		if spaced := parse(rewritten(rules, loose.String())); spaced == nil || spaced.String() != row.String() {
			t.Fatalf("%s: want white space to change nothing, have\n%s", text, spaced)
		}
		if again := rewritten(rules, have); again != have {
			t.Fatalf("%s: want it to stay, have\n%s", have, again)
		}
	})
}

func rewritten(r *rules, text string) string {
	w := &walk{names: names{rules: r}}
	w.row(&jsontext.Cursor{JSON: jsontext.JSON(text)})
	return string(w.edits.apply(nil, text))
}
