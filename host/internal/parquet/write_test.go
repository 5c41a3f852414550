package parquet

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// written returns rows as a Parquet file.
func written(t testing.TB, lines string, given map[string]Type, limits Limits) []byte {
	t.Helper()
	shape, err := ShapeOf(strings.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := Convert(&out, strings.NewReader(lines), NewSchema(shape, given), limits); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestRoundTrip holds that rows come back as they were, byte for byte where the order of their members is the same.
func TestRoundTrip(t *testing.T) {
	for _, x := range []struct{ why, lines string }{
		{"no rows", ""},
		{"scalars", `{"a":1,"b":"x","c":true,"d":1.5,"e":null}` + "\n" + `{"a":-2,"b":"","c":false,"d":0.1,"e":null}` + "\n"},
		{"integers beyond 53 bits", `{"a":9223372036854775807,"u":18446744073709551615}` + "\n" + `{"a":-9223372036854775808,"u":0}` + "\n"},
		{"integers beyond 64 bits", `{"a":123456789012345678901234567890}` + "\n"},
		{"integers of both kinds", `{"a":-1}` + "\n" + `{"a":18446744073709551615}` + "\n"},
		{"more digits than a double has", `{"a":0.12345678901234567890123}` + "\n" + `{"a":1.5}` + "\n"},
		{"large integers beside doubles", `{"a":9007199254740993}` + "\n" + `{"a":0.5}` + "\n"},
		{"null in one row and left out in another", `{"a":1}` + "\n" + `{"a":null}` + "\n" + `{"b":1}` + "\n"},
		{"left out", `{"a":1,"b":{"c":1}}` + "\n" + `{"b":{}}` + "\n" + `{"a":2}` + "\n"},
		{"nulls", `{"a":null,"b":[null,{"c":null}]}` + "\n" + `{"a":1,"b":null}` + "\n"},
		{"types that do not agree", `{"a":1}` + "\n" + `{"a":"x\u2028"}` + "\n" + `{"a":{"b":[1]}}` + "\n" + `{"a":null}` + "\n"},
		{"elements that do not agree", `{"a":[1,"x",null,[true]]}` + "\n"},
		{"empty lists and objects", `{"a":[],"b":{}}` + "\n" + `{"a":[],"b":{}}` + "\n"},
		{"lists of lists", `{"a":[[],[1],[2,3],null]}` + "\n" + `{"a":[]}` + "\n" + `{"a":null}` + "\n"},
		{"names with dots, quotes and brackets", `{"a.b":1,"c\"d":{"e[]":"x","":2}}` + "\n"},
		{"text of all kinds", `{"a":"日本語 😀 \u0000\n\\\"\u007f"}` + "\n"},
		{"half a pair of surrogates", `{"a":"x\ud800y"}` + "\n" + `{"a":"z"}` + "\n"},
		{"long text", `{"a":"` + strings.Repeat("long ", 1<<19) + `"}` + "\n" + `{"a":"short"}` + "\n"},
		{"one name twice inside", `{"a":{"b":1,"b":2}}` + "\n"},
		{"deep", `{"a":` + strings.Repeat(`[{"b":`, 60) + "1" + strings.Repeat("}]", 60) + "}\n"},
		{"signed zeros", `{"a":-0.0}` + "\n" + `{"a":0.0}` + "\n"},
		{"messages", strings.Repeat(`{"messages":[{"role":"system","content":"x"},{"role":"user","content":"y","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}]}`+"\n", 9)},
	} {
		t.Run(x.why, func(t *testing.T) {
			for _, limits := range []Limits{DefaultLimits, {2, 1 << 20}, {100, 1}} {
				want := strings.ReplaceAll(strings.ReplaceAll(x.lines, `\u2028`, "\u2028"), `\u007f`, "\x7f")
				want = strings.ReplaceAll(want, "\u2028", `\u2028`)
				if have := linesOf(t, written(t, x.lines, nil, limits), AsWritten); have != want {
					t.Errorf("want %.300s, have %.300s", want, have)
				}
			}
		})
	}
}

// TestCorpus is run by hand: SLUICE_ROWS names a file of rows.
func TestCorpus(t *testing.T) {
	name := os.Getenv("SLUICE_ROWS")
	if name == "" {
		return
	}
	data := read(t, name)
	out := written(t, string(data), nil, DefaultLimits)
	os.WriteFile("/tmp/parquet/x.parquet", out, 0o666)
	if have := linesOf(t, out, AsWritten); have != string(data) {
		t.Errorf("differs: %d %d", len(have), len(data))
		os.WriteFile("/tmp/parquet/x.jsonl", []byte(have), 0o666)
	}
}
