package chattext

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

var harmony = tagged{"<|start|>", "<|message|>", []string{"<|end|>", "<|call|>", "<|return|>"}}

// splitHarmony reads the messages of gpt-oss. What one assistant says in several messages, its analysis, its preamble
// and its call, becomes one turn:
//
//	<|start|>assistant<|channel|>analysis<|message|>...<|end|>
//	<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{...}<|call|>
//	<|start|>functions.f to=assistant<|channel|>commentary<|message|>{...}<|end|>
func splitHarmony(text string) (turns []turn, err error) {
	var said, thought []string // in the assistant's turn that is going on
	settle := func() {
		if n := len(turns); n > 0 && turns[n-1].role == "assistant" {
			turns[n-1].text, turns[n-1].thought = strings.Join(said, "\n\n"), strings.Join(thought, "\n\n")
		}
		said, thought = nil, nil
	}
	err = harmony.each(text, func(header, body string, at int) error {
		h := readHeader(header)
		if h.role != "assistant" {
			settle()
		}
		if name, ok := strings.CutPrefix(h.role, "functions."); ok {
			turns = append(turns, turn{role: "tool", name: name, text: body, at: at})
			return nil
		}
		if h.role == "system" { // says what the model is and what day it is, and instructs nothing
			h.role = "about"
		}
		if h.role == "developer" {
			body = strings.TrimPrefix(strings.TrimSpace(body), "# Instructions")
		}
		if h.role != "assistant" {
			turns = append(turns, turn{role: h.role, text: body, at: at})
			return nil
		}
		t := lastAssistant(&turns, at)
		switch {
		case h.to != "":
			args, rest, err := calls.Literal(nil, body)
			if err != nil || strings.TrimSpace(rest) != "" {
				return fmt.Errorf("want JSON in the call at byte %d, have other text", at)
			}
			t.calls = append(t.calls, calls.Call{Name: jsontext.BodyOf(strings.TrimPrefix(h.to, "functions.")), Args: jsontext.JSON(args)})
		case body == "":
		case h.channel == "analysis":
			thought = append(thought, body)
		default:
			said = append(said, body)
		}
		return nil
	})
	settle()
	return turns, err
}

// lastAssistant returns the assistant's turn that is going on, or begins one.
func lastAssistant(turns *[]turn, at int) *turn {
	if n := len(*turns); n == 0 || (*turns)[n-1].role != "assistant" {
		*turns = append(*turns, turn{role: "assistant", at: at})
	}
	return &(*turns)[len(*turns)-1]
}

type header struct{ role, channel, to string }

// readHeader reads "role to=name<|channel|>channel to=name <|constrain|>json".
func readHeader(text string) (h header) {
	text, _, _ = strings.Cut(text, "<|constrain|>")
	role, channel, _ := strings.Cut(text, "<|channel|>")
	h.role = h.words(role)
	h.channel = h.words(channel)
	return h
}

// words returns the first word of a part of a header, and notes whom the message is to.
func (h *header) words(text string) (first string) {
	for i, word := range strings.Fields(text) {
		to, ok := strings.CutPrefix(word, "to=")
		switch {
		case ok && to != "assistant":
			h.to = to
		case i == 0:
			first = word
		}
	}
	return first
}
