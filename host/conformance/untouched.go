package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// extra is the member that records get here, which no plugin knows.
const extra = "sluice_verify"

// spellings are members that JSON libraries tend to write in another form, or to lose, each with the values that they have to keep.
var spellings = []struct {
	members string
	values  []string
}{
	{`"sluice_verify": 1.0`, []string{`1.0`}},
	{`"sluice_verify": 1e2`, []string{`1e2`}},
	{`"sluice_verify": -0`, []string{`-0`}},
	{`"sluice_verify": 12345678901234567890`, []string{`12345678901234567890`}},
	{`"sluice_verify": 12345678901234567890123.10`, []string{`12345678901234567890123.10`}},
	{`"sluice_verify": 1E400`, []string{`1E400`}},
	{`"sluice_verify": "\u0041\/"`, []string{`"\u0041\/"`}},
	{`"sluice_verify": "\ud800"`, []string{`"\ud800"`}},
	{`"sluice_verify": "\u00e9"`, []string{`"\u00e9"`}},
	{`"sluice_verify": "é"`, []string{`"é"`}},
	{`"sluice_verify": "<&>"`, []string{`"<&>"`}},
	{`"sluice_verify": {"b":1,"a":2}`, []string{`{"b":1,"a":2}`}},
	{`"sluice_verify": {"a":1,"a":2}`, []string{`{"a":1,"a":2}`}},
	{`"sluice_verify": [ 1,  2 ]`, []string{`[ 1,  2 ]`}},
	{`"sluice_verify": 1, "sluice_verify": 2`, []string{`1`, `2`}},
}

// plain is a member that any library writes as it was: what becomes of it shows whether the plugin keeps members that it does not know.
const plain = `"sluice_verify": "plain"`

// untouchedBytes checks that members which the plugin does not change keep their bytes. Each spelling is in a record of its own, since a
// library that cannot read one would hide what it does to the others.
func untouchedBytes(ctx context.Context, s *subject) error {
	var rows []gjson.Result
	for _, r := range s.records() {
		if row := gjson.ParseBytes(r); row.IsObject() {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return notTried("none of the rows is an object")
	}
	var records [][]byte
	for _, row := range rows {
		records = append(records, with(row, plain))
	}
	answers, err := s.run(ctx, records, mode{})
	if err != nil {
		return err
	}
	at := slices.IndexFunc(answers[:len(rows)], keepsPlain)
	switch {
	case at >= 0:
	case !slices.ContainsFunc(answers[:len(rows)], func(a string) bool { return strings.Contains(a, "emit ") }):
		return notTried("it emits none of the rows; name rows that it emits with --rows")
	default:
		return notApplicable("it emits rows without a member that it does not know")
	}
	records = records[:0]
	for _, x := range spellings {
		records = append(records, with(rows[at], x.members))
	}
	if answers, err = s.each(ctx, records); err != nil {
		return err
	}
	for i, x := range spellings {
		if err := keeps(answers[i], x.values); err != nil {
			return fmt.Errorf("row %d with %s: %w", at+1, x.members, err)
		}
	}
	return nil
}

// each returns the answers to records. A plugin that keeps state from record to record gets each in a process of its own, since it may answer
// otherwise to the second of two that are alike.
func (s *subject) each(ctx context.Context, records [][]byte) (all []string, err error) {
	d, err := s.describe(ctx)
	if err != nil {
		return nil, err
	}
	if !d.Ordered {
		return s.run(ctx, records, mode{batch: 1})
	}
	for _, record := range records {
		answers, err := s.run(ctx, [][]byte{record}, mode{batch: 1})
		if err != nil {
			return nil, err
		}
		all = append(all, answers[0])
	}
	return all, nil
}

// with returns an object that begins with other members.
func with(row gjson.Result, members string) []byte {
	open := strings.IndexByte(row.Raw, '{') + 1
	if rest := strings.TrimLeft(row.Raw[open:], " \t\r\n"); rest[0] == '}' {
		return []byte("{" + members + rest)
	}
	return []byte("{" + members + ", " + row.Raw[open:])
}

// keepsPlain reports whether an answer has the plain member.
func keepsPlain(answer string) bool { return keeps(answer, []string{`"plain"`}) == nil }

// keeps returns how an answer differs from one with the extra member, once for each of the values, in a row that it emits.
func keeps(answer string, values []string) error {
	if strings.HasPrefix(answer, "unchanged") {
		return nil
	}
	var kept []string
	for line := range strings.Lines(answer) {
		emitted, ok := strings.CutPrefix(line, "emit ")
		if !ok {
			continue
		}
		kept = kept[:0]
		gjson.Parse(emitted).ForEach(func(key, value gjson.Result) bool {
			if key.String() == extra {
				kept = append(kept, value.Raw)
			}
			return true
		})
		if slices.Equal(kept, values) {
			return nil
		}
	}
	if kept == nil && !strings.Contains(answer, "emit ") {
		verdict, _, _ := strings.Cut(strings.TrimSpace(answer), " ")
		return fmt.Errorf("want it emitted, as the row is with another member, have %s", verdict)
	}
	if len(kept) == 0 {
		return errors.New("want the member kept as it was written, have the row without it")
	}
	return fmt.Errorf("want the member kept as it was written, have %s", strings.Join(kept, " and "))
}
