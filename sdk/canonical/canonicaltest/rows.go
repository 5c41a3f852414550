package canonicaltest

import (
	"os"
	"strings"
	"testing"
)

// maxRows is how many bytes of a corpus are measured on.
const maxRows = 4 << 20

// Rows returns the first rows of the corpus of JSON Lines that SLUICE_BENCH_CORPUS names, or a hundred rows of its own.
func Rows(t testing.TB) []string {
	t.Helper()
	file := os.Getenv("SLUICE_BENCH_CORPUS")
	if file == "" {
		return strings.Split(strings.Repeat(row+"\n", 99)+row, "\n")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	if end := strings.IndexByte(text[min(maxRows, len(text)):], '\n'); end >= 0 {
		text = text[:maxRows+end]
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

const row = `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"system":"You are Eliza, an agent with a calendar. Answer briefly.","messages":[{"role":"user","content":"What is on my list for today, and is there \"anything\" urgent?\nTell me first."},{"role":"assistant","content":[{"type":"text","text":"I look it up."},{"type":"tool-call","toolCallId":"k1","toolName":"LIST","input":{"day":"today","limit":10}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"k1","toolName":"LIST","output":{"type":"json","value":[{"at":"09:00","what":"stand-up"},{"at":"11:30","what":"dentist"}]}}]}],"tools":[{"type":"function","name":"LIST","description":"lists what is planned","inputSchema":{"type":"object","properties":{"day":{"type":"string"},"limit":{"type":"number"}},"required":["day"]}}]},"response":{"text":"Stand-up at nine and the dentist at half past eleven; nothing is urgent.","toolCalls":[],"finishReason":"stop","usage":{"promptTokens":120,"completionTokens":20}},"trajectoryId":"t1","metadata":{"task_type":"planner","split":"train","quality":{"success":true}}}`
