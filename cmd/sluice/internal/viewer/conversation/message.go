package conversation

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

func turns(list gjson.Result, at string) (all []Turn) {
	list.ForEach(func(_, m gjson.Result) bool {
		all = append(all, turn(m, under(at, strconv.Itoa(len(all))), ""))
		return true
	})
	return all
}

func roleOf(m gjson.Result) string {
	for _, key := range []string{"role", "from", "speaker", "author"} {
		if v := m.Get(key); v.Type == gjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}

func shownRole(name string) string {
	switch word := strings.ToLower(strings.TrimSpace(name)); word {
	case "platform":
		return "system"
	case "model":
		return "assistant"
	case "context":
		return "tool"
	default:
		if role := canonical.RoleOf(word); role != canonical.NoRole {
			return role.String()
		}
	}
	return "other"
}

// turn reads a message: an object, or a text of a role.
func turn(m gjson.Result, at, role string) Turn {
	t := Turn{Spelling: cmp.Or(role, roleOf(m)), Path: at}
	if !m.IsObject() {
		t.Role = shownRole(t.Spelling)
		t.content(m, at)
		return t
	}
	if role := m.Get("role"); role.Type == gjson.String {
		t.Spelling = role.Str
	}
	t.Role = shownRole(t.Spelling)
	for _, key := range []string{"name", "speaker"} {
		if v := m.Get(key).Str; v != t.Spelling {
			t.Name = cmp.Or(t.Name, v)
		}
	}
	t.marks(m)
	for _, key := range []string{"reasoning_content", "reasoning", "thinking", "thought"} {
		if v := m.Get(key); v.Type == gjson.String && v.Str != "" {
			t.add(Part{Kind: Thought, Text: v.Str})
			break
		}
	}
	id := cmp.Or(m.Get("tool_call_id").Str, m.Get("toolCallId").Str)
	for _, key := range []string{"content", "value", "text", "parts"} {
		v := m.Get(key)
		if !v.Exists() || v.Type == gjson.Null {
			continue
		}
		before := len(t.Parts)
		t.content(v, under(at, key))
		for i := before; i < len(t.Parts) && t.Role == "tool"; i++ {
			if p := &t.Parts[i]; p.Kind == Text {
				p.Kind, p.Name, p.ID = Result, t.Name, id
			}
		}
		break
	}
	t.format(m.Get("format").Str)
	for _, key := range []string{"tool_calls", "toolCalls"} {
		n := 0
		m.Get(key).ForEach(func(_, c gjson.Result) bool {
			t.add(callOf(c, under(under(at, key), strconv.Itoa(n))))
			n++
			return true
		})
	}
	if c := m.Get("function_call"); c.IsObject() {
		t.add(callOf(c, under(at, "function_call")))
	}
	return t
}

func (t *Turn) marks(m gjson.Result) {
	if w := m.Get("weight"); w.Type == gjson.Number && w.Num == 0 || m.Get("train").Type == gjson.False {
		t.Marks = append(t.Marks, "not trained on")
	}
	if m.Get("correct").Type == gjson.False {
		t.Marks = append(t.Marks, "not correct")
	}
	if f := m.Get("format").Str; f != "" {
		t.Marks = append(t.Marks, "format "+f)
	}
	if end := m.Get("end_turn"); end.Type == gjson.False {
		t.Marks = append(t.Marks, "goes on")
	}
}

// format reads the format of a thread's message: reasoning, or a call of a tool in a language.
func (t *Turn) format(format string) {
	if t.Role != "assistant" || len(t.Parts) != 1 || t.Parts[0].Kind != Text {
		return
	}
	p := &t.Parts[0]
	switch name, language, ok := strings.Cut(format, ":"); {
	case format == "reasoning":
		p.Kind = Thought
	case ok && language == "json" && gjson.Valid(p.Text):
		*p = Part{Kind: Call, Name: name, JSON: p.Text}
	case ok:
		p.Kind, p.Name = Call, name
	}
}

func (t *Turn) add(p Part) { t.Parts = append(t.Parts, p) }

// content reads what a message says: a text, or a list of parts.
func (t *Turn) content(v gjson.Result, at string) {
	switch {
	case v.Type == gjson.String:
		if v.Str != "" {
			t.add(Part{Kind: Text, Text: v.Str})
		}
	case v.IsArray():
		n := 0
		v.ForEach(func(_, p gjson.Result) bool {
			t.add(partOf(p, under(at, strconv.Itoa(n))))
			n++
			return true
		})
	case v.IsObject() && v.Get("text").Type == gjson.String:
		t.add(partOf(v, at))
	case v.Exists() && v.Type != gjson.Null:
		t.add(Part{Kind: Aside, Name: "value", JSON: v.Raw, Path: at})
	}
}

func partOf(p gjson.Result, at string) Part {
	kind := strings.ToLower(strings.ReplaceAll(p.Get("type").Str, "_", "-"))
	switch {
	case p.Type == gjson.String:
		return Part{Kind: Text, Text: p.Str}
	case kind == "thinking" || kind == "reasoning" || kind == "redacted-thinking":
		return Part{Kind: Thought, Text: cmp.Or(p.Get("thinking").Str, p.Get("text").Str, p.Get("reasoning").Str)}
	case kind == "tool-use" || kind == "tool-call" || kind == "function-call":
		return callOf(p, at)
	case kind == "tool-result" || kind == "function-response":
		return resultOf(p, at)
	case p.Get("text").Type == gjson.String:
		return Part{Kind: Text, Text: p.Get("text").Str}
	}
	for _, medium := range []string{"image", "audio", "video", "file", "document"} {
		if strings.Contains(kind, medium) {
			return Part{Kind: Media, Name: medium, JSON: p.Raw, Path: at}
		}
	}
	return Part{Kind: Aside, Name: cmp.Or(p.Get("type").Str, "part"), JSON: p.Raw, Path: at}
}

func callOf(c gjson.Result, at string) Part {
	f := c
	if inner := c.Get("function"); inner.IsObject() {
		f, at = inner, under(at, "function")
	}
	p := Part{Kind: Call, Name: first(f, "name", "toolName").Str, ID: first(c, "id", "toolCallId", "call_id").Str}
	if p.Name == "" && c.Get("function").Type == gjson.String {
		p.Name = c.Get("function").Str
	}
	key := keyOf(f, "arguments", "input", "args", "parameters")
	p.value(f.Get(key), under(at, key))
	return p
}

func resultOf(r gjson.Result, at string) Part {
	p := Part{Kind: Result, Name: first(r, "toolName", "name").Str, ID: first(r, "toolCallId", "tool_use_id", "tool_call_id").Str}
	key := keyOf(r, "output", "content", "result")
	v := r.Get(key)
	at = under(at, key)
	if kind := v.Get("type").Str; kind != "" && v.Get("value").Exists() { // as the AI SDK has it
		p.Failed = strings.HasPrefix(kind, "error")
		v, at = v.Get("value"), under(at, "value")
	}
	p.Failed = p.Failed || r.Get("isError").Bool() || r.Get("is_error").Bool()
	p.value(v, at)
	return p
}

// value sets the value of a call or a result. JSON in a string counts as JSON.
func (p *Part) value(v gjson.Result, at string) {
	switch {
	case !v.Exists():
	case v.Type != gjson.String:
		p.JSON, p.Path = v.Raw, at
	default:
		if json, ok := jsontext.Embedded(v.Str); ok && (json.Kind() == '{' || json.Kind() == '[') {
			p.JSON = string(json)
			return
		}
		p.Text = v.Str
	}
}

// keyOf returns the first of some keys that an object has a value under, "" for none of them.
func keyOf(v gjson.Result, keys ...string) string {
	for _, key := range keys {
		if found := v.Get(key); found.Exists() && found.Type != gjson.Null {
			return key
		}
	}
	return ""
}

func first(v gjson.Result, keys ...string) gjson.Result { return v.Get(keyOf(v, keys...)) }
