// Package prompt gives the system text of flat records that bring none: templates of a registry by task, and two texts of
// its own.
package prompt

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Fallback is the text of tasks that have no other.
const Fallback = `You are an autonomous elizaOS agent. Use the provided
conversation context and native tools to choose the next action. When tools are
available, call the correct tool with JSON arguments. When no tool is needed,
return the direct assistant response or the requested JSON object.`

// Reply is the text of the task "reply".
func Reply(agent string) string {
	return "You are " + agent + ". Reply directly and use tools only when they are needed."
}

// A Registry holds templates by task. A template that an entry lacks is nil.
type Registry map[string]*string

// Read reads a registry file: an object with entries, each with task_id and template. Of entries of one task the last
// counts. Without a path there is no registry.
func Read(path string) (Registry, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if jsontext.Check(data, jsontext.EmbeddedDepth) != nil {
		return nil, fmt.Errorf("want JSON in %s, have something else", path)
	}
	found := Registry{}
	c := jsontext.Cursor{JSON: jsontext.JSON(data).Get("entries")}
	for i := range c.Elements() {
		entry := c.Value()
		task, ok := entry.Get("task_id").Quoted()
		if !ok {
			return nil, fmt.Errorf("want a task_id in entry %d of %s, have none", i, path)
		}
		found[task.Text()] = nil
		if body, ok := entry.Get("template").Quoted(); ok {
			template := body.Text()
			found[task.Text()] = &template
		}
	}
	return found, nil
}

// Template returns the template of a task; ok is false when the registry has none. An entry without a template is an error.
func (r Registry) Template(task string) (template string, ok bool, err error) {
	switch task {
	case "dialogue_routing", "routing":
		task = "should_respond_with_context"
	}
	t, ok := r[task]
	if ok && t == nil {
		return "", false, errNoTemplate
	}
	if !ok {
		return "", false, nil
	}
	return *t, true, nil
}

var errNoTemplate = errors.New("want a template in the registry's entry of the task, have none")

// Values are what a template may name.
type Values struct {
	Agent, Actions  string
	Current, Memory jsontext.JSON // as the record has them
}

func (v *Values) of(name string) jsontext.JSON {
	switch name {
	case "agentName", "agentId":
		return quoted(v.Agent)
	case "providers":
		return `"(no providers)"`
	case "message":
		return v.Current.Get("content")
	case "memoryEntries":
		if !v.Memory.Truthy() {
			return "[]"
		}
		return v.Memory
	case "currentMessage":
		return v.Current
	case "availableActions":
		return quoted(v.Actions)
	}
	return ""
}

func quoted(text string) jsontext.JSON { return jsontext.JSON(jsontext.AppendString(nil, text)) }

// White space is that of all scripts.
var placeholder = regexp.MustCompile(`\{\{[\s\pZ\x1c-\x1f\x{85}]*([#/])?([A-Za-z_][A-Za-z0-9_.]*)[\s\pZ\x1c-\x1f\x{85}]*\}\}`)

// Fill replaces {{name}} and {{name.member}} by the value, as print writes it, and takes {{#name}} and {{/name}} out.
// Everything else stays.
func Fill(template string, values *Values, print func(jsontext.JSON) string) string {
	return placeholder.ReplaceAllStringFunc(template, func(match string) string {
		m := placeholder.FindStringSubmatch(match)
		if m[1] != "" {
			return ""
		}
		name, rest, dotted := strings.Cut(m[2], ".")
		v := values.of(name)
		for dotted {
			name, rest, dotted = strings.Cut(rest, ".")
			v = v.Get(name)
		}
		if v == "" || v == "null" {
			return ""
		}
		return print(v)
	})
}

// Blocks reports whether a template has parts that Fill does not understand: conditions and loops.
func Blocks(template string) bool {
	rest := placeholder.ReplaceAllStringFunc(template, func(match string) string {
		if placeholder.FindStringSubmatch(match)[1] != "" {
			return match
		}
		return ""
	})
	return strings.Contains(rest, "{{")
}
