package modelspec

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// NotThreadError says that a value is no thread at all, so that an adapter can decline it.
type NotThreadError struct{ Reason string }

// Error implements error.
func (e *NotThreadError) Error() string { return e.Reason }

// A Fault is a mistake in what is a thread otherwise, at a gjson path.
type Fault struct{ Path, Message string }

// Error implements error.
func (f *Fault) Error() string { return f.Path + ": " + f.Message }

func faultf(path, format string, args ...any) error {
	return &Fault{path, fmt.Sprintf(format, args...)}
}

// Read reads a thread from a JSON value: a row {"system_settings", "messages"}, the later {"system", "messages"} and
// {"allowed_formats", "messages"}, a bare list of messages, or token text as a string or as {"text"}. A value that is
// none of these gives a *NotThreadError, a mistake in one a *Fault.
//
// A list of messages is a thread when system settings stand beside it, or a message has a role that only threads have,
// or a format; chat rows with plain roles are left to others. Roles of the later version read as the document's: "context" as "tool", "model" as
// "assistant".
func Read(json jsontext.JSON) (Thread, error) {
	c := json.Cursor()
	switch c.Kind() {
	case '[':
		return readRow("", "", c.Value(), "")
	case '"':
		body, _ := c.String()
		return readText(body.Text())
	case '{':
	default:
		return Thread{}, &NotThreadError{"want a thread, have neither an object, a list nor a string"}
	}
	var settings, formats, messages, text jsontext.JSON
	for key := range c.Members() {
		switch key {
		case "system_settings", "system":
			settings = c.Value()
		case "allowed_formats":
			formats = c.Value()
		case "messages":
			messages = c.Value()
		case "text":
			text = c.Value()
		}
	}
	if messages != "" {
		return readRow(settings, formats, messages, "messages.")
	}
	if body, ok := text.Quoted(); ok {
		return readText(body.Text())
	}
	return Thread{}, &NotThreadError{"want messages or token text, have neither"}
}

func readText(text string) (Thread, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), RoleToken) {
		return Thread{}, &NotThreadError{"want text that begins with " + RoleToken + ", have other text"}
	}
	messages, err := ParseTokens(text)
	return Thread{Messages: messages}, err
}

func readRow(settings jsontext.JSON, formats jsontext.JSON, messages jsontext.JSON, prefix string) (Thread, error) {
	if settings.Kind() != '{' && formats == "" && !isThread(messages) {
		return Thread{}, &NotThreadError{"want messages with a format or with a role that only threads have, have none"}
	}
	t := Thread{}
	var err error
	if t.Messages, err = readMessages(messages, prefix); err != nil {
		return t, err
	}
	switch {
	case settings.Kind() == '{':
		t.Settings = settings
		t.Formats, err = ReadFormats(settings)
	case settings != "" && settings != "null":
		err = faultf("system_settings", "want an object, have another type")
	case formats != "":
		t.Settings = `{"formats":` + formats + `}`
		t.Formats, err = ReadFormats(t.Settings)
	}
	return t, err
}

// isThread tells a thread from a chat row without reading contents.
func isThread(messages jsontext.JSON) bool {
	c := jsontext.Cursor{JSON: messages}
	if c.Kind() != '[' {
		return false
	}
	for range c.Elements() {
		assistant, format := false, false
		for key := range c.Members() {
			switch key {
			case "role":
				switch role, _ := c.String(); role {
				case "platform", "context":
					return true
				case "assistant", "model":
					assistant = true
				}
			case "format":
				_, format = c.String()
			}
		}
		if assistant && format {
			return true
		}
	}
	return false
}

func readMessages(list jsontext.JSON, prefix string) ([]Message, error) {
	var messages []Message
	c := jsontext.Cursor{JSON: list}
	for i := range c.Elements() {
		path := fmt.Sprintf("%s%d", prefix, i)
		if c.Kind() != '{' {
			return nil, faultf(path, "want an object, have another type")
		}
		m := Message{}
		var hasFormat, hasContent bool
		for key := range c.Members() {
			switch key {
			case "role":
				m.Role = text(&c)
			case "name":
				m.Name = text(&c)
			case "format":
				hasFormat = c.Kind() == '"'
				m.Format = text(&c)
			case "content":
				hasContent = c.Kind() == '"'
				m.Content = text(&c)
			case "end_turn":
				m.EndTurn = c.Value() == "true"
			}
		}
		role, ok := roleOf(m.Role)
		m.Role = role
		switch {
		case !ok:
			return nil, faultf(path+".role", "want platform, developer, user, assistant or tool, have another role")
		case role == "assistant" && !hasFormat:
			return nil, faultf(path+".format", "want the format of an assistant, have none")
		case !hasContent:
			return nil, faultf(path+".content", "want a string, have none")
		}
		messages = append(messages, m)
	}
	return messages, nil
}

// roleOf gives the document's name of a role.
func roleOf(role string) (string, bool) {
	switch role {
	case "platform", "developer", "user", "assistant", "tool":
		return role, true
	case "context":
		return "tool", true
	case "model":
		return "assistant", true
	}
	return role, false
}

// text reads a string, decoded; any other value reads as "".
func text(c *jsontext.Cursor) string {
	body, _ := c.String()
	if strings.IndexByte(string(body), '\\') < 0 {
		return string(body)
	}
	return jsontext.View(jsontext.AppendText(make([]byte, 0, len(body)), body)) // made for it alone
}

// ReadFormats reads the formats of system settings: a name, or a list of names and objects.
func ReadFormats(settings jsontext.JSON) ([]Format, error) {
	var formats []Format
	c := jsontext.Cursor{JSON: settings}
	for key := range c.Members() {
		if key != "formats" {
			continue
		}
		if c.Kind() == '"' {
			formats = append(formats, Format{Name: text(&c)})
			continue
		}
		for i := range c.Elements() {
			f := Format{}
			if c.Kind() == '"' {
				f.Name = text(&c)
			} else {
				readFormat(&c, &f)
			}
			if f.Name == "" {
				return nil, faultf(fmt.Sprintf("system_settings.formats.%d", i), "want a name or an object with a name, have neither")
			}
			formats = append(formats, f)
		}
	}
	return formats, nil
}

func readFormat(c *jsontext.Cursor, f *Format) {
	for key := range c.Members() {
		switch key {
		case "name":
			f.Name = text(c)
		case "halt_on_start":
			f.HaltOnStart = c.Value() == "true"
		case "halt_on_completion":
			f.HaltOnCompletion = c.Value() == "true"
		case "sampler":
			if f.Sampler = c.Value(); f.Sampler == "null" {
				f.Sampler = ""
			}
		}
	}
}
