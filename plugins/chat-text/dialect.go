package chattext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
)

// A turn is what one speaker says, decoded.
type turn struct {
	role    string // as the text spells it, in lower case
	name    string // of the tool that speaks, where the text names it
	id      string // of the call that a tool answers, where the text has it
	thought string // kept apart by the dialect itself
	text    string
	calls   []calls.Call // written in a syntax of the dialect's own
	label   string       // what the text says of the answer
	at      int          // where in the text it begins
}

// A dialect is one way to write a conversation as text.
type dialect struct {
	name  string
	opens func(text string) bool // reports whether a text, without the space before it, begins in this dialect
	split func(text string) ([]turn, error)
	words bool // turns begin with plain words, which other texts begin with too
}

var dialects = []dialect{
	{"chatml", prefixed("<|im_start|>"), splitChatML, false},
	{"llama3", prefixed("<|start_header_id|>"), splitLlama3, false},
	{"gemma", prefixed("<start_of_turn>"), splitGemma, false},
	{"harmony", prefixed("<|start|>"), splitHarmony, false},
	{"nemo", prefixed("<extra_id_0>"), splitNeMo, false},
	{"instruct", opensInstruct, splitInstruct, false},
	{"guanaco", prefixed("### Human:"), splitGuanaco, true},
	{"glaive", glaiveMarkers.begins, glaiveMarkers.split, true},
	{"user-assistant", speakerMarkers.begins, speakerMarkers.split, true},
	{"roles", lowerMarkers.begins, lowerMarkers.split, true},
}

func prefixed(mark string) func(string) bool {
	return func(text string) bool { return strings.HasPrefix(text, mark) }
}

// begins are the marks that a tokenizer may have put before the first turn.
var begins = []string{"<|begin_of_text|>", "<bos>", "<s>", "<|endoftext|>"}

// start returns the offset of the first turn: behind white space and the mark of a beginning.
func start(text string) int {
	for rest := text; ; {
		rest = strings.TrimLeft(rest, " \t\r\n")
		n := slices.IndexFunc(begins, func(mark string) bool { return strings.HasPrefix(rest, mark) })
		if n < 0 {
			return len(text) - len(rest)
		}
		rest = rest[len(begins[n]):]
	}
}

// A tagged dialect opens every turn with a mark and a header, and ends it with one of several marks, or at the next
// turn, or at the end of the text.
type tagged struct {
	open, headerEnd string
	ends            []string
}

// each calls fn with the header and body of every turn. What stands between turns must be blank.
func (d tagged) each(text string, fn func(header, body string, at int) error) error {
	i := start(text)
	for i < len(text) {
		if !strings.HasPrefix(text[i:], d.open) {
			return fmt.Errorf("want %s at byte %d, have text between turns", d.open, i)
		}
		at := i
		i += len(d.open)
		n := strings.Index(text[i:], d.headerEnd)
		if n < 0 {
			return fmt.Errorf("want %q behind %s at byte %d, have the end", d.headerEnd, d.open, at)
		}
		header := text[i : i+n]
		i += n + len(d.headerEnd)
		body, behind := d.body(text[i:])
		if err := fn(header, body, at); err != nil {
			return err
		}
		i += behind
		i += len(text[i:]) - len(strings.TrimLeft(text[i:], " \t\r\n"))
		for _, mark := range d.ends { // <|eot_id|> may follow <|eom_id|>, or <|endoftext|> the last turn
			if strings.HasPrefix(text[i:], mark) {
				i += len(mark) + start(text[i+len(mark):])
			}
		}
	}
	return nil
}

// body cuts the text of a turn off and gives the offset of what follows.
func (d tagged) body(text string) (body string, behind int) {
	end, size := len(text), 0
	for i := 0; i < end; {
		n := strings.IndexByte(text[i:end], '<')
		if n < 0 {
			break
		}
		i += n
		if strings.HasPrefix(text[i:], d.open) {
			end, size = i, 0
			break
		}
		for _, mark := range d.ends {
			if strings.HasPrefix(text[i:], mark) {
				end, size = i, len(mark)
				break
			}
		}
		i++
	}
	return text[:end], end + size
}

var chatML = tagged{"<|im_start|>", "\n", []string{"<|im_end|>", "<|endoftext|>"}}

func splitChatML(text string) (turns []turn, err error) {
	err = chatML.each(text, func(header, body string, at int) error {
		role, name := cutHeader(header)
		turns = append(turns, turn{role: role, name: name, text: body, at: at})
		return nil
	})
	return turns, err
}

// cutHeader reads "role", "role name" and "role name=...".
func cutHeader(header string) (role, name string) {
	role, name, _ = strings.Cut(strings.TrimSpace(header), " ")
	return strings.ToLower(role), strings.TrimPrefix(strings.TrimSpace(name), "name=")
}

var neMo = tagged{"<extra_id_", "\n", nil}

// splitNeMo reads turns of NeMo, where the label of an answer may stand between its speaker and its text:
//
//	<extra_id_0>System\nBe brief.\n<extra_id_1>User\nHi\n<extra_id_1>Assistant\n<extra_id_2>quality:4,toxicity:0\nHello\n<extra_id_1>
func splitNeMo(text string) (turns []turn, err error) {
	text = strings.TrimRight(text, " \t\r\n")
	text = strings.TrimSuffix(strings.TrimSuffix(text, "<extra_id_1>"), "<extra_id_2>")
	if !strings.HasSuffix(text, "\n") {
		text += "\n" // behind the last speaker, whose turn is left open
	}
	err = neMo.each(text, func(header, body string, at int) error {
		mark, header, _ := strings.Cut(header, ">")
		body = strings.TrimSpace(body)
		switch n := len(turns); {
		case mark == "2" && n > 0 && turns[n-1].label == "" && turns[n-1].text == "":
			turns[n-1].label, turns[n-1].text = header, body
		case mark == "0" || mark == "1":
			turns = append(turns, turn{role: strings.ToLower(strings.TrimSpace(header)), text: body, at: at})
		default:
			return fmt.Errorf("want a speaker at byte %d, have another mark", at)
		}
		return nil
	})
	return turns, err
}

var llama3 = tagged{"<|start_header_id|>", "<|end_header_id|>", []string{"<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"}}

func splitLlama3(text string) (turns []turn, err error) {
	err = llama3.each(text, func(header, body string, at int) error {
		role, name := cutHeader(header)
		turns = append(turns, turn{role: role, name: name, text: strings.TrimPrefix(body, "\n\n"), at: at})
		return nil
	})
	return turns, err
}
