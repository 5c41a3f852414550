package trajectory

import (
	"fmt"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestTrajectory(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzTrajectory(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, `{"transcript": true}`, canonicaltest.Records(f, "testdata/*.txtar")...)
}

func BenchmarkTrajectory(b *testing.B) {
	var rows []string
	for i := range 50 {
		text := func(n int) []byte { return jsontext.AppendString(nil, canonicaltest.Words(i+n, 150)) }
		rows = append(rows, fmt.Sprintf(`{"trajectoryId": "t%d", "agentId": "a", "steps": [{"stepId": "s", "llmCalls": [{"systemPrompt": %s, "userPrompt": %s, "response": %s}, {"messages": [{"role": "user", "content": %s}, {"role": "assistant", "content": %s}, {"role": "user", "content": %s}], "response": %s}]}]}`,
			i, text(0), text(1), text(2), text(3), text(4), text(5), text(6)))
	}
	canonicaltest.Bench(b, Plugin, "", "emit", rows)
}
