package source

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// jsonKind reads JSON documents: the elements of an array at the top are records, a document of another kind is one
// record. Documents may follow one another. A record's line is the one on which it begins.
//
// An array that breaks off, or has something between its elements that does not belong there, results in a record with a
// fault and then an error: where the records behind it begin cannot be known.
var jsonKind = kind{
	doc:    "reads one document as a record, or an array of records",
	split:  newValueSplitter,
	ending: ".json",
	join:   func(rows []string) string { return "[" + strings.Join(rows, ",\n") + "]\n" },
}

func newValueSplitter(entry, Options) (splitter, error) { return &valueSplitter{at: 1}, nil }

// valueSplitter splits documents. It follows strings and the depth of brackets, and leaves the rest to Check.
type valueSplitter struct {
	at      int64
	state   valueState
	array   bool // the record is an element, not a document
	whole   bool // an array at the top is one record
	depth   int  // open brackets of the record
	text    bool // in a string of the record
	escaped bool // behind a backslash
}

// valueState is the place of a valueSplitter in a document.
type valueState uint8

const (
	between valueState = iota // of documents
	opened                    // behind the array's '['
	comma                     // behind a ','
	behind                    // an element
	scalar                    // in a number or literal
	nested                    // in a string, array or object
)

func (v *valueSplitter) split(b []byte) (int, stretch) {
	switch v.state {
	case nested:
		return v.nested(b)
	case scalar:
		return v.scalar(b)
	}
	if n := v.blanks(b); n > 0 {
		return n, gap
	}
	switch c := b[0]; {
	case c == '[' && v.state == between && !v.whole:
		v.state, v.array = opened, true
	case c == ']' && (v.state == opened || v.state == behind):
		v.state, v.array = between, false
	case c == ',' && v.state == behind:
		v.state = comma
	case v.state == behind || strings.IndexByte(",:]}", c) >= 0:
		return 0, broken
	case c == '{' || c == '[' || c == '"':
		v.state = nested
		return v.nested(b)
	default:
		v.state = scalar
		return v.scalar(b)
	}
	return 1, gap
}

// blanks returns how many of the first bytes are blank.
func (v *valueSplitter) blanks(b []byte) int {
	n := jsontext.Blanks(b)
	v.at += int64(bytes.Count(b[:n], []byte("\n")))
	return n
}

func (v *valueSplitter) scalar(b []byte) (int, stretch) {
	if n := bytes.IndexAny(b, " \t\r\n,:[]{}\""); n >= 0 {
		return n, v.close()
	}
	return len(b), inside
}

func (v *valueSplitter) nested(b []byte) (int, stretch) {
	quote := -1 // the next '"', when it is not before the place at hand
	for i := 0; i < len(b); i++ {
		if v.text && !v.escaped {
			if quote < i {
				quote = indexFrom(b, i, '"')
			}
			end := indexFrom(b[:quote], i, '\\')
			v.at += int64(bytes.Count(b[i:end], []byte{'\n'}))
			if i = end; i == len(b) {
				break
			}
		}
		switch c := b[i]; {
		case c == '\n':
			v.at++
			v.escaped = false
		case v.escaped:
			v.escaped = false
		case v.text && c == '\\':
			v.escaped = true
		case c == '"':
			v.text = !v.text
			if !v.text && v.depth == 0 {
				return i + 1, v.close()
			}
		case c == '{' || c == '[':
			v.depth++
		case c == '}' || c == ']':
			v.depth--
			if v.depth == 0 {
				return i + 1, v.close()
			}
		}
	}
	return len(b), inside
}

// indexFrom returns the first place of c in b from a place on, or the length of b.
func indexFrom(b []byte, from int, c byte) int {
	if n := bytes.IndexByte(b[from:], c); n >= 0 {
		return from + n
	}
	return len(b)
}

// close ends a record.
func (v *valueSplitter) close() stretch {
	v.state = between
	if v.array {
		v.state = behind
	}
	return ended
}

func (v *valueSplitter) end() stretch {
	switch {
	case v.state == between:
		return gap
	case v.state == scalar && !v.array:
		return ended
	}
	return broken
}

func (v *valueSplitter) line() int64 { return v.at }

func (v *valueSplitter) fault(text []byte, at int) *wire.Fault {
	return brokenJSON(v.wanted(), text, at)
}

// brokenJSON returns the fault of a text that wants something else at a place.
func brokenJSON(want string, text []byte, at int) *wire.Fault {
	return &wire.Fault{Code: jsontext.InvalidJSON, Message: fmt.Sprintf("want %s, have %s", want, jsontext.ByteName(text, at))}
}

// wanted names what has to come next.
func (v *valueSplitter) wanted() string {
	switch v.state {
	case between:
		return "a document"
	case opened:
		return "an element or ']'"
	case comma:
		return "an element"
	case nested:
		return "the end of a value"
	}
	return "',' or ']'"
}
