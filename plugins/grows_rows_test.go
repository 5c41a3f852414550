package plugins_test

import (
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
)

const (
	asked    = `{"role":"user","content":"q"}`
	answered = `{"role":"assistant","content":"a"}`
	head     = `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[` + asked + `,`
	tools    = `],"tools":[`
	tail     = `]},"response":{"text":"a"}}`
)

// canonicalRows are eliza_native_v1 rows.
var canonicalRows = map[string]string{
	"messages":          head + `«` + asked + `,` + answered + `»` + tools + tail,
	"envelopes":         head + `«` + asked + `,{"role":"assistant","content":"{\"toolCalls\":[{\"name\":\"T\"}],\"messageToUser\":\"m\"}"}»` + tools + tail,
	"one long envelope": head + `{"role":"assistant","content":"{\"toolCalls\":[«{\"name\":\"T\"}»]}"},` + asked + tools + tail,
	"users":             head + `«` + asked + `»` + tools + tail,
	"systems":           head + `«{"role":"system","content":"s%d"}»` + tools + tail,
	"parts":             head + `{"role":"user","content":[«{"type":"text","text":"p"}»]}` + tools + tail,
	"empty parts":       head + `{"role":"user","content":[«{"type":"text","text":""}»]}` + tools + tail,
	"tools":             head + answered + tools + `«{"name":"T%d","parameters":{"type":"object","properties":{}}}»` + tail,
	"one long text":     head + `{"role":"user","content":"‹a\n\u00e9\"›"}` + tools + tail,
	"calls": head + `{"role":"assistant","tool_calls":[«{"id":"c%d","name":"T%d","arguments":"{}"}»]},` +
		`«{"role":"tool","tool_call_id":"c%d","content":"r"}»,` + asked + tools + tail,
	"calls of one id": head + `«{"role":"assistant","tool_calls":[{"id":"c","name":"T","arguments":"{}"}]},{"role":"tool","tool_call_id":"c","content":"r"}»,` +
		asked + tools + tail,
}

// ofCanonical are the steps that read canonicalRows.
var ofCanonical = []growth{
	{noop.Plugin, "", canonicalRows, 0},
	{native.Plugin, "", canonicalRows, 0},
	{chatml.Plugin, `{"target":"mistral"}`, canonicalRows, 0},
	{chatml.Plugin, `{"late_system":"merge"}`, canonicalRows, 0},
	{alias.Plugin, `{"aliases":{"T1":"U1","T2":"U2"}}`, canonicalRows, 0},
	{modelspec.Plugin, "", canonicalRows, 0},
}

const (
	chat = `{"messages":[` + asked + `,`
	flat = `{"currentMessage":{"content":"q"},"expectedResponse":"a"`
)

