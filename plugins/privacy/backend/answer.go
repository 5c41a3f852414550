package backend

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

const maxDepth = 16 // of an answer

// readAnswer reads {"id": 1, "results": [[{"start": 0, "end": 5, "entity": "PERSON", "score": 0.9}]]}. A value of any other type is a
// failure: read as zero or left out it would let what the program found pass.
func readAnswer(line []byte) (a answer) {
	if jsontext.Check(bytes.TrimSpace(line), maxDepth) != nil {
		a.err = fmt.Errorf("want a line of JSON from the backend, have %d bytes of another kind", len(line))
		return a
	}
	v := gjson.ParseBytes(line)
	if !v.IsObject() {
		a.err = fmt.Errorf("want an object as the answer, have %s", typeOf(v))
		return a
	}
	if a.id, a.err = whole(v, "id"); a.err != nil {
		return a
	}
	results := v.Get("results")
	if !results.IsArray() {
		a.err = fmt.Errorf("want results that are an array, have %s", typeOf(results))
	}
	results.ForEach(func(_, result gjson.Result) bool {
		var found []Span
		if a.err == nil {
			found, a.err = readSpans(result)
		}
		a.results = append(a.results, found)
		return a.err == nil
	})
	return a
}

// readSpans reads what was found in one text.
func readSpans(v gjson.Result) (found []Span, err error) {
	if !v.IsArray() {
		return nil, fmt.Errorf("want a result that is an array, have %s", typeOf(v))
	}
	v.ForEach(func(_, f gjson.Result) bool {
		var s Span
		s, err = readSpan(f)
		found = append(found, s)
		return err == nil
	})
	return found, err
}

// readSpan reads one span, whose score is 1 when it has none.
func readSpan(v gjson.Result) (s Span, err error) {
	if !v.IsObject() {
		return s, fmt.Errorf("want a span that is an object, have %s", typeOf(v))
	}
	entity, score := v.Get("entity"), v.Get("score")
	if entity.Type != gjson.String {
		return s, fmt.Errorf("want an entity that is a string, have %s", typeOf(entity))
	}
	s = Span{recognise.Hint{Entity: strings.Clone(entity.Str)}, 1}
	if s.Start, err = whole(v, "start"); err != nil {
		return s, err
	}
	if s.End, err = whole(v, "end"); err != nil {
		return s, err
	}
	if score.Exists() {
		if s.score = score.Num; score.Type != gjson.Number || s.score < 0 || s.score > 1 {
			return s, fmt.Errorf("want a score from 0 to 1, have %s", numberOrType(score))
		}
	}
	return s, nil
}

// whole returns a member that is a whole number and no larger than an offset can be.
func whole(v gjson.Result, name string) (int, error) {
	n := v.Get(name)
	if n.Type != gjson.Number || n.Num < 0 || n.Num > math.MaxInt32 || n.Num != math.Trunc(n.Num) {
		return 0, fmt.Errorf("want %s to be a whole number, have %s", name, numberOrType(n))
	}
	return int(n.Num), nil
}

// numberOrType describes what is in the place of a number.
func numberOrType(v gjson.Result) string {
	if v.Type == gjson.Number {
		return v.Raw[:min(len(v.Raw), 40)]
	}
	return typeOf(v)
}

// typeOf describes a value by its type, since it may be a part of a text.
func typeOf(v gjson.Result) string {
	switch {
	case !v.Exists():
		return "no such member"
	case v.Type == gjson.String:
		return "a string"
	case v.Type == gjson.Number:
		return "a number"
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "an array"
	}
	return v.Raw // true, false or null
}
