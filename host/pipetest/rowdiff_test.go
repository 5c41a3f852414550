package pipetest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

func TestDiff(t *testing.T) {
	long := strings.Repeat("é", 300)
	for _, test := range []struct {
		want, have string
		changes    []Change
		reason     string
	}{
		{`{"a":1,"b":[1,2]}`, `{ "b": [1, 2], "a": 1.0 }`, nil, "order, space and spelling are no difference"},
		{`{"a":"\u00e9"}`, `{"a":"é"}`, nil, "an escape is the letter"},
		{`{"a":12345678901234567890}`, `{"a":12345678901234567891}`, []Change{{"a", "12345678901234567890", "12345678901234567891", ""}}, "digits that a float64 does not hold"},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"b":2,"d":3}}`, []Change{{"a.b", "1", "2", ""}, {"a.c", "2", "", ""}, {"a.d", "", "3", ""}}, "changed, missing and more"},
		{`{"a":[1,2,3]}`, `{"a":[1,3]}`, []Change{{"a.1", "2", "", ""}}, "an element missing in the middle"},
		{`[{"r":"s"},{"r":"u","c":"x"},{"r":"a","c":"y"}]`, `[{"r":"u","c":"X"},{"r":"a","c":"y!"}]`, []Change{{Path: "0", Want: `{"r":"s"}`}, {Path: "1.c", Want: `"x"`, Have: `"X"`}, {Path: "2.c", Want: `"y"`, Have: `"y!"`}}, "an element missing before some that differ"},
		{`[{"r":1},{"r":2},{"r":3}]`, `[{"r":2},{"r":3},{"r":1}]`, []Change{{"0", `{"r":1}`, `{"r":1}`, "2"}}, "an element that moved"},
		{`{"a":[1,3]}`, `{"a":[0,1,3]}`, []Change{{"a.0", "", "0", ""}}, "one more at the beginning"},
		{`{"a":null}`, `{"a":false}`, []Change{{"a", "null", "false", ""}}, "other kinds"},
		{`{"a":{}}`, `{"a":[]}`, []Change{{"a", "{}", "[]", ""}}, "an object and a list"},
		{`1`, `2`, []Change{{"", "1", "2", ""}}, "the whole row"},
		{`"` + long + `x"`, `"` + long + `y"`, []Change{{"", `…` + strings.Repeat("é", 20) + `x"`, `…` + strings.Repeat("é", 20) + `y"`, ""}}, "of long ones what differs is shown"},
	} {
		if diff := cmp.Diff(test.changes, diffRows(test.want, test.have)); diff != "" {
			t.Errorf("%s (-want +have):\n%s", test.reason, diff)
		}
		if equalRows(test.want, test.have) != (test.changes == nil) {
			t.Errorf("%s: want Equal to say what Diff says", test.reason)
		}
	}
}

func TestWithin(t *testing.T) {
	for _, test := range []struct {
		part, whole string
		want        bool
		reason      string
	}{
		{`{"a":1}`, `{"a":1,"b":2}`, true, "a member less"},
		{`{"a":{"b":1}}`, `{"a":{"b":1.0,"c":2}}`, true, "further in"},
		{`{"a":1}`, `{"a":2}`, false, "another value"},
		{`{"a":null}`, `{}`, false, "null is not nothing"},
		{`{"a":[{"b":1}]}`, `{"a":[{"b":1,"c":2}]}`, true, "in a list"},
		{`{"a":[1]}`, `{"a":[1,2]}`, false, "a longer list"},
		{`{}`, `[]`, false, "another kind"},
		{`"a"`, `"a"`, true, "a text"},
	} {
		if have := hasAll(test.part, test.whole); have != test.want {
			t.Errorf("%s: %s in %s: want %t, have %t", test.reason, test.part, test.whole, test.want, have)
		}
	}
}

// FuzzDiff holds that a value is equal to itself and within itself, and that differences go both ways.
func FuzzDiff(f *testing.F) {
	f.Add(`{"a":[1,{"b":null}]}`, `{"a":[2]}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		if jsontext.Check(a, 100) != nil || jsontext.Check(b, 100) != nil {
			return
		}
		if !equalRows(a, a) || !hasAll(a, a) {
			t.Errorf("want %q to be equal to itself", a)
		}
		if equalRows(a, b) != equalRows(b, a) {
			t.Errorf("want %q and %q to be equal both ways or not at all", a, b)
		}
	})
}
