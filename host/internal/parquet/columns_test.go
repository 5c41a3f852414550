package parquet

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestCheckColumns holds which paths columns may have, and which of them go together.
func TestCheckColumns(t *testing.T) {
	const path = `want a path such as messages[].content, with \ before a dot, [ or \ of a name, have `
	for _, x := range []struct{ why, columns, want string }{
		{"no columns", "", ""},
		{"paths of all kinds", `a:string b.c:int64 b.d[].e:json b.d[].f[][]:double ü_-x~y z]:bool`, ""},
		{"names with what paths are made of", `a\.b.c\[]:int64 a\\.b:int64`, ""},
		{"one as the begin of the other's name", `a:string ab.c:int64 a\.b:json`, ""},
		{"no name", `:json`, path + `""`},
		{"no name between dots", `b..c:json`, path + `"b..c"`},
		{"no name at the end", `b.:json`, path + `"b."`},
		{"no name at the begin", `.b:json`, path + `".b"`},
		{"a row is no array", `[].b:json`, path + `"[].b"`},
		{"no name behind elements", `b.c[].[:int64`, path + `"b.c[].["`},
		{"a bracket that is not closed", `b[:int64`, `want a dot or [] behind a name, have "[" in "b["`},
		{"an index", `b[0].c:int64`, `want a dot or [] behind a name, have "[0].c" in "b[0].c"`},
		{"a name right behind elements", `b[]c:int64`, `want a dot or [] behind a name, have "c" in "b[]c"`},
		{"a backslash before a letter", `a\b:int64`, path + `"a\\b"`},
		{"a backslash at the end", `a\:int64`, path + `"a\\"`},
		{"a value and an object", `a:string a.b:int64`, `want one type for column "a", have string, which "a" needs, and object, which "a.b" needs`},
		{"JSON and an object", `a.b:json a.b.c:json`, `want one type for column "a.b", have json, which "a.b" needs, and object, which "a.b.c" needs`},
		{"a value and an array", `a:json a[]:json`, `want one type for column "a", have json, which "a" needs, and array, which "a[]" needs`},
		{"an object and an array", `a.b:json a[].b:json`, `want one type for column "a", have object, which "a.b" needs, and array, which "a[].b" needs`},
		{"elements of two types", `l[]:int64 l[].x:json`, `want one type for column "l[]", have int64, which "l[]" needs, and object, which "l[].x" needs`},
		{"a column before what it lies in", `a-b.c:int64 a-b:string`, `want one type for column "a-b", have string, which "a-b" needs, and object, which "a-b.c" needs`},
		{"as deep as rows have columns", "a" + strings.Repeat("[]", maxLevels-1) + ":json", ""},
		{"deeper", strings.Repeat("a.", maxLevels-1) + "b[]:json",
			`want at most 23 objects and arrays around a column in its row, have 24 for "` + strings.Repeat("a.", maxLevels-1) + `b[]"`},
	} {
		given := map[string]Type{}
		for _, column := range strings.Fields(x.columns) {
			path, typ, _ := strings.Cut(column, ":")
			given[path] = Type(typ)
		}
		have := ""
		if err := CheckColumns(given); err != nil {
			have = err.Error()
		}
		if have != x.want {
			t.Errorf("%s: want %s, have %s", x.why, x.want, have)
		}
	}
}

