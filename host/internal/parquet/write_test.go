package parquet

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

var long = flag.Bool("long", false, "have pyarrow, DuckDB, polars and datasets read what was written")

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
		{"rows without members", "{}\n{}\n{}\n"},
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
		{"half a pair of surrogates in a name", `{"a":{"b":1}}` + "\n" + `{"a":{"b":1,"x\ud83d":{"c":2}}}` + "\n" + `{"a":{"\ude00":1}}` + "\n"},
		{"half a pair of surrogates in a name of an element", `{"a":[{"b":1},{"x\ud83d":2}]}` + "\n" + `{"a":"text"}` + "\n"},
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

// sameValue reports whether two values are the same, however their numbers are spelt.
func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, is := b.(map[string]any)
		if !is || len(a) != len(b) {
			return false
		}
		for key, v := range a {
			other, has := b[key]
			if !has || !sameValue(v, other) {
				return false
			}
		}
		return true
	case []any:
		b, is := b.([]any)
		if !is || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameValue(a[i], b[i]) {
				return false
			}
		}
		return true
	case json.Number:
		b, is := b.(json.Number)
		if a == b || !is {
			return is
		}
		if len(a) > 100 || len(b) > 100 {
			return false
		}
		x, okX := new(big.Rat).SetString(string(a))
		y, okY := new(big.Rat).SetString(string(b))
		return okX && okY && x.Cmp(y) == 0
	}
	return reflect.DeepEqual(a, b)
}

func sameLines(t testing.TB, want, have string) {
	t.Helper()
	wants, haves := strings.Split(want, "\n"), strings.Split(have, "\n")
	if len(wants) != len(haves) {
		t.Fatalf("want %d lines, have %d", len(wants), len(haves))
	}
	decode := func(line string) (v any) {
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		return v
	}
	for i := range wants {
		if wants[i] != haves[i] && !sameValue(decode(wants[i]), decode(haves[i])) {
			t.Fatalf("row %d: want %s, have %s", i+1, wants[i], haves[i])
		}
	}
}

// A dice makes rows at random. Each place has a type that it mostly keeps.
type dice struct{ *rand.Rand }

func (d dice) lines() string {
	types := []string{"int", "big", "float", "text", "bool", "null", "list", "object", "any", "map", "sometimes"}
	var out []byte
	columns := 1 + d.IntN(8)
	kind := make([]string, columns)
	for i := range kind {
		kind[i] = types[d.IntN(len(types))]
	}
	for range d.IntN(60) {
		out = append(out, '{')
		for i, k := range kind {
			if k == "sometimes" && d.IntN(3) == 0 {
				continue
			}
			out = jsontext.AppendKey(out, fmt.Sprintf("c.%d\"", i))
			out = d.value(out, k, 0)
		}
		out = append(out, "}\n"...)
	}
	return string(out)
}

func (d dice) value(out []byte, kind string, depth int) []byte {
	if d.IntN(12) == 0 || depth > 4 {
		return append(out, "null"...)
	}
	switch kind {
	case "int":
		return fmt.Appendf(out, "%d", d.IntN(2000)-1000)
	case "big":
		return fmt.Appendf(out, "%d", d.Uint64()>>d.IntN(64))
	case "float":
		return fmt.Appendf(out, []string{"%g", "%.1f", "%.18e"}[d.IntN(3)], d.NormFloat64()*1000)
	case "text", "sometimes":
		words := []string{"", "user", "日本語", "😀", "\x00\n\"", "a longer text, as messages have them ", "\u007f\u2028"}
		text := strings.Repeat(words[d.IntN(len(words))], d.IntN(5))
		return jsontext.AppendString(out, text)
	case "bool":
		return fmt.Appendf(out, "%t", d.IntN(2) == 0)
	case "null":
		return append(out, "null"...)
	case "list":
		out = append(out, '[')
		for i := range d.IntN(5) {
			if i > 0 {
				out = append(out, ',')
			}
			out = d.value(out, []string{"object", "text", "list"}[depth%3], depth+1)
		}
		return append(out, ']')
	case "object":
		out = append(out, '{')
		for _, k := range []string{"int", "text", "list", "float"} {
			if k == "text" || d.IntN(4) > 0 {
				out = d.value(jsontext.AppendKey(out, k), k, depth+1)
			}
		}
		return append(out, '}')
	case "map":
		out = append(out, '{')
		for range d.IntN(4) {
			at := len(out)
			if out = jsontext.AppendKey(out, fmt.Sprint(d.IntN(1000))); bytes.Count(out[max(0, at-200):at], out[at:]) > 0 {
				out = out[:at]
				continue
			}
			out = d.value(out, "int", depth+1)
		}
		return append(out, '}')
	}
	return d.value(out, []string{"int", "text", "list", "object", "bool", "float"}[d.IntN(6)], depth+1)
}

