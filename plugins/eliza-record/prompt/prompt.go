// Package prompt holds the system texts of flat records without their own: templates of a registry by task, and two texts.
package prompt

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Fallback is the text of tasks without another one.
const Fallback = `You are an autonomous elizaOS agent. Use the provided
conversation context and native tools to choose the next action. When tools are
available, call the correct tool with JSON arguments. When no tool is needed,
return the direct assistant response or the requested JSON object.`

// Reply returns the text of the task "reply".
func Reply(agent string) string {
	return "You are " + agent + ". Reply directly and use tools only when they are needed."
}

// Registry holds templates by task. The template of an entry without one is nil.
type Registry map[string]*string

// Read reads a registry file: an object with entries, each with task_id and template. The last entry of a task counts. Without a
// path Read returns nil.
func Read(path string) (Registry, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := jsontext.Check(data, jsontext.EmbeddedDepth); err != nil {
		return nil, fmt.Errorf("want JSON in %s: %w", path, err)
	}
	found := Registry{}
	for i, entry := range jsontext.JSON(data).Get("entries").Elements() {
		task, ok := entry.Get("task_id").Quoted()
		if !ok {
			return nil, fmt.Errorf("want a task_id in entry %d of %s, have %s", i, path, jsontext.KindName(entry.Get("task_id").Kind()))
		}
		found[task.Text()] = nil
		if body, ok := entry.Get("template").Quoted(); ok {
			template := body.Text()
			found[task.Text()] = &template
		}
	}
	return found, nil
}

// Template returns the template of a task; ok is false when the registry lacks the task. An entry without a template is an error.
func (r Registry) Template(task string) (template string, ok bool, err error) {
	switch task {
	case "dialogue_routing", "routing":
		task = "should_respond_with_context"
	}
	switch t, ok := r[task]; {
	case !ok:
		return "", false, nil
	case t == nil:
		return "", false, errors.New("want a template in the registry's entry of the task")
	default:
		return *t, true, nil
	}
}

// Values are the values that a template can name.
type Values struct {
	Agent, Actions  string
	Current, Memory jsontext.JSON // as the record has them
}

func (v *Values) of(name string) jsontext.JSON {
	switch name {
	case "agentName", "agentId":
		return jsontext.Quote(v.Agent)
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
		return jsontext.Quote(v.Actions)
	}
	return ""
}

// White space includes that of all scripts.
var placeholder = regexp.MustCompile(`\{\{[\s\v\pZ\x1c-\x1f\x{85}]*([#/])?([A-Za-z_][A-Za-z0-9_.]*)[\s\v\pZ\x1c-\x1f\x{85}]*\}\}`)

// Fill replaces {{name}} and {{name.member}} by the printed value, and removes {{#name}} and {{/name}}.
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

// Blocks reports whether a template has conditions or loops, which Fill does not understand.
func Blocks(template string) bool {
	rest := placeholder.ReplaceAllStringFunc(template, func(match string) string {
		if placeholder.FindStringSubmatch(match)[1] != "" {
			return match
		}
		return ""
	})
	return strings.Contains(rest, "{{")
}