// TestUnmet holds which columns are told as those that no row has.
func TestUnmet(t *testing.T) {
	given := map[string]Type{"a": Text, "o.x": Int, "l[].x": JSON, "m[][]": JSON, "later.y[].z": Bool}
	for _, x := range []struct {
		why, lines string
		want       []string
	}{
		{"no rows", "", nil},
		{"each in some row", `{"a":"x","o":{"x":1}}` + "\n" + `{"l":[{},{"x":{}}],"m":[[],[1]],"later":{"y":[{"z":true}]}}`, nil},
		{"nulls are there", `{"a":null,"o":{"x":null},"l":[{"x":null}],"m":[[null]],"later":{"y":[{"z":null}]}}`, nil},
		{"rows without members", "{}\n{}", []string{"a", "l[].x", "later.y[].z", "m[][]", "o.x"}},
		{"a name in another case", `{"A":"x","o":{"X":1},"l":[{"x":1}],"m":[[1]],"later":{"y":[{"z":true}]}}`, []string{"o.x", "a"}},
		{"what they lie in is null, empty, or has others", `{"a":"x","o":null,"l":[{"y":1}],"m":[[]],"later":{"y":[]}}`, []string{"o.x", "l[].x", "m[][]", "later.y[].z"}},
	} {
		shape, err := ShapeOf(strings.NewReader(x.lines))
		if err != nil {
			t.Fatal(err)
		}
		if have := NewSchema(shape, given).Unmet; !slices.Equal(have, x.want) {
			t.Errorf("%s: want %q, have %q", x.why, x.want, have)
		}
	}
}

// TestNumbersGiven holds what becomes of numbers in a column of a type that people gave: they come back with the value that they had, or are told.
func TestNumbersGiven(t *testing.T) {
	const (
		exponent = "want a number of type %s, have one with a fraction or an exponent"
		beyond   = "want a number of type %s, have one beyond its range"
		inexact  = "want a number of type %s, have an integer that it does not hold exactly"
	)
	for _, x := range []struct {
		typ                 Type
		number, back, fails string
	}{
		{Int, "-9223372036854775808", "-9223372036854775808", ""},
		{Int, "-0", "0", ""},
		{Int, "1.5", "", exponent},
		{Int, "1.0", "", exponent},
		{Int, "1e3", "", exponent},
		{Int, "9223372036854775808", "", beyond},
		{Uint, "18446744073709551615", "18446744073709551615", ""},
		{Uint, "1E3", "", exponent},
		{Uint, "-1", "", beyond},
		{Double, "-0", "-0.0", ""},
		{Double, "9007199254740992", "9007199254740992.0", ""},
		{Double, "9007199254740993", "", inexact},
		{Double, "-9007199254740993", "", inexact},
		{Double, "9007199254740994", "9007199254740994.0", ""},
		{Double, "18446744073709551615", "", inexact},
		{Double, "18446744073709551616", "1.8446744073709552e+19", ""}, // two to the 64th, which a double is
		{Double, "12345678901234567890123", "", inexact},
		{Double, "1" + strings.Repeat("0", 22), "1e+22", ""},
		{Double, "1" + strings.Repeat("0", 23), "", inexact},
		{Double, "1" + strings.Repeat("0", 400), "", beyond},
		{Double, "6.02214076e23", "6.02214076e+23", ""},
		{Double, "0.1234567890123456789", "0.12345678901234568", ""},
		{Double, "9007199254740993.0", "9007199254740992.0", ""},
		{Double, "1e999", "", beyond},
	} {
		row := []byte(`{"a":[` + x.number + `]}`)
		given := map[string]Type{"a[]": x.typ}
		shape := &Shape{}
		if err := shape.Add(row); err != nil {
			t.Fatal(err)
		}
		want := ""
		if x.fails != "" {
			want = `column "a[]": ` + fmt.Sprintf(x.fails, x.typ)
		}
		_, checked := NewCheck(given).Row(row)
		for _, err := range []error{checked, newWriter(&bytes.Buffer{}, NewSchema(shape, given), DefaultLimits).Write(row)} {
			if have := fmt.Sprint(err); err == nil && want != "" || err != nil && have != want {
				t.Errorf("%s of %s: want %q, have %v", x.typ, x.number, want, err)
			}
		}
		if want, lines := `{"a":[`+x.back+"]}\n", string(row)+"\n"; x.fails == "" {
			if have := linesOf(t, written(t, lines, given, DefaultLimits), AsWritten); have != want {
				t.Errorf("%s of %s: want %s, have %s", x.typ, x.number, want, have)
			}
		}
	}
}
