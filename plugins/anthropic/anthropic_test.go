package anthropic

import (
	"fmt"
	"testing"

	"github.com/sluicehq/sluice/plugins/internal/adaptertest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestAnthropic(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzAnthropic(f *testing.F) {
	adaptertest.Fuzz(f, Plugin, "", adaptertest.Records(f, "testdata/*.txtar")...)
}

func BenchmarkAnthropic(b *testing.B) {
	var rows []string
	for i := range 100 {
		text := func(n int) []byte { return jsontext.AppendString(nil, adaptertest.Words(i+n, 100)) }
		rows = append(rows, fmt.Sprintf(`{"system": %s, "messages": [{"role": "user", "content": %s}, {"role": "assistant", "content": [{"type": "text", "text": %s}, {"type": "tool_use", "id": "toolu_%d", "name": "w", "input": {"city": "Oslo", "days": 3}}]}, {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_%[4]d", "content": %s}]}, {"role": "assistant", "content": [{"type": "thinking", "thinking": "short"}, {"type": "text", "text": %s}]}], "tools": [{"name": "w", "input_schema": {"type": "object"}}]}`,
			text(0), text(1), text(2), i, text(3), text(4)))
	}
	adaptertest.Bench(b, Plugin, "", "emit", rows)
}
