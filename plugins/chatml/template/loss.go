package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Loss is a part of a row that its rendering does not show as it should.
type Loss struct{ Code, Path string }

// Codes explains the codes of losses. All but LostReasoning and UntrainedEnd make a rendering incomplete: most templates leave
// out the reasoning of earlier answers by design, and what a template marks is no fault of a row.
var Codes = map[string]string{
	Raised:         "the template refused the row",
	LostText:       "the text of a message is not shown",
	LostMedia:      "an image, audio or video is not shown",
	LostCall:       "a call is not shown, or not all of its arguments",
	LostResult:     "the result of a tool is not shown",
	LostTool:       "a tool on offer is not shown",
	LostReasoning:  "the reasoning is not shown",
	DoubleEncoded:  "arguments are shown as a string of JSON inside JSON",
	NothingTrained: "nothing of the last message is trained on",
	UntrainedEnd:   "the mark at the end of the last turn is not trained on, so that a model does not learn to stop",
}

// The codes.
const (
	Raised         = "raised"
	LostText       = "lost_text"
	LostMedia      = "lost_media"
	LostCall       = "lost_call"
	LostResult     = "lost_result"
	LostTool       = "lost_tool"
	LostReasoning  = "lost_reasoning"
	DoubleEncoded  = "double_encoded"
	NothingTrained = "nothing_trained"
	UntrainedEnd   = "untrained_end"
)

// ReasoningFields are the members of messages that hold reasoning. Transformers fills the first two from each other and the third.
var ReasoningFields = []string{"reasoning_content", "thinking", "reasoning"}

// Losses returns what a rendering of a row leaves out, in the order of the row. Each text of a message must follow the texts
// of the messages before it.
func Losses(row jsontext.JSON, r *Rendering) []Loss {
	if r.Error != "" {
		return []Loss{{Raised, ""}}
	}
	text := r.Text()
	s := &search{text: text, spelled: strings.Contains(text, `{'type': '`) || strings.Contains(text, `{"type": "text"`)}
	s.tools(row.Get("tools"))
	if r.Hidden {
		s.lose(LostMedia, "messages")
	}
	for i, message := range row.Get("messages").Elements() {
		s.message(message, "messages."+strconv.Itoa(i))
	}
	if !slices.ContainsFunc(r.Segments, func(s Segment) bool { return s.Trained && strings.TrimSpace(s.Text) != "" }) {
		s.lose(NothingTrained, "messages")
	} else if end := r.Segments[len(r.Segments)-1]; !end.Trained && strings.TrimSpace(end.Text) != "" {
		s.lose(UntrainedEnd, "messages")
	}
	return s.losses
}

// Incomplete reports whether losses make a row unfit to train on.
func Incomplete(losses []Loss) bool {
	return slices.ContainsFunc(losses, func(l Loss) bool { return l.Code != LostReasoning && l.Code != UntrainedEnd })
}

// A search goes through a rendered text from its beginning to its end.
type search struct {
	text    string
	at      int // after the texts of the messages so far
	losses  []Loss
	spelled bool // the template prints the parts of a content as Python or JSON spells them
}

func (s *search) lose(code, path string) { s.losses = append(s.losses, Loss{code, path}) }

// find looks for a text after at, plain, escaped in JSON, or in JSON inside JSON, and returns its bounds.
func (s *search) find(text string, at int) (from, to int, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return at, at, true
	}
	form := text
	for range 3 {
		if i := strings.Index(s.text[at:], form); i >= 0 && (!ok || at+i < from) {
			from, to, ok = at+i, at+i+len(form), true
		}
		form = string(jsontext.AppendBody(nil, form))
	}
	return from, to, ok
}

// Texts returns the texts of a content: itself, or those of its parts.
func Texts(content jsontext.JSON) (texts []string) {
	if content.Kind() != '[' {
		return []string{content.Text()}
	}
	for _, part := range content.Elements() {
		if text := part.Get("text"); text.Kind() == '"' {
			texts = append(texts, text.Text())
		}
	}
	return texts
}

// tools looks for the names of tools, anywhere.
func (s *search) tools(tools jsontext.JSON) {
	for i, tool := range tools.Inner().Elements() {
		function := tool.Get("function")
		_, _, named := s.find(function.Get("name").Text(), 0)
		_, _, described := s.find(function.Get("description").Text(), 0)
		if !named || !described {
			s.lose(LostTool, "tools."+strconv.Itoa(i))
		}
	}
}

// message looks for the reasoning and the text of a message, in either order, and then for its calls.
func (s *search) message(m jsontext.JSON, path string) {
	begin := s.at
	for _, key := range ReasoningFields {
		if thought := m.Get(key).Text(); strings.TrimSpace(thought) != "" {
			if _, to, ok := s.find(thought, begin); ok {
				s.at = max(s.at, to)
			} else {
				s.lose(LostReasoning, path)
			}
		}
	}
	code := LostText
	if m.Get("role").Text() == "tool" {
		code = LostResult
	}
	for _, text := range Texts(m.Get("content")) {
		if _, to, ok := s.find(text, begin); ok {
			begin = max(begin, to)
			s.at = max(s.at, to)
		} else {
			s.lose(code, path)
		}
	}
	if s.spelled && m.Get("content").Kind() == '[' {
		s.lose(code, path)
	}
	for i, call := range m.Get("tool_calls").Elements() {
		s.call(call.Get("function"), path+".tool_calls."+strconv.Itoa(i))
	}
}

// call looks for a name, and after it for the leaves of the arguments, in any order: some templates sort their keys.
func (s *search) call(function jsontext.JSON, path string) {
	_, named, ok := s.find(function.Get("name").Text(), s.at)
	if !ok {
		s.lose(LostCall, path)
		return
	}
	arguments := function.Get("arguments").Inner()
	if s.twice(arguments, named) {
		s.lose(DoubleEncoded, path)
	}
	end := named
	for _, leaf := range leaves(nil, arguments.Cursor()) {
		_, to, ok := s.find(leaf, named)
		if !ok {
			s.lose(LostCall, path)
			return
		}
		end = max(end, to)
	}
	s.at = end
}

// twice reports whether arguments after a name are a string of JSON: the first quote at a key is escaped, or quotes enclose
// an empty object.
func (s *search) twice(arguments jsontext.JSON, named int) bool {
	rest := s.text[named:]
	c := arguments.Cursor()
	for key := range c.Members() {
		i := strings.Index(rest, key)
		return key != "" && i >= 2 && rest[i-2:i] == `\"`
	}
	return arguments.Kind() == '{' && strings.Contains(rest[:min(len(rest), 24)], `"{}"`)
}

// leaves appends the keys, texts and whole numbers of a value.
func leaves(all []string, c jsontext.Cursor) []string {
	for c.At < len(c.JSON) {
		switch c.Kind() {
		case '{', '[', '}', ']', ',', ':':
			c.At++
		case '"':
			body, _ := c.String()
			all = append(all, body.Text())
		default:
			if v := c.Value(); v != "-0" && !strings.ContainsAny(string(v), "tfn.eE") { // Python may spell others differently
				all = append(all, string(v))
			}
		}
	}
	return all
}
