package canonical

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestPlace protects edits of names: what a place covers in the record is the name, decoded as often as there are strings
// around it, and a name raised to its place is what stands there.
func TestPlace(t *testing.T) {
	quoted := func(text string) string { return string(jsontext.AppendString(nil, text)) }
	for _, c := range []struct {
		reason, record string
		want           []string // the names, and how many strings each is in
	}{
		{"members of a record", `{"request":{"tools":[{"name":"A"}]},"response":{"toolCalls":[{"toolName":"B"}]}}`, []string{"0 B", "0 A"}},
		{"a string of calls", `{"response":{"toolCalls":` + quoted(`[{"name":"A"},{"name":"Bé\n\"😀"}]`) + `}}`, []string{"1 A", "1 Bé\n\"😀"}},
		{"escapes of one character each", `{"response":{"toolCalls":"[{\u0022name\u0022:\"\ud83d\ude00A\"}]"}}`, []string{"1 😀A"}},
		{"tools in a string, one of them in another", `{"request":{"tools":` + quoted(`["NAME",`+quoted(`{"name":"IN\nNER"}`)+`,{"name":"B"}]`) + `}}`, []string{"1 NAME", "2 IN\nNER", "1 B"}},
		{"an envelope behind words", `{"response":{"text":` + quoted("<think>é</think>\n```json\n{\"actions\":[\"A\"]}\n```") + `}}`, []string{"1 A"}},
		{"a call in the calls of a text", `{"response":{"text":` + quoted(`x <tool_call>{"name":"A","arguments":{}}</tool_call> <tool_call> {"name":"B","arguments":{}}`) + `}}`, []string{"1 A", "1 B"}},
		{"a line", `{"response":{"text":"é\nACTION: A and B"}}`, []string{"0 A"}},
		{"a type", `{"response":{"content":[{"type":"\u0074ool-A","toolCallId":"k"}]}}`, []string{"0 A"}},
	} {
		var r Row
		r.Read(jsontext.JSON(c.record))
		var have []string
		for _, n := range r.Names() {
			at, ok := r.Place(string(n.Body))
			if !ok {
				t.Errorf("%s: want a place for %s, have none", c.reason, n.Body)
				continue
			}
			stands := c.record[at.Start:at.End]
			if raised := at.Raise(string(n.Body)); raised != stands && !strings.Contains(stands, `\u`) {
				t.Errorf("%s: want %s at its place, have %s", c.reason, raised, stands)
			}
			name := stands
			for range at.Strings {
				name = jsontext.Body(name).Text()
			}
			have = append(have, string('0'+rune(at.Strings))+" "+jsontext.Body(name).Text())
		}
		if strings.Join(have, "|") != strings.Join(c.want, "|") {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

func TestNoPlace(t *testing.T) {
	var r Row
	r.Read(`{"request":{"messages":[{"role":"user","content":[{"type":"image"}]}]},"response":{"text":"y"}}`)
	for _, piece := range []string{"", "elsewhere", string(r.Parts[0].Body)} {
		if at, ok := r.Place(piece); ok {
			t.Errorf("%q: want no place, have %v", piece, at)
		}
	}
}

// reading is a plugin that reads all that there is to read.
var reading = sdk.Plugin{Name: "reading", New: func(sdk.Args) (sdk.Processor, error) {
	return sdk.Map(func(r *sdk.Record) error {
		row := Read(r)
		for _, n := range row.Names() {
			row.Place(string(n.Body))
			row.Place(n.Entry)
		}
		row.EnvelopeOf(row.Response)
		ReadTools(row.Tools)
		return nil
	}), nil
}}

// TestReadGrows holds that reading takes time in proportion to the record, whatever stands in what.
func TestReadGrows(t *testing.T) {
	nested := func(open, shut string) func(n int) []byte {
		return func(n int) []byte { return []byte(strings.Repeat(open, n) + "0" + strings.Repeat(shut, n)) }
	}
	many := func(item string) func(n int) []byte {
		return func(n int) []byte { return []byte("[" + strings.Repeat(item+",", n) + item + "]") }
	}
	texts := func(item string) func(n int) []byte {
		return func(n int) []byte { return jsontext.AppendString(nil, strings.Repeat(item, n)) }
	}
	inString := func(value func(n int) []byte) func(n int) []byte {
		return func(n int) []byte { return jsontext.AppendString(nil, value(n)) }
	}
	for _, c := range []struct {
		reason, at string // the record has X where the value stands
		value      func(n int) []byte
	}{
		{"results in results", `{"response":{"content":X}}`, nested(`[{"type":"tool-result","output":{"type":"content","value":`, `}}]`)},
		{"blocks in blocks", `{"request":{"messages":[{"role":"user","content":X}]}}`, nested(`[{"type":"tool_result","content":`, `}]`)},
		{"lists in lists", `{"response":{"content":X}}`, nested(`[`, `]`)},
		{"thoughts in thoughts", `{"response":{"reasoning":X}}`, nested(`[{"text":`, `}]`)},
		{"approvals in approvals", `{"response":{"content":[X]}}`, nested(`{"approval":`, `}`)},
		{"wrapped schemas", `{"request":{"tools":[{"name":"A","inputSchema":X}]}}`, nested(`{"jsonSchema":`, `}`)},
		{"functions in functions", `{"request":{"tools":[X]}}`, nested(`{"name":"A","function":`, `}`)},
		{"declarations in declarations", `{"request":{"tools":X}}`, nested(`[{"functionDeclarations":`, `}]`)},
		{"arguments", `{"response":{"toolCalls":[{"name":"A","input":X}]}}`, nested(`{"a":[`, `]}`)},
		{"turns in turns", `{"turns":X}`, nested(`[{"turns":`, `}]`)},
		{"steps in steps", `{"response":{"steps":X}}`, nested(`[{"steps":`, `}]`)},
		{"settings", `{"metadata":X}`, nested(`{"a":`, `}`)},
		{"settings with a list", `{"metadata":{"l":[],"m":X}}`, nested(`{"a":`, `}`)},
		{"tools", `{"request":{"tools":X}}`, many(`{"name":"A"}`)},
		{"tools in a string", `{"request":{"tools":X}}`, inString(many(`{"name":"A"}`))},
		{"lists of tools in a string", `{"request":{"tools":X}}`, inString(many(`{"functionDeclarations":[{"name":"A"},{"name":"B"}]}`))},
		{"tools in strings in a string", `{"request":{"tools":X}}`, inString(many(`"{\"name\":\"A\"}"`))},
		{"calls in strings", `{"request":{"messages":X}}`, many(`{"role":"assistant","tool_calls":"[{\"name\":\"A\"}]"}`)},
		{"calls in a text", `{"response":{"text":X}}`, texts(`<tool_call>{"name":"A","arguments":{}}</tool_call>`)},
		{"marks without an end", `{"response":{"text":X}}`, texts(`<tool_call>{"name":`)},
		{"lines", `{"response":{"text":X}}`, texts("ACTION: A\n")},
		{"backslashes", `{"response":{"text":X}}`, texts(`\n ACTION: A`)},
		{"actions that are available", `{"request":{"system":X}}`, func(n int) []byte { return []byte(`"Available actions: A` + strings.Repeat(", SOME_ACTION", n) + `"`) }},
	} {
		t.Run(c.reason, func(t *testing.T) {
			before, behind, _ := strings.Cut(c.at, "X")
			sdktest.Grows(t, reading, "{}", func(n int) []byte { return append(append([]byte(before), c.value(n)...), behind...) })
		})
	}
}