// TestRandomRows holds that rows come back, whatever they are like and wherever pages and row groups end.
func TestRandomRows(t *testing.T) {
	for seed := range uint64(300) {
		d := dice{rand.New(rand.NewPCG(seed, 7))}
		lines := d.lines()
		sameLines(t, lines, linesOf(t, written(t, lines, nil, Limits{1 + d.Int64N(40), 1 + d.Int64N(1<<16)}), AsWritten))
	}
}

// TestMerge holds that the shape of rows is that of their parts merged in order.
func TestMerge(t *testing.T) {
	for seed := range uint64(100) {
		lines := dice{rand.New(rand.NewPCG(seed, 8))}.lines()
		all := strings.SplitAfter(lines, "\n")
		parts := &Shape{}
		for _, half := range [][]string{all[:len(all)/2], all[len(all)/2:]} {
			s, err := ShapeOf(strings.NewReader(strings.Join(half, "")))
			if err == nil {
				err = parts.Merge(s)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		whole, err := ShapeOf(strings.NewReader(lines))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := NewSchema(whole, nil), NewSchema(parts, nil); !reflect.DeepEqual(a.elements, b.elements) || a.metadata() != b.metadata() {
			t.Fatalf("seed %d: want the schema of all rows, have another one of %s", seed, lines)
		}
	}
}

// FuzzRoundTrip holds that any rows come back.
func FuzzRoundTrip(f *testing.F) {
	f.Add(`{"a":[1,"x",null]}` + "\n" + `{"a":{"b":1.5e300}}`)
	f.Add(`{"a":[[],[{}]],"b":"\ud800"}` + "\n" + `{"a":null,"b":-0}`)
	f.Fuzz(func(t *testing.T, text string) {
		var rows strings.Builder
		for line := range strings.Lines(text) {
			line = strings.TrimRight(line, "\n")
			shape := &Shape{}
			if jsontext.Check(line, 900) == nil && strings.IndexByte(line, '\r') < 0 && jsontext.IsObject(line) && shape.Add([]byte(line)) == nil {
				rows.WriteString(line + "\n")
			}
		}
		if _, err := ShapeOf(strings.NewReader(rows.String())); err != nil {
			return // too many columns together
		}
		sameLines(t, rows.String(), linesOf(t, written(t, rows.String(), nil, Limits{3, 1 << 16}), AsWritten))
	})
}

// TestReaders holds that the readers which the field uses find the same rows.
func TestReaders(t *testing.T) {
	if !*long {
		t.Skip("other readers are asked with -long")
	}
	if out, err := exec.Command("python3", "-c", "import pyarrow, duckdb, polars, datasets").CombinedOutput(); err != nil {
		t.Skipf("want python3 with pyarrow, duckdb, polars and datasets, have %s", out)
	}
	dir := t.TempDir()
	names := []string{"testdata/readers.py"}
	add := func(lines string) {
		name := filepath.Join(dir, fmt.Sprint(len(names)))
		for ending, data := range map[string][]byte{".jsonl": []byte(lines), ".parquet": written(t, lines, nil, Limits{17, 1 << 20})} {
			if err := os.WriteFile(name+ending, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		names = append(names, name)
	}
	for seed := range uint64(40) {
		if lines := (dice{rand.New(rand.NewPCG(seed, 9))}).lines(); lines != "" {
			add(lines)
		}
	}
	add(`{"a":9223372036854775807,"u":18446744073709551615,"t":"` + strings.Repeat("long ", 1<<18) + `","deep":` + strings.Repeat(`[{"b":`, 5) + `"x"` + strings.Repeat("}]", 5) + "}\n")
	for _, name := range []string{os.Getenv("SLUICE_ROWS")} { // any other rows
		if name != "" {
			add(string(read(t, name)))
		}
	}
	if out, err := exec.Command("python3", names...).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// TestManyNames holds that objects with ever new names become JSON, and leave the columns to the others.
func TestManyNames(t *testing.T) {
	wide := func(from, n int) string { // an object with members of its own
		return "{" + strings.Join(times(n, func(i int) string { return fmt.Sprintf(`"k%d":%d`, from+i, i) }), ",") + "}"
	}
	rows := func(n int, row func(i int) string) string { return strings.Join(times(n, row), "\n") + "\n" }
	for i, x := range []struct {
		why, lines string
		json       []string
	}{
		{"a few new names in each row", rows(1000, func(i int) string { return fmt.Sprintf(`{"a":%s,"z%d":1}`, wide(10*i, 10), i%20) }), []string{"a"}},
		{"all in one row", `{"a":` + wide(0, 5000) + `,"b":1}` + "\n", []string{"a"}},
		{"in the objects of a list", rows(10, func(i int) string { return fmt.Sprintf(`{"l":[%s,%s]}`, wide(1000*i, 500), wide(1000*i+500, 500)) }), []string{"l[]"}},
		{"a dense object before one with new names", rows(300, func(i int) string { return fmt.Sprintf(`{"a":%s,"b":%s}`, wide(0, 3000), wide(10*i, 10)) }), []string{"b"}},
		{"one within another", rows(900, func(i int) string { return fmt.Sprintf(`{"a":{"b":%s},"c":{"d":%s}}`, wide(10*i, 10), wide(10*i, 10)) }), []string{"a.b", "c.d"}},
		{"a name before those of the others came", rows(600, func(i int) string { return fmt.Sprintf(`{"a":%s}`, wide(10*i, 10)) }) + `{"a":{},"later":{"x":[1]}}` + "\n", []string{"a"}},
	} {
		if testing.Short() && i != 1 {
			continue
		}
		t.Run(x.why, func(t *testing.T) {
			shape, err := ShapeOf(strings.NewReader(x.lines))
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for _, c := range NewSchema(shape, nil).JSON {
				have = append(have, c.Path)
			}
			if !reflect.DeepEqual(have, x.json) {
				t.Errorf("want %q as JSON, have %q", x.json, have)
			}
			if have := fields(shape); have != shape.budget.fields {
				t.Errorf("want the %d fields that there are counted, have %d", have, shape.budget.fields)
			}
			sameLines(t, x.lines, linesOf(t, written(t, x.lines, nil, DefaultLimits), AsWritten))
		})
	}
	if _, err := ShapeOf(strings.NewReader(rows(500, func(i int) string { return wide(10*i, 10) }))); err == nil || !strings.Contains(err.Error(), "want at most 4096 columns") {
		t.Errorf("want an error of rows with too many names themselves, have %v", err)
	}
}

// fields counts those below a shape.
func fields(s *Shape) (n int) {
	if s.element != nil {
		n += fields(s.element)
	}
	for _, f := range s.fields {
		n += 1 + fields(&f.Shape)
	}
	return n
}
