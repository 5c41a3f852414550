package toolschema

import (
	"strings"
	"unicode"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A rustWriter writes items of Rust as JSON schemas.
type rustWriter struct {
	items map[string]*rustItem
	left  int // how many types may still be written
}

// maxRustSchemas bounds how many types a schema repeats, since a type may be part of many others.
const maxRustSchemas = 1000

func quotedText(text string) string { return string(jsontext.AppendString(nil, text)) }

// described adds a description to a schema.
func described(schema string, n *rustNote) string {
	if text := strings.TrimSpace(strings.Join(n.description, "\n")); text != "" {
		return merge(schema, note{description: []string{text}})
	}
	return schema
}

// item writes a definition of the text.
func (w *rustWriter) item(name string, depth int) string {
	it := w.items[name]
	if w.left--; depth > maxDepth || w.left < 0 {
		return "{}"
	}
	schema := ""
	switch {
	case it.enum:
		schema = w.variants(it, depth)
	case it.alias != nil:
		schema = w.typ(it.alias, depth+1)
	default:
		schema = w.fieldsOf(it, it.serde["rename_all"], depth, nil)
	}
	return described(schema, &it.rustNote)
}

// fieldsOf writes the fields of a struct, a function or a variant. before are further properties, as JSON.
func (w *rustWriter) fieldsOf(it *rustItem, rule string, depth int, before []string) string {
	if it.tuple && len(it.fields) == 1 {
		return w.typ(it.fields[0].typ, depth+1)
	}
	if it.tuple {
		return `{"type":"array"}`
	}
	p := rustObject{properties: before}
	for _, property := range before {
		name, _, _ := strings.Cut(property, ":")
		p.required = append(p.required, name)
	}
	w.collect(it, rule, depth, &p)
	schema := `{"type":"object","properties":{` + strings.Join(p.properties, ",") + `}`
	if len(p.required) > 0 {
		schema += `,"required":[` + strings.Join(p.required, ",") + `]`
	}
	if it.has("deny_unknown_fields") && !p.open {
		schema += `,"additionalProperties":false`
	}
	return schema + "}"
}

// A rustObject collects the properties of an object.
type rustObject struct {
	properties, required []string // "name":{...}, and names with their quotes
	open                 bool     // others are flattened into it
}

func (w *rustWriter) collect(it *rustItem, rule string, depth int, p *rustObject) {
	for i := range it.fields {
		f := &it.fields[i]
		switch {
		case f.has("skip") || f.has("skip_deserializing") || f.name == "self":
			continue
		case f.has("flatten"):
			inner := w.items[f.typ.name]
			if w.left--; inner == nil || inner.enum || inner.alias != nil || inner.tuple || depth > maxDepth || w.left < 0 {
				p.open = true
				continue
			}
			w.collect(inner, inner.serde["rename_all"], depth+1, p)
			continue
		}
		name := renamed(&f.rustNote, f.name, rule)
		p.properties = append(p.properties, name+":"+described(w.typ(f.typ, depth+1), &f.rustNote))
		if f.typ.name != "Option" && !f.has("default") && !it.has("default") && !f.has("alias") {
			p.required = append(p.required, name)
		}
	}
}

// variants writes an enum as serde reads it: names alone are texts, and a variant with fields has its name as a member or a tag.
func (w *rustWriter) variants(it *rustItem, depth int) string {
	var names, all []string
	tag, content := it.serde["tag"], it.serde["content"]
	for i := range it.variants {
		v := &it.variants[i]
		if v.has("skip") || v.has("skip_deserializing") {
			continue
		}
		name := renamed(&v.rustNote, v.name, it.serde["rename_all"])
		tagged := []string{quotedText(tag) + `:{"const":` + name + `}`}
		rule := v.serde["rename_all"]
		if rule == "" {
			rule = it.serde["rename_all_fields"]
		}
		schema := ""
		switch unit := len(v.inner.fields) == 0 && !v.inner.tuple; {
		case it.has("untagged") && unit:
			schema = `{"type":"null"}`
		case it.has("untagged"):
			schema = w.fieldsOf(v.inner, rule, depth, nil)
		case tag == "" && unit && len(v.description) == 0:
			names = append(names, name)
			continue
		case tag == "" && unit:
			schema = `{"const":` + name + `}`
		case tag == "":
			schema = object(name+":"+w.fieldsOf(v.inner, rule, depth, nil), name)
		case unit:
			schema = w.fieldsOf(v.inner, rule, depth, tagged)
		case content != "":
			inner := quotedText(content) + ":" + w.fieldsOf(v.inner, rule, depth, nil)
			schema = object(tagged[0]+","+inner, quotedText(tag)+","+quotedText(content))
		case v.inner.tuple:
			schema = w.taggedType(v.inner, depth, tagged)
		default:
			schema = w.fieldsOf(v.inner, rule, depth, tagged)
		}
		all = append(all, described(schema, &v.rustNote))
	}
	if len(names) > 0 {
		all = append([]string{`{"type":"string","enum":[` + strings.Join(names, ",") + `]}`}, all...)
	}
	if len(all) == 1 {
		return all[0]
	}
	return `{"anyOf":[` + strings.Join(all, ",") + `]}`
}

// taggedType writes a variant that holds a struct, whose members the tag joins.
func (w *rustWriter) taggedType(inner *rustItem, depth int, tagged []string) string {
	held := w.items[inner.fields[0].typ.name]
	if w.left--; held == nil || held.enum || held.alias != nil || held.tuple || depth > maxDepth || w.left < 0 {
		name, _, _ := strings.Cut(tagged[0], ":")
		return object(tagged[0], name)
	}
	return w.fieldsOf(held, held.serde["rename_all"], depth+1, tagged)
}

func object(properties, required string) string {
	return `{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`
}

// typ writes a type.
func (w *rustWriter) typ(t *rustType, depth int) string {
	if w.left--; depth > maxDepth || w.left < 0 {
		return "{}"
	}
	if w.items[t.name] != nil {
		return w.item(t.name, depth+1)
	}
	last := "{}"
	if len(t.args) > 0 {
		last = w.typ(t.args[len(t.args)-1], depth+1)
	}
	switch kind := rustKind(t.name); {
	case t.name == "Option" && last == "{}", t.name == "()" && len(t.args) == 1, kind == "inner":
		return last
	case t.name == "Option":
		return joined([]string{last, `{"type":"null"}`})
	case t.name == "()" && len(t.args) == 0:
		return `{"type":"null"}`
	case t.name == "()":
		return `{"type":"array"}`
	case kind == `"integer"` && t.name[0] == 'u':
		return `{"type":"integer","minimum":0}`
	case kind == `"array"` && last != "{}":
		return arrayOf(last)
	case kind == `"object"` && last != "{}":
		return `{"type":"object","additionalProperties":` + last + `}`
	case kind != "":
		return `{"type":` + kind + `}`
	}
	return "{}"
}

// renamed returns the name, with quotes, that serde has for a field or a variant.
func renamed(n *rustNote, name, rule string) string {
	if to := n.serde["rename"]; to != "" {
		return quotedText(to)
	}
	return quotedText(inCase(name, rule))
}

// inCase writes a name of Rust by one of the rules of serde's rename_all.
func inCase(name, rule string) string {
	var words []string
	for i, c := range name {
		if c == '_' || i == 0 || unicode.IsUpper(c) {
			words = append(words, "")
		}
		if c != '_' {
			words[len(words)-1] += strings.ToLower(string(c))
		}
	}
	titled := func(word string) string {
		if word == "" {
			return ""
		}
		return strings.ToUpper(word[:1]) + word[1:]
	}
	camel := ""
	for _, word := range words {
		camel += titled(word)
	}
	switch rule {
	case "lowercase":
		return strings.ToLower(name)
	case "UPPERCASE":
		return strings.ToUpper(name)
	case "PascalCase":
		return camel
	case "camelCase":
		return strings.ToLower(camel[:min(1, len(camel))]) + camel[min(1, len(camel)):]
	case "snake_case":
		return strings.Join(words, "_")
	case "SCREAMING_SNAKE_CASE":
		return strings.ToUpper(strings.Join(words, "_"))
	case "kebab-case":
		return strings.Join(words, "-")
	case "SCREAMING-KEBAB-CASE":
		return strings.ToUpper(strings.Join(words, "-"))
	}
	return name
}
