package bootstrap

import (
	"fmt"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestBootstrap(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzBootstrap(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/*.txtar")...)
}

func BenchmarkBootstrap(b *testing.B) {
	var rows []string
	for i := range 100 {
		text := func(n int) []byte { return jsontext.AppendString(nil, canonicaltest.Words(i+n, 100)) }
		rows = append(rows, fmt.Sprintf(`{"schema": "eliza.native_tool_calling.v1", "id": "r%d", "stage": "planner", "source": {"dataset": "demo", "license": "mit", "split": "train", "originalId": "%[1]d"}, "messages": [{"role": "system", "content": %s}, {"role": "user", "content": %s}, {"role": "assistant", "content": %s}, {"role": "user", "content": %s}], "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}}], "output": {"planner": {"text": "", "toolCalls": [{"id": "c", "name": "f", "args": {"a": 1}}], "finishReason": "tool_calls"}}, "quality": {"rating": "gold"}}`,
			i, text(0), text(1), text(2), text(3)))
	}
	canonicaltest.Bench(b, Plugin, "", "emit", rows)
}
