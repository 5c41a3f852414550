package notation

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Format is a response format that the system settings allow.
type Format struct {
	Name             string
	HaltOnStart      bool
	HaltOnCompletion bool
	Sampler          Sampler
}

// Halts reports whether the system stops the model at the format, so that a tool can answer.
func (f Format) Halts() bool { return f.HaltOnStart || f.HaltOnCompletion }

// Tool returns the tool that the format calls, or "".
func (f Format) Tool() string {
	tool, _ := Split(Canonical(f.Name))
	return tool
}

// Sampler restricts what a model may write in a format. The zero value allows everything.
type Sampler struct {
	Language string // "json" or "jsonl"
	Grammar  string // a BNF or EBNF grammar, decoded; "" when a custom sampler has none
}

// Formats are what the system settings allow, in order.
type Formats []Format

// Find returns the format of a name. The name of a language also finds the format of the only tool in that language, since
// the document writes the content of a `browser:js` call as a block of "js".
func (all Formats) Find(format string) (Format, bool) {
	format = Canonical(format)
	at, found := 0, 0
	for i, f := range all {
		name := Canonical(f.Name)
		if name == format {
			return f, true
		}
		if tool, language := Split(name); tool != "" && language == format {
			at, found = i, found+1
		}
	}
	if found == 1 {
		return all[at], true
	}
	return Format{}, false
}

// ToolOf returns the tool that a format calls, or "", and the full name of its language. A language alone calls the only tool
// in it, and is a tool itself where it halts. "tool:name" is an older spelling.
func (all Formats) ToolOf(format string) (tool, language string) {
	tool, language = Split(Canonical(format))
	if tool == "tool" {
		return language, language
	}
	if tool = strings.TrimPrefix(tool, "tool:"); tool != "" {
		return tool, language
	}
	f, ok := all.Find(format)
	if !ok {
		return "", language
	}
	if f.Tool() == "" && f.Halts() {
		return language, language
	}
	return f.Tool(), language
}

// Split parts a format at its last colon: "get_page:json" has the tool "get_page" and the language "json", "markdown" has no
// tool.
func Split(format string) (tool, language string) {
	i := strings.IndexByte(format, ':') // few have another
	if i < 0 {
		return "", format
	}
	i += strings.LastIndexByte(format[i:], ':')
	return format[:i], format[i+1:]
}

// fullName returns the full name of a language that the document abbreviates, or "".
func fullName(language string) string {
	switch language {
	case "js", "jsx":
		return "javascript"
	case "ts", "tsx":
		return "typescript"
	case "py":
		return "python"
	case "md":
		return "markdown"
	case "yml":
		return "yaml"
	case "rs":
		return "rust"
	case "ndjson":
		return "jsonl"
	}
	return ""
}

// Canonical returns a format with the full name of its language, since the document has both "js" and "javascript".
func Canonical(format string) string {
	tool, language := Split(format)
	full := fullName(language)
	switch {
	case full == "":
		return strings.TrimPrefix(format, ":")
	case tool == "":
		return full
	}
	return tool + ":" + full
}

// IsText reports whether a format is text for people to read, and so neither a call nor data.
func IsText(format string) bool {
	switch Canonical(format) {
	case "markdown", "plaintext", "text":
		return true
	}
	return false
}

// Reasoning is the format of what the model thinks.
const Reasoning = "reasoning"

// Call reports whether message i calls a tool: its format names a tool, halts, or gets a result. An answer in such a format
// that ends its turn and gets no result is no call, unless the format is a tool's and halts.
func (t *Thread) Call(messages []Message, i int) bool {
	m := &messages[i]
	if m.Role != Assistant || IsText(m.Format) || m.Format == Reasoning {
		return false
	}
	if answered(messages, i) {
		return true
	}
	if f, ok := t.Formats.Find(m.Format); ok && f.Halts() {
		return f.Tool() != "" || !m.EndTurn
	}
	tool, _ := t.Formats.ToolOf(m.Format)
	return tool != "" && !m.EndTurn
}

