package toolschema

import (
	"strings"
	"unicode"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A dialect is how a language lists fields, each on a line: its name, phrases in brackets, a colon and the description. The
// fields of a field are listed below it and indented once; further lines of a description are indented twice.
type dialect struct {
	indent   string
	bullet   string // before a name
	required string // the phrase for a required field, or ""
	optional string // the phrase for an optional one, or ""
	json     bool   // keywords without a phrase are written as JSON
	typeOf   func(s *shape) string
	readType func(r *reader) (s shape, ok bool)
}

const byDefault = "by default "

// phrases returns the phrases in brackets for a shape; ok is false where there are none for part of it. The signature of a
// function has the type and the default of a parameter already, and whether it is required.
func (t *dialect) phrases(s *shape, required, parameter bool) (all []string, ok bool) {
	if !parameter {
		all = append(all, t.typeOf(s))
	}
	for _, b := range s.bounds {
		phrase := b.before + b.behind
		if b.fixed == "" {
			phrase = b.before + string(b.value) + b.behind
		}
		all = append(all, phrase)
	}
	if s.defaulted != "" && (!parameter || required) {
		all = append(all, byDefault+string(s.defaulted))
	}
	flag := t.optional
	if required {
		flag = t.required
	}
	if flag != "" && !parameter {
		all = append(all, flag)
	}
	if s.rest != nil {
		all = append(all, "{"+strings.Join(s.rest, ",")+"}")
	}
	return all, s.rest == nil || t.json
}

// appendFields appends the lines of fields, but for parameters that their signature describes in full.
func (t *dialect) appendFields(dst []byte, fields []field, indent string, parameters bool) ([]byte, bool) {
	for i := range fields {
		f := &fields[i]
		all, ok := t.phrases(&f.shape, f.required, parameters)
		below := f.members().fields
		if parameters && all == nil && below == nil && f.description == "" {
			continue
		}
		dst = append(append(append(dst, '\n'), indent...), t.bullet...)
		if isPlain(f.name) {
			dst = append(dst, f.name...)
		} else {
			dst = jsontext.AppendString(dst, f.name)
		}
		if all != nil {
			dst = append(append(append(dst, " ("...), strings.Join(all, ", ")...), ')')
		}
		for n, line := range strings.Split(f.description, "\n") {
			switch {
			case f.description == "":
			case n == 0:
				dst = append(append(dst, ": "...), line...)
			case line == "":
				dst = append(dst, '\n')
			default:
				dst = append(append(append(append(append(dst, '\n'), indent...), t.indent...), t.indent...), line...)
			}
		}
		if ok {
			dst, ok = t.appendFields(dst, below, indent+t.indent, false)
		}
		if !ok {
			return dst, false
		}
	}
	return dst, true
}

// isPlain reports whether a name needs no quotes in a line.
func isPlain(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.' && r != '$'
	}) < 0
}

// lines reads a text line by line.
type lines struct {
	text  string // the rest
	ended bool   // there is no line left
	depth int
}

func (l *lines) ahead() (string, bool) {
	line, _, _ := strings.Cut(l.text, "\n")
	return line, !l.ended
}

func (l *lines) skip() {
	_, rest, more := strings.Cut(l.text, "\n")
	l.text, l.ended = rest, !more
}

// continued reads the further lines of a description, which are indented, and blank lines between them.
func (l *lines) continued(indent string) string {
	var b strings.Builder
	for blank := "\n"; ; {
		before := *l
		line, more := l.ahead()
		for more && line == "" {
			l.skip()
			blank += "\n"
			line, more = l.ahead()
		}
		text, in := strings.CutPrefix(line, indent)
		if !more || !in {
			*l = before
			return b.String()
		}
		l.skip()
		b.WriteString(blank + text)
		blank = "\n"
	}
}

// readFields reads the lines with an indentation, and the fields below each.
func (t *dialect) readFields(l *lines, indent string, parameters bool) (fields []field, ok bool) {
	if l.depth++; l.depth > maxDepth {
		return nil, false
	}
	defer func() { l.depth-- }()
	for {
		line, more := l.ahead()
		text, in := strings.CutPrefix(line, indent+t.bullet)
		if !more || !in || text == "" || text[0] == ' ' {
			return fields, true
		}
		l.skip()
		f, ok := t.readField(text, parameters)
		if !ok {
			return nil, false
		}
		f.description += l.continued(indent + t.indent + t.indent)
		below, ok := t.readFields(l, indent+t.indent, false)
		if !ok {
			return nil, false
		}
		f.members().fields = below
		fields = append(fields, f)
	}
}

