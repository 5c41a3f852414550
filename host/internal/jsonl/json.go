package jsonl

import (
	"bytes"
	"strings"
)

// OpenJSON finds the files of a source that reads JSON documents: the elements of an array at the top are records, a
// document of another kind is one record. Documents may follow one another. Line is where a record begins.
//
// An array that breaks off or has something between its elements that does not belong there gives a record with a
// fault and, after it, an error: what follows cannot be told apart any more.
func OpenJSON(opts Options) (*Source, error) {
	return open(opts, func() splitter { return &elements{at: 1} })
}

// elements splits documents. It follows strings and the depth of brackets, and leaves the rest to Check.
type elements struct {
	at      int64
	place   place
	array   bool // the record is an element, not a document
	depth   int  // open brackets of the record
	text    bool // in a string of the record
	escaped bool // behind a backslash
}

// place is where elements stands in a document.
type place uint8

const (
	between place = iota // of documents
	opened               // behind the array's '['
	comma                // behind a ','
	behind               // an element
	scalar               // in a number or literal
	nested               // in a string, array or object
)

func (e *elements) split(b []byte) (int, part) {
	switch e.place {
	case nested:
		return e.nested(b)
	case scalar:
		return e.scalar(b)
	}
	if n := e.blanks(b); n > 0 {
		return n, gap
	}
	switch c := b[0]; {
	case c == '[' && e.place == between:
		e.place, e.array = opened, true
	case c == ']' && (e.place == opened || e.place == behind):
		e.place, e.array = between, false
	case c == ',' && e.place == behind:
		e.place = comma
	case e.place == behind || strings.IndexByte(",:]}", c) >= 0:
		return 0, broken
	case c == '{' || c == '[' || c == '"':
		e.place = nested
		return e.nested(b)
	default:
		e.place = scalar
		return e.scalar(b)
	}
	return 1, gap
}

// blanks is how many of the first bytes are blank.
func (e *elements) blanks(b []byte) int {
	n := space(b, 0)
	e.at += int64(bytes.Count(b[:n], []byte("\n")))
	return n
}

func (e *elements) scalar(b []byte) (int, part) {
	if n := bytes.IndexAny(b, " \t\r\n,:[]{}\""); n >= 0 {
		return n, e.close()
	}
	return len(b), inside
}

func (e *elements) nested(b []byte) (int, part) {
	for i, c := range b {
		switch {
		case c == '\n':
			e.at++
			e.escaped = false
		case e.escaped:
			e.escaped = false
		case e.text && c == '\\':
			e.escaped = true
		case c == '"':
			e.text = !e.text
			if !e.text && e.depth == 0 {
				return i + 1, e.close()
			}
		case e.text:
		case c == '{' || c == '[':
			e.depth++
		case c == '}' || c == ']':
			e.depth--
			if e.depth == 0 {
				return i + 1, e.close()
			}
		}
	}
	return len(b), inside
}

// close ends a record.
func (e *elements) close() part {
	e.place = between
	if e.array {
		e.place = behind
	}
	return ended
}

func (e *elements) end() part {
	switch {
	case e.place == between:
		return gap
	case e.place == scalar && !e.array:
		return ended
	}
	return broken
}

func (e *elements) line() int64 { return e.at }

func (e *elements) wanted() string {
	switch e.place {
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
