package toolschema

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// ReadRust reads structs, enums, type aliases and signatures of functions as a JSON schema of what serde would read, with its
// attributes rename, rename_all, default, skip, flatten, tag, content, untagged and deny_unknown_fields. Types that are part of no
// other are alternatives. A type that the text does not define may be anything. ok is false for anything else.
func ReadRust(text string) (schema jsontext.JSON, ok bool) {
	r := rustReader{reader: reader{src: text}, items: map[string]*rustItem{}}
	for {
		n := r.notes()
		if r.blank(); r.at == len(r.src) {
			break
		}
		if !r.item(n) {
			return "", false
		}
	}
	if len(r.order) == 0 {
		return "", false
	}
	w := rustWriter{items: r.items, left: maxRustSchemas}
	var roots []string
	for _, name := range r.order {
		if !r.used[name] {
			roots = append(roots, w.item(name, 0))
		}
	}
	switch {
	case len(roots) == 0: // each is part of another
		roots = append(roots, w.item(r.order[0], 0))
	case len(roots) > 1:
		return jsontext.Embedded(`{"anyOf":[` + strings.Join(roots, ",") + `]}`)
	}
	return jsontext.Embedded(roots[0])
}

// A rustItem is a definition with a name.
type rustItem struct {
	rustNote
	fields   []rustField // of a struct, or the parameters of a function
	variants []rustField // of an enum
	tuple    bool        // the fields have no names
	alias    *rustType   // of a type alias
	enum     bool
}

// A rustField is a field, a parameter or a variant.
type rustField struct {
	rustNote
	name  string
	typ   *rustType
	inner *rustItem // the fields of a variant
}

// A rustType is a path with its arguments, such as Option<Vec<u8>>. The name of a list is "[]" and that of a tuple "()".
type rustType struct {
	name string
	args []*rustType
}

// A rustNote holds the comments and attributes above an item or a field.
type rustNote struct {
	description []string
	serde       map[string]string // by name; "" without a value
}

func (n *rustNote) has(name string) bool {
	_, ok := n.serde[name]
	return ok
}

// A rustReader reads items of Rust.
type rustReader struct {
	reader
	items map[string]*rustItem
	order []string
	used  map[string]bool // names of types that are part of another item
	owner string          // the item that is read
	depth int
}

// notes reads comments and attributes.
func (r *rustReader) notes() (n rustNote) {
	for {
		r.blank()
		switch rest := r.src[r.at:]; {
		case strings.HasPrefix(rest, "//"):
			line, _, _ := strings.Cut(rest, "\n")
			r.at += len(line)
			n.description = append(n.description, strings.TrimSpace(strings.TrimLeft(line, "/!")))
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				return n
			}
			r.at += end + 2
			n.description = append(n.description, strings.Trim(rest[2:end], "*! \t\r\n"))
		case strings.HasPrefix(rest, "#[") || strings.HasPrefix(rest, "#!["):
			r.at += strings.IndexByte(rest, '[') + 1
			n.attribute(r.balanced(']'))
		default:
			return n
		}
	}
}

// attribute reads serde(name, name = "value", name(deserialize = "value")).
func (n *rustNote) attribute(text string) {
	inner, ok := strings.CutPrefix(strings.TrimSpace(text), "serde")
	if !ok {
		return
	}
	r := rustReader{reader: reader{src: inner}}
	if n.serde == nil {
		n.serde = map[string]string{}
	}
	outer := ""
	for r.at < len(r.src) {
		r.blank()
		switch name := r.ident(); {
		case name != "" && r.token("="):
			r.blank()
			if value := r.json(); name != "serialize" { // the model writes what is deserialized
				if name == "deserialize" {
					name = outer
				}
				n.serde[name] = value.Text()
			}
		case name != "":
			outer = name
			n.serde[name] = ""
		default:
			r.at++ // a bracket or a comma
		}
	}
}

// balanced reads up to a closing bracket, behind the opening one, and returns the text between.
func (r *rustReader) balanced(end byte) string {
	from, depth := r.at, 1
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case c == '"':
			if _, n := Quoted(r.src[r.at:]); n > 0 {
				r.at += n - 1
			}
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			if depth--; depth == 0 && c == end {
				r.at++
				return r.src[from : r.at-1]
			}
		}
		r.at++
	}
	return r.src[from:]
}

// item reads a definition. Imports and implementations are passed over.
func (r *rustReader) item(n rustNote) bool {
	r.visibility()
	for _, word := range []string{"async", "unsafe", "const"} {
		r.blankThen(word)
	}
	switch word := r.ident(); word {
	case "use", "mod":
		return r.past(";")
	case "impl":
		ok := r.past("{")
		r.balanced('}')
		return ok
	case "struct", "enum", "type", "fn":
		name := r.ident()
		if name == "" || r.items[name] != nil {
			return false
		}
		r.owner = name
		it := &rustItem{rustNote: n}
		r.items[name], r.order = it, append(r.order, name)
		r.generics()
		return r.define(it, word)
	}
	return false
}

func (r *rustReader) define(it *rustItem, word string) (ok bool) {
	switch word {
	case "struct":
		ok = r.body(it)
		r.token(";")
	case "enum":
		it.enum = true
		if !r.token("{") {
			return false
		}
		it.variants, ok = r.fields("}", (*rustReader).variant)
	case "type":
		if ok = r.token("="); ok {
			it.alias, ok = r.typ()
			ok = ok && r.token(";")
		}
	case "fn":
		if !r.token("(") {
			return false
		}
		if it.fields, ok = r.fields(")", (*rustReader).field); ok && r.token("->") {
			_, ok = r.typ()
		}
		if ok && r.token("{") {
			r.balanced('}')
		} else {
			r.token(";")
		}
	}
	return ok
}

