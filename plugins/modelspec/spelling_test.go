package modelspec_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspeccheck "github.com/sluicehq/sluice/plugins/modelspec/check"
	modelspecdocument "github.com/sluicehq/sluice/plugins/modelspec/document"
	modelspecnegatives "github.com/sluicehq/sluice/plugins/modelspec/negatives"
	modelspecthread "github.com/sluicehq/sluice/plugins/modelspec/thread"
	modelspectokens "github.com/sluicehq/sluice/plugins/modelspec/tokens"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestSpelling holds that a thread means the same when each character of its strings is an escape.
func TestSpelling(t *testing.T) {
	data, err := os.ReadFile("testdata/threads.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	threads := append(strings.Split(strings.TrimSpace(string(data)), "\n"),
		`[{"role":"platform","content":"Respond only in `+"`json`"+`."},{"role":"user","content":"<|role|>"},{"role":"assistant","format":"markdown","content":"a","end_turn":true}]`,
		`{"messages":[{"role":"developer","content":"a\n\nb\n","weight":1},[{"role":"assistant","format":"markdown","content":"a","end_turn":true}]]}`,
		`{"system_settings":{"formats":[{"name":"json","sampler":"xml"}]},"messages":[{"role":"user","content":"a"},null]}`,
		`{"prompt":[{"role":"user","content":"a"}],"chosen":[{"role":"assistant","format":"markdown","content":"b","end_turn":true}],"rejected":[{"role":"assistant","format":"md","content":"b","end_turn":true}]}`,
	)
	for _, p := range []sdk.Plugin{modelspecdocument.Plugin, modelspeccheck.Plugin, modelspecnegatives.Plugin, modelspectokens.Plugin, modelspecthread.Plugin} {
		for _, thread := range threads {
			want, have := answerTo(t, p, thread), answerTo(t, p, string(inEscapes(jsontext.JSON(thread))))
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("%s: %s (-want +have):\n%s", p.Name, thread, diff)
			}
		}
	}
}

// TestSpellingOfRows holds that a canonical row becomes the same thread, however JSON spells it that becomes text there.
func TestSpellingOfRows(t *testing.T) {
	row := func(turns string) string {
		return `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"system":"Zürich","messages":[{"role":"user","content":"q"}` + turns + `],` +
			`"tools":[{"name":"find","description":"über","inputSchema":{"type":"object","properties":{"größe":{"type":"string","enum":["ä"],"description":"ö"}}}}]},` +
			`"response":{"text":"","toolCalls":[{"toolCallId":"b","toolName":"find","input":{"größe":{"ä":"Zürich <b>","n":[1.50]}}}]}}`
	}
	called := `,{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"find","input":{"größe":"ä"}}]},` +
		`{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","toolName":"find","output":{"type":"json","value":{"straße":"/ü"}}}]}`
	for _, args := range []string{
		`{}`, `{"calls":"array"}`, `{"calls":"jsonl"}`, `{"calls":"python"}`, `{"calls":"yaml"}`, `{"tool_schema":"json-schema"}`,
		`{"tool_schema":"python"}`, `{"tool_schema":"prose"}`, `{"vary":["order","wording","schema"]}`, `{"shape":"tokens"}`,
	} {
		for _, row := range []string{row(""), row(called)} {
			want, have := answerWith(t, modelspec.Plugin, args, row), answerWith(t, modelspec.Plugin, args, string(inEscapes(jsontext.JSON(row))))
			if diff := cmp.Diff(want, have); diff != "" {
				t.Errorf("%s: %s (-want +have):\n%s", args, row, diff)
			}
		}
	}
}

// answerTo returns all that a plugin says to a row, its JSON as values.
func answerTo(t *testing.T, p sdk.Plugin, row string) []any {
	t.Helper()
	return answerWith(t, p, "", row)
}

func answerWith(t *testing.T, p sdk.Plugin, args, row string) []any {
	t.Helper()
	results, counts := sdktest.Run(t, p, args, row)
	r := results[0]
	all := []any{r.Verdict, r.Code, r.Path, r.Message, fmt.Sprint(r.Labels), fmt.Sprint(counts)}
	if r.Verdict == "decline" { // the message says what was looked for first
		all = all[:2]
	}
	for _, text := range append(r.Emitted, r.Sides["findings"]...) {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatalf("want JSON, have %s: %v", text, err)
		}
		all = append(all, value)
	}
	return all
}

// inEscapes writes JSON with an escape for each character of its strings.
func inEscapes(v jsontext.JSON) (dst []byte) {
	text := func(s string) {
		dst = append(dst, '"')
		for _, c := range utf16.Encode([]rune(s)) {
			dst = fmt.Appendf(dst, `\u%04x`, c)
		}
		dst = append(dst, '"')
	}
	switch v.Kind() {
	case '"':
		text(v.Text())
	case '{':
		dst = append(dst, '{')
		for key, value := range v.Members() {
			if len(dst) > 1 {
				dst = append(dst, ',')
			}
			text(key)
			dst = append(append(dst, ':'), inEscapes(value)...)
		}
		dst = append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, value := range v.Elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, inEscapes(value)...)
		}
		dst = append(dst, ']')
	default:
		dst = append(dst, v...)
	}
	return dst
}
