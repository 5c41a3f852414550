package chattext

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
)

// A turn is the decoded text and calls of one speaker.
type turn struct {
	role    string // as the text spells it, in lower case
	name    string // of the tool that speaks, where the text names it
	id      string // of the call that a tool answers, where the text has it
	thought string // where the dialect separates it from the text
	text    string
	calls   []calls.Call // in the dialect's own syntax
	label   string       // a rating of the answer, in NeMo
	at      int          // where in the text it begins
}

// A dialect is one notation for conversations as text.
type dialect struct {
	name  string
	opens func(text string) bool // reports whether a text, without the space before it, begins in this dialect
	split func(text string) ([]turn, error)
	words bool // turns begin with plain words, which other texts begin with too
}

var dialects = []dialect{
	{"chatml", prefixed("<|im_start|>"), chatML.split, false},
	{"llama3", prefixed("<|start_header_id|>"), llama3.split, false},
	{"gemma", prefixed("<start_of_turn>"), splitGemma, false},
	{"harmony", prefixed("<|start|>"), splitHarmony, false},
	{"nemo", prefixed("<extra_id_0>"), splitNeMo, false},
	{"instruct", opensInstruct, splitInstruct, false},
	{"guanaco", prefixed("### Human:"), splitGuanaco, true},
	{"baize", opensBaize, splitBaize, false},
	{"glaive", glaiveMarkers.begins, glaiveMarkers.split, true},
	{"user-assistant", speakerMarkers.begins, speakerMarkers.split, true},
	{"roles", lowerMarkers.begins, lowerMarkers.split, true},
}

func prefixed(mark string) func(string) bool {
	return func(text string) bool { return strings.HasPrefix(text, mark) }
}

// begins are marks that a tokenizer may put before the first turn.
var begins = []string{"<|begin_of_text|>", "<bos>", "<s>", "<|endoftext|>"}

// start returns the offset of the first turn, after white space and such marks.
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
	lead            string // may begin a body, of which it is no part
}

// each calls fn with the header and body of every turn. Between turns, only white space is allowed.
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

// body returns the text of a turn, and the offset of the next turn.
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

var (
	chatML = tagged{"<|im_start|>", "\n", []string{"<|im_end|>", "<|endoftext|>"}, ""}
	llama3 = tagged{"<|start_header_id|>", "<|end_header_id|>", []string{"<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"}, "\n\n"}
)

// split reads turns whose header is "role", "role name" or "role name=...".
func (d tagged) split(text string) (turns []turn, err error) {
	err = d.each(text, func(header, body string, at int) error {
		role, name, _ := strings.Cut(strings.TrimSpace(header), " ")
		name = strings.TrimPrefix(strings.TrimSpace(name), "name=")
		turns = append(turns, turn{role: strings.ToLower(role), name: name, text: strings.TrimPrefix(body, d.lead), at: at})
		return nil
	})
	return turns, err
}

var neMo = tagged{"<extra_id_", "\n", nil, ""}

// splitNeMo reads turns of NeMo, in which a label of the answer may precede its text:
//
//	<extra_id_0>System\nBe brief.\n<extra_id_1>User\nHi\n<extra_id_1>Assistant\n<extra_id_2>quality:4,toxicity:0\nHello\n<extra_id_1>
func splitNeMo(text string) (turns []turn, err error) {
	text = strings.TrimRight(text, " \t\r\n")
	text = strings.TrimSuffix(strings.TrimSuffix(text, "<extra_id_1>"), "<extra_id_2>")
	if !strings.HasSuffix(text, "\n") {
		text += "\n" // the turn of the last speaker may be empty
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
			return fmt.Errorf("want a speaker at byte %d", at)
		}
		return nil
	})
	return turns, err
}

// markers are words at the start of a line that name the speaker, as in a play.
type markers []marker

type marker struct {
	word, role string
	blanks     int // how many empty lines must precede it, unless it begins the text
}

