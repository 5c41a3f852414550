package rows

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

func (s *rowWords) request(value jsontext.JSON) {
	for key, member := range value.Members() {
		switch key {
		case "messages":
			s.messages(member)
		case "system", "prompt":
			if member.Truthy() {
				s.turns++
			}
		case "model":
			s.addValue(model, member)
		}
	}
}

// response reads the response of a canonical row, which is a turn.
func (s *rowWords) response(value jsontext.JSON) {
	if value.Kind() != '{' {
		return
	}
	s.turns++
	s.message(value)
}

func (s *rowWords) messages(value jsontext.JSON) {
	for _, element := range value.Elements() {
		s.turns++
		s.message(element)
	}
}

// message looks for calls in a turn, in every spelling that rows have.
func (s *rowWords) message(value jsontext.JSON) {
	for key, member := range value.Members() {
		switch key {
		case "tool_calls", "toolCalls":
			for _, element := range member.Elements() {
				s.call(element)
			}
		case "function_call":
			s.call(member)
		case "content", "parts":
			s.parts(member)
		case "format": // of a thread's message: TOOL:json
			if name, _, ok := strings.Cut(member.Text(), ":"); ok {
				s.called(name)
			}
		case "finishReason":
			s.addValue(finish, member)
		case "model", "modelId":
			s.addValue(model, member)
		}
	}
}

// parts looks for calls among the parts of a message's content.
func (s *rowWords) parts(value jsontext.JSON) {
	for _, part := range value.Elements() {
		switch part.Get("type").Text() {
		case "tool-call", "tool_use", "tool_call", "toolCall", "function_call":
			s.call(part)
		case "":
			for _, key := range []string{"functionCall", "toolUse"} {
				s.call(part.Get(key))
			}
		}
	}
}

func (s *rowWords) call(value jsontext.JSON) {
	if value.Kind() != '{' {
		return
	}
	if inner := value.Get("function"); inner.Kind() == '{' {
		value = inner
	}
	name := value.Get("toolName")
	if name == "" {
		name = value.Get("name")
	}
	s.called(name.Text())
}

func (s *rowWords) called(name string) {
	s.calls++
	s.add(action, name)
}
