package toolschema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// AppendPythonCall appends a call as name(key=value, ...). Arguments whose names are no identifiers go into a dictionary behind
// two asterisks.
func AppendPythonCall(dst []byte, name string, args jsontext.JSON) ([]byte, error) {
	switch {
	case !IsIdentifier(name):
		return dst, fmt.Errorf("want a tool name that is an identifier of Python, have %s", jsontext.Seen(jsontext.BodyOf(name).JSON()))
	case args.Kind() != '{':
		return dst, errors.New("want arguments by name, have " + jsontext.KindName(args.Kind()))
	}
	dst = append(append(dst, name...), '(')
	between := ""
	var others []jsontext.Member
	for _, m := range args.Unique() {
		if !IsIdentifier(m.Key) {
			others = append(others, m)
			continue
		}
		dst = appendLiteral(append(append(append(dst, between...), m.Key...), '='), m.Value)
		between = ", "
	}
	if others != nil {
		dst = appendDict(append(append(dst, between...), "**"...), others)
	}
	return append(dst, ')'), nil
}

// ReadPythonCalls reads a text of calls, name(key=value, ...), on lines of their own or with semicolons between. An argument
// without a name gets the name that params returns for its position; where params has none, ok is false.
func ReadPythonCalls(text string, params func(function string) []string) (all []calls.Call, ok bool) {
	r := reader{src: text, remarks: true}
	for {
		if r.blank(); r.at == len(r.src) {
			return all, len(all) > 0
		}
		c, ok := r.call(params)
		if !ok {
			return nil, false
		}
		all = append(all, c)
		r.at = len(r.src) - len(strings.TrimLeft(r.src[r.at:], " \t\r"))
		if !r.accept(";") && r.at < len(r.src) && r.src[r.at] != '\n' && r.src[r.at] != '#' {
			return nil, false
		}
	}
}

func (r *reader) call(params func(string) []string) (c calls.Call, ok bool) {
	name := r.identifier(".")
	if name == "" || !r.token("(") {
		return c, false
	}
	var args []byte
	for position := 0; !r.token(")"); position++ {
		if args, ok = r.argument(args, name, position, params); !ok || !r.token(",") && !r.closes() {
			return c, false
		}
	}
	return calls.Call{Name: jsontext.BodyOf(name), Args: jsontext.JSON("{" + strings.TrimSuffix(string(args), ",") + "}")}, true
}

// closes reports whether a bracket is next that closes a list.
func (r *reader) closes() bool {
	r.blank()
	return strings.HasPrefix(r.src[r.at:], ")")
}

// argument reads key=value, a value alone, or **{"key": value}, and appends its members, each with a comma behind.
func (r *reader) argument(dst []byte, function string, position int, params func(string) []string) ([]byte, bool) {
	if r.token("**") {
		value, ok := r.literal()
		if !ok || value.Kind() != '{' {
			return dst, false
		}
		if value.Empty() {
			return dst, true
		}
		return append(append(dst, value[1:len(value)-1]...), ','), true
	}
	before := r.at
	key := r.identifier("")
	if key == "" || !r.token("=") || strings.HasPrefix(r.src[r.at:], "=") {
		names := params(function)
		if r.at = before; position >= len(names) {
			return dst, false
		}
		key = names[position]
	}
	value, ok := r.literal()
	return append(append(append(jsontext.AppendString(dst, key), ':'), value...), ','), ok
}

// literal reads a value of Python as JSON.
func (r *reader) literal() (jsontext.JSON, bool) {
	r.blank()
	value, rest, err := calls.Literal(nil, r.src[r.at:])
	if err != nil {
		return "", false
	}
	r.at = len(r.src) - len(rest)
	return jsontext.JSON(value), true
}
