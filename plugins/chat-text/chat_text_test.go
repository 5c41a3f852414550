package chattext

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/internal/adaptertest"
	"github.com/sluicehq/sluice/plugins/internal/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestChatText(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func TestReference(t *testing.T) {
	adaptertest.Reference(t, Plugin, map[string]string{
		"chatml_text": `{"preset": "chatml_text"}`, "gemma_text": `{"preset": "gemma_text"}`, "open_paws_llama": `{"preset": "open_paws_llama"}`,
		"noesis_text": `{"preset": "noesis_text"}`, "glaive_fc": `{"preset": "glaive_fc"}`, "glaive_fc_reasoning": `{"preset": "glaive_fc_reasoning"}`,
		"convert_hermes/glaive": `{"preset": "glaive_fc", "target": "each"}`, "convert_hermes/glaive-nested-args-lost": `{"preset": "glaive_fc", "target": "each"}`,
		"convert_hermes/glaive-apostrophe-in-args-lost": `{"preset": "glaive_fc", "target": "each"}`,
	}, map[string]string{
		"glaive_fc/chat-string":                         "R26, R28: tools and calls left in the text, an end mark in the answer, results before their question",
		"glaive_fc/functioncall-last-turn-is-text":      "R26: a call trained as text",
		"glaive_fc/A-colon-marker-splits-words":         "R29: a marker inside a line parts a sentence",
		"convert_hermes/glaive":                         "N3: a system prompt and a thought that the row does not have; R28: a call left in the context as text",
		"convert_hermes/glaive-nested-args-lost":        "R28: nested arguments lost; N3: a thought that the row does not have",
		"convert_hermes/glaive-apostrophe-in-args-lost": "R8, R28: arguments that are no JSON become {}, where this rejects the row",
	})
}

func FuzzChatText(f *testing.F) {
	adaptertest.Fuzz(f, Plugin, "", adaptertest.Records(f, "testdata/*.txtar")...)
}

func benchmark(b *testing.B, turn func(role, text string) string) {
	var rows []string
	for i := range 100 {
		var text strings.Builder
		for n := range 6 {
			text.WriteString(turn([]string{"user", "assistant"}[n%2], adaptertest.Words(i+n, 100)))
		}
		rows = append(rows, `{"id": "x", "text": `+string(jsontext.AppendString(nil, text.String()))+"}")
	}
	adaptertest.Bench(b, Plugin, "", "emit", rows)
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
		rows = append(rows, `{"title": "x", "text": `+string(jsontext.AppendString(nil, adaptertest.Words(i, 500)))+"}")
	}
	adaptertest.Bench(b, Plugin, "", "decline", rows)
}
