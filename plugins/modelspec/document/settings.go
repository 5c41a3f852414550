package document

import (
	"errors"
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/plugins/modelspec/toolschema"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// settingsJSON turns a JavaScript object literal, in which the document writes system settings, into JSON. The braces around the
// members may be missing, names need no quotes, commas may trail, and a bracket of either kind closes the open one: the
// document's own quoted settings have all of these.
func settingsJSON(src string) (string, error) {
	r := literal{src: strings.TrimSpace(src)}
	if !strings.HasPrefix(r.src, "{") {
		r.src = "{" + r.src + "}"
	}
	if err := r.value(); err != nil {
		return "", err
	}
	json := r.out.String()
	if _, ok := jsontext.Embedded(json); !ok {
		return "", errors.New("want strings without control characters, have one with them")
	}
	if _, faults := notation.ReadFormats(jsontext.JSON(json)); len(faults) > 0 {
		return "", fmt.Errorf("%s: %s", faults[0].Path, faults[0].Message)
	}
	return json, nil
}

// A literal reads a JavaScript literal and writes JSON.
type literal struct {
	src string
	at  int
	out strings.Builder
}

func (r *literal) value() error {
	switch c := r.peek(); {
	case c == '{':
		return r.list('{', '}', r.member)
	case c == '[':
		return r.list('[', ']', r.value)
	case c == '"' || c == '\'':
		return r.text()
	case isLetter(c) || c == '-' || c >= '0' && c <= '9':
		word := r.word()
		if _, ok := jsontext.Embedded(word); !ok {
			return fmt.Errorf("want a value, have %q", word)
		}
		r.out.WriteString(word)
		return nil
	case c == 0:
		return errors.New("want a value, have the end")
	}
	return fmt.Errorf("want a value, have %q", r.src[r.at:r.at+1])
}

func (r *literal) list(open, end byte, one func() error) error {
	r.at++
	r.out.WriteByte(open)
	for n := 0; ; n++ {
		if c := r.peek(); c == 0 || c == '}' || c == ']' {
			r.at = min(r.at+1, len(r.src))
			r.out.WriteByte(end)
			return nil
		}
		if n > 0 {
			r.out.WriteByte(',')
		}
		if err := one(); err != nil {
			return err
		}
		if r.peek() == ',' {
			r.at++
		}
	}
}

func (r *literal) member() error {
	if c := r.peek(); c == '"' || c == '\'' {
		if err := r.text(); err != nil {
			return err
		}
	} else if word := r.word(); word != "" {
		r.out.WriteString(`"` + word + `"`)
	} else {
		return fmt.Errorf("want a name, have %q", r.src[r.at:r.at+1])
	}
	if r.peek() != ':' {
		return errors.New("want a colon after a name")
	}
	r.at++
	r.out.WriteByte(':')
	return r.value()
}

// text reads a string in either kind of quotes.
func (r *literal) text() error {
	text, length := toolschema.Quoted(r.src[r.at:])
	if length == 0 {
		return errors.New("want the end of a string, have the end")
	}
	r.at += length
	r.out.WriteString(text)
	return nil
}

// peek returns the next byte that is not white space, or 0.
func (r *literal) peek() byte {
	for r.at < len(r.src) && strings.IndexByte(" \t\r\n", r.src[r.at]) >= 0 {
		r.at++
	}
	if r.at == len(r.src) {
		return 0
	}
	return r.src[r.at]
}

func (r *literal) word() string {
	start := r.at
	for r.at < len(r.src) && (isLetter(r.src[r.at]) || strings.IndexByte("+-.0123456789", r.src[r.at]) >= 0) {
		r.at++
	}
	return r.src[start:r.at]
}
