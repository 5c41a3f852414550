package toolschema

import (
	"slices"
	"strings"
)

// ReadPython reads a function: its signature, docstring and the comments above it. "def" and the colon may be missing.
func ReadPython(text string) (f Function, ok bool) {
	r := &reader{src: text}
	s := only("object")
	var comments []string
	for r.blank(); r.accept("#"); r.blank() {
		line, _, _ := strings.Cut(r.src[r.at:], "\n")
		comments = append(comments, strings.TrimSpace(line))
		r.at += len(line)
	}
	if r.word("async"); r.blankThen("def") {
		r.blank()
	}
	if f.Name = r.identifier(""); f.Name == "" || !r.token("(") || !readParameters(r, &s) {
		return f, false
	}
	if r.token("->") {
		if _, ok = readPython(r, 0); !ok {
			return f, false
		}
	}
	r.token(":")
	if r.token("...") || r.blankThen("pass") || !r.token(quotes) {
		f.Description = strings.Join(comments, "\n")
		r.blank()
		f.Schema = s.schema()
		return f, r.at == len(r.src)
	}
	doc, ok := r.until(quotes)
	if !ok {
		return f, false
	}
	if !r.token("...") {
		r.blankThen("pass")
	}
	r.blank()
	f.Description, ok = readDoc(doc, &s)
	f.Schema = s.schema()
	return f, ok && r.at == len(r.src)
}

func readParameters(r *reader, s *shape) bool {
	open := false
	for !r.token(")") {
		switch {
		case r.token(anyKeyword):
			open = true
		case r.token("*") || r.token("/"):
		default:
			f := field{required: true}
			if f.name = r.identifier(""); f.name == "" {
				return false
			}
			if r.token(":") {
				var ok bool
				if f.shape, ok = readPython(r, 0); !ok {
					return false
				}
			}
			if r.token("=") {
				f.required = false
				if !r.token("...") {
					var ok bool
					if f.defaulted, ok = r.literal(); !ok {
						return false
					}
				}
			}
			s.fields = append(s.fields, f)
		}
		if !r.token(",") && !r.closes() {
			return false
		}
	}
	if !open && s.fields == nil {
		s.rest = append(s.rest, noProperties)
	}
	return true
}

// readDoc returns the description of a docstring, and adds what it has about parameters to their fields.
func readDoc(doc string, s *shape) (description string, ok bool) {
	doc = strings.ReplaceAll(doc, "\n"+margin, "\n")
	doc = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(doc)
	if strings.Contains(doc, "\n") {
		doc = strings.TrimSuffix(doc, "\n")
	}
	at := strings.LastIndex(doc, "\n"+args)
	if at < 0 || at > 0 && doc[at-1] != '\n' {
		return doc, true
	}
	head, below, _ := strings.Cut(doc[at+len("\n"+args):], "\n")
	r := &reader{src: head}
	top := field{shape: *s, required: true}
	if r.accept(" (") && !docstring.readPhrases(r, &top, true) || head[r.at:] != ":" {
		return doc, true
	}
	*s = top.shape
	documented, ok := docstring.readFields(&lines{text: below}, margin, true)
	next := 0
	for i := range documented {
		ok = ok && s.describe(&documented[i], &next)
	}
	return doc[:max(0, at-1)], ok
}

// describe adds the line of a docstring about a parameter to its field, which it looks for from an index on.
func (s *shape) describe(documented *field, from *int) bool {
	for range s.fields {
		f := &s.fields[*from%len(s.fields)]
		*from++
		if f.name == documented.name {
			f.description, f.bounds, f.rest = documented.description, documented.bounds, documented.rest
			if documented.defaulted != "" {
				f.defaulted = documented.defaulted
			}
			f.members().fields = documented.fields
			return true
		}
	}
	return false
}

func readPython(r *reader, depth int) (s shape, ok bool) {
	if depth > maxDepth {
		return s, false
	}
	if s, ok = readAnnotation(r, depth); !ok {
		return s, false
	}
	for r.token("|") {
		other, ok := readAnnotation(r, depth)
		if !ok || s.either || other.either || s.choices != nil || other.choices != nil || len(s.types) == 0 || len(other.types) == 0 {
			return s, false
		}
		if s, ok = alternatives(append(slices.Clone(s.types), other.types...)); !ok {
			return s, false
		}
	}
	return s, true
}

func readAnnotation(r *reader, depth int) (s shape, ok bool) {
	r.blank()
	switch {
	case r.word("Any"):
		return s, true
	case r.word("Literal"):
		s = only("string")
		ok = r.token("[") && r.joined(",", func() bool {
			r.blank()
			return s.readChoice(r)
		})
		return s, ok && r.token("]")
	case r.word("Optional"):
		if !r.token("[") {
			return s, false
		}
		if s, ok = readPython(r, depth+1); !ok || !r.token("]") {
			return s, false
		}
		if s.choices != nil || s.either || s.types == nil {
			return s, false
		}
		s, ok = alternatives(append(slices.Clone(s.types), "null"))
		s.either = true
		return s, ok
	case r.word("Union"):
		ok = r.token("[") && r.joined(",", func() bool {
			one, ok := readAnnotation(r, depth+1)
			s.types = append(s.types, one.types...)
			return ok && len(one.types) == 1 && one.choices == nil
		})
		if s, good := alternatives(s.types); ok && good && len(s.types) > 1 && r.token("]") {
			s.either = true
			return s, true
		}
		return s, false
	case r.word("list"), r.word("List"):
		s = only("array")
		if !r.token("[") {
			return s, true
		}
		items, ok := readPython(r, depth+1)
		s.items = &items
		return s, ok && r.token("]")
	}
	for _, kind := range append([]string{"object", "array"}, scalars...) {
		if r.word(pythonNames[kind]) {
			return only(kind), true
		}
	}
	return s, false
}

func (r *reader) blanks() int {
	rest := r.src[r.at:]
	return len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
}

// blank skips blanks, and comments where the text may have some.
func (r *reader) blank() {
	for r.at += r.blanks(); r.remarks && r.accept("#"); r.at += r.blanks() {
		line, _, _ := strings.Cut(r.src[r.at:], "\n")
		r.at += len(line)
	}
}

// token takes a token and the blanks before it, and blankThen a word.
func (r *reader) token(token string) bool { return r.behindBlanks(token, r.accept) }

func (r *reader) blankThen(word string) bool { return r.behindBlanks(word, r.word) }

func (r *reader) behindBlanks(token string, take func(string) bool) bool {
	before := r.at
	if r.blank(); take(token) {
		return true
	}
	r.at = before
	return false
}

// identifier reads a name, which may also have the bytes of others in it.
func (r *reader) identifier(others string) string {
	r.blank()
	name := r.run(func(c rune) bool { return strings.ContainsRune(identifierBytes+others, c) })
	if !IsIdentifier(strings.ReplaceAll(name, ".", "_")) {
		r.at -= len(name)
		return ""
	}
	return name
}

// until reads up to a token without a backslash before it, and behind it.
func (r *reader) until(token string) (string, bool) {
	for i := r.at; i < len(r.src); i++ {
		switch {
		case r.src[i] == '\\':
			i++
		case strings.HasPrefix(r.src[i:], token):
			text := r.src[r.at:i]
			r.at = i + len(token)
			return text, true
		}
	}
	return "", false
}
