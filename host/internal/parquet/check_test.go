package parquet

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestCheck holds that a check finds in a row by itself what a file of this row alone fails for, and nothing else.
func TestCheck(t *testing.T) {
	given := map[string]Type{"n": Double, "u": Uint, "t": Text, "is": Bool, "any": JSON, "o.x": Int, "l[].x": Int, "s[]": Text, "d.l[].t": Text}
	members := func(n int) string {
		return strings.Join(times(n, func(i int) string { return fmt.Sprintf(`"k%d":%d`, i, i) }), ",")
	}
	for _, x := range []struct{ why, row, want string }{
		{"no members", ` {} `, ""},
		{"an array", ` [1]`, "want an object for a row of Parquet, have an array"},
		{"one name twice", `{"a":1,"b":2,"a":3}`, "want each name once in an object, have one name for members 1 and 3"},
		{"one name, spelled in two ways", `{"a":1,"\u0061":1}`, "want each name once in an object, have one name for members 1 and 2"},
		{"one name among many", `{` + members(20) + `,"k0":1}`, "want each name once in an object, have one name for members 1 and 21"},
		{"one of many names", `{` + members(20) + `,"k19":1}`, "want each name once in an object, have one name for members 20 and 21"},
		{"one name twice further inside is JSON", `{"a":{"x":1,"x":2},"b":[{"x":1,"x":2}],"any":{"x":1,"x":2}}`, ""},
		{"one name twice in an object that has columns", `{"o":{"x":1,"y":0,"y":2}}`, `column "o": want each name once in an object, have one name for members 2 and 3`},
		{"one name twice in an element that has columns", `{"l":[{"x":1},{"x":1,"x":2}]}`,
			`column "l[]": want each name once in an object, have one name for members 1 and 2`},
		{"half a pair of surrogates in a name", `{"a":1,"\ud83d":2}`, "want names that are UTF-8 in an object, have half a pair of surrogates in that of member 2"},
		{"half a pair of surrogates in a name of an object that has columns", `{"l":[{"x\ude00":1}]}`,
			`column "l[]": want names that are UTF-8 in an object, have half a pair of surrogates in that of member 1`},
		{"half a pair of surrogates in a name further inside is JSON", `{"a":{"\ud83d":1},"b":[{"\ud83d":1}],"any":{"\ud83d":1},"o":{"y":{"\ud83d":1}}}`, ""},
		{"a name of both halves", `{"\ud83d\ude00":1,"\\ud83d":2}`, ""},
		{"as many columns as there may be", `{` + members(maxFields) + `}`, ""},
		{"too many columns", `{` + members(maxFields+3) + `}`, "want at most 4096 columns, have 4099"},
		{"values of the types", `{"n":1e9,"u":18446744073709551615,"t":"","is":false,"any":[1,"x"],"o":{"x":-1},"l":[{"x":1},{},null]}`, ""},
		{"nulls", `{"n":null,"u":null,"t":null,"is":null,"any":null,"o":null,"l":null}`, ""},
		{"a string for a number", `{"n":"1"}`, `column "n": want a value of type double, have a string`},
		{"an integer that no double holds", `{"n":9007199254740993}`, `column "n": want a number of type double, have an integer that it does not hold exactly`},
		{"a fraction for an integer", `{"o":{"x":1.0}}`, `column "o.x": want a number of type int64, have one with a fraction or an exponent`},
		{"a number for a string", `{"t":1}`, `column "t": want a value of type string, have a number`},
		{"half a pair of surrogates", `{"t":"x\ud83d"}`, `column "t": want text that is UTF-8, have half a pair of surrogates`},
		{"both halves, and a text that only looks like one", `{"t":"\ud83d\ude00 \\ud83d"}`, ""},
		{"half a pair of surrogates in JSON and in a column of which no type is given", `{"any":"\ud83d","x":"\ud83d","o":{"y":"\ud83d"}}`, ""},
		{"half a pair of surrogates for a number", `{"n":"\ud83d"}`, `column "n": want a value of type double, have a string`},
		{"half a pair of surrogates in an element", `{"s":["a","\ude00"]}`, `column "s[]": want text that is UTF-8, have half a pair of surrogates`},
		{"half a pair of surrogates in a list of objects within an object", `{"d":{"l":[{"t":"a"},{"t":"\ud83d\ud83d"}]}}`, `column "d.l[].t": want text that is UTF-8, have half a pair of surrogates`},
		{"a number for a boolean", `{"is":1}`, `column "is": want a value of type bool, have a number`},
		{"below the range", `{"u":-1}`, `column "u": want a number of type uint64, have one beyond its range`},
		{"an array for an object", `{"o":[]}`, `column "o": want a value of type object, have an array`},
		{"an object for an array", `{"l":{}}`, `column "l": want a value of type array, have an object`},
		{"an element that is no object", `{"l":[1]}`, `column "l[]": want a value of type object, have a number`},
		{"a fraction in an element", `{"l":[{"x":1.5}]}`, `column "l[].x": want a number of type int64, have one with a fraction or an exponent`},
	} {
		_, err := NewCheck(given).Row([]byte(x.row))
		have := ""
		if err != nil {
			have = err.Error()
		}
		if have != x.want {
			t.Errorf("%s: want %q, have %q", x.why, x.want, have)
		}
		shape, written := ShapeOf(strings.NewReader(x.row))
		if written == nil {
			_, written = Convert(io.Discard, bytes.NewReader([]byte(x.row)), NewSchema(shape, given), DefaultLimits)
		}
		if (written == nil) != (err == nil) {
			t.Errorf("%s: the file of the row has %v, the check %v", x.why, written, err)
		}
	}
}

