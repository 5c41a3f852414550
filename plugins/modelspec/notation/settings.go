package notation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// settings reads the system settings, whichever name the row has for them.
func (r *reader) settings(m rowMembers) {
	switch {
	case m.settings.Kind() == '{':
		r.Settings = m.settings
		r.readSettings(string(m.settingsKey))
	case m.settings != "" && m.settings != "null":
		r.bad("system_settings", "want an object, have %s", kindOf(m.settings))
	case m.formats != "":
		r.Settings = `{"formats":` + m.formats + `}`
		c := m.formats.Cursor()
		r.formats(&c, "allowed_formats")
	}
}

func (r *reader) readSettings(path string) {
	c := r.Settings.Cursor()
	found := false
	for key := range c.Members() {
		if key == "formats" {
			found = true
			r.formats(&c, path+".formats")
			continue
		}
		c.Skip()
		r.unknown(path+"."+key, "system settings")
	}
	if !found && len(r.Settings) > len("{}") {
		r.bad(path+".formats", "want a name or a list of formats, have none")
	}
}

// ReadFormats reads the formats of system settings, with their faults.
func ReadFormats(settings jsontext.JSON) (Formats, []Fault) {
	r := reader{Thread: Thread{Settings: settings}}
	r.readSettings("system_settings")
	return r.Formats, r.Faults
}

// formats reads a name, or a list of names and objects.
func (r *reader) formats(c *jsontext.Cursor, path string) {
	r.Formats = nil
	switch kind := c.Kind(); {
	case kind == '"':
		r.Formats = append(r.Formats, r.format(c, path))
		return
	case kind != '[':
		r.bad(path, "want a name or a list of formats, have %s", kindOf(c.Value()))
		return
	}
	list := c.Value()
	if list.Empty() {
		r.bad(path, "want at least one format, have none")
	}
	inner := list.Cursor()
	for i := range inner.Elements() {
		r.Formats = append(r.Formats, r.format(&inner, fmt.Sprintf("%s.%d", path, i)))
	}
}

// format reads a name or an object with one.
func (r *reader) format(c *jsontext.Cursor, path string) (f Format) {
	have := "an object without one"
	if c.Kind() != '{' {
		value := c.Value()
		f.Name, have = value.Text(), nameKind(value)
	}
	flag := func(key string) bool {
		value := c.Value()
		return r.mark(value, func(name string) string { return path + "." + name }, key, true) == Yes
	}
	for key := range c.Members() {
		switch key {
		case "name":
			f.Name, _ = text(c)
		case "halt_on_start":
			f.HaltOnStart = flag(key)
		case "halt_on_completion":
			f.HaltOnCompletion = flag(key)
		case "sampler":
			f.Sampler = r.sampler(c.Value(), path+".sampler")
		default:
			c.Skip()
			r.unknown(path+"."+key, "formats")
		}
	}
	if !goodName(f.Name) {
		r.bad(path, "want the name of a format, without white space, or an object with one, have %s", have)
	}
	return f
}

// sampler reads "json", "jsonl" or a custom sampler, of which grammars and the names of other languages are known.
func (r *reader) sampler(value jsontext.JSON, path string) (s Sampler) {
	switch value.Kind() {
	case 'n':
	case '"':
		if s.Language = Canonical(value.Text()); !slices.Contains(Languages, s.Language) {
			r.bad(path, "want %s or a custom sampler, have an unknown name", strings.Join(Languages, ", "))
		}
	case '{':
		s.Custom = value
		c := value.Cursor()
		for key := range c.Members() {
			switch strings.ToLower(key) {
			case "bnf", "ebnf", "enbf", "grammar": // the document spells it "ENBF"
				s.Grammar, _ = text(&c)
			}
		}
	default:
		r.bad(path, "want a name, an object or null, have %s", kindOf(value))
	}
	return s
}