// A lone "A:" is the assistant only after two empty lines, as between turns of Glaive: elsewhere it is often an option in
// a list.
var glaiveMarkers = markers{
	{"USER:", "user", 0}, {"ASSISTANT:", "assistant", 0}, {"SYSTEM:", "system", 0},
	{"FUNCTION RESPONSE:", "tool", 0}, {"FUNCTION RESULT:", "tool", 0}, {"FUNCTION CALL:", "call", 0},
	{"A:", "assistant", 2},
}

var speakerMarkers = markers{
	{"User:", "user", 0}, {"Human:", "user", 0}, {"Assistant:", "assistant", 0}, {"System:", "system", 0},
}

// lowerMarkers are the roles of chat interfaces, as in logs of agents.
var lowerMarkers = markers{
	{"user:", "user", 0}, {"assistant:", "assistant", 0}, {"system:", "system", 0}, {"developer:", "system", 0}, {"tool:", "tool", 0},
}

// at returns the marker that the line at text[i] begins with.
func (m markers) at(text string, i int) (marker, bool) {
	for _, k := range m {
		if strings.HasPrefix(text[i:], k.word) && (i == 0 || strings.HasSuffix(text[:i], "\n\n\n"[:k.blanks+1])) {
			return k, true
		}
	}
	return marker{}, false
}

func (m markers) begins(text string) bool {
	_, ok := m.at(text, 0)
	return ok
}

func (m markers) split(text string) ([]turn, error) {
	var turns []turn
	i := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	text, offset := text[i:], i
	k, ok := m.at(text, 0)
	if !ok {
		return nil, fmt.Errorf("want a speaker at the start, have text")
	}
	from := 0
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		following, ok := m.at(text, i)
		if !ok {
			continue
		}
		turns = append(turns, turn{role: k.role, text: strings.TrimSpace(text[from+len(k.word) : i]), at: offset + from})
		k, from = following, i
	}
	return append(turns, turn{role: k.role, text: strings.TrimSpace(text[from+len(k.word):]), at: offset + from}), nil
}

var guanacoMarkers = markers{{"### Human:", "user", 0}, {"### Assistant:", "assistant", 0}}

// splitGuanaco reads "### Human: ...### Assistant: ...", with marks anywhere in a line.
func splitGuanaco(text string) (turns []turn, err error) {
	return guanacoMarkers.anywhere(text, "### "), nil
}

var baizeMarkers = markers{{"[|Human|]", "user", 0}, {"[|AI|]", "assistant", 0}, {"[|Assistant|]", "assistant", 0}}

// opensBaize reports whether a text begins with a turn of Baize, or with a line that introduces the conversation.
func opensBaize(text string) bool {
	_, behind, ok := strings.Cut(text, "\n")
	return strings.HasPrefix(text, "[|Human|]") || ok && strings.HasPrefix(strings.TrimLeft(behind, " \t\r\n"), "[|Human|]")
}

// splitBaize reads "INTRODUCTION\n[|Human|] ...\n[|AI|] ...", whose last turn of the user is empty.
func splitBaize(text string) (turns []turn, err error) {
	if intro := strings.TrimSpace(text[:strings.Index(text, "[|Human|]")]); intro != "" {
		turns = append(turns, turn{role: "system", text: intro})
	}
	turns = append(turns, baizeMarkers.anywhere(text, "[|")...)
	if last := len(turns) - 1; turns[last].role == "user" && turns[last].text == "" {
		turns = turns[:last]
	}
	return turns, nil
}

// anywhere reads turns whose marks may be anywhere in a line. All marks begin with the same text.
func (m markers) anywhere(text, begin string) (turns []turn) {
	from := 0 // where the text of the last turn begins
	end := func(at int) {
		if n := len(turns); n > 0 {
			turns[n-1].text = strings.TrimSpace(text[from:at])
		}
	}
	for at := start(text); ; at++ {
		n := strings.Index(text[at:], begin)
		if n < 0 {
			break
		}
		at += n
		for _, k := range m {
			if strings.HasPrefix(text[at:], k.word) {
				end(at)
				turns, from = append(turns, turn{role: k.role, at: at}), at+len(k.word)
			}
		}
	}
	end(len(text))
	return turns
}
