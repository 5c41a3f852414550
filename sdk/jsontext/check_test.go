package jsontext

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

func TestCheck(t *testing.T) {
	tests := []struct{ reason, data, code, message string }{
		{"an object", `{"a":[1,-2.5e+3,true,false,null,"x"],"b":{}}`, "", ""},
		{"any value is a record", `"Sam"`, "", ""},
		{"blanks anywhere outside strings", " {\t\"a\" :\r\n[ ] } ", "", ""},
		{"every escape", `"\"\\\/\b\f\n\r\t\u00e9\ud800"`, "", ""},
		{"raw line separators are text", "\"a\u2028b\u0085\"", "", ""},
		{"long numbers keep their spelling", `-0.10000000000000000000000000000000000000e-400`, "", ""},
		{"duplicate keys are somebody else's rule", `{"a":1,"a":2}`, "", ""},
		{"nothing", ``, InvalidJSON, "want a value, have the end at byte 0"},
		{"a word", `Sarah`, InvalidJSON, "want a value, have a letter at byte 0"},
		{"a cut literal", `[tru`, InvalidJSON, "want a value, have a letter at byte 1"},
		{"not a number", `[NaN]`, InvalidJSON, "want a value, have a letter at byte 1"},
		{"leading zero", `01`, InvalidJSON, "want the end of the record, have a digit at byte 1"},
		{"a plus sign", `+1`, InvalidJSON, "want a value, have '+' at byte 0"},
		{"a lone minus", `[-]`, InvalidJSON, "want a digit, have ']' at byte 2"},
		{"no digit after the point", `1.`, InvalidJSON, "want a digit, have the end at byte 2"},
		{"no digit in the exponent", `1e+`, InvalidJSON, "want a digit, have the end at byte 3"},
		{"trailing comma in an array", `[1,]`, InvalidJSON, "want a value, have ']' at byte 3"},
		{"trailing comma in an object", `{"a":1,}`, InvalidJSON, "want a key, have '}' at byte 7"},
		{"a key that is no string", `{1:2}`, InvalidJSON, "want a key, have a digit at byte 1"},
		{"no colon", `{"a" 1}`, InvalidJSON, "want ':', have a digit at byte 5"},
		{"brackets that do not match", `{"a":[1}`, InvalidJSON, "want ',' or ']', have '}' at byte 7"},
		{"an open object", `{"a":1`, InvalidJSON, "want ',' or '}', have the end at byte 6"},
		{"an open string", `["abcdefghijkl`, InvalidJSON, "want the end of a string, have the end at byte 14"},
		{"a backslash at the end", `"abc\`, InvalidJSON, "want a known escape, have '\\' at byte 4"},
		{"an unknown escape", `"\x41"`, InvalidJSON, "want a known escape, have '\\' at byte 1"},
		{"a short escape", `"\u00e"`, InvalidJSON, "want a known escape, have '\\' at byte 1"},
		{"two values", `{"a":1} {"b":2}`, InvalidJSON, "want the end of the record, have '{' at byte 8"},
		{"a raw tab in a string", "\"a\tb\"", InvalidJSON, "want no raw control character in a string, have control character 0x09 at byte 2"},
		{"a zero byte", "\x00", InvalidJSON, "want a value, have control character 0x00 at byte 0"},
		{"Latin-1", "\"caf\xe9\"", InvalidUTF8, "want UTF-8, have an invalid sequence at byte 4"},
		{"an overlong sequence", "\"\xc0\xaf\"", InvalidUTF8, "want UTF-8, have an invalid sequence at byte 1"},
		{"a surrogate in UTF-8", "\"\xed\xa0\x80\"", InvalidUTF8, "want UTF-8, have an invalid sequence at byte 1"},
		{"the replacement character itself is fine", "\"\uFFFD\"", "", ""},
		{"UTF-16", "\xff\xfe{\x00}\x00", InvalidJSON, "want a value, have a byte that is not ASCII at byte 0"},
		{"as deep as allowed", strings.Repeat("[", 8) + strings.Repeat("]", 8), "", ""},
		{"one deeper", strings.Repeat("[", 9) + strings.Repeat("]", 9), TooDeep, "want at most 8 levels, have more at byte 8"},
		{"no stack to blow", strings.Repeat("[", 1<<20), TooDeep, "want at most 8 levels, have more at byte 8"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var code, message string
			if f := Check([]byte(tt.data), 8); f != nil {
				code, message = f.Code, f.Message
			}
			if code != tt.code || message != tt.message {
				t.Errorf("have %q %q, want %q %q", code, message, tt.code, tt.message)
			}
		})
	}
}

func TestCheckDeeperThanTheSmallStack(t *testing.T) {
	data := bytes.Repeat([]byte(`{"a":[`), 50_000)
	data = append(data, '1')
	data = append(data, bytes.Repeat([]byte(`]}`), 50_000)...)
	if f := Check(data, 100_000); f != nil {
		t.Error(f.Message)
	}
	if f := Check(data, 99_999); f == nil || f.Code != TooDeep {
		t.Errorf("have %v, want %s", f, TooDeep)
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e+3,true,false,null,"x\u00e9 東京 \n"],"b":{}}`, `[[[]]]`, `"12345678\"`, "\"\xf4\x90\x80\x80\"",
		`-0`, `0e1`, ` `, `"aaaaaaa`, "\"aaaaaaaaaaaaaaa\x1f\"", `{"":{"":[{}]}}`, "\"\xe2\x80\xa8 \xf0\x9f\x98\x80\"",
	} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, data []byte, depth int) {
		depth = min(max(depth, 0), 9_000) // encoding/json stops at 10,000
		fault := Check(data, depth)
		sound := json.Valid(data) && utf8.Valid(data)
		deep := sound && nesting(data) > depth
		if want := sound && !deep; (fault == nil) != want {
			t.Fatalf("have %v, want good = %v", fault, want)
		}
		if deep && fault.Code != TooDeep {
			t.Errorf("have %q, want %q", fault.Code, TooDeep)
		}
	})
}

