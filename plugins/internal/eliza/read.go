package eliza

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Read reads a record in one pass. It uses r's memory again, so what it gave before is gone. A record that is not an
// object has no Format.
func (r *Row) Read(record jsontext.JSON) {
	r.clear()
	rd := reader{Cursor: jsontext.Cursor{JSON: record}, row: r}
	request, response := false, false
	for key := range rd.Members() {
		switch key {
		case "format":
			r.Format = rd.decoded()
		case "boundary":
			r.Boundary = rd.decoded()
		case "request":
			request = rd.Kind() == '{'
			rd.request()
		case "response":
			response = rd.Kind() == '{'
			rd.response()
		case "status":
			r.Status = rd.decoded()
		case "trajectoryId":
			r.TrajectoryID, _ = rd.String()
		case "split":
			r.Split = rd.Value()
		case "quality":
			r.Quality = rd.Value()
		case "metadata":
			r.Metadata = rd.Value()
		}
	}
	if !request {
		r.fault("bad_request", "request", "want an object")
	}
	if !response {
		r.fault("bad_response", "response", "want an object")
	}
	r.addPrompt()
	r.pair()
}

func (r *Row) clear() {
	turns, parts, faults, prompt := r.Turns[:0], r.Parts[:0], r.Faults[:0], r.prompt[:0]
	r.Format, r.Boundary, r.Response, r.denials = "", "", Turn{}, false
	r.Tools, r.ToolChoice, r.Output, r.ToolsID = "", "", "", 0
	r.FinishReason, r.Status, r.Usage, r.TrajectoryID = "", "", Usage{}, ""
	r.Split, r.Quality, r.Metadata = "", "", ""
	r.Turns, r.Parts, r.Faults, r.prompt = turns, parts, faults, prompt
}

func (r *Row) fault(code, path, format string, args ...any) {
	r.Faults = append(r.Faults, Fault{code, path, fmt.Sprintf(format, args...)})
}

// A reader is a cursor that adds what it reads to a row.
type reader struct {
	jsontext.Cursor
	row *Row
}

func (rd *reader) decoded() string {
	body, _ := rd.String()
	return body.Text()
}

// at makes a reader of another text, such as JSON inside a string.
func (rd *reader) at(text jsontext.JSON) *reader {
	return &reader{Cursor: jsontext.Cursor{JSON: text}, row: rd.row}
}

// calling gives the list of calls ahead, which may stand in a string. An empty one does not take the place of calls
// that another member has. A string that is no JSON stays, for calls to refuse.
func (rd *reader) calling(other jsontext.JSON) jsontext.JSON {
	value := unwrap(rd.Value())
	body, isText := value.Quoted()
	if value == "null" || isText && body.Blank() || other != "" && value.Empty() {
		return other
	}
	return value
}

func (rd *reader) request() {
	r := rd.row
	system := Turn{}
	for key := range rd.Members() {
		switch key {
		case "system", "instructions":
			system = rd.system()
		case "messages":
			r.Turns = r.Turns[:0]
			if kind := rd.Kind(); kind != '[' && kind != 'n' {
				r.fault("bad_messages", "request.messages", "want an array, have %s", kindName(kind))
			}
			r.Turns = rd.messages(r.Turns, "request.messages")
		case "prompt":
			rd.prompt()
		case "tools":
			r.Tools, r.ToolsID = r.tools.read(&rd.Cursor)
		case "toolChoice", "tool_choice":
			r.ToolChoice = rd.Value()
		case "responseSchema", "output":
			if v := rd.Value(); v != "null" {
				r.Output = v
			}
		}
	}
	if system.From < system.To {
		r.Turns = slices.Insert(r.Turns, 0, system)
	}
}

// system reads request.system: a string, a message, or a list of either.
func (rd *reader) system() Turn {
	t := Turn{Role: System, From: len(rd.row.Parts), Index: InRequest}
	read := func() {
		if rd.Kind() != '{' {
			rd.content()
			return
		}
		value := rd.Value()
		for key := range rd.at(value).Members() {
			if key == "role" { // a system message
				m := rd.at(value)
				for key := range m.Members() {
					if key == "content" {
						m.content()
					}
				}
				return
			}
		}
		rd.at(value).part()
	}
	if rd.Kind() == '[' {
		for range rd.Elements() {
			read()
		}
	} else {
		read()
	}
	t.To = len(rd.row.Parts)
	return t
}

// prompt reads request.prompt: a text, or messages.
func (rd *reader) prompt() {
	r := rd.row
	r.prompt = r.prompt[:0]
	if rd.Kind() == '[' {
		r.prompt = rd.messages(r.prompt, "request.prompt")
		return
	}
	if body, ok := rd.String(); ok && !body.Blank() {
		r.Parts = append(r.Parts, Part{Kind: Text, Body: body, Mate: -1})
		r.prompt = append(r.prompt, Turn{Role: User, From: len(r.Parts) - 1, To: len(r.Parts), Index: InRequest})
	}
}