// body reads the fields of a struct or a variant, between braces or parentheses, or none.
func (r *rustReader) body(it *rustItem) (ok bool) {
	switch {
	case r.token("{"):
		it.fields, ok = r.fields("}", (*rustReader).field)
	case r.token("("):
		it.tuple = true
		it.fields, ok = r.fields(")", func(r *rustReader) (f rustField, ok bool) {
			r.visibility()
			f.typ, ok = r.typ()
			return f, ok
		})
	default:
		ok = true
	}
	return ok
}

// fields reads what read reads, between commas, up to the end.
func (r *rustReader) fields(end string, read func(*rustReader) (rustField, bool)) (all []rustField, ok bool) {
	for {
		n := r.notes()
		if r.token(end) {
			return all, true
		}
		f, ok := read(r)
		if !ok {
			return nil, false
		}
		between := r.token(",")
		f.rustNote = n
		f.behind(r)
		if all = append(all, f); !between && !r.token(end) {
			return nil, false
		} else if !between {
			return all, true
		}
	}
}

// behind reads the comment behind a field on its line.
func (f *rustField) behind(r *rustReader) {
	rest := strings.TrimLeft(r.src[r.at:], " \t")
	if line, _, _ := strings.Cut(rest, "\n"); strings.HasPrefix(line, "//") {
		r.at = len(r.src) - len(rest) + len(line)
		f.description = append(f.description, strings.TrimSpace(strings.TrimLeft(line, "/")))
	}
}

func (r *rustReader) field() (f rustField, ok bool) {
	r.visibility()
	r.blankThen("mut")
	if f.name = r.ident(); f.name == "" || !r.token(":") {
		return f, false
	}
	f.typ, ok = r.typ()
	return f, ok
}

func (r *rustReader) variant() (f rustField, ok bool) {
	if f.name = r.ident(); f.name == "" {
		return f, false
	}
	f.inner = &rustItem{}
	if ok = r.body(f.inner); ok && r.token("=") {
		r.blank()
		r.run(func(c rune) bool { return strings.ContainsRune(numeric+"_xabcdfABCDF", c) })
	}
	return f, ok
}

// typ reads a type: a path with arguments, a reference, a list or a tuple.
func (r *rustReader) typ() (t *rustType, ok bool) {
	if r.depth++; r.depth > maxTypeDepth {
		return nil, false
	}
	defer func() { r.depth-- }()
	for r.token("&") || r.lifetime() {
		r.blankThen("mut")
	}
	switch {
	case r.token("["):
		inner, ok := r.typ()
		if ok && r.token(";") {
			r.blank()
			r.run(func(c rune) bool { return c != ']' })
		}
		return &rustType{"[]", []*rustType{inner}}, ok && r.token("]")
	case r.token("("):
		args, ok := r.types(")")
		return &rustType{"()", args}, ok
	}
	t = &rustType{}
	for t.name == "" || r.token("::") {
		if t.name = r.ident(); t.name == "" {
			return nil, false
		}
	}
	if r.used == nil {
		r.used = map[string]bool{}
	}
	r.used[t.name] = r.used[t.name] || t.name != r.owner
	if r.token("<") {
		t.args, ok = r.types(">")
		return t, ok
	}
	return t, true
}

// types reads types between commas up to the end. Lifetimes are none.
func (r *rustReader) types(end string) (all []*rustType, ok bool) {
	for !r.token(end) {
		if !r.lifetime() {
			t, ok := r.typ()
			if !ok {
				return nil, false
			}
			all = append(all, t)
		}
		if !r.token(",") {
			return all, r.token(end)
		}
	}
	return all, true
}

// ident reads a name, without the r# of one that is a keyword.
func (r *rustReader) ident() string {
	r.token("r#")
	r.blank()
	return r.run(func(c rune) bool { return strings.ContainsRune(identifierBytes, c) })
}

func (r *rustReader) lifetime() bool { return r.token("'") && r.ident() != "" }

func (r *rustReader) generics() {
	if r.token("<") {
		r.past(">")
	}
}

// visibility reads "pub" or "pub(crate)".
func (r *rustReader) visibility() {
	if r.blankThen("pub") && r.token("(") {
		r.past(")")
	}
}

// past reads up to a token and the token.
func (r *rustReader) past(token string) bool {
	_, rest, ok := strings.Cut(r.src[r.at:], token)
	r.at = len(r.src) - len(rest)
	return ok
}

// rustNames lists the types of the library by what JSON has for them.
var rustNames = map[string][]string{
	`"string"`:  {"String", "str", "char", "OsString", "PathBuf", "Path"},
	`"integer"`: {"i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"},
	`"number"`:  {"f32", "f64"},
	`"boolean"`: {"bool"},
	`"array"`:   {"[]", "Vec", "VecDeque", "HashSet", "BTreeSet", "IndexSet", "LinkedList"},
	`"object"`:  {"HashMap", "BTreeMap", "IndexMap", "Map"},
	`inner`:     {"Box", "Rc", "Arc", "Cow", "Mutex", "RwLock", "RefCell", "Cell"},
}

func rustKind(name string) string {
	for kind, names := range rustNames {
		if slices.Contains(names, name) {
			return kind
		}
	}
	return ""
}
