package eval

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Names of the members in the sets of other tools. The first of each is the documented one.
var (
	textNames   = []string{"text", "full_text", "source_text"}
	spansNames  = []string{"spans", "entities", "labels", "label", "privacy_mask"}
	startNames  = []string{"start", "start_position", "start_offset", "begin"}
	endNames    = []string{"end", "end_position", "end_offset"}
	entityNames = []string{"entity", "entity_type", "label", "type"}
	valueNames  = []string{"value", "entity_value", "text"}
	localeNames = []string{"locale", "language", "lang"}
)

const (
	maxLine  = 64 << 20 // bytes
	maxDepth = 64       // of its JSON
)

// read reads a labelled set, a document a line:
//
//	{"text": "call Ann", "spans": [{"start": 5, "end": 8, "entity": "PERSON"}], "locale": "en_US"}
//
// Offsets are code points, half open. A span may be [start, end, entity] instead, and may have its value, which must then be the
// text there. Errors begin with the name and the line.
func read(from io.Reader, name string) ([]document, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	var docs []document
	for n := 1; lines.Scan(); n++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		d, err := readDocument(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		docs = append(docs, d)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return docs, nil
}

func readDocument(line []byte) (d document, err error) {
	if jsontext.Check(line, maxDepth) != nil || line[0] != '{' {
		return d, fmt.Errorf("want an object with a text and its spans, have %d bytes of another kind", len(line))
	}
	row := gjson.ParseBytes(line)
	text := first(row, textNames)
	if text.Type != gjson.String {
		return d, fmt.Errorf("want a text at %q, have %s", textNames[0], described(text))
	}
	d.Text, d.Locale = text.Str, first(row, localeNames).String()
	spans := first(row, spansNames)
	if !spans.IsArray() {
		return d, fmt.Errorf("want a list at %q, have %s", spansNames[0], described(spans))
	}
	runes := []rune(d.Text)
	spans.ForEach(func(_, s gjson.Result) bool {
		labelled, bad := readSpan(s, runes)
		if bad != nil {
			err = fmt.Errorf("span %d: %w", len(d.Spans)+1, bad)
			return false
		}
		d.Spans = append(d.Spans, labelled)
		return true
	})
	return d, err
}

func readSpan(s gjson.Result, text []rune) (span, error) {
	start, end, entity := first(s, startNames), first(s, endNames), first(s, entityNames)
	if list := s.Array(); s.IsArray() && len(list) == 3 {
		start, end, entity = list[0], list[1], list[2]
	}
	if !whole(start) || !whole(end) || entity.Str == "" {
		return span{}, fmt.Errorf("want whole numbers start and end, and an entity, have %s, %s and %s", described(start), described(end), described(entity))
	}
	labelled := span{int(start.Num), int(end.Num), entity.Str}
	if labelled.Start < 0 || labelled.End <= labelled.Start || labelled.End > len(text) {
		return labelled, fmt.Errorf("want a place within %d code points, have %d to %d", len(text), labelled.Start, labelled.End)
	}
	value := first(s, valueNames)
	if s.IsObject() && value.Type == gjson.String && value.Str != string(text[labelled.Start:labelled.End]) {
		return labelled, fmt.Errorf("want its value of %d code points at %d, have a text of %d that differs; offsets are code points",
			utf8.RuneCountInString(value.Str), labelled.Start, labelled.End-labelled.Start)
	}
	return labelled, nil
}

func described(v gjson.Result) string { return jsontext.Describe(jsontext.JSON(v.Raw)) }

func whole(v gjson.Result) bool {
	return v.Type == gjson.Number && v.Num == math.Trunc(v.Num) && math.Abs(v.Num) < 1<<52
}

// first returns the member of an object with the first of the names that it has.
func first(object gjson.Result, names []string) gjson.Result {
	if object.IsObject() {
		for _, name := range names {
			if v := object.Get(name); v.Exists() {
				return v
			}
		}
	}
	return gjson.Result{}
}
