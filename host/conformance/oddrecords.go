package conformance

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// An oddRecord is a valid record of a rare kind.
type oddRecord struct{ name, record string }

// oddValues returns JSON values that a source may read.
var oddValues = sync.OnceValue(func() []oddRecord {
	return []oddRecord{
		{"an empty object", `{}`},
		{"an empty array", `[]`},
		{"null", `null`},
		{"true", `true`},
		{"a number", `-0.0e+00`},
		{"an empty string", `""`},
		{"an array of objects", `[{"name":1},{"name":2}]`},
		{"white space between all tokens", " \t{ \"name\" :\r [ 1 , 2 ] } "},
		{"a lone high surrogate", `{"name":"\ud800"}`},
		{"a lone low surrogate in a key", `{"\udc00":"x","name":"a"}`},
		{"surrogates in the wrong order", `{"name":"\udc00\ud800"}`},
		{"an escaped zero", `{"name":"a\u0000b"}`},
		{"all escapes", `{"name":"\"\\\/\b\f\n\r\t\u0041"}`},
		{"a character beyond the basic plane", `{"name":"👩‍👩‍👧‍👦","𝔘":"𐀀"}`},
		{"non-characters and marks of direction", "{\"name\":\"\uffff\u202e\u2028\ufeff\"}"},
		{"a decomposed accent", "{\"name\":\"e\u0301\"}"},
		{"a key twice", `{"name":1,"name":2,"x":{"a":1,"a":2}}`},
		{"an empty key", `{"":1,"name":{"":{"":2}}}`},
		{"keys that paths would take apart", `{"a.b":1,"a|b":2,"#":3,"*":4,"@this":5,"a\\b":6,"name":"n"}`},
		{"an integer of 40 digits", `{"name":1234567890123456789012345678901234567890}`},
		{"a number of 400 digits", `{"name":0.` + strings.Repeat("123456789", 44) + `}`},
		{"a number that no double holds", `{"name":1e400,"x":-1e-400}`},
		{"numbers in several spellings", `{"name":[1.0,1e0,10E-1,-0,0.10,1E+2]}`},
		{"nesting of 5,000 arrays", `{"name":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`},
		{"nesting of 5,000 objects", strings.Repeat(`{"name":`, 5000) + "1" + strings.Repeat("}", 5000)},
		{"10,000 members", "{" + strings.Repeat(`"k":1,`, 10_000) + `"name":"n"}`},
		{"a string of 1 MiB of escapes", `{"name":"` + strings.Repeat(`\u00e9`, 1<<20/6) + `"}`},
		{"what looks like HTML", `{"name":"</script><!-- & <b>"}`},
	}
})

// oddRecords returns a check that each odd record is answered with JSON, one by one: the first unanswered ended the process.
func oddRecords(m mode) func(context.Context, *subject) error {
	return func(ctx context.Context, s *subject) error {
		var records [][]byte
		for _, o := range oddValues() {
			records = append(records, []byte(o.record))
		}
		m.batch = 1
		answers, err := s.run(ctx, records, m)
		for i, o := range oddValues() {
			if err != nil && answers != nil && answers[i] == "" {
				return fmt.Errorf("%s: %w", o.name, err)
			}
			if err == nil && strings.HasPrefix(answers[i], "reject invalid_output ") {
				return fmt.Errorf("%s: %s", o.name, strings.TrimPrefix(strings.TrimSpace(answers[i]), "reject invalid_output "))
			}
		}
		return err
	}
}
