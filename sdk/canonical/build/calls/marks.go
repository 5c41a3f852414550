package calls

import (
	"errors"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

var thoughtMarks = [...]struct{ open, end string }{
	{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<scratch_pad>", "</scratch_pad>"},
	{"<|begin_of_thought|>", "<|end_of_thought|>"},
}

// ErrThought says that a text begins with a thought that does not end: the model was cut off before it answered.
var ErrThought = errors.New("want the end of the thought that the text begins with, have the end of the text")

// opensThought reports whether a text begins with the mark of a thought. A scratch pad may be of another kind.
func opensThought(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	for _, m := range thoughtMarks {
		if m.open != "<scratch_pad>" && strings.HasPrefix(text, m.open) {
			return true
		}
	}
	return false
}

// Thought cuts marked thoughts off the start of a text, then what THOUGHT: announces until a block of code, and the marks of a solution
// around the rest. A thought that does not end stays. One that only ends was begun by the prompt, as many templates do.
func Thought(text string) (thought, rest string) {
	var thoughts []string
	if thought, rest = begunThought(text); thought != "" {
		thoughts = append(thoughts, thought)
	}
	for i := 0; i < len(thoughtMarks); i++ {
		m := thoughtMarks[i]
		if inner, behind, ok := block(strings.TrimLeft(rest, " \t\r\n"), m.open, m.end); ok {
			if inner = strings.TrimSpace(inner); inner != "" {
				thoughts = append(thoughts, inner)
			}
			rest, i = strings.TrimLeft(behind, " \t\r\n"), -1 // the next thought may have any of the marks
		}
	}
	if inner, behind, ok := block(rest, "<|begin_of_solution|>", "<|end_of_solution|>"); ok && strings.TrimSpace(behind) == "" {
		rest = strings.TrimSpace(inner)
	}
	if thought, behind, ok := announcedThought(rest); ok {
		thoughts, rest = append(thoughts, thought), behind
	}
	return strings.Join(thoughts, "\n\n"), rest
}

// begunThought cuts off a thought that ends with a lone </think> at the beginning or the end of a line.
func begunThought(text string) (thought, rest string) {
	const open, end = "<think>", "</think>"
	at := strings.Index(text, end)
	if at < 0 || strings.Contains(text[:at], open) || strings.Contains(text[at+len(end):], end) {
		return "", text
	}
	code := fences{text: text}
	before, behind := strings.TrimRight(text[:at], " \t"), strings.TrimLeft(text[at+len(end):], " \t")
	ends := behind == "" || behind[0] == '\n' || behind[0] == '\r' || before == "" || before[len(before)-1] == '\n'
	if !ends || code.holds(at) {
		return "", text
	}
	return strings.TrimSpace(before), strings.TrimLeft(behind, " \t\r\n")
}

// thoughtPrefix announces a thought that ends where a block of code begins, as agents that work in a shell write it.
const thoughtPrefix = "THOUGHT:"

func announcedThought(text string) (thought, behind string, ok bool) {
	body, ok := strings.CutPrefix(strings.TrimLeft(text, " \t\r\n"), thoughtPrefix)
	at := strings.Index(body, "\n```")
	if !ok || at < 0 || strings.TrimSpace(body[:at]) == "" {
		return "", "", false
	}
	return strings.TrimSpace(body[:at]), body[at+1:], true
}

// block cuts text that begins with open at end.
func block(text, open, end string) (inner, behind string, ok bool) {
	body, ok := strings.CutPrefix(text, open)
	if !ok {
		return "", "", false
	}
	return strings.Cut(body, end)
}

var endMarks = []string{"<|endoftext|>", "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"}

// TrimEnd cuts the marks with which models end a turn off the end of a text, with the space around them.
func TrimEnd(text string) string {
	for {
		body := strings.TrimRight(text, " \t\r\n")
		cut := body
		for _, m := range endMarks {
			cut = strings.TrimSuffix(cut, m)
		}
		if strings.HasSuffix(cut, "</s>") && !strings.Contains(cut, "<s>") {
			cut = strings.TrimSuffix(cut, "</s>")
		}
		if len(cut) == len(body) {
			return text
		}
		text = strings.TrimRight(cut, " \t\r\n")
	}
}

// A Result is a tool's result in a text.
type Result struct {
	ID, Name string // "" when the text has none
	Content  string // text; JSON values as their JSON text
	Told     bool   // it answers an action that stays text: Content has its marks
	Whole    string // the text that ID, Name and Content are from, if the calls have to say that these are no members of the content; or ""
}

// Results reads a text that consists of <tool_response> blocks: {"name", "content"} objects, with tool_call_id or
// without, or anything else, which is then the content. It is not ok when the text holds more than the blocks.
func Results(text string) (results []Result, ok bool) {
	body := strings.TrimSpace(text)
	for body != "" {
		inner, behind, ok := block(body, "<tool_response>", "</tool_response>")
		if !ok {
			return nil, false
		}
		results = append(results, result(strings.TrimSpace(inner)))
		body = strings.TrimLeft(behind, " \t\r\n")
	}
	return results, len(results) > 0
}

func result(inner string) Result {
	value, rest, err := Literal(nil, inner)
	if err != nil || strings.TrimSpace(rest) != "" || value[0] != '{' {
		return Result{Content: inner}
	}
	var r Result
	var content jsontext.JSON
	certain := false // that it is about a call
	for key, v := range jsontext.JSON(value).Members() {
		switch key {
		case "tool_call_id", "id":
			id, ok := canonical.ReadID(v)
			if !ok {
				return Result{Content: inner}
			}
			r.ID, certain = id.Text(), certain || key == "tool_call_id"
		case "name":
			r.Name = v.Text()
		case "content":
			content = v
		default:
			return Result{Content: inner}
		}
	}
	if content == "" {
		return Result{Content: inner}
	}
	if !certain && (r.ID != "" || r.Name != "") {
		r.Whole = inner
	}
	r.Content = string(content)
	if content[0] == '"' {
		r.Content = content.Text()
	}
	return r
}

// ListsFunctions announces the list of tools in the prompts of ToolACE and BFCL.
const ListsFunctions = "list of functions in JSON format that you can invoke"

// Tools cuts the list of tools out of a system text and returns it as a JSON array: the array or sequence of objects in
// <tools>, or the array after ListsFunctions. An empty <tools>, which prose only mentions, stays.
func Tools(system string) (tools, rest string, ok bool) {
	if before, behind, found := strings.Cut(system, ListsFunctions); found {
		intro := len(behind) - len(strings.TrimLeft(behind, ".: \t\r\n"))
		if strings.HasPrefix(behind[intro:], "[{") {
			if list, after, err := Literal(nil, behind[intro:]); err == nil {
				return string(list), before + ListsFunctions + behind[:intro] + strings.TrimLeft(after, ". \t\r\n"), true
			}
		}
	}
	for at := 0; ; {
		n := strings.Index(system[at:], "<tools>")
		if n < 0 {
			return "", system, false
		}
		start := at + n
		inner, behind, closed := block(system[start:], "<tools>", "</tools>")
		if !closed {
			return "", system, false
		}
		if list, ok := toolList(inner); ok {
			return list, system[:start] + behind, true
		}
		at = start + len("<tools>")
	}
}

func toolList(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", false
	}
	list, rest, err := Literal(nil, text)
	if err == nil && list[0] == '[' {
		return string(list), strings.TrimSpace(rest) == ""
	}
	list = []byte("[")
	for text != "" {
		if list, text, err = Literal(jsontext.AppendComma(list), text); err != nil {
			return "", false
		}
		text = strings.TrimLeft(text, ", \t\r\n")
	}
	return string(append(list, ']')), true
}