// addPrompt puts the prompt behind the messages, unless the last user turn says the same already.
func (r *Row) addPrompt() {
	if len(r.prompt) == 0 {
		return
	}
	if len(r.prompt) == 1 {
		for _, t := range slices.Backward(r.Turns) {
			if t.Role == User {
				had, _ := r.TextOf(t)
				if new, ok := r.TextOf(r.prompt[0]); ok && had == new {
					return
				}
				break
			}
		}
	}
	r.Turns = append(r.Turns, r.prompt...)
}

func (rd *reader) response() {
	r := rd.row
	r.Response = Turn{Role: Assistant, From: len(r.Parts), Index: InResponse}
	var text, reasoning, content, sources jsontext.JSON
	var calls jsontext.JSON
	media := 0
	for key := range rd.Members() {
		switch key {
		case "text":
			text = rd.Value()
		case "toolCalls", "tool_calls":
			calls = rd.calling(calls)
		case "reasoning", "reasoningText", "reasoning_content", "thinking":
			if v := rd.Value(); reasoning == "" && python.Truthy(v) {
				reasoning = v
			}
		case "content":
			content = rd.Value()
		case "finishReason", "finish_reason":
			r.FinishReason = rd.finishReason()
		case "usage":
			r.Usage = rd.usage()
		case "files":
			for range rd.Elements() {
				media++
			}
		case "sources":
			sources = rd.Value()
		}
	}
	if rd.spokenAfterResult(content) { // the provider ran a tool, which text and calls alone do not show
		r.Response.To = len(r.Parts)
		return
	}
	if reasoning == "" {
		rd.thoughts(content)
	}
	if reasoning != "" {
		rd.at(reasoning).reasoning()
	}
	body, isText := text.Quoted()
	switch {
	case text != "" && text != "null" && !isText:
		r.fault("bad_text", "response.text", "want a string, have %s", kindName(text[0]))
	case isText && !body.Blank():
		r.Parts = append(r.Parts, Part{Kind: Text, Body: body, Mate: -1})
	}
	if calls != "" {
		rd.at(calls).calls("response.toolCalls")
	}
	r.Response.To = len(r.Parts)
	if content != "" && !r.Has(r.Response, Call) && !r.HasText(r.Response) {
		if hasThoughts(content) {
			r.Parts = r.Parts[:r.Response.From]
		}
		rd.at(content).content()
	}
	for range media {
		r.Parts = append(r.Parts, Part{Kind: Media, Body: "file", Mate: -1})
	}
	for range rd.at(sources).Elements() {
		r.Parts = append(r.Parts, Part{Kind: Aside, Body: "source", Mate: -1})
	}
	r.Response.To = len(r.Parts)
}

// spokenAfterResult adds the parts of a response when a text comes after a result among them.
func (rd *reader) spokenAfterResult(content jsontext.JSON) bool {
	if !strings.Contains(string(content), `"tool-result"`) && !strings.Contains(string(content), `"tool-error"`) {
		return false
	}
	r := rd.row
	from := len(r.Parts)
	rd.at(content).content()
	answered := false
	for _, p := range r.Parts[from:] {
		if answered && p.Kind == Text && !p.Body.Blank() {
			return true
		}
		answered = answered || p.Kind == Result && p.Sub == 0
	}
	r.Parts = r.Parts[:from]
	return false
}

func hasThoughts(content jsontext.JSON) bool {
	return strings.Contains(string(content), `"reasoning"`) || strings.Contains(string(content), `"thinking"`)
}

// thoughts adds the reasoning among the parts of a response.
func (rd *reader) thoughts(content jsontext.JSON) {
	if !hasThoughts(content) {
		return
	}
	r := rd.row
	from := len(r.Parts)
	rd.at(content).content()
	rest := slices.DeleteFunc(r.Parts[from:], func(p Part) bool { return p.Kind != Reasoning })
	r.Parts = r.Parts[:from+len(rest)]
}

// finishReason reads a string or the provider's {unified, raw}, in any spelling: tool-calls, tool_calls.
func (rd *reader) finishReason() string {
	if rd.Kind() != '{' {
		return strings.ReplaceAll(strings.ToLower(rd.decoded()), "-", "_")
	}
	reason := ""
	for key := range rd.Members() {
		if key == "unified" {
			reason = rd.finishReason()
		}
	}
	return reason
}

func (rd *reader) usage() (u Usage) {
	count := func() int {
		if rd.Kind() == '{' { // {total: n} of the newest provider interface
			n := 0
			for key := range rd.Members() {
				if key == "total" {
					n, _ = strconv.Atoi(string(rd.Value()))
				}
			}
			return n
		}
		n, _ := strconv.Atoi(string(rd.Value()))
		return n
	}
	for key := range rd.Members() {
		switch key {
		case "promptTokens", "inputTokens", "prompt_tokens", "input_tokens":
			u.Prompt = max(u.Prompt, count())
		case "completionTokens", "outputTokens", "completion_tokens", "output_tokens":
			u.Completion = max(u.Completion, count())
		}
	}
	return u
}

func kindName(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	case 0:
		return "nothing"
	}
	return "a number"
}
