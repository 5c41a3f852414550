package rows

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

func (s *rowWords) request(value jsontext.JSON) {
	c := value.Cursor()
	for key := range c.Members() {
		switch key {
		case "messages":
			s.messages(c.Value())
		case "system", "prompt":
			if c.Value().Truthy() {
				s.turns++
			}
		case "model":
			s.addValue(model, c.Value())
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
	list := value.Cursor()
	for range list.Elements() {
		s.turns++
		s.message(list.Value())
	}
}

// message looks for calls in a turn, in every spelling that rows have.
func (s *rowWords) message(value jsontext.JSON) {
	c := value.Cursor()
	for key := range c.Members() {
		switch key {
		case "tool_calls", "toolCalls":
			list := c.Value().Cursor()
			for range list.Elements() {
				s.call(list.Value())
			}
		case "function_call":
			if v := c.Value(); v.Kind() == '{' {
				s.call(v)
			}
		case "content", "parts":
			s.parts(c.Value())
		case "format": // of a thread's message: TOOL:json
			if name, _, ok := strings.Cut(c.Value().Text(), ":"); ok {
				s.called(name)
			}
		case "finishReason":
			s.addValue(finish, c.Value())
		case "model", "modelId":
			s.addValue(model, c.Value())
		}
	}
}

// parts looks for calls among the parts of a message's content.
func (s *rowWords) parts(value jsontext.JSON) {
	if value.Kind() != '[' {
		return
	}
	list := value.Cursor()
	for range list.Elements() {
		part := list.Value()
		switch part.Get("type").Text() {
		case "tool-call", "tool_use", "tool_call", "toolCall", "function_call":
			s.call(part)
		case "":
			for _, key := range []string{"functionCall", "toolUse"} {
				if inner := part.Get(key); inner.Kind() == '{' {
					s.call(inner)
				}
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
