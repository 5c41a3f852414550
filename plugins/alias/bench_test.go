package alias

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/batch"
)

// benchRows are rows in the manner of recorded planner calls, or a corpus given in SLUICE_BENCH_CORPUS. action is the
// name of one tool in ten.
func benchRows(b *testing.B, action string) []batch.Record {
	if name := os.Getenv("SLUICE_BENCH_CORPUS"); name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		var rows []batch.Record
		for line := range bytes.Lines(data) {
			rows = append(rows, batch.Record{Data: bytes.TrimSuffix(line, []byte("\n"))})
		}
		return rows
	}
	words := strings.Repeat(`focus events replies app \"quote\" command naïve 東京 `, 14)
	var tools []string
	for i := range 10 {
		name := fmt.Sprintf("ACTION_%d", i)
		if i == 4 {
			name = action
		}
		tools = append(tools, `{"description":"`+words[:160]+`","inputSchema":{"properties":{"command":{"type":"string"},"limit":{"type":"number"}},"required":["command"],"type":"object"},"name":"`+name+`","type":"function"}`)
	}
	message := func(role string) string { return `{"content":"` + words + `","role":"` + role + `"}` }
	row := `{"boundary":"vercel_ai_sdk.generateText","format":"eliza_native_v1","metadata":{"split":"train"},"request":{"messages":[` +
		message("user") + "," + message("assistant") + "," + message("user") + `],"system":"` + words + words + `","toolChoice":"auto","tools":[` +
		strings.Join(tools, ",") + `]},"response":{"finishReason":"stop","text":"` + words + `","toolCalls":[{"input":{},"toolCallId":"c","toolName":"` + action + `"}]}}`
	return []batch.Record{{Data: []byte(row)}}
}

type memory struct{ mem []byte }

func (s *memory) Take(n int) []byte               { return s.mem[:n] }
func (s *memory) Grow(context.Context, int) error { return nil }

func BenchmarkAlias(b *testing.B) {
	for name, action := range map[string]string{"current": "SHELL", "retired": "SHELL_COMMAND"} {
		b.Run(name, func(b *testing.B) {
			rows := benchRows(b, action)
			size := 0
			for _, r := range rows {
				size += len(r.Data)
			}
			w, err := Plugin.Open([]byte(`{"file":"`+shipped+`"}`), 0)
			if err != nil {
				b.Fatal(err)
			}
			mem := &memory{make([]byte, 1<<20)}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Process(b.Context(), rows, mem, func(batch.Answer) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