// TestKernels holds that the check finds the same mistake at the same place with and without the kernel, wherever a mistake lies
// among blocks, characters and strings.
func TestKernels(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	pieces := []string{
		"a", "some words of text", strings.Repeat("plain ", 12), "é", "東京", "😀", "\u0800", "\ud7ff", "\ue000", "\U00010000", "\U0010ffff", `\n`, `\u00e9`, `","`, `":[{"`,
		`\"`, `\\`, strings.Repeat(`\\`, 40), strings.Repeat(`\"`, 20), strings.Repeat(`\uD83D\uDE00`, 12), "x" + strings.Repeat(`\/\b`, 31),
		"\x80", "\xbf\xbf", "\xc0", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xe0\xa0", "\xed\xa0\x80", "\xef\xbf", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80",
		"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\x1f", "\x00", `\`, `\u12`, `\u00g0`, `\x`, `\\\`, "\\\n", `\U00e9`,
	}
	const good = 21 // the pieces behind them are mistakes, which only some texts have
	texts := 200_000
	if testing.Short() {
		texts /= 8
	}
	for range texts {
		text := []byte(`["`)
		sound := good
		for range rnd.IntN(12) {
			if rnd.IntN(8) == 0 {
				sound = len(pieces)
			}
			text = append(text, pieces[rnd.IntN(sound)]...)
			sound = good
		}
		text = append(text, strings.Repeat("x", rnd.IntN(70))+`"]`...)
		agree(t, text[:len(text)-rnd.IntN(2)*rnd.IntN(len(text))])
	}
}

func FuzzKernels(f *testing.F) {
	f.Add([]byte("\"\xf4\x90\x80\x80"), 40)
	f.Add([]byte("\"é東京😀\""), 7)
	f.Add([]byte(strings.Repeat(`\\`, 70)+`\"\u00e9`), 3)
	f.Fuzz(func(t *testing.T, data []byte, before int) {
		agree(t, slices.Concat([]byte(`["`+strings.Repeat("x", before&127)), data, []byte(strings.Repeat("x", 40)+`"]`)))
	})
}

// agree fails unless the check says the same of a text with and without the kernel, and a cursor finds the same ends of strings.
func agree(t *testing.T, text []byte) {
	defer func(has bool) { hasAVX2 = has }(hasAVX2)
	fast, end := Check(text, 8), skipString(JSON(text), 1)
	hasAVX2 = false
	if plain := skipString(JSON(text), 1); end != plain {
		t.Fatalf("%q: the string ends at %d, want %d", text, end, plain)
	}
	if plain := Check(text, 8); (fast == nil) != (plain == nil) || fast != nil && *fast != *plain {
		t.Fatalf("%q: have %v, want %v", text, fast, plain)
	}
}

// nesting is how deep the valid JSON in data goes.
func nesting(data []byte) int {
	deepest, now := 0, 0
	dec := json.NewDecoder(bytes.NewReader(data))
	for {
		token, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('['), json.Delim('{'):
			now++
			deepest = max(deepest, now)
		case json.Delim(']'), json.Delim('}'):
			now--
		}
	}
}

// corpus is like what sluice is mostly fed: chat rows of some kilobytes, or the file that SLUICE_BENCH_CORPUS names.
func corpus(b *testing.B) [][]byte {
	var lines [][]byte
	if name := os.Getenv("SLUICE_BENCH_CORPUS"); name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		sc := bufio.NewScanner(bytes.NewReader(data))
		sc.Buffer(nil, 64<<20)
		for sc.Scan() {
			lines = append(lines, bytes.Clone(sc.Bytes()))
		}
		return lines
	}
	line := []byte(`{"request":{"messages":[`)
	for range 30 {
		line = append(line, `{"role":"user","content":"Which meetings does the café in 東京 quote for tomorrow?\nPlease \"reply\" by noon, in one line."},`...)
	}
	line = append(line, `{"role":"system","content":""}],"tools":[{"name":"REPLY","score":1.25,"on":true}]}}`...)
	for range 1000 {
		lines = append(lines, line)
	}
	return lines
}

func BenchmarkCheck(b *testing.B) {
	lines := corpus(b)
	size := 0
	for _, line := range lines {
		size += len(line)
	}
	b.Run("check", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			for _, line := range lines {
				if f := Check(line, 1000); f != nil {
					b.Fatal(f.Message)
				}
			}
		}
	})
	b.Run("gjson", func(b *testing.B) {
		b.SetBytes(int64(size))
		for b.Loop() {
			for _, line := range lines {
				if !gjson.ValidBytes(line) {
					b.Fatal("invalid")
				}
			}
		}
	})
}
