package calls

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// pythonCalls reads a text that consists of [f(a=1), g()], or returns none. One of the calls must be of a tool, or the prompt must announce
// them: else these are values, which code prints in the same way. A list that begins with a call of a tool and does not parse is an error.
func pythonCalls(text string, row Row) ([]Call, error) {
	named := func(c Call) bool { return row.Knows(c.Name.Text()) }
	calls, err := pythonList(text, row)
	if err == nil {
		if len(calls) == 0 || !slices.ContainsFunc(calls, named) && !announces(row, calls[0].Name.Text()) {
			return nil, nil
		}
		return calls, nil
	}
	if odd, err := pythonList(text, oddNames{row}); err == nil && slices.ContainsFunc(odd, named) {
		return odd, nil
	}
	if name, _, called := strings.Cut(text[1:], "("); called && row.Knows(strings.TrimSpace(name)) {
		return nil, fmt.Errorf("list of calls: %w", err)
	}
	return nil, nil
}

// announces reports whether the prompt asks for calls as a Python list, as those of BFCL and Llama do, or lists a tool of the name in JSON.
func announces(row Row, name string) bool {
	for _, mark := range [...]string{ListsFunctions, "[func_name", "[func1(", `"name": "` + name + `"`, `"name":"` + name + `"`, "'name': '" + name + "'"} {
		if row.Mentions(mark) {
			return true
		}
	}
	return false
}

// oddNames takes whatever may be the name of a tool for one.
type oddNames struct{ Row }

func (oddNames) Knows(name string) bool { return !strings.ContainsAny(name, ",;:=<>|") }

// pythonList reads a list of calls, none if more text follows it.
func pythonList(text string, row Row) ([]Call, error) {
	l := literal{s: text, i: 1}
	var calls []Call
	for {
		c, err := l.call(row)
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
		if err := l.comma(']'); err != nil {
			return nil, err
		}
		if l.peek() == ']' {
			if l.i++; l.peek() != 0 {
				return nil, nil
			}
			return calls, nil
		}
	}
}

// pythonTag reads the calls in Python or JSON after <|python_tag|>, up to the next mark or the end.
func (r *Reading) pythonTag(s string, at int) (int, error) {
	l := literal{s: s, i: at}
	for n := 0; ; n++ {
		switch c := l.peek(); {
		case c == 0 || c == '<':
			if n == 0 {
				return 0, l.errorf("a call")
			}
			return l.i, nil
		case c == ';' || c == ',':
			l.i++
		case c == '{' || c == '[':
			value, err := l.value(nil, 0)
			if err != nil {
				return 0, err
			}
			if err := r.add(jsontext.JSON(value)); err != nil {
				return 0, err
			}
		default:
			c, err := l.call(noRow{})
			if err != nil {
				return 0, err
			}
			c.Name = jsontext.Body(strings.TrimSuffix(string(c.Name), ".call"))
			r.Calls = append(r.Calls, c)
		}
	}
}

// call reads name(key=value, ...) or name({...}).
func (l *literal) call(row Row) (Call, error) {
	l.peek()
	start := l.i
	for identifier(l.s, l.i) || l.i > start && l.i < len(l.s) && (l.s[l.i] == '.' || l.s[l.i] == '-') {
		l.i++
	}
	name := l.s[start:l.i]
	if n := strings.IndexAny(l.s[l.i:], "()[]{}\"'\n"); n > 0 && l.s[l.i+n] == '(' {
		if odd := strings.TrimSpace(l.s[start : l.i+n]); odd != name && row.Knows(odd) {
			name, l.i = odd, l.i+n
		}
	}
	if name == "" || name[0] >= '0' && name[0] <= '9' && !row.Knows(name) {
		return Call{}, l.errorf("a name")
	}
	if l.peek() != '(' {
		return Call{}, l.errorf("'('")
	}
	l.i++
	if l.peek() == '{' {
		args, err := l.value(nil, 0)
		if err == nil && l.peek() != ')' {
			err = l.errorf("')'")
		}
		l.i++
		return Call{Name: jsontext.BodyOf(name), Args: jsontext.JSON(args)}, err
	}
	args := []byte("{")
	for l.peek() != ')' {
		key, err := l.keyword()
		if err != nil {
			return Call{}, err
		}
		if args, err = l.value(jsontext.AppendKey(args, key), 0); err != nil {
			return Call{}, err
		}
		if err := l.comma(')'); err != nil {
			return Call{}, err
		}
	}
	l.i++
	return Call{Name: jsontext.BodyOf(name), Args: jsontext.JSON(append(args, '}'))}, nil
}

func (l *literal) keyword() (string, error) {
	c, start := l.peek(), l.i
	for (c < '0' || c > '9') && identifier(l.s, l.i) {
		l.i++
	}
	name := l.s[start:l.i]
	if name == "" || l.peek() != '=' {
		return "", l.errorf("an argument with its name")
	}
	l.i++
	return name, nil
}
