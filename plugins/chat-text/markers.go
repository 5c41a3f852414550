package chattext

import (
	"fmt"
	"strings"
)

// markers are words at the start of a line that say who speaks, in the manner of a play.
type markers []marker

type marker struct {
	word, role string
	blanks     int // how many empty lines must stand before it, unless it begins the text
}

// A lone "A:" is the assistant only behind two empty lines, as between turns of Glaive: at the start of any line it
// is as often an option in a list.
var glaiveMarkers = markers{
	{"USER:", "user", 0}, {"ASSISTANT:", "assistant", 0}, {"SYSTEM:", "system", 0},
	{"FUNCTION RESPONSE:", "tool", 0}, {"FUNCTION RESULT:", "tool", 0}, {"FUNCTION CALL:", "call", 0},
	{"A:", "assistant", 2},
}

var speakerMarkers = markers{
	{"User:", "user", 0}, {"Human:", "user", 0}, {"Assistant:", "assistant", 0}, {"System:", "system", 0},
}

// lowerMarkers are the roles of chat interfaces, as logs of agents write them.
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

// splitGuanaco reads "### Human: ...### Assistant: ...", whose marks stand anywhere.
func splitGuanaco(text string) (turns []turn, err error) {
	from := 0 // where the last turn's words begin
	end := func(at int) {
		if n := len(turns); n > 0 {
			turns[n-1].text = strings.TrimSpace(text[from:at])
		}
	}
	for at := start(text); ; at++ {
		n := strings.Index(text[at:], "### ")
		if n < 0 {
			break
		}
		at += n
		for _, k := range guanacoMarkers {
			if strings.HasPrefix(text[at:], k.word) {
				end(at)
				turns, from = append(turns, turn{role: k.role, at: at}), at+len(k.word)
			}
		}
	}
	end(len(text))
	return turns, nil
}
