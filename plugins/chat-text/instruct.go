package chattext

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// instructMarks open and end the turns of Llama 2 and Mistral. Text without a mark is the assistant's.
var instructMarks = []struct{ open, end, role string }{
	{"[INST]", "[/INST]", "user"},
	{"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "system"},
	{"[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "tools"},
	{"[TOOL_RESULTS]", "[/TOOL_RESULTS]", "tool"},
	{"[TOOL_CALLS]", "", "calls"},
}

func opensInstruct(text string) bool {
	return strings.HasPrefix(text, "[INST]") || strings.HasPrefix(text, "[AVAILABLE_TOOLS]") || strings.HasPrefix(text, "[SYSTEM_PROMPT]")
}

// splitInstruct reads turns of Llama 2 and Mistral:
//
//	<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nHi [/INST] Hello </s><s>[INST] ... [/INST] ...
//	[TOOL_CALLS] [{"name": "f", "arguments": {}, "id": "a"}]</s>[TOOL_RESULTS] {"content": 3, "call_id": "a"}[/TOOL_RESULTS]
func splitInstruct(text string) (turns []turn, err error) {
	for at := start(text); at < len(text); {
		mark, from := "assistant", at
		end, behind := nextInstruct(text, at)
		for _, m := range instructMarks {
			if !strings.HasPrefix(text[at:], m.open) {
				continue
			}
			mark, from = m.role, at+len(m.open)
			if end, behind = nextInstruct(text, from); m.end != "" {
				n := strings.Index(text[from:], m.end)
				if n < 0 {
					return nil, fmt.Errorf("want %s behind %s at byte %d, have the end", m.end, m.open, at)
				}
				end, behind = from+n, from+n+len(m.end)
			}
			break
		}
		if turns, err = appendInstruct(turns, mark, strings.TrimSpace(text[from:end]), at); err != nil {
			return nil, err
		}
		at = behind + start(text[behind:])
	}
	return turns, nil
}

// nextInstruct returns the end of a text without an end mark of its own, and the start of the next turn.
func nextInstruct(text string, from int) (end, behind int) {
	for i := from; i < len(text); i++ {
		n := strings.IndexAny(text[i:], "[<")
		if n < 0 {
			break
		}
		i += n
		if strings.HasPrefix(text[i:], "</s>") {
			return i, i + len("</s>")
		}
		for _, m := range instructMarks {
			if i > from && strings.HasPrefix(text[i:], m.open) {
				return i, i
			}
		}
	}
	return len(text), len(text)
}

func appendInstruct(turns []turn, mark, text string, at int) ([]turn, error) {
	switch mark {
	case "user":
		if system, rest, ok := strings.Cut(strings.TrimPrefix(text, "<<SYS>>"), "<</SYS>>"); ok && strings.HasPrefix(text, "<<SYS>>") {
			turns = append(turns, turn{role: "system", text: strings.TrimSpace(system), at: at})
			text = strings.TrimSpace(rest)
		}
	case "assistant":
		if text == "" {
			return turns, nil
		}
	case "tool":
		result := turn{role: "tool", text: text, at: at}
		if v, ok := jsontext.Embedded(text); ok && v.Kind() == '{' {
			content := v.Get("content")
			id, _ := canonical.ReadID(v.Get("call_id"))
			result.id, result.name = id.Text(), v.Get("name").Text()
			if result.text = string(content); content.Kind() == '"' {
				result.text = content.Text()
			}
		}
		return append(turns, result), nil
	case "calls":
		read, err := instructCalls(text)
		if err != nil {
			return nil, fmt.Errorf("call at byte %d: %w", at, err)
		}
		t := lastAssistant(&turns, at)
		t.calls = append(t.calls, read...)
		return turns, nil
	}
	return append(turns, turn{role: mark, text: text, at: at}), nil
}

// instructCalls reads a list of calls, or name[ARGS]{...} and name[CALL_ID]id[ARGS]{...} of newer models.
func instructCalls(text string) ([]calls.Call, error) {
	if name, args, ok := strings.Cut(text, "[ARGS]"); ok && !strings.HasPrefix(text, "[") {
		name, id, _ := strings.Cut(name, "[CALL_ID]")
		value, rest, err := calls.Literal(nil, args)
		if err == nil && strings.TrimSpace(rest) != "" {
			err = errors.New("want nothing after the arguments")
		}
		return []calls.Call{{Name: jsontext.BodyOf(strings.TrimSpace(name)), ID: jsontext.BodyOf(strings.TrimSpace(id)), Args: jsontext.JSON(value)}}, err
	}
	value, rest, err := calls.Literal(nil, text)
	if err != nil {
		return nil, err
	}
	if value[0] != '[' || strings.TrimSpace(rest) != "" {
		return nil, errors.New("want a list of calls")
	}
	read, ok := calls.Objects(jsontext.JSON(value))
	if !ok {
		return nil, errors.New("want calls with a name")
	}
	return read, nil
}