var ofAdapters = []growth{
	{chatml.Plugin, `{"form":"stepwise"}`, map[string]string{
		"steps": `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"messages":[` + asked + `]},"response":{"text":"‹s\n›"},` +
			`"metadata":{"stepwise":{"completions":[«"s"»],"labels":[«true»]}}}`,
	}, 0},
	{messages.Plugin, "", map[string]string{
		"messages":   `{"messages":[«` + asked + `,` + answered + `»]}`,
		"steps":      `{"prompt":"q","completions":[«"s%d"»],"labels":[«true»]}`,
		"rated":      `{"question":"q","steps":[«{"text":"s","label":1}»]}`,
		"PRM800K":    `{"question":{"problem":"q"},"label":{"steps":[«{"completions":[{"text":"s","rating":1},{"text":"t","rating":-1}],"chosen_completion":0}»]}}`,
		"one step":   `{"question":{"problem":"q"},"label":{"steps":[{"completions":[«{"text":"s","rating":null}»,{"text":"t","rating":-1}]}]}}`,
		"Shepherd":   `{"input":"q Step 1:‹ s ки\n›","label":"q Step 1:‹ s +\n›"}`,
		"systems":    `{"messages":[«{"role":"system","content":"s%d"}»,` + asked + `,` + answered + `]}`,
		"assistants": `{"conversations":[` + asked + `,«{"role":"function_call","content":"{\"name\":\"F\",\"arguments\":{}}"}»,` + answered + `]}`,
		"thoughts":   chat + `«{"role":"reasoning","content":"t"}»,` + answered + `]}`,
		"parts":      `{"messages":[{"role":"user","content":[«{"type":"text","text":"p"}»]},` + answered + `]}`,
		"quotes":     chat + answered + `],"tools":"[‹'[a', ›]"}`,
		"literals":   chat + answered + `],"tools":"[{'name': 'F', 'parameters': {'a': '[‹'[1, ›"}`,
		"tools":      chat + answered + `],"tools":[«{"name":"T%d"}»]}`,
		"keys twice": chat + answered + `],«"k%d":1»,"metadata":{«"k%d":2»}}`,
		"envelopes":  chat + `«{"role":"assistant","content":"{\"toolCalls\":[],\"messageToUser\":\"m\"}"}»]}`,
		"keys":       chat + answered + `],«"k%d":1»}`,
		"attributes": `{"attributes":{«"llm.input_messages.%d.message.role":"user","llm.input_messages.%d.message.content":"q"»,"llm.output_messages.0.message.content":"a"}}`,
		"wire":       `{"attributes":[«{"key":"llm.input_messages.%d.message.role","value":{"stringValue":"user"}}»],"llm.output_messages":[{"message":{"content":"a"}}]}`,
		"dialogue":   `{"messages":[«{"role":"user","text":"q"},{"role":"assistant","text":"a","apis":[{"request":{"api_name":"f"},"response":1}]}»]}`,
		"nested":     `{"llm":{"input_messages":[«{"message":{"role":"user","content":"q"}}»],"output_messages":[{"message":{"content":"a"}}]}}`,
		"events":     `{"events":[«{"name":"gen_ai.user.message","body":{"content":"q"}},{"name":"gen_ai.choice","body":{"message":{"content":"a"}}}»]}`,
		"items": `{"request":{"input":"q"},"response":{"output":[«{"type":"mcp_list_tools","tools":[{"name":"L%d"}]},{"type":"mcp_call","id":"m%d","name":"F","arguments":"{}","output":"r"},` +
			`{"type":"web_search_call"},{"type":"function_call","call_id":"c%d","name":"G","arguments":"{}"},{"type":"function_call_output","call_id":"c%d","output":"r"}»,` + answered + `]}}`,
		"agents": `{"messages":[{"role":"system","content":"s"},` + asked + `,{"role":"assistant","content":[«{"type":"tool_use","id":"c%d","name":"F","input":{}},{"type":"tool_result","tool_use_id":"c%d","content":"r"}»]},` + answered + `]}`,
		"AutoGen": `{"messages":[{"type":"TextMessage","source":"user","content":"q"},«{"type":"ThoughtEvent","source":"a","content":"t"},{"type":"ToolCallRequestEvent","source":"a","content":[{"id":"c%d","name":"F","arguments":"{}"}]},` +
			`{"type":"ToolCallExecutionEvent","source":"a","content":[{"call_id":"c%d","content":"r"}]}»,{"type":"TextMessage","source":"a","content":"a"}]}`,
		"constructors": `{"messages":[«{"lc":1,"type":"constructor","id":["langchain","HumanMessage"],"kwargs":{"content":"q"}},{"lc":1,"id":["AIMessage"],"kwargs":{"content":"a"}}»]}`,
		"commands":     `{"meta_instruction":"‹C%d(x) ›","chat":{"turn_1":{"Human":"q","Commands":"‹C%d(\"x\"), ›","Tool Responses":"‹C%d(\"x\") =>\nr\n›","MOSS":"a"}}}`,
		"rounds":       `{"input":[«"q"»],"output":[«"a"»]}`,
		"generations":  `{"inputs":{"input":"q"},"outputs":{"generations":[[«{"text":"a"}»]]}}`,
		"results": chat + `{"role":"assistant","tool_calls":[«{"id":"c%d","name":"T%d","arguments":"{}"}»]},` +
			`«{"role":"tool","tool_call_id":"d%d","content":"r"}»,` + answered + `]}`,
	}, 0},
	{messages.Plugin, "", map[string]string{
		"schemas": chat + answered + `],"tools":[{"name":"F","parameters":{"type":"object","properties":{«"p%d":{"type":"str"}»}}}]}`,
	}, 1 << 14},
	{alias.Plugin, `{"aliases":{"T":"U"}}`, map[string]string{
		"names":         `{"availableActions":[«"N%d"»]}`,
		"merged names":  `{"availableActions":[«"T","U"»]}`,
		"one long name": `{"expectedResponse":"ACTION: ‹x›"}`,
		"tool calls":    `{"expectedResponse":"‹<tool_call>{\"name\":\"T\",\"arguments\":{}}</tool_call>›"}`,
		"opened tags":   `{"expectedResponse":"‹<tool_call>›"}`,
	}, 0},
	{anthropic.Plugin, "", map[string]string{
		"blocks": `{"system":"s","messages":[{"role":"user","content":[«{"type":"text","text":"p"}»]},{"role":"assistant","content":[` +
			`«{"type":"text","text":"p"},{"type":"thinking","thinking":"t"}»]}]}`,
		"results": chat + `{"role":"assistant","content":[«{"type":"tool_use","id":"c%d","name":"F","input":{}}»]},{"role":"user","content":[` +
			`«{"type":"tool_result","tool_use_id":"c%d","content":[{"type":"text","text":"r"},{"type":"text","text":"r"}]}»]},{"role":"assistant","content":[{"type":"text","text":"a"}]}]}`,
	}, 0},
	{bedrock.Plugin, "", map[string]string{
		"blocks": `{"messages":[{"role":"user","content":[«{"text":"p"}»]},{"role":"assistant","content":[{"text":"a"}]}]}`,
		"calls":  `{"messages":[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[«{"toolUse":{"toolUseId":"c%d","name":"F","input":{}}}»]}]}`,
	}, 0},
	{gemini.Plugin, "", map[string]string{
		"parts": `{"systemInstruction":{"parts":[«{"text":"s"}»]},"contents":[{"role":"user","parts":[«{"text":"p"}»]},{"role":"model","parts":[` +
			`«{"text":"p"},{"text":"t","thought":true}»]}]}`,
		"events": `{"events":[«{"author":"user","invocation_id":"i%d","content":{"parts":[{"text":"q"}]}},{"author":"a","content":{"parts":[{"function_call":{"name":"f"}}]}},` +
			`{"author":"a","content":{"role":"user","parts":[{"function_response":{"name":"f"}}]}},{"author":"b","content":{"parts":[{"text":"a"}]}}»]}`,
		"cases": `{"name":"n","eval_cases":[«{"conversation":[{"user_content":{"parts":[{"text":"q"}]},"final_response":{"parts":[{"text":"a"}]}}]}»]}`,
		"uses": `{"conversation":[{"user_content":{"parts":[{"text":"q"}]},"intermediate_data":{"tool_uses":[«{"id":"c%d","name":"f"}»],` +
			`"tool_responses":[«{"id":"c%d","name":"f"}»]},"final_response":{"parts":[{"text":"a"}]}}]}`,
	}, 0},
	{trajectory.Plugin, "", map[string]string{
		"calls": `{"steps":[{"llmCalls":[«{"userPrompt":"q","response":"a"}»]}]}`,
		"steps": `{"steps":[«{"llmCalls":[{"messages":[` + asked + `],"response":"a"}]}»]}`,
	}, 0},
	{bootstrap.Plugin, "", map[string]string{
		"messages": `{"schema":"eliza.native_tool_calling.v1","id":"i","stage":"planner","messages":[«` + asked + `,` + answered + `»],"output":{"planner":{"text":"a"}}}`,
	}, 0},
	{elizarecord.Plugin, "", map[string]string{
		"actions": flat + `,"availableActions":[«"A%d"»]}`,
		"memory":  flat + `,"memoryEntries":[«` + asked + `,` + answered + `»]}`,
		"members": flat + `,«"k%d":1»}`,
	}, 0},
	{pair.Plugin, "", map[string]string{
		"calls":    `{"prompt":"q","response":"‹<tool_call>{\"name\":\"F\",\"arguments\":{}}</tool_call>›"}`,
		"thoughts": `{"prompt":"q","response":"‹<think>t</think>›a"}`,
		"marks":    `{"prompt":"q","response":"‹<tool_call>›a"}`,
		"results":  `{"prompt":"q","response":"‹<think>t</think><tool_call>{\"name\":\"F\"}</tool_call><tool_response>r</tool_response>›a"}`,
		"no ends":  `{"prompt":"q","response":"<tool_call>{\"name\":\"F\"}</tool_call><tool_response>r</tool_response>‹<think>t\n<tool_response>\n<result>›a"}`,
	}, 0},
	{chattext.Plugin, `{"preset":"chatml_text"}`, map[string]string{
		"turns": `{"text":"‹<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na<|im_end|>\n›"}`,
	}, 0},
}

