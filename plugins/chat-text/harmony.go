package chattext

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

var harmony = tagged{"<|start|>", "<|message|>", []string{"<|end|>", "<|call|>", "<|return|>"}, ""}

// splitHarmony reads the messages of gpt-oss. Consecutive messages of the assistant (analysis, preamble, call) become one
// turn:
//
//	<|start|>assistant<|channel|>analysis<|message|>...<|end|>
//	<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{...}<|call|>
//	<|start|>functions.f to=assistant<|channel|>commentary<|message|>{...}<|end|>
func splitHarmony(text string) (turns []turn, err error) {
	var spoken, thought []string // of the current turn of the assistant
	settle := func() {
		if n := len(turns); n > 0 && turns[n-1].role == "assistant" {
			turns[n-1].text, turns[n-1].thought = strings.Join(spoken, "\n\n"), strings.Join(thought, "\n\n")
		}
		spoken, thought = nil, nil
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
		if h.role == "system" { // names the model and the day, without instructions
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
			args, ok := calls.Value(body)
			if !ok {
				return fmt.Errorf("want JSON in the call at byte %d", at)
			}
			t.calls = append(t.calls, calls.Call{Name: jsontext.BodyOf(strings.TrimPrefix(h.to, "functions.")), Args: args})
		case body == "":
		case h.channel == "analysis":
			thought = append(thought, body)
		default:
			spoken = append(spoken, body)
		}
		return nil
	})
	settle()
	return turns, err
}

// lastAssistant returns the current turn of the assistant, or begins one.
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

// words returns the first word of a part of a header, and stores the recipient of the message.
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