// answered reports whether a result follows message i, with nothing but other calls between.
func answered(messages []Message, i int) bool {
	for _, m := range messages[i+1:] {
		switch {
		case m.Role == Tool:
			return true
		case m.Role != Assistant || IsText(m.Format) || m.Format == Reasoning:
			return false
		}
	}
	return false
}

// goodName reports whether a format can have a name: it is not empty and holds nothing that would end it.
func goodName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return r == '`' || unicode.IsSpace(r) || unicode.IsControl(r)
	}) < 0
}

// settings reads the system settings, whichever name the row has for them.
func (r *reader) settings(m rowMembers) {
	switch {
	case m.settings.Kind() == '{':
		r.Settings = m.settings
		r.readSettings(m.settingsKey)
	case m.settings != "" && m.settings != "null":
		r.bad("system_settings", "want an object, have %s", jsontext.KindName(m.settings.Kind()))
	case m.own["allowed_formats"] != "":
		r.Settings = `{"formats":` + m.own["allowed_formats"] + `}`
		r.formats(m.own["allowed_formats"], "allowed_formats")
	}
}

func (r *reader) readSettings(path string) {
	found := false
	for key, value := range r.Settings.Members() {
		if key == "formats" {
			found = true
			r.formats(value, path+".formats")
			continue
		}
		r.unknown(path+"."+key, "system settings")
	}
	if !found && r.Settings != "" {
		r.bad(path+".formats", "want a name or a list of formats, have nothing")
	}
}

// ReadFormats reads the formats of system settings, with their faults.
func ReadFormats(settings jsontext.JSON) (Formats, []Fault) {
	r := reader{Thread: Thread{Settings: settings}}
	r.readSettings("system_settings")
	return r.Formats, r.Faults
}

// formats reads a name, or a list of names and objects.
func (r *reader) formats(list jsontext.JSON, path string) {
	r.Formats = nil
	switch {
	case list.Kind() == '"':
		r.Formats = append(r.Formats, r.format(list, func() string { return path }))
	case list.Kind() != '[':
		r.bad(path, "want a name or a list of formats, have %s", jsontext.KindName(list.Kind()))
	case list.Empty():
		r.bad(path, "want at least one format")
	}
	for i, value := range list.Elements() {
		if r.Formats == nil {
			r.Formats = make(Formats, 0, 8)
		}
		r.Formats = append(r.Formats, r.format(value, func() string { return fmt.Sprintf("%s.%d", path, i) }))
	}
}

// format reads a name or an object with one. Its path is made only for a fault.
func (r *reader) format(value jsontext.JSON, path func() string) (f Format) {
	have := "an object without one"
	if value.Kind() != '{' {
		f.Name, have = value.Text(), nameKind(value)
	}
	inside := func(name string) string { return path() + "." + name }
	for key, value := range value.Members() {
		switch key {
		case "name":
			f.Name = value.Text()
		case "halt_on_start":
			f.HaltOnStart = r.mark(value, inside, key, true) == Yes
		case "halt_on_completion":
			f.HaltOnCompletion = r.mark(value, inside, key, true) == Yes
		case "sampler":
			f.Sampler = r.sampler(value, inside)
		default:
			r.unknown(inside(key), "formats")
		}
	}
	if !goodName(f.Name) {
		r.bad(path(), "want the name of a format, without white space, or an object with one, have %s", have)
	}
	return f
}

// sampler reads "json", "jsonl" or a custom sampler. What that holds is open: a grammar is known where its key names the notation.
func (r *reader) sampler(value jsontext.JSON, path func(string) string) (s Sampler) {
	switch value.Kind() {
	case 'n':
	case '"':
		if s.Language = value.Text(); s.Language != "json" && s.Language != "jsonl" {
			r.bad(path("sampler"), "want json, jsonl, a custom sampler or null, have an unknown name")
		}
	case '{':
		for key, grammar := range value.Members() {
			switch strings.ToLower(key) {
			case "bnf", "ebnf", "enbf": // the document spells it "ENBF"
				s.Grammar = grammar.Text()
			}
		}
	default:
		r.bad(path("sampler"), "want json, jsonl, a custom sampler or null, have %s", jsontext.KindName(value.Kind()))
	}
	return s
}