const (
	said   = `{"role":"user","content":"q"},{"role":"assistant","format":"markdown","content":"a","end_turn":true}`
	fields = head + answered + tools + `{"name":"T","parameters":{"type":"object","properties":{`
)

var ofModelSpec = []growth{
	{modelspecthread.Plugin, "", map[string]string{
		"messages": `{"system_settings":{"formats":["markdown"]},"messages":[«` + said + `»]}`,
		"marks": `{"system_settings":{"formats":["x:json"]},"messages":[{"role":"developer","content":"` +
			"‹You can use the `x:json` response format to call this tool. It takes text.\\n›" + `"},` + said + `]}`,
		"sections ahead": `{"system_settings":{"formats":[«"x%d:json"»]},"messages":[{"role":"developer","content":"` +
			"‹## x%d\\nYou can use the `x%d:json` response format to call this tool. It takes an object with these members:\\n- a (text, optional)\\n\\n›" + `Be brief."},` + said + `]}`,
		"definitions": `{"system_settings":{"formats":["x:json"]},"messages":[{"role":"developer","content":"` +
			"‹## x\\nYou can use the `x:json` response format to call this tool.\\n\\n›" + `"},` + said + `]}`,
	}, 0},
	{modelspeccheck.Plugin, "", map[string]string{
		"messages": `{"system_settings":{"formats":["markdown"]},"messages":[«` + said + `»]}`,
		"yaml":     `{"system_settings":{"formats":["yaml"]},"messages":[{"role":"assistant","format":"yaml","content":"‹k%d: v # c\n›","end_turn":true}]}`,
	}, 0},
	{modelspecnegatives.Plugin, "", map[string]string{"messages": `{"system_settings":{"formats":["markdown"]},"messages":[«` + said + `»]}`}, 0},
	{modelspectokens.Plugin, "", map[string]string{
		"messages": `{"system_settings":{"formats":["markdown"]},"messages":[«{"role":"user","content":"<|x|>"},{"role":"assistant","format":"a:json","content":"{\"a\":\"<|x|>\"}","end_turn":true}»]}`,
	}, 0},
	{modelspec.Plugin, `{"shape":"tokens"}`, map[string]string{
		"calls": `{"format":"eliza_native_v1","request":{"messages":[«` + asked + `,{"role":"assistant","content":"","tool_calls":[{"id":"c%d","name":"F","args":{}}]},{"role":"tool","content":"r"}»]},"response":{"text":"a"}}`,
	}, 0},
	{modelspec.Plugin, `{"vary":["order","wording","schema"]}`, map[string]string{
		"tools":  canonicalRows["tools"],
		"fields": fields + `«"p%d":{"type":"string","description":"d"}»}}}` + tail,
	}, 0},
	{modelspec.Plugin, `{"tool_schema":"python"}`, map[string]string{
		"fields": fields + `«"p%d":{"type":"string","description":"d"}»},"required":[«"p%d"»]}}` + tail,
	}, 0},
	{modelspec.Plugin, `{"tool_schema":"prose"}`, map[string]string{
		"fields": fields + `«"p%d":{"type":"string","description":"d\n"}»}}}` + tail,
	}, 0},
	{modelspecdocument.Plugin, "", map[string]string{
		"threads": `{"name":"d","text":"‹# H\n\n<|start|>user<|message|>q<|end|>\n\n›"}`,
		"fences":  `{"name":"d","text":"` + "‹```\\n›" + `"}`,
	}, 0},
}
