package parquet

import (
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestNamesNotUTF8 holds that only the objects with such names become JSON, which is said of them, and that a row has none.
func TestNamesNotUTF8(t *testing.T) {
	for _, x := range []struct {
		why, lines string
		want       []Column
	}{
		{"of a member", `{"a":{"b":1},"c":{"d":1}}` + "\n" + `{"a":{"\ud83d":1},"c":{"d":1}}`, []Column{{"a", "objects with names that are not UTF-8"}}},
		{"of a member further inside", `{"a":{"b":{"\ud83d":1},"c":2}}`, []Column{{"a.b", "objects with names that are not UTF-8"}}},
		{"of an element", `{"a":[{"b":1},{"\ud83d":1}]}`, []Column{{"a[]", "objects with names that are not UTF-8"}}},
		{"beside another type", `{"a":{"\ud83d":1}}` + "\n" + `{"a":"\ud83d"}`, []Column{{"a", "values of different types: string, object"}}},
	} {
		shape, err := ShapeOf(strings.NewReader(x.lines))
		if err != nil {
			t.Fatal(err)
		}
		schema := NewSchema(shape, nil)
		if have := schema.JSON; !reflect.DeepEqual(have, x.want) {
			t.Errorf("%s: want %q as JSON, have %q", x.why, x.want, have)
		}
		for _, e := range schema.elements {
			if !utf8.ValidString(e.Name) {
				t.Errorf("%s: want names of UTF-8, have %q", x.why, e.Name)
			}
		}
		if have := fields(shape); have != shape.budget.fields {
			t.Errorf("%s: want the %d fields that there are counted, have %d", x.why, have, shape.budget.fields)
		}
	}
	if _, err := ShapeOf(strings.NewReader(`{"a":1}` + "\n" + `{"\ud83d":1}`)); err == nil || err.Error() != "row 2: "+errLone.Error() {
		t.Errorf("want an error of a row with such a name, have %v", err)
	}
}