// TestPath holds that a mistake is told with the path of the value that it is in, which leads there, and with that of its column.
func TestPath(t *testing.T) {
	given := map[string]Type{"a": Int, "b.c": Text, "l[].x": Int, "m[][]": Text, `d\.o.t\[u.v\\w`: Bool, "o.0": Int, "o.*.s": Int}
	for _, x := range []struct{ why, row, want, column string }{
		{"the row", ` []`, "", ""},
		{"one name twice in the row", `{"b":{"c":"x"},"a":1,"a":1}`, "", ""},
		{"a member", `{"z":[1],"a":"one"}`, "a", "a"},
		{"behind blanks", " {\n\t\"z\" : [ 1 ] , \"a\" : \"one\" }", "a", "a"},
		{"a name with an escape", `{"\u0061":"one"}`, "a", "a"},
		{"a member of a member", `{"b":{"z":1,"c":2}}`, "b.c", "b.c"},
		{"an object", `{"a":2,"b":3}`, "b", "b"},
		{"one name twice behind a value that is right", `{"b":{"c":"x","z":1,"z":1}}`, "b", "b"},
		{"a member of an element", `{"l":[{"x":1},null,{"x":1.5}]}`, "l.2.x", "l[].x"},
		{"one name twice in an element", `{"l":[{"x":1},{"x":2,"z":[],"z":[]}]}`, "l.1", "l[]"},
		{"an element of an element", `{"m":[["x"],[],["y","z",1]]}`, "m.2.2", "m[][]"},
		{"an element that is no array", `{"m":[["x"],{"y":1}]}`, "m.1", "m[]"},
		{"names with what paths are made of", `{"d.o":{"t[u":{"v\\w":1}}}`, `d\.o.t\[u.v\\w`, `d\.o.t\[u.v\\w`},
		{"a number and a pattern as names", `{"o":{"0":1,"*":{"s":"x"}}}`, `o.\*.s`, "o.*.s"},
		{"a number as a name", `{"o":{"1":1,"0":"x"}}`, `o.0`, "o.0"},
	} {
		path, err := NewCheck(given).Row([]byte(x.row))
		column := ""
		if err != nil && x.column != "" {
			column = "column " + shown(x.column) + ": "
		}
		if path != x.want || err == nil || !strings.HasPrefix(err.Error(), column+"want ") {
			t.Errorf("%s: want the path %s and the column %s, have %s and %v", x.why, x.want, x.column, path, err)
		}
		if path != "" && !gjson.Get(x.row, path).Exists() {
			t.Errorf("%s: want a path that leads to a value, have %s", x.why, path)
		}
	}
}
