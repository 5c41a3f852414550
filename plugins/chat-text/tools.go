package chattext

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/typescript"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// listedFunctions cuts the functions out of a system text of Glaive: JSON objects, one after the other, behind a
// sentence that announces them.
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
		if len(out) > 1 {
			out = append(out, ',')
		}
		out, list = append(out, value...), behind
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
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(jsontext.AppendString(append(out, `{"name":`...), name), ',')
		if function == "{}" {
			out = append(out[:len(out)-1], '}')
		} else {
			out = append(out, function[1:]...)
		}
		behind = after
	}
	return string(append(out, ']')), around.String(), len(out) > 1
}

// namespace cuts the functions out of a developer message of Harmony, where they are types of TypeScript. The headings of the
// message go with them.
func namespace(developer string) (tools, rest string, ok bool) {
	functions, before, behind, ok := typescript.ReadNamespace(developer)
	if !ok {
		return "", developer, false
	}
	out := []byte("[")
	for i, f := range functions {
		if i > 0 {
			out = append(out, ',')
		}
		out = jsontext.AppendString(append(out, `{"name":`...), f.Name)
		if f.Description != "" {
			out = jsontext.AppendString(append(out, `,"description":`...), f.Description)
		}
		out = append(append(append(out, `,"parameters":`...), f.Schema...), '}')
	}
	for _, heading := range []string{"## functions", "# Tools"} {
		before = strings.TrimSuffix(strings.TrimSpace(before), heading)
	}
	return string(append(out, ']')), strings.TrimSpace(before) + behind, true
}
