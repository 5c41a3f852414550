package modelspec_test

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspeccheck "github.com/sluicehq/sluice/plugins/modelspec/check"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// rows makes canonical rows of every feature that a thread can express.
func rows(n int) []string {
	r := rand.New(rand.NewSource(1))
	all := make([]string, n)
	for i := range all {
		row, err := json.Marshal(row(r))
		if err != nil {
			panic(err)
		}
		all[i] = string(row)
	}
	return all
}

type object = map[string]any

func row(r *rand.Rand) object {
	words := []string{"Rome", "20 °C", "say \"hi\"\nand <|go|>", "\\ backslash", "東京 😀", "`code` and ```", "a: b"}
	word := func() string { return words[r.Intn(len(words))] }
	request, response := object{}, object{}
	if r.Intn(3) > 0 {
		request["system"] = "Rule: " + word()
	}
	var names []string
	var tools []any
	for i := range r.Intn(4) {
		name := fmt.Sprintf("tool_%d", i)
		names = append(names, name)
		tool := object{"name": name, "parameters": object{"type": "object", "properties": object{"a": object{"type": "string", "description": word()}, "n": object{"type": "integer"}}, "required": []any{"a"}}}
		if r.Intn(2) == 0 {
			tool["description"] = "Does " + word()
		}
		tools = append(tools, object{"type": "function", "function": tool})
	}
	if len(tools) > 0 {
		request["tools"] = tools
	}
	messages, id := []any{}, 0
	for range 1 + r.Intn(3) {
		messages = append(messages, object{"role": "user", "content": "Ask " + word()})
		for range r.Intn(3) * min(len(names), 1) {
			assistant, calls, results := object{"role": "assistant", "content": ""}, []any{}, []any{}
			if r.Intn(2) == 0 {
				assistant["content"] = "Look " + word()
			}
			for range 1 + r.Intn(3) {
				id++
				name := names[r.Intn(len(names))]
				calls = append(calls, object{"id": fmt.Sprintf("call_%d", id), "type": "function", "function": object{"name": name, "arguments": object{"a": word(), "n": r.Intn(5)}}})
				results = append(results, object{"role": "tool", "tool_call_id": fmt.Sprintf("call_%d", id), "name": name, "content": "Result " + word()})
			}
			assistant["tool_calls"] = calls
			messages = append(append(messages, assistant), results...)
		}
		messages = append(messages, object{"role": "assistant", "content": "Answer " + word()})
	}
	last := messages[len(messages)-1].(object)
	request["messages"] = messages[:len(messages)-1]
	response["text"] = last["content"]
	switch {
	case len(names) > 0 && r.Intn(3) == 0:
		id++
		response["toolCalls"] = []any{object{"toolCallId": fmt.Sprintf("call_%d", id), "toolName": names[0], "input": object{"a": word()}}}
	case r.Intn(4) == 0:
		response["text"] = `{"n": 1}`
		request["responseSchema"] = object{"type": "object", "properties": object{"n": object{"type": "number"}}, "required": []any{"n"}}
	}
	return object{"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText", "request": request, "response": response}
}

// TestThreadsPass holds that every thread keeps the rules of the specification.
func TestThreadsPass(t *testing.T) {
	for _, args := range []string{`{}`, `{"system_role":"platform","tool_schema":"json-schema"}`, `{"calls":"jsonl"}`, `{"calls":"python"}`, `{"calls":"array"}`, `{"calls":"yaml"}`, `{"tool_role":"context"}`} {
		results, _ := sdktest.Run(t, modelspec.Plugin, args, rows(200)...)
		for _, result := range results {
			if result.Verdict != "emit" {
				t.Fatalf("%s: want a thread, have %s %s at %s: %s", args, result.Verdict, result.Code, result.Path, result.Message)
			}
			checked, counts := sdktest.Direct(t, modelspeccheck.Plugin, `{"checks":{"leak":"off"}}`, result.Emitted[0])
			if label := checked[0].Labels; len(label) != 1 || label[0]["check"] != "pass" {
				t.Fatalf("%s: want pass, have %s %s, %v for\n%s", args, checked[0].Code, checked[0].Path, counts, result.Emitted[0])
			}
		}
	}
}

