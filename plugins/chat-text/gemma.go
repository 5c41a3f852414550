package chattext

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

var gemma = tagged{"<start_of_turn>", "\n", []string{"<end_of_turn>", "<eos>"}, ""}

// splitGemma reads turns of Gemma, and in them the calls and results that FunctionGemma and home assistants write:
//
//	<start_function_call>call:light{on:true,room:<escape>hall<escape>}<end_function_call>
//	<start_function_response>response:light{ok:true}<end_function_response>
func splitGemma(text string) (turns []turn, err error) {
	err = gemma.each(text, func(header, body string, at int) error {
		more, err := gemmaTurns(strings.ToLower(strings.TrimSpace(header)), body, at)
		turns = append(turns, more...)
		return err
	})
	return turns, err
}

// gemmaTurns splits the body of one turn at results, since calls and results may share a turn.
func gemmaTurns(role, body string, at int) (turns []turn, err error) {
	const call, callEnd = "<start_function_call>", "<end_function_call>"
	const response, responseEnd = "<start_function_response>", "<end_function_response>"
	var spoken strings.Builder
	var made []calls.Call
	flush := func() {
		if text := strings.TrimSpace(spoken.String()); text != "" || made != nil {
			turns = append(turns, turn{role: role, text: text, calls: made, at: at})
		}
		spoken, made = strings.Builder{}, nil
	}
	for rest := body; rest != ""; {
		n := strings.Index(rest, "<start_function_")
		if n < 0 {
			spoken.WriteString(rest)
			break
		}
		spoken.WriteString(rest[:n])
		rest = rest[n:]
		if behind, ok := strings.CutPrefix(rest, call); ok {
			name, args, behind, err := dslCall(behind, "call", callEnd)
			if err != nil {
				return nil, fmt.Errorf("call at byte %d: %w", at+len(body)-len(rest), err)
			}
			made = append(made, calls.Call{Name: jsontext.BodyOf(name), Args: args})
			rest = behind
		} else if behind, ok := strings.CutPrefix(rest, response); ok {
			flush()
			inner, behind, _ := strings.Cut(behind, responseEnd)
			result := turn{role: "tool", text: strings.TrimSpace(inner), at: at}
			if name, args, _, err := dslCall(inner, "response", responseEnd); err == nil {
				result.name, result.text = name, string(args)
			}
			turns = append(turns, result)
			rest = behind
		} else { // declarations are read from the system text
			spoken.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
	flush()
	return turns, nil
}

// dslCall reads kind:name{...} up to its end mark and returns the arguments as JSON.
func dslCall(text, kind, end string) (name string, args jsontext.JSON, rest string, err error) {
	d := dsl{text: strings.TrimSpace(text)}
	if !d.take(kind + ":") {
		return "", "", "", d.errorf(kind + ":")
	}
	n := strings.IndexByte(d.text, '{')
	if n < 0 || strings.ContainsAny(d.text[:n], "<> \n") || n == 0 {
		return "", "", "", d.errorf("a name and {")
	}
	name, d.text = d.text[:n], d.text[n:]
	json, err := d.value(nil, 0)
	if err != nil {
		return "", "", "", err
	}
	d.space()
	if !d.take(end) && d.text != "" {
		return "", "", "", d.errorf(end)
	}
	return name, jsontext.JSON(json), d.text, nil
}

// A dsl reads the literals of Gemma's calls: strings between <escape> marks, bare numbers and words, lists, objects
// with bare keys.
type dsl struct{ text string }

func (d *dsl) errorf(want string) error {
	have := "the end"
	if d.text != "" {
		have = fmt.Sprintf("%q", d.text[:1])
	}
	return fmt.Errorf("want %s, have %s", want, have)
}

func (d *dsl) take(mark string) bool {
	rest, ok := strings.CutPrefix(d.text, mark)
	d.text = rest
	return ok
}

func (d *dsl) space() { d.text = strings.TrimLeft(d.text, " \t\r\n") }

const dslDepth = 100

func (d *dsl) value(dst []byte, depth int) ([]byte, error) {
	if d.space(); depth > dslDepth {
		return dst, d.errorf("a value that nests less deep")
	}
	switch {
	case d.take("<escape>"):
		text, rest, ok := strings.Cut(d.text, "<escape>")
		if !ok {
			return dst, d.errorf("<escape> behind a string")
		}
		d.text = rest
		return jsontext.AppendString(dst, text), nil
	case strings.HasPrefix(d.text, "{"):
		return d.composite(dst, '{', '}', depth)
	case strings.HasPrefix(d.text, "["):
		return d.composite(dst, '[', ']', depth)
	}
	n := strings.IndexAny(d.text, ",]}<")
	if n <= 0 {
		return dst, d.errorf("a value")
	}
	word := strings.TrimSpace(d.text[:n])
	d.text = d.text[n:]
	if json, rest, err := calls.Literal(nil, word); err == nil && rest == "" && json[0] != '{' && json[0] != '[' {
		return append(dst, json...), nil
	}
	return jsontext.AppendString(dst, word), nil
}

func (d *dsl) composite(dst []byte, open, end byte, depth int) ([]byte, error) {
	dst, d.text = append(dst, open), d.text[1:]
	for n := 0; ; n++ {
		if d.space(); d.take(string(end)) {
			return append(dst, end), nil
		}
		if n > 0 {
			if !d.take(",") {
				return dst, d.errorf(fmt.Sprintf("',' or %q", end))
			}
			dst = append(dst, ',')
		}
		if open == '{' {
			key, rest, ok := strings.Cut(d.text, ":")
			if key = strings.TrimSpace(key); !ok || key == "" || strings.ContainsAny(key, "{}[],\n") {
				return dst, d.errorf("a key and ':'")
			}
			d.text = rest
			dst = append(jsontext.AppendString(dst, strings.ReplaceAll(key, "<escape>", "")), ':')
		}
		var err error
		if dst, err = d.value(dst, depth+1); err != nil {
			return dst, err
		}
	}
}

// listedFunctions cuts the functions out of a system text of Glaive: JSON objects after a sentence that announces them.
func listedFunctions(system string) (tools, rest string, ok bool) {
	intro, list, ok := strings.Cut(system, "with access to the following functions")
	n := strings.IndexByte(list, '{')
	if !ok || n < 0 {
		return "", system, false
	}
	out := []byte("[")
	for list = list[n:]; strings.HasPrefix(list, "{"); list = strings.TrimLeft(list, ", \t\r\n") {
		value, behind, err := calls.Literal(nil, list)
		if err != nil {
			return "", system, false
		}
		out, list = append(jsontext.AppendComma(out), value...), behind
	}
	return string(append(out, ']')), strings.TrimSpace(intro) + list, true
}

// declarations cuts the functions out of a system text of Gemma:
// <start_function_declaration>declaration:f{description:<escape>...<escape>,parameters:{...}}<end_function_declaration>.
func declarations(system string) (tools, rest string, ok bool) {
	const open, end = "<start_function_declaration>", "<end_function_declaration>"
	out := []byte("[")
	var around strings.Builder
	for behind := system; ; {
		before, declared, found := strings.Cut(behind, open)
		around.WriteString(before)
		if !found {
			break
		}
		name, function, after, err := dslCall(declared, "declaration", end)
		if err != nil {
			return "", system, false
		}
		out = jsontext.AppendMember(append(jsontext.AppendComma(out), '{'), "name", name)
		if function != "{}" {
			out = append(out, ',')
		}
		out, behind = append(out, function[1:]...), after
	}
	return string(append(out, ']')), around.String(), len(out) > 1
}

// namespace cuts the functions out of a developer message of Harmony, with their headings. They are types of TypeScript.
func namespace(developer string) (tools, rest string, ok bool) {
	functions, before, behind, ok := toolschema.ReadNamespace(developer)
	if !ok {
		return "", developer, false
	}
	out := []byte("[")
	for _, f := range functions {
		out = jsontext.AppendMember(append(jsontext.AppendComma(out), '{'), "name", f.Name)
		if f.Description != "" {
			out = jsontext.AppendMember(out, "description", f.Description)
		}
		out = append(append(jsontext.AppendKey(out, "parameters"), f.Schema...), '}')
	}
	for _, heading := range []string{"## functions", "# Tools"} {
		before = strings.TrimSuffix(strings.TrimSpace(before), heading)
	}
	return string(append(out, ']')), strings.TrimSpace(before) + behind, true
}