func (t *dialect) readField(text string, parameter bool) (f field, ok bool) {
	r := &reader{src: text}
	if f.name, ok = r.name(); !ok {
		return f, false
	}
	f.required = true
	if r.accept(" (") && !t.readPhrases(r, &f, parameter) {
		return f, false
	}
	if r.at == len(r.src) {
		return f, true
	}
	if !r.accept(": ") {
		return f, false
	}
	f.description = r.src[r.at:]
	return f, true
}

// readPhrases reads phrases up to the bracket that closes them.
func (t *dialect) readPhrases(r *reader, f *field, parameter bool) bool {
	for first := true; ; first = false {
		switch value := jsontext.JSON(""); {
		case first && !parameter:
			var ok bool
			if f.shape, ok = t.readType(r); !ok {
				return false
			}
		case t.required != "" && r.accept(t.required):
		case r.accept(t.optional):
			f.required = false
		case r.accept(byDefault):
			if f.defaulted = r.json(); f.defaulted == "" {
				return false
			}
		case strings.HasPrefix(r.src[r.at:], "{"):
			if value = r.json(); value == "" {
				return false
			}
			for _, m := range value.Unique() {
				f.rest = append(f.rest, member(m.Key, m.Value))
			}
		default:
			b, ok := r.bound()
			if !ok {
				return false
			}
			f.bounds = append(f.bounds, b)
		}
		if r.accept(")") {
			return true
		}
		if !r.accept(", ") {
			return false
		}
	}
}

// A reader reads a text from left to right.
type reader struct {
	src     string
	at      int
	remarks bool // the text may have comments of Python where it has blanks
}

func (r *reader) accept(token string) bool {
	if token == "" || !strings.HasPrefix(r.src[r.at:], token) {
		return false
	}
	r.at += len(token)
	return true
}

// run reads the characters that in holds for.
func (r *reader) run(in func(rune) bool) string {
	rest := r.src[r.at:]
	text := rest[:len(rest)-len(strings.TrimLeftFunc(rest, in))]
	r.at += len(text)
	return text
}

// word reads a token that no letter follows.
func (r *reader) word(token string) bool {
	before := r.at
	if !r.accept(token) {
		return false
	}
	if rest := r.src[r.at:]; rest != "" && (rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z' || rest[0] == '_') {
		r.at = before
		return false
	}
	return true
}

// numeric holds what the number of JSON consists of.
const numeric = "+-.0123456789eE"

// json reads a JSON value, or returns "".
func (r *reader) json() jsontext.JSON {
	rest := r.src[r.at:]
	if rest == "" || rest[0] == ' ' {
		return ""
	}
	end := len(rest) - len(strings.TrimLeft(rest, numeric)) // of a number, which may have a bracket behind it
	for _, word := range []string{"true", "false", "null"} {
		if strings.HasPrefix(rest, word) {
			end = len(word)
		}
	}
	if end == 0 {
		c := jsontext.Cursor{JSON: jsontext.JSON(rest)}
		end = len(c.Value())
	}
	value, ok := jsontext.Embedded(rest[:end])
	if !ok {
		return ""
	}
	r.at += end
	return value
}

func (r *reader) name() (string, bool) {
	if strings.HasPrefix(r.src[r.at:], `"`) {
		value := r.json()
		return value.Text(), value != ""
	}
	end := strings.IndexAny(r.src[r.at:], " :(")
	if end < 0 {
		end = len(r.src) - r.at
	}
	name := r.src[r.at : r.at+end]
	r.at += end
	return name, isPlain(name)
}

// bound reads the phrase of a keyword. Where several match, the longest counts.
func (r *reader) bound() (b bound, ok bool) {
	start, end := r.at, 0
	for i := range keywords {
		k := &keywords[i]
		r.at = start
		if !r.accept(k.before) {
			continue
		}
		value := k.fixed
		if value == "" {
			value = r.json()
		}
		if value != "" && strings.HasPrefix(r.src[r.at:], k.behind) && r.at+len(k.behind) > end {
			b, end = bound{k, value}, r.at+len(k.behind)
		}
	}
	r.at = max(start, end)
	return b, end > 0
}

// joined calls read until no separator follows.
func (r *reader) joined(between string, read func() bool) bool {
	for {
		if !read() {
			return false
		}
		if !r.accept(between) {
			return true
		}
	}
}

func only(kind string) shape { return shape{types: []string{kind}} }

// alternatives returns the shape of one type, or of several scalar ones.
func alternatives(types []string) (shape, bool) {
	return shape{types: types}, len(types) == 1 || areScalars(types)
}
