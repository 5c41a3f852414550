package calls

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// pythonList reads a text that consists of [f(a=1), g()]. A name that is not valid in Python must be that of a tool.
func pythonList(text string, row Row) ([]Call, bool) {
	l := literal{s: text, i: 1}
	var calls []Call
	for {
		c, err := l.call(row)
		if err != nil {
			return nil, false
		}
		calls = append(calls, c)
		if l.comma(']') != nil {
			return nil, false
		}
		if l.peek() == ']' {
			l.i++
			return calls, l.peek() == 0
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
