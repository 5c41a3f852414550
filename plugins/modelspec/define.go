package modelspec

import (
	"strings"
	"unicode"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A tool is one that the thread may call.
type tool struct {
	name    string        // as the row has it
	shown   string        // as the thread has it
	format  string        // of its calls
	halting jsontext.JSON // the format in the settings of a thread where all calls have results
}

// A section holds the definitions of a row's tools. Consecutive rows often have the same tools, so sections are kept.
type section struct {
	tools   []tool
	defined []notation.Section    // of the tools
	written map[variant]rendering // their texts
	named   map[string]int        // in tools, by name
	shown   map[string]bool       // their names in the thread
	foreign int                   // tools whose schema is no JSON schema
	types   int                   // tools whose schema had types that JSON Schema does not have
	nulls   int                   // tools whose schema had members that were null
	err     error                 // why the tools cannot be defined
}

// A sectionsKey is a list of tools and how they are called.
type sectionsKey struct{ list, calls string }

// keptSections bounds how many sections are kept. Then all are dropped.
const keptSections = 512

// keptList bounds the lists of tools whose sections are kept, in bytes.
const keptList = 64 << 10

func (c *converter) useTools() error {
	c.section = &noTools
	if list := c.row.Tools; list != "" && list != "null" {
		key := sectionsKey{string(list), c.calls}
		s, ok := c.sections[key]
		if !ok {
			if len(c.sections) == keptSections {
				clear(c.sections)
			}
			list = jsontext.JSON(strings.Clone(string(list)))
			if s = c.define(list); len(list) <= keptList {
				c.sections[sectionsKey{string(list), c.calls}] = s
			}
		}
		c.section = s
	}
	c.tools = append(c.tools[:0], c.section.tools...)
	clear(c.undeclared)
	clear(c.taken)
	return c.section.err
}

var noTools section

// define makes the section of a list of tools.
func (c *converter) define(list jsontext.JSON) *section {
	s := &section{named: map[string]int{}, shown: map[string]bool{}, written: map[variant]rendering{}}
	tools, fault := canonical.ReadTools(list)
	if fault != nil {
		return &section{err: sdk.Reject(fault.Code, fault.Path, "%s", fault.Message)}
	}
	for _, t := range tools {
		name := t.Name.Text()
		shown, err := c.shownName(name)
		if err != nil {
			return &section{err: err}
		}
		if s.shown[shown] {
			return &section{err: sdk.Reject("tool_name", "request.tools", "want tools with different names, have %s twice", jsontext.Seen(jsontext.BodyOf(shown).JSON()))}
		}
		if _, ok := s.named[name]; !ok {
			s.named[name] = len(s.tools)
		}
		s.shown[shown] = true
		s.tools = append(s.tools, c.newTool(name, shown))
		if t.Foreign {
			s.foreign++
		}
		defined := c.toolSection(shown)
		schema, types, nulls := t.Schema()
		if types {
			s.types++
		}
		if nulls {
			s.nulls++
		}
		defined.Description, defined.Schema = t.Description.Text(), schema
		s.defined = append(s.defined, defined)
	}
	return s
}

// toolSection returns the section of a tool that has nothing but a name.
func (c *converter) toolSection(name string) notation.Section {
	return notation.Section{
		Kind: notation.ToolSection, Function: notation.Function{Name: name}, Format: c.callFormat(name), Several: c.calls == "array",
	}
}

func (c *converter) newTool(name, shown string) tool {
	format := c.callFormat(shown)
	return tool{name, shown, format, c.formatJSON(format, true)}
}

func (c *converter) callFormat(tool string) string {
	if c.calls == "python" {
		return notation.PythonTool + ":python"
	}
	return tool + ":" + c.language()
}

// formatJSON returns the format of calls as the system settings list it. It halts when the calls get results.
func (c *converter) formatJSON(format string, halts bool) jsontext.JSON {
	json := jsontext.AppendMember([]byte("{"), "name", format)
	if halts {
		json = append(json, `,"halt_on_completion":true`...)
	}
	if language := c.language(); language == "json" || language == "jsonl" {
		json = jsontext.AppendMember(append(json, ','), "sampler", language)
	}
	return jsontext.Of(append(json, '}'))
}

// shownName returns the name of a tool in the thread, which holds nothing that would end a format or a code span.
func (c *converter) shownName(name string) (string, error) {
	shown := strings.Map(func(r rune) rune {
		if strings.ContainsRune(":`<|>", r) || unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, name)
	if shown != name && c.Names == "reject" {
		return "", sdk.Reject("tool_name", "request.tools", "want tool names without colons, backticks and white space, have a name with one")
	}
	return shown, nil
}

// toolOf returns the tool of a call. It defines a tool that the row does not declare by its name alone, since a developer
// message must enable what is called.
func (c *converter) toolOf(r *sdk.Record, body jsontext.Body) (tool, error) {
	name := body.Text()
	if i, ok := c.section.named[name]; ok {
		return c.section.tools[i], nil
	}
	if i, ok := c.undeclared[name]; ok {
		return c.tools[i], nil
	}
	if c.Undeclared == "reject" {
		return tool{}, sdk.Reject("undeclared_tool", "request.tools", "want a declaration of every tool that is called")
	}
	if r != nil {
		r.Count("tool.undeclared", 1)
	}
	shown, err := c.shownName(name)
	if err != nil {
		return tool{}, err
	}
	if c.taken[shown] || c.section.shown[shown] {
		return tool{}, sdk.Reject("tool_name", "request.tools", "want tools with different names, have %s twice", jsontext.Seen(jsontext.BodyOf(shown).JSON()))
	}
	c.undeclared[name], c.taken[shown] = len(c.tools), true
	t := c.newTool(name, shown)
	c.tools = append(c.tools, t)
	return t, nil
}
