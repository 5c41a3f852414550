package chatml_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// FuzzRow looks for records whose row is not what every trainer accepts.
func FuzzRow(f *testing.F) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range txtar.Parse(data).Files {
			if part.Name == "in.jsonl" {
				for line := range strings.SplitSeq(strings.TrimSpace(string(part.Data)), "\n") {
					f.Add(line, uint8(len(line)))
				}
			}
		}
	}
	args := []string{
		`{}`, `{"arguments":"object","reasoning":"inline","media":"placeholder","train_on":"each"}`, `{"target":"mistral"}`,
		`{"target":"llama3","parallel":"split","reasoning":"drop"}`, `{"target":"gpt-oss","dangling_calls":"keep","envelope":"both"}`,
		`{"arguments":"object"}`, `{"target":"qwen3","late_system":"merge","envelope":"text"}`,
	}
	f.Fuzz(func(t *testing.T, record string, n uint8) {
		if !gjson.Valid(record) || !utf8.ValidString(record) {
			return
		}
		arg := args[int(n)%len(args)]
		results, _ := sdktest.Direct(t, chatml.Plugin, arg, record)
		for _, row := range results[0].Emitted {
			if !utf8.ValidString(row) {
				t.Fatalf("want UTF-8, have %q", row)
			}
			if wrong := flaw(row); wrong != "" {
				t.Errorf("%s: %s\n%s", arg, wrong, row)
			}
		}
	})
}

// flaw says what about a row a trainer would trip over, or "".
func flaw(row string) string {
	messages := gjson.Get(row, "messages").Array()
	ids, pending, users := map[string]bool{}, map[string]bool{}, 0
	for i, m := range messages {
		if m.Get("content").Type != gjson.String {
			return fmt.Sprintf("message %d: want a string as content", i)
		}
		switch role := m.Get("role").Str; role {
		case "system":
			if i > 0 {
				return fmt.Sprintf("message %d: want system first", i)
			}
		case "user":
			users++
		case "assistant":
			calls := m.Get("tool_calls")
			if calls.Exists() && len(calls.Array()) == 0 {
				return fmt.Sprintf("message %d: want calls or no member for them", i)
			}
			for _, c := range calls.Array() {
				id, args := c.Get("id").Str, c.Get("function.arguments")
				if id == "" || ids[id] {
					return fmt.Sprintf("message %d: want ids that are unique", i)
				}
				ids[id], pending[id] = true, true
				if c.Get("function.name").Str == "" {
					return fmt.Sprintf("message %d: want a name", i)
				}
				if !args.IsObject() && !(args.Type == gjson.String && gjson.Valid(args.Str) && gjson.Parse(args.Str).IsObject()) {
					return fmt.Sprintf("message %d: want arguments that are an object", i)
				}
			}
		case "tool":
			id := m.Get("tool_call_id").Str
			if !pending[id] || !m.Get("name").Exists() {
				return fmt.Sprintf("message %d: want the result of a call", i)
			}
			delete(pending, id)
		default:
			return fmt.Sprintf("message %d: want a role, have %q", i, role)
		}
	}
	if users == 0 || messages[len(messages)-1].Get("role").Str != "assistant" {
		return "want a user and the assistant last"
	}
	for _, tool := range gjson.Get(row, "tools").Array() {
		if tool.Get("type").Str != "function" || tool.Get("function.name").Str == "" || !tool.Get("function.parameters").IsObject() {
			return "want tools that are function schemas"
		}
	}
	return ""
}

// FuzzConversation makes conversations of all sorts of pieces. Rows that come out without a loss or repair say all that
// went in, in order.
func FuzzConversation(f *testing.F) {
	f.Add([]byte("\x00\x03\x0a\x01\x04\x10"))
	f.Add([]byte("\x01\x11\x21\x31\x41\x51\x61\x71\x81\x91\xa1\xb1\xc1\xd1\xe1\xf1"))
	f.Fuzz(func(t *testing.T, recipe []byte) {
		if len(recipe) > 40 {
			return
		}
		record := conversation(recipe)
		results, counts := sdktest.Direct(t, chatml.Plugin, `{}`, record)
		if results[0].Verdict != "emit" {
			return
		}
		row := results[0].Emitted[0]
		if wrong := flaw(row); wrong != "" {
			t.Fatalf("%s\n%s\n%s", wrong, record, row)
		}
		if len(counts) > 0 {
			return
		}
		var text strings.Builder
		gjson.Get(row, "messages").ForEach(func(_, m gjson.Result) bool {
			text.WriteString(m.Get("content").Str + "\n")
			m.Get("tool_calls").ForEach(func(_, c gjson.Result) bool {
				text.WriteString(c.Get("function.name").Str + " " + c.Get("function.arguments").Str + "\n")
				return true
			})
			return true
		})
		if missing := lost(text.String(), said(record)); missing != "" {
			t.Errorf("want %q in its place, have\n%s\n%s", missing, record, row)
		}
	})
}

// conversation makes a row whose pieces the bytes of recipe choose.
func conversation(recipe []byte) string {
	var messages []string
	calls := 0
	for n, b := range recipe {
		call := fmt.Sprintf(`{"type":"tool-call","toolCallId":"k%d","toolName":"T%d","input":{"n":"a%d"}}`, b>>6, n, n)
		result := fmt.Sprintf(`{"type":"tool-result","toolCallId":"k%d","toolName":"","output":{"type":"text","value":"r%d"}}`, b>>6, n)
		text := fmt.Sprintf(`{"type":"text","text":"t%d"}`, n)
		message := ""
		switch b % 16 {
		case 0, 1:
			message = fmt.Sprintf(`{"role":"user","content":"u%d"}`, n)
		case 2:
			message = fmt.Sprintf(`{"role":"assistant","content":"b%d"}`, n)
		case 3, 4:
			message = `{"role":"assistant","content":[` + text + `,` + call + `]}`
		case 5:
			message = `{"role":"assistant","content":[` + call + `]}`
		case 6, 7, 8:
			message = `{"role":"tool","content":[` + result + `]}`
		case 9:
			message = `{"role":"assistant","content":[` + call + `,` + result + `,` + text + `]}`
		case 10:
			message = `{"role":"assistant","parts":[{"type":"step-start"},` + text + fmt.Sprintf(`,{"type":"tool-T%d","toolCallId":"u%d","state":"output-available","input":{"n":"a%d"},"output":"r%d"}]}`, n, n, n, n)
		case 11:
			message = `{"role":"system","content":"s"}`
		case 12:
			message = `{"role":"assistant","content":[` + text + `,` + text + `]}`
		case 13:
			message = `{"role":"user","content":[]}`
		case 14:
			message = `{"role":"assistant","content":[` + call + `,` + strings.Replace(call, `"T`, `"S`, 1) + `]}`
		case 15:
			calls++
			continue
		}
		messages = append(messages, message)
	}
	response := `{"text":"last"}`
	if calls > 0 {
		response = `{"text":"last","toolCalls":[{"toolCallId":"k0","toolName":"L","input":"{\"x\":\"y\"}"}]}`
	}
	return `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[` +
		strings.Join(messages, ",") + `]},"response":` + response + `}`
}
