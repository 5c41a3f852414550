package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// typeMembers returns the members for a type that JSON Schema lacks, "-" when it needs none, "" for any other type.
func typeMembers(v jsontext.JSON) string {
	body, ok := v.Quoted()
	t := types[string(body)]
	switch {
	case v.Kind() == '[' || ok && t == string(body) && t != "any":
		return ""
	case !ok: // an object or number in the place of a type
		return "-"
	case t != "" && t != "any":
		return typeMember(t)
	}
	return pythonType(strings.TrimSpace(body.Text()))
}

// pythonType returns the members for a type in the notation of Python, as typeMembers does.
func pythonType(name string) string {
	if rest, optional := cutLast(name, "optional"); optional && strings.HasSuffix(rest, ",") {
		name = strings.TrimSpace(strings.TrimSuffix(rest, ","))
	}
	name = strings.TrimPrefix(name, "typing.")
	outer, inner, _ := strings.Cut(name, "[")
	inner, generic := strings.CutSuffix(inner, "]")
	if !generic {
		if of, item, ok := strings.Cut(name, " of "); ok { // list of str
			outer, inner, generic = of, item, true
		}
	}
	outer = strings.ToLower(strings.TrimSpace(outer))
	switch {
	case generic && outer == "literal":
		return literals(inner)
	case generic && outer == "optional":
		return pythonType(strings.TrimSpace(inner))
	case generic && outer == "union":
		return union(strings.Split(inner, ","))
	case !generic && strings.Contains(name, "|"):
		return union(strings.Split(name, "|"))
	}
	t := types[outer]
	switch {
	case t == "":
		return ""
	case t == "any":
		return "-"
	case t == "array" && generic:
		item, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(inner)), "[")
		if of := types[item]; of != "" && of != "any" {
			return typeMember(t) + `,"items":{` + typeMember(of) + `}`
		}
	}
	return typeMember(t)
}

// cutLast cuts a word off the end of a text, in letters of either case, with the space before it.
func cutLast(text, word string) (rest string, ok bool) {
	at := len(text) - len(word)
	if at < 0 || !strings.EqualFold(text[at:], word) {
		return text, false
	}
	return strings.TrimSpace(text[:at]), true
}

// union returns the members for one of several types: those of the only one beside None, or none, which takes any of them.
func union(names []string) string {
	only := ""
	for _, name := range names {
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, "none") || strings.EqualFold(name, "null"):
		case only != "":
			return "-"
		default:
			only = name
		}
	}
	return pythonType(only)
}

// literals returns the members for the strings, or else the values of JSON, that Literal lists.
func literals(list string) string {
	var enum []byte
	for list = strings.TrimSpace(list); list != ""; list = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(list), ",")) {
		quote := list[0]
		if quote != '\'' && quote != '"' {
			value, rest, _ := strings.Cut(list, ",")
			v, ok := jsontext.Embedded(strings.TrimSpace(value))
			if !ok {
				return ""
			}
			enum, list = append(jsontext.AppendComma(enum), v...), rest
			continue
		}
		end := strings.IndexByte(list[1:], quote)
		if end < 0 {
			return ""
		}
		enum, list = jsontext.AppendString(jsontext.AppendComma(enum), list[1:1+end]), list[end+2:]
	}
	if len(enum) == 0 {
		return ""
	}
	return `"enum":[` + string(enum) + `]`
}

func typeMember(name string) string { return `"type":"` + name + `"` }

var types = map[string]string{
	"object": "object", "array": "array", "string": "string", "number": "number", "integer": "integer", "boolean": "boolean", "null": "null",
	"dict": "object", "map": "object", "list": "array", "tuple": "array", "set": "array", "str": "string", "int": "integer",
	"float": "number", "double": "number", "long": "integer", "bool": "boolean", "nonetype": "null", "any": "any", "union": "any", "callable": "any",
	"hashmap": "object", "mapping": "object", "ordereddict": "object", "defaultdict": "object",
	"sequence": "array", "iterable": "array", "collection": "array", "frozenset": "array", "arraylist": "array", "ndarray": "array", "np.ndarray": "array",
	"numpy.ndarray": "array", "bytes": "string", "char": "string", "date": "string", "datetime": "string", "time": "string", "uuid": "string",
	"decimal": "number", "short": "integer",
}
