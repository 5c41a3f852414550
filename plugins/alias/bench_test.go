package alias

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// benchRows are rows in the manner of recorded planner calls, or a corpus given in SLUICE_BENCH_CORPUS. action is the
// name of one tool in ten.
func benchRows(b *testing.B, action string) []string {
	if name := os.Getenv("SLUICE_BENCH_CORPUS"); name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		var rows []string
		for line := range bytes.Lines(data) {
			rows = append(rows, string(bytes.TrimSuffix(line, []byte("\n"))))
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
		tools = append(tools, `{"description":"`+strings.ToValidUTF8(words[:160], "")+`","inputSchema":{"properties":{"command":{"type":"string"},"limit":{"type":"number"}},"required":["command"],"type":"object"},"name":"`+name+`","type":"function"}`)
	}
	message := func(role string) string { return `{"content":"` + words + `","role":"` + role + `"}` }
	row := `{"boundary":"vercel_ai_sdk.generateText","format":"eliza_native_v1","metadata":{"split":"train"},"request":{"messages":[` +
		message("user") + "," + message("assistant") + "," + message("user") + `],"system":"` + words + words + `","toolChoice":"auto","tools":[` +
		strings.Join(tools, ",") + `]},"response":{"finishReason":"stop","text":"` + words + `","toolCalls":[{"input":{},"toolCallId":"c","toolName":"` + action + `"}]}}`
	return []string{row}
}

func BenchmarkAlias(b *testing.B) {
	for name, action := range map[string]string{"current": "SHELL", "retired": "SHELL_COMMAND"} {
		b.Run(name, func(b *testing.B) { sdktest.Bench(b, Plugin, `{"file":"`+shipped+`"}`, benchRows(b, action)...) })
	}
}
