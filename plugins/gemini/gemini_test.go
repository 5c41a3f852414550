package gemini

import (
	"fmt"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestGemini(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzGemini(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/*.txtar")...)
}

// TestFinishReasons protects each word of the interface for why an answer ended: a wrong one trains on a cut answer.
func TestFinishReasons(t *testing.T) {
	for reason, want := range map[string]string{
		"STOP": "stop", "MAX_TOKENS": "length", "SAFETY": "content_filter", "PROHIBITED_CONTENT": "content_filter",
		"RECITATION": "content_filter", "OTHER": "other", "NEW": "other",
	} {
		results, _ := sdktest.Run(t, Plugin, "", `{"contents": [{"role": "user", "parts": [{"text": "q"}]}], "candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": "`+reason+`"}]}`)
		if have := jsontext.JSON(results[0].Emitted[0]).Get("response").Get("finishReason").Text(); have != want {
			t.Errorf("%s: want %s, have %s", reason, want, have)
		}
	}
}

func BenchmarkGemini(b *testing.B) {
	var rows []string
	for i := range 100 {
		text := func(n int) []byte { return jsontext.AppendString(nil, canonicaltest.Words(i+n, 100)) }
		rows = append(rows, fmt.Sprintf(`{"systemInstruction": {"parts": [{"text": %s}]}, "contents": [{"role": "user", "parts": [{"text": %s}]}, {"role": "model", "parts": [{"functionCall": {"name": "w", "args": {"city": "Oslo", "days": 3}}}]}, {"role": "user", "parts": [{"functionResponse": {"name": "w", "response": {"text": %s}}}]}, {"role": "model", "parts": [{"text": %s}]}], "tools": [{"functionDeclarations": [{"name": "w", "parameters": {"type": "OBJECT"}}]}]}`,
			text(0), text(1), text(2), text(3)))
	}
	canonicaltest.Bench(b, Plugin, "", "emit", rows)
}