// TestParallelCalls holds that calls which were made at once are in the messages that the definitions of their tools take.
func TestParallelCalls(t *testing.T) {
	const rome, oslo, time = `{"toolCallId":"a","toolName":"weather","input":{"city":"Rome"}}`, `{"toolCallId":"b","toolName":"weather","input":{"city":"Oslo"}}`, `{"toolCallId":"c","toolName":"time","input":{"zone":"CET"}}`
	const tool = `{"name":"%s","parameters":{"type":"object","properties":{"%s":{"type":"string"}},"required":["%[2]s"]}}`
	var rows []string
	for _, made := range []string{rome, rome + "," + oslo, rome + "," + time, rome + "," + oslo + "," + time} {
		tools := fmt.Sprintf(tool, "weather", "city") + "," + fmt.Sprintf(tool, "time", "zone")
		parts := strings.ReplaceAll(made, `{"toolCallId"`, `{"type":"tool-call","toolCallId"`)
		const row = `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"tools":[%s],"messages":[{"role":"user","content":"Hi"}%s]},"response":%s}`
		history := `,{"role":"assistant","content":[` + parts + `]}`
		for _, id := range []string{"a", "b", "c"} {
			if strings.Contains(made, `"toolCallId":"`+id+`"`) {
				history += `,{"role":"tool","content":[{"type":"tool-result","toolCallId":"` + id + `","output":{"type":"text","value":"1"}}]}`
			}
		}
		rows = append(rows, fmt.Sprintf(row, tools, "", `{"text":"","toolCalls":[`+made+`]}`), fmt.Sprintf(row, tools, history, `{"text":"Done."}`))
	}
	for _, calls := range []string{"auto", "consecutive", "array", "jsonl", "python", "yaml"} {
		for _, schema := range notation.SchemaLanguages {
			for _, thread := range emitted(t, modelspec.Plugin, fmt.Sprintf(`{"calls":%q,"tool_schema":%q}`, calls, schema), rows) {
				if checked, _ := sdktest.Direct(t, modelspeccheck.Plugin, `{}`, thread); checked[0].Verdict != "emit" || checked[0].Labels[0]["check"] != "pass" {
					t.Errorf("%s, %s: want pass, have %s: %s in %s", calls, schema, checked[0].Code, checked[0].Message, thread)
				}
			}
		}
	}
}

// TestDemandsKept holds that a text has the format that is demanded, or that the check says so where it cannot.
func TestDemandsKept(t *testing.T) {
	const tools = `"tools":[{"name":"weather","description":"Always respond in the ` + "`plaintext`" + ` format.","parameters":{"type":"object"}}],`
	for _, c := range []struct{ reason, system, tools, text, code string }{
		{"plain text", "You may only respond in the `plaintext` format.", "", "Hello.", ""},
		{"HTML", "Respond only in the `html` format.", "", "<b>hi</b>", ""},
		{"no HTML", "Respond only in the `html` format.", "", "hi", "demanded_format"},
		{"HTML in markdown", "Respond only in the `html` format.", "", "```html\n<b>hi</b>\n```", "demanded_format"},
		{"JSON", "You must respond in the `json` format.", "", `{"a":1}`, ""},
		{"no JSON", "You must respond in the `json` format.", "", "Sorry, no.", "demanded_format"},
		{"an abbreviation", "You must respond in the `JS` format.", "", "f(1)", ""},
		{"one of two", "You must answer in `json` or `plaintext`.", "", "Hello.", ""},
		{"nothing but plain text", "Do not respond in anything but `plaintext`.", "", "Hello.", ""},
		{"no markdown", "Never respond in `markdown`.", "", "Hello.", ""},
		{"what should be", "You should respond in the `json` format.", "", `{"a":1}`, ""},
		{"a format without a language", "You must respond in the `report` format.", "", "Hello.", ""},
		{"the description of a tool comes last", "You must respond in the `json` format.", tools, "Hello.", ""},
		{"a condition", "You must respond in the `json` format if asked.", "", "Hello.", ""},
		{"a topic", "Only answer questions about code in `python`.", "", "Hello.", ""},
	} {
		system, _ := json.Marshal(c.system)
		text, _ := json.Marshal(c.text)
		row := fmt.Sprintf(`{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"system":%s,%s"messages":[{"role":"user","content":"Hi"}]},"response":{"text":%s}}`, system, c.tools, text)
		for _, args := range []string{`{}`, `{"vary":["order","wording","schema"],"seed":"2"}`} {
			made, _ := sdktest.Direct(t, modelspec.Plugin, args, row)
			checked, _ := sdktest.Direct(t, modelspeccheck.Plugin, `{"checks":{"leak":"off","asked_format":"reject"}}`, made[0].Emitted[0])
			if c.tools == "" || args == `{}` { // sections may come before the developer's text
				if checked[0].Code != c.code {
					t.Errorf("%s, %s: want %q, have %q: %s in %s", c.reason, args, c.code, checked[0].Code, checked[0].Message, made[0].Emitted[0])
				}
			}
		}
	}
}
