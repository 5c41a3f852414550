package parquet

import (
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
