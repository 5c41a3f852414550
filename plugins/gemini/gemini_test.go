package gemini

import (
	"fmt"
	"testing"

	"github.com/sluicehq/sluice/plugins/internal/adaptertest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestGemini(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzGemini(f *testing.F) {
	adaptertest.Fuzz(f, Plugin, "", adaptertest.Records(f, "testdata/*.txtar")...)
}

func BenchmarkGemini(b *testing.B) {
	var rows []string
	for i := range 100 {
		text := func(n int) []byte { return jsontext.AppendString(nil, adaptertest.Words(i+n, 100)) }
		rows = append(rows, fmt.Sprintf(`{"systemInstruction": {"parts": [{"text": %s}]}, "contents": [{"role": "user", "parts": [{"text": %s}]}, {"role": "model", "parts": [{"functionCall": {"name": "w", "args": {"city": "Oslo", "days": 3}}}]}, {"role": "user", "parts": [{"functionResponse": {"name": "w", "response": {"text": %s}}}]}, {"role": "model", "parts": [{"text": %s}]}], "tools": [{"functionDeclarations": [{"name": "w", "parameters": {"type": "OBJECT"}}]}]}`,
			text(0), text(1), text(2), text(3)))
	}
	adaptertest.Bench(b, Plugin, "", "emit", rows)
}
