package plugins_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/alias"
	"github.com/sluicehq/sluice/plugins/anthropic"
	"github.com/sluicehq/sluice/plugins/bedrock"
	"github.com/sluicehq/sluice/plugins/bootstrap"
	chattext "github.com/sluicehq/sluice/plugins/chat-text"
	"github.com/sluicehq/sluice/plugins/chatml"
	elizarecord "github.com/sluicehq/sluice/plugins/eliza-record"
	"github.com/sluicehq/sluice/plugins/gemini"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspeccheck "github.com/sluicehq/sluice/plugins/modelspec/check"
	modelspecdocument "github.com/sluicehq/sluice/plugins/modelspec/document"
	modelspecnegatives "github.com/sluicehq/sluice/plugins/modelspec/negatives"
	modelspecthread "github.com/sluicehq/sluice/plugins/modelspec/thread"
	modelspectokens "github.com/sluicehq/sluice/plugins/modelspec/tokens"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/plugins/noop"
	"github.com/sluicehq/sluice/plugins/pair"
	"github.com/sluicehq/sluice/plugins/trajectory"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// many writes n elements, %d being the number of each.
func many(n int, element string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strings.ReplaceAll(element, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

// TestGrows protects a run from one record that takes hours, or all memory: many of whatever a row can hold many of.
func TestGrows(t *testing.T) {
	const asked, answered = `{"role":"user","content":"q"}`, `{"role":"assistant","content":"a"}`
	canonical := func(messages, tools string) string {
		return `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[` + asked + `,` + messages +
			`],"tools":[` + tools + `]},"response":{"text":"a"}}`
	}
	rows := map[string]func(n int) string{
		"messages": func(n int) string { return canonical(many(n, asked+","+answered), "") },
		"envelopes": func(n int) string {
			return canonical(many(n, asked+`,{"role":"assistant","content":"{\"toolCalls\":[{\"name\":\"T\"}],\"messageToUser\":\"m\"}"}`), "")
		},
		"one long envelope": func(n int) string {
			return canonical(`{"role":"assistant","content":"{\"toolCalls\":[`+many(n, `{\"name\":\"T\"}`)+`]}"},`+asked, "")
		},
		"users":   func(n int) string { return canonical(many(n, asked), "") },
		"systems": func(n int) string { return canonical(many(n, `{"role":"system","content":"s%d"}`), "") },
		"parts": func(n int) string {
			return canonical(`{"role":"user","content":[`+many(n, `{"type":"text","text":"p"}`)+`]}`, "")
		},
		"empty parts": func(n int) string {
			return canonical(`{"role":"user","content":[`+many(n, `{"type":"text","text":""}`)+`]}`, "")
		},
		"tools": func(n int) string {
			return canonical(answered, many(n, `{"name":"T%d","parameters":{"type":"object","properties":{}}}`))
		},
		"one long text": func(n int) string {
			return canonical(`{"role":"user","content":"`+strings.Repeat(`a\n\u00e9\"`, n)+`"}`, "")
		},
		"calls": func(n int) string {
			return canonical(`{"role":"assistant","tool_calls":[`+many(n, `{"id":"c%d","name":"T%d","arguments":"{}"}`)+`]},`+
				many(n, `{"role":"tool","tool_call_id":"c%d","content":"r"}`)+`,`+asked, "")
		},
		"calls of one id": func(n int) string {
			return canonical(many(n, `{"role":"assistant","tool_calls":[{"id":"c","name":"T","arguments":"{}"}]},{"role":"tool","tool_call_id":"c","content":"r"}`)+`,`+asked, "")
		},
	}
	chats := map[string]func(n int) string{
		"messages": func(n int) string { return `{"messages":[` + many(n, asked+","+answered) + `]}` },
		"systems": func(n int) string {
			return `{"messages":[` + many(n, `{"role":"system","content":"s%d"}`) + `,` + asked + `,` + answered + `]}`
		},
		"assistants": func(n int) string {
			return `{"conversations":[` + asked + `,` + many(n, `{"role":"function_call","content":"{\"name\":\"F\",\"arguments\":{}}"}`) + `,` + answered + `]}`
		},
		"thoughts": func(n int) string {
			return `{"messages":[` + asked + `,` + many(n, `{"role":"reasoning","content":"t"}`) + `,` + answered + `]}`
		},
		"parts": func(n int) string {
			return `{"messages":[{"role":"user","content":[` + many(n, `{"type":"text","text":"p"}`) + `]},` + answered + `]}`
		},
		"quotes": func(n int) string {
			return `{"messages":[` + asked + `,` + answered + `],"tools":"[` + strings.Repeat("'[a', ", n) + `]"}`
		},
		"literals": func(n int) string {
			return `{"messages":[` + asked + `,` + answered + `],"tools":"[{'name': 'F', 'parameters': {'a': '[` + strings.Repeat("'[1, ", n) + `"}`
		},
		"tools": func(n int) string {
			return `{"messages":[` + asked + `,` + answered + `],"tools":[` + many(n, `{"name":"T%d"}`) + `]}`
		},
		"keys twice": func(n int) string {
			return `{"messages":[` + asked + `,` + answered + `],` + many(n, `"k%d":1`) + `,"metadata":{` + many(n, `"k%d":2`) + `}}`
		},
		"envelopes": func(n int) string {
			return `{"messages":[` + asked + `,` + many(n, `{"role":"assistant","content":"{\"toolCalls\":[],\"messageToUser\":\"m\"}"}`) + `]}`
		},
		"keys": func(n int) string { return `{"messages":[` + asked + `,` + answered + `],` + many(n, `"k%d":1`) + `}` },
		"results": func(n int) string {
			return `{"messages":[` + asked + `,{"role":"assistant","tool_calls":[` + many(n, `{"id":"c%d","name":"T%d","arguments":"{}"}`) + `]},` +
				many(n, `{"role":"tool","tool_call_id":"d%d","content":"r"}`) + `,` + answered + `]}`
		},
		"schemas": func(n int) string {
			n = min(n, 1<<14)
			return `{"messages":[` + asked + `,` + answered + `],"tools":[{"name":"F","parameters":{"type":"object","properties":{` + many(n, `"p%d":{"type":"str"}`) + `}}}]}`
		},
	}
	for _, c := range []struct {
		plugin sdk.Plugin
		args   string
		rows   map[string]func(n int) string
	}{
		{noop.Plugin, "", rows},
		{native.Plugin, "", rows},
		{chatml.Plugin, `{"target":"mistral"}`, rows},
		{chatml.Plugin, `{"late_system":"merge"}`, rows},
		{alias.Plugin, `{"aliases":{"T1":"U1","T2":"U2"}}`, rows},
		{modelspec.Plugin, "", rows},
		{messages.Plugin, "", chats},
		{alias.Plugin, `{"aliases":{"T":"U"}}`, map[string]func(n int) string{
			"names":         func(n int) string { return `{"availableActions":[` + many(n, `"N%d"`) + `]}` },
			"merged names":  func(n int) string { return `{"availableActions":[` + many(n, `"T","U"`) + `]}` },
			"one long name": func(n int) string { return `{"expectedResponse":"ACTION: ` + strings.Repeat("x", n) + `"}` },
			"tool calls": func(n int) string {
				return `{"expectedResponse":"` + strings.Repeat(`<tool_call>{\"name\":\"T\",\"arguments\":{}}</tool_call>`, n) + `"}`
			},
			"opened tags": func(n int) string { return `{"expectedResponse":"` + strings.Repeat(`<tool_call>`, n) + `"}` },
		}},
		{anthropic.Plugin, "", map[string]func(n int) string{
			"blocks": func(n int) string {
				return `{"system":"s","messages":[{"role":"user","content":[` + many(n, `{"type":"text","text":"p"}`) + `]},{"role":"assistant","content":[` +
					many(n, `{"type":"text","text":"p"},{"type":"thinking","thinking":"t"}`) + `]}]}`
			},
			"results": func(n int) string {
				return `{"messages":[` + asked + `,{"role":"assistant","content":[` + many(n, `{"type":"tool_use","id":"c%d","name":"F","input":{}}`) + `]},{"role":"user","content":[` +
					many(n, `{"type":"tool_result","tool_use_id":"c%d","content":[{"type":"text","text":"r"},{"type":"text","text":"r"}]}`) + `]},{"role":"assistant","content":[{"type":"text","text":"a"}]}]}`
			},
		}},
		{bedrock.Plugin, "", map[string]func(n int) string{
			"blocks": func(n int) string {
				return `{"messages":[{"role":"user","content":[` + many(n, `{"text":"p"}`) + `]},{"role":"assistant","content":[{"text":"a"}]}]}`
			},
			"calls": func(n int) string {
				return `{"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[` + many(n, `{"toolUse":{"toolUseId":"c%d","name":"F","input":{}}}`) + `]}]}`
			},
		}},
		{gemini.Plugin, "", map[string]func(n int) string{
			"parts": func(n int) string {
				return `{"systemInstruction":{"parts":[` + many(n, `{"text":"s"}`) + `]},"contents":[{"role":"user","parts":[` + many(n, `{"text":"p"}`) + `]},{"role":"model","parts":[` +
					many(n, `{"text":"p"},{"text":"t","thought":true}`) + `]}]}`
			},
		}},
		{trajectory.Plugin, "", map[string]func(n int) string{
			"calls": func(n int) string {
				return `{"steps":[{"llmCalls":[` + many(n, `{"userPrompt":"q","response":"a"}`) + `]}]}`
			},
			"steps": func(n int) string {
				return `{"steps":[` + many(n, `{"llmCalls":[{"messages":[`+asked+`],"response":"a"}]}`) + `]}`
			},
		}},
		{bootstrap.Plugin, "", map[string]func(n int) string{
			"messages": func(n int) string {
				return `{"schema":"eliza.native_tool_calling.v1","id":"i","stage":"planner","messages":[` + many(n, asked+","+answered) + `],"output":{"planner":{"text":"a"}}}`
			},
		}},
		{elizarecord.Plugin, "", map[string]func(n int) string{
			"actions": func(n int) string {
				return `{"currentMessage":{"content":"q"},"expectedResponse":"a","availableActions":[` + many(n, `"A%d"`) + `]}`
			},
			"memory": func(n int) string {
				return `{"currentMessage":{"content":"q"},"expectedResponse":"a","memoryEntries":[` + many(n, asked+","+answered) + `]}`
			},
			"members": func(n int) string {
				return `{"currentMessage":{"content":"q"},"expectedResponse":"a",` + many(n, `"k%d":1`) + `}`
			},
		}},
		{pair.Plugin, "", map[string]func(n int) string{
			"calls": func(n int) string {
				return `{"prompt":"q","response":"` + strings.Repeat(`<tool_call>{\"name\":\"F\",\"arguments\":{}}</tool_call>`, n) + `"}`
			},
			"thoughts": func(n int) string {
				return `{"prompt":"q","response":"` + strings.Repeat(`<think>t</think>`, n) + `a"}`
			},
			"marks": func(n int) string { return `{"prompt":"q","response":"` + strings.Repeat(`<tool_call>`, n) + `a"}` },
		}},
		{chattext.Plugin, `{"preset":"chatml_text"}`, map[string]func(n int) string{
			"turns": func(n int) string {
				return `{"text":"` + strings.Repeat(`<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na<|im_end|>\n`, n) + `"}`
			},
		}},
		{modelspecthread.Plugin, "", map[string]func(n int) string{
			"messages": func(n int) string {
				return `{"system_settings":{},"messages":[` + many(n, `{"role":"user","content":"q"},{"role":"assistant","format":"markdown","content":"a","end_turn":true}`) + `]}`
			},
			"marks": func(n int) string {
				return `{"system_settings":{"formats":["x:json"]},"messages":[{"role":"developer","content":"` + strings.Repeat("You can use the `x:json` response format to call this tool. It takes text.\\n", n) + `"},{"role":"user","content":"q"},{"role":"assistant","format":"markdown","content":"a","end_turn":true}]}`
			},
			"sections ahead": func(n int) string {
				return `{"system_settings":{"formats":[` + many(n, `"x%d:json"`) + `]},"messages":[{"role":"developer","content":"` + strings.ReplaceAll(many(n, "## x%d\\nYou can use the `x%d:json` response format to call this tool. It takes an object with these members:\\n- a (text, optional)\\n\\n"), ",## ", "## ") + `Be brief."},{"role":"user","content":"q"},{"role":"assistant","format":"markdown","content":"a","end_turn":true}]}`
			},
			"definitions": func(n int) string {
				return `{"system_settings":{"formats":["x:json"]},"messages":[{"role":"developer","content":"` + strings.Repeat("## x\\nYou can use the `x:json` response format to call this tool.\\n\\n", n) + `"},{"role":"user","content":"q"},{"role":"assistant","format":"markdown","content":"a","end_turn":true}]}`
			},
		}},
		{modelspeccheck.Plugin, "", map[string]func(n int) string{
			"yaml": func(n int) string {
				return `{"system_settings":{"formats":["yaml"]},"messages":[{"role":"assistant","format":"yaml","content":"` + strings.ReplaceAll(many(n, `k%d: v # c\n`), ",k", "k") + `","end_turn":true}]}`
			},
			"messages": func(n int) string {
				return `{"system_settings":{},"messages":[` + many(n, `{"role":"user","content":"q"},{"role":"assistant","format":"markdown","content":"a","end_turn":true}`) + `]}`
			},
		}},
		{modelspecnegatives.Plugin, "", map[string]func(n int) string{
			"messages": func(n int) string {
				return `{"system_settings":{"formats":["markdown"]},"messages":[` + many(n, `{"role":"user","content":"q"},{"role":"assistant","format":"markdown","content":"a","end_turn":true}`) + `]}`
			},
		}},
		{modelspectokens.Plugin, "", map[string]func(n int) string{
			"messages": func(n int) string {
				return `{"system_settings":{},"messages":[` + many(n, `{"role":"user","content":"<|x|>"},{"role":"assistant","format":"a:json","content":"{\"a\":\"<|x|>\"}","end_turn":true}`) + `]}`
			},
		}},
		{modelspec.Plugin, `{"shape":"tokens"}`, map[string]func(n int) string{
			"calls": func(n int) string {
				return `{"format":"eliza_native_v1","request":{"messages":[` + many(n, `{"role":"user","content":"q"},{"role":"assistant","content":"","tool_calls":[{"id":"c%d","name":"F","args":{}}]},{"role":"tool","content":"r"}`) + `]},"response":{"text":"a"}}`
			},
		}},
		{modelspec.Plugin, `{"vary":["order","wording","schema"]}`, map[string]func(n int) string{
			"tools": rows["tools"],
			"fields": func(n int) string {
				return canonical(answered, `{"name":"T","parameters":{"type":"object","properties":{`+many(n, `"p%d":{"type":"string","description":"d"}`)+`}}}`)
			},
		}},
		{modelspec.Plugin, `{"tool_schema":"python"}`, map[string]func(n int) string{
			"fields": func(n int) string {
				return canonical(answered, `{"name":"T","parameters":{"type":"object","properties":{`+many(n, `"p%d":{"type":"string","description":"d"}`)+`},"required":[`+many(n, `"p%d"`)+`]}}`)
			},
		}},
		{modelspec.Plugin, `{"tool_schema":"prose"}`, map[string]func(n int) string{
			"fields": func(n int) string {
				return canonical(answered, `{"name":"T","parameters":{"type":"object","properties":{`+many(n, `"p%d":{"type":"string","description":"d\n"}`)+`}}}`)
			},
		}},
		{modelspecdocument.Plugin, "", map[string]func(n int) string{
			"threads": func(n int) string {
				return `{"name":"d","text":"` + strings.Repeat(`# H\n\n<|start|>user<|message|>q<|end|>\n\n`, n) + `"}`
			},
			"fences": func(n int) string { return `{"name":"d","text":"` + strings.Repeat("```\\n", n) + `"}` },
		}},
	} {
		for what, row := range c.rows {
			t.Run(c.plugin.Name+c.args+"/"+what, func(t *testing.T) {
				sdktest.Grows(t, c.plugin, c.args, func(n int) []byte { return []byte(row(n)) })
			})
		}
	}
}
