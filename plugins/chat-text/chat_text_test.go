package chattext

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestChatText(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzChatText(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/*.txtar")...)
}

func benchmark(b *testing.B, turn func(role, text string) string) {
	var rows []string
	for i := range 100 {
		var text strings.Builder
		for n := range 6 {
			text.WriteString(turn([]string{"user", "assistant"}[n%2], canonicaltest.Words(i+n, 100)))
		}
		rows = append(rows, `{"id": "x", "text": `+string(jsontext.AppendString(nil, text.String()))+"}")
	}
	canonicaltest.Bench(b, Plugin, "", "emit", rows)
}

func BenchmarkChatML(b *testing.B) {
	benchmark(b, func(role, text string) string { return "<|im_start|>" + role + "\n" + text + "<|im_end|>\n" })
}

func BenchmarkGlaive(b *testing.B) {
	benchmark(b, func(role, text string) string { return strings.ToUpper(role) + ": " + text + "\n\n\n" })
}

func BenchmarkDecline(b *testing.B) {
	var rows []string
	for i := range 100 {
		rows = append(rows, `{"title": "x", "text": `+string(jsontext.AppendString(nil, canonicaltest.Words(i, 500)))+"}")
	}
	canonicaltest.Bench(b, Plugin, "", "decline", rows)
}
