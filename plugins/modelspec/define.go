package modelspec

import (
	"slices"
	"strings"
	"unicode"

	"github.com/sluicehq/sluice/plugins/internal/eliza"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk"
)

// pythonTool is the recipient of Python calls, which name their functions themselves.
const pythonTool = "tools"

// A tool is one the thread may call.
type tool struct {
	name string // decoded, as the row has it
	body string // as the thread spells it
}

// A section is what becomes of a row's tools. Rows that follow each other often have the same, so sections are kept.
type section struct {
	tools   []tool
	body    string // the definitions, as a string body
	formats string // JSON of the formats, each with a comma before it
	foreign int    // tools whose schema is none
	err     error  // why the tools cannot be defined
}

// keptSections bounds the memory of a converter: at that many different lists of tools it begins anew.
const keptSections = 512

// useTools finds the definitions of the row's tools.
func (c *converter) useTools() error {
	c.section = &noTools
	if list := c.row.Tools; list != "" && list != "null" {
		s, ok := c.sections[list]
		if !ok {
			if len(c.sections) == keptSections {
				clear(c.sections)
			}
			list = strings.Clone(list)
			s = c.define(list)
			c.sections[list] = s
		}
		c.section = s
	}
	c.tools = append(c.tools[:0], c.section.tools...)
	return c.section.err
}

var noTools section

// define writes the section of a list of tools.
func (c *converter) define(list string) *section {
	s := &section{}
	tools, fault := eliza.ReadTools(list)
	if fault != nil {
		return &section{err: sdk.Reject(fault.Code, fault.Path, "%s", fault.Message)}
	}
	var text []byte
	for _, t := range tools {
		name := jsontext.Unquote(t.Name)
		shown, err := c.shownName(name)
		if err != nil {
			return &section{err: err}
		}
		if slices.ContainsFunc(s.tools, func(other tool) bool { return other.body == shown }) {
			return &section{err: sdk.Reject("tool_name", "request.tools", "want tools with names of their own, have one twice")}
		}
		s.tools = append(s.tools, tool{name: name, body: shown})
		if t.Foreign {
			s.foreign++
		}
		if len(text) > 0 {
			text = append(text, "\n\n"...)
		}
		name = jsontext.Unquote(shown)
		defined := modelspec.Tool{Name: name, Description: jsontext.Unquote(t.Description), Schema: t.Schema}
		text = modelspec.AppendDefinition(text, defined, c.callFormat(name), c.ToolSchema)
		s.formats += c.formatJSON(shown)
	}
	if c.Calls == "python" && len(s.tools) > 0 {
		s.formats = c.formatJSON(pythonTool)
	}
	s.body = string(jsontext.AppendBody(nil, string(text)))
	return s
}

// callFormat is the format of a tool's calls.
func (c *converter) callFormat(tool string) string {
	if c.Calls == "python" {
		return pythonTool + ":python"
	}
	return tool + ":" + c.Calls
}

// formatJSON is the format of a tool's calls in the system settings. Its calls halt, since they get results.
func (c *converter) formatJSON(tool string) string {
	json := `,{"name":"` + c.callFormat(tool) + `","halt_on_completion":true`
	if c.Calls != "python" {
		json += `,"sampler":"` + c.Calls + `"`
	}
	return json + "}"
}

// shownName spells a decoded name for the thread, as a body. A colon delimits tool and format, a backtick ends a code
// span, and white space would end the name.
func (c *converter) shownName(name string) (string, error) {
	bad := func(r rune) bool {
		return strings.ContainsRune(":`<|>", r) || unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar
	}
	if strings.IndexFunc(name, bad) >= 0 {
		if c.Names == "reject" {
			return "", sdk.Reject("tool_name", "request.tools", "want names without colons, backticks and white space, have one with them")
		}
		name = strings.Map(func(r rune) rune {
			if bad(r) {
				return '_'
			}
			return r
		}, name)
	}
	return string(jsontext.AppendBody(nil, name)), nil
}

// toolOf finds the tool of a call by the body of its name. One that the row does not declare is defined by its name
// alone, since nothing may be called that no developer message enables.
func (c *converter) toolOf(r *sdk.Record, body string) (tool, error) {
	for _, t := range c.tools {
		if t.name == body { // names mostly need no escapes, and then are their own bodies
			return t, nil
		}
	}
	name := jsontext.Unquote(body)
	for _, t := range c.tools {
		if t.name == name {
			return t, nil
		}
	}
	if c.Undeclared == "reject" {
		return tool{}, sdk.Reject("undeclared_tool", "request.tools", "want every tool that is called, have calls of others")
	}
	r.Count("tool.undeclared", 1)
	shown, err := c.shownName(name)
	if err != nil {
		return tool{}, err
	}
	for _, t := range c.tools {
		if t.body == shown {
			return tool{}, sdk.Reject("tool_name", "request.tools", "want tools with names of their own, have one twice")
		}
	}
	t := tool{name: name, body: shown}
	c.tools = append(c.tools, t)
	return t, nil
}
