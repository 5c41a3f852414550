package elizarecord

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"github.com/sluicehq/sluice/plugins/reference/python"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Where a row does not bring its own system prompt.
const fallbackPrompt = `You are an autonomous elizaOS agent. Use the provided
conversation context and native tools to choose the next action. When tools are
available, call the correct tool with JSON arguments. When no tool is needed,
return the direct assistant response or the requested JSON object.`

var fallbackBody = jsontext.BodyOf(fallbackPrompt)

func replyPrompt(agent string) string {
	return "You are " + agent + ". Reply directly and use tools only when they are needed."
}

// A registry holds prompt templates by task. A template that an entry lacks is nil.
type registry map[string]*string

// readRegistry reads a registry file: an object with entries, each with task_id and template. Of entries of one task the
// last counts. Without a path there is no registry.
func readRegistry(path string) (registry, error) {
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
	found := registry{}
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

// template gives the template of a task; ok is false when the registry has none. An entry without a template is an error.
func (r registry) template(task string) (template string, ok bool, err error) {
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

// In Python \s and str.strip know white space of all scripts.
var placeholder = regexp.MustCompile(`\{\{[\s\pZ\x1c-\x1f\x{85}]*([#/])?([A-Za-z_][A-Za-z0-9_.]*)[\s\pZ\x1c-\x1f\x{85}]*\}\}`)

// unescaped gives a template with {{{name}}}, which asks for the bare text, as {{name}}, which is the same here.
func unescaped(template string) string {
	return strings.NewReplacer("{{{", "{{", "}}}", "}}").Replace(template)
}

// fill replaces {{name}} and {{name.member}} by what value gives for the name, as print writes it, and takes {{#name}}
// and {{/name}} out. Everything else stays.
func fill(template string, value func(string) jsontext.JSON, print func(jsontext.JSON) string) string {
	return placeholder.ReplaceAllStringFunc(template, func(match string) string {
		m := placeholder.FindStringSubmatch(match)
		if m[1] != "" {
			return ""
		}
		name, rest, dotted := strings.Cut(m[2], ".")
		v := value(name)
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

// asText prints a value as text: a string's own, of any other its JSON.
func asText(value jsontext.JSON) string {
	if body, ok := value.Quoted(); ok {
		return body.Text()
	}
	return string(value)
}

// blocks tells whether a template has parts that fill does not understand: conditions and loops.
func blocks(template string) bool {
	rest := placeholder.ReplaceAllStringFunc(template, func(match string) string {
		if placeholder.FindStringSubmatch(match)[1] != "" {
			return match
		}
		return ""
	})
	return strings.Contains(rest, "{{")
}

// context gives the values a template may name, as JSON.
func (f *row) context(agent, actions string) func(name string) jsontext.JSON {
	return func(name string) jsontext.JSON {
		switch name {
		case "agentName", "agentId":
			return quote(agent)
		case "providers":
			return `"(no providers)"`
		case "message":
			return f.current.Get("content")
		case "memoryEntries":
			if !python.Truthy(f.memory) {
				return "[]"
			}
			return f.memory
		case "currentMessage":
			return f.current
		case "availableActions":
			return quote(actions)
		}
		return ""
	}
}

func (f *row) agentName() string {
	if !python.Truthy(f.agent) {
		return "assistant"
	}
	return python.Str(f.agent)
}

func quote(text string) jsontext.JSON { return jsontext.JSON(jsontext.AppendString(nil, text)) }
