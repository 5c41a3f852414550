package plugins_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// conversations are records of the kinds that public corpora, frameworks and logs have, with what is said in their row: the adapter that
// takes it, each turn by its role's letter, calls as name(arguments), and the target behind "=>". "reject CODE" and "decline" are for
// records that no row can be made of.
var conversations = []struct{ kind, record, want string }{
	{"OpenAI fine-tuning", `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`, `messages: s s | u q => a`},
	{"Cohere", `{"messages":[{"role":"System","content":"s"},{"role":"User","content":"q"},{"role":"Chatbot","content":"a"}]}`, `messages: s s | u q => a`},
	{"ShareGPT with tools", `{"conversations":[{"from":"human","value":"q"},{"from":"function_call","value":"{\"name\":\"f\",\"arguments\":{\"x\":1}}"},{"from":"observation","value":"r"},{"from":"gpt","value":"a"}]}`, `messages: u q | a f({"x":1}) | t r => a`},
	{"ms-swift", `{"messages":[{"role":"user","content":"q"},{"role":"tool_call","content":"{\"name\":\"f\",\"arguments\":{}}"},{"role":"tool_response","content":"r"},{"role":"assistant","content":"a"}]}`, `messages: u q | a f({}) | t r => a`},
	{"Hermes reasoning", `{"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"<think>t</think><tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>"},{"from":"tool","value":"<tool_response>{\"name\":\"f\",\"content\":\"r\"}</tool_response>"},{"from":"gpt","value":"a"}]}`, `messages: u q | a f({}) | t r => a`},
	{"results in the text", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n<tool_response>r</tool_response>\na"}]}`, `messages: u q | a f({}) | t r => a`},
	{"results in the text of a pair", `{"prompt":"q","response":"<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call><tool_response>r</tool_response>a"}`, `pair: u q | a f({}) | t r => a`},
	{"Search-R1", `{"prompt":"q","response":"<search>x</search><information>d</information><answer>a</answer>"}`, `pair: u q | a <search>x</search> | t <information>d</information> => <answer>a</answer>`},
	{"a result without a call", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"<tool_response>r</tool_response>a"}]}`, `reject bad_result`},
	{"DeepSeek-R1 distillation", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"<think>t</think>\n\na"}]}`, `messages: u q => a`},
	{"smoltalk2", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"chat_template_kwargs":{"custom_instructions":"s"}}`, `messages: s s | u q => a`},
	{"NeMo Gym rollout", `{"responses_create_params":{"input":[{"role":"user","content":"q"},{"role":"assistant","content":"p"},{"role":"user","content":"q2"}]},"response":{"output":[{"type":"reasoning","summary":[]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"r"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]},"reward":1}`, `messages: u q | a p | u q2 | a f("{}") | t r => a`},
	{"NeMo Gym rollout that ends with a call", `{"responses_create_params":{"input":[{"role":"user","content":"q"}]},"response":{"output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}]}}`, `messages: u q => f({})`},
	{"NeMo Gym prompt", `{"responses_create_params":{"input":[{"role":"user","content":"q"},{"role":"assistant","content":"p"},{"role":"user","content":"q2"}]}}`, `reject no_target`},
	{"Nemotron with the expected call", `{"responses_create_params":{"input":[{"role":"user","content":"q"}]},"expected_action":{"type":"function_call","name":"f","arguments":"{}"}}`, `messages: u q => f({})`},
	{"log of the Responses interface", `{"request":{"instructions":"s","input":"q","tools":[{"type":"web_search"}]},"response":{"output":[{"type":"web_search_call","id":"w","action":{"type":"search","query":"x"}},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]}}`, `messages: s s | u q => a`},
	{"log of the Responses interface with items of tools", `{"request":{"input":"q"},"response":{"output":[{"type":"mcp_call","id":"m","name":"f","arguments":"{}","output":"r"},{"type":"custom_tool_call","call_id":"k","name":"g","input":"x"},{"type":"custom_tool_call_output","call_id":"k","output":"s"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}]}]}}`, `messages: u q | a f("{}") | t r | a g({"input":"x"}) | t s => a`},
	{"a response that continues another", `{"request":{"input":"q","previous_response_id":"r"},"response":{"output":[{"type":"message","role":"assistant","content":"a"}]}}`, `reject no_history`},
	{"log of a chat completion", `{"request":{"messages":[{"role":"user","content":"q"}]},"response":{"choices":[{"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}}`, `messages: u q => a`},
	{"batch of OpenAI", `{"custom_id":"1","body":{"messages":[{"role":"user","content":"q"}]},"response":{"body":{"choices":[{"message":{"role":"assistant","content":"a"}}]}}}`, `messages: u q => a`},
	{"request of a batch of OpenAI", `{"custom_id":"1","body":{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"shot"},{"role":"user","content":"q"}]}}`, `reject no_target`},
	{"answer of a batch of OpenAI", `{"custom_id":"1","response":{"body":{"choices":[{"message":{"role":"assistant","content":"a"}}]}}}`, `reject no_user_turn`},
	{"batch of Anthropic", `{"custom_id":"1","params":{"messages":[{"role":"user","content":"q"}]},"result":{"type":"succeeded","message":{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}}}`, `anthropic: u q => a`},
	{"LangSmith run", `{"run_type":"llm","inputs":{"messages":[[{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"q"}}]]},"outputs":{"generations":[[{"text":"a","message":{"lc":1,"type":"constructor","id":["langchain","schema","messages","AIMessage"],"kwargs":{"content":"a"}}}]]}}`, `messages: u q => a`},
	{"LangSmith example", `{"inputs":{"question":"q"},"outputs":{"answer":"a"}}`, `messages: u q => a`},
	{"LangSmith run of a tool", `{"run_type":"tool","inputs":{"input":"q"},"outputs":{"output":"a"}}`, `decline`},
	{"LangGraph state", `{"messages":[{"type":"human","content":"q"},{"type":"ai","content":"","tool_calls":[{"name":"f","args":{},"id":"c","type":"tool_call"}]},{"type":"tool","content":"r","tool_call_id":"c"},{"type":"ai","content":"a"}]}`, `messages: u q | a f({}) | t r => a`},
	{"LangChain messages_to_dict", `[{"type":"human","data":{"content":"q"}},{"type":"ai","data":{"content":"a"}}]`, `messages: u q => a`},
	{"AutoGen", `{"messages":[{"type":"TextMessage","source":"user","content":"q"},{"type":"ToolCallRequestEvent","source":"x","content":[{"id":"c","name":"f","arguments":"{}"}]},{"type":"ToolCallExecutionEvent","source":"x","content":[{"call_id":"c","name":"f","content":"r"}]},{"type":"TextMessage","source":"x","content":"a"}]}`, `messages: u q | a f("{}") | t r => a`},
	{"Azure agent evaluation", `{"query":[{"role":"user","content":[{"type":"text","text":"q"}]}],"response":[{"role":"assistant","content":[{"type":"tool_call","tool_call_id":"c","name":"f","arguments":{}}]},{"role":"tool","tool_call_id":"c","content":[{"type":"tool_result","tool_result":"r"}]},{"role":"assistant","content":[{"type":"text","text":"a"}]}]}`, `messages: u q | a f({}) | t r => a`},
	{"AgentScope", `{"messages":[{"name":"u","role":"user","content":"q"},{"name":"x","role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"name":"system","role":"system","content":[{"type":"tool_result","id":"c","name":"f","output":"r"}]},{"name":"x","role":"assistant","content":"a"}]}`, `messages: u q | a f({}) | t r => a`},
	{"LlamaIndex", `{"messages":[{"role":"user","blocks":[{"block_type":"text","text":"q"}]},{"role":"assistant","blocks":[{"block_type":"text","text":"a"}]}]}`, `messages: u q => a`},
	{"Qwen-Agent tools", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"functions":[{"name_for_model":"f","description_for_model":"d","parameters":[{"name":"x","type":"string","required":true}]}]}`, `messages: u q => a`},
	{"APIGen turns", `{"turns":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`, `messages: u q => a`},
	{"MT-bench turns", `{"turns":["q","q2"],"category":"c"}`, `decline`},
	{"user and assistant", `{"user":"q","assistant":"a"}`, `messages: u q => a`},
	{"Chinese-Vicuna chat", `{"input":["q","q2"],"output":["a","b"]}`, `messages: u q | a a | u q2 => b`},
	{"distilabel", `{"instruction":"q","generation":"a"}`, `pair: u q => a`},
	{"MOSS", `{"meta_instruction":"s","chat":{"turn_1":{"Human":"<|Human|>: q<eoh>\n","Inner Thoughts":"<|Inner Thoughts|>: t<eot>\n","Commands":"<|Commands|>: Search(\"x\")<eoc>\n","Tool Responses":"<|Results|>:\nr<eor>\n","MOSS":"<|MOSS|>: a<eom>\n"}}}`, `messages: s s | u q | a Search({"input":"x"}) | t r => a`},
	{"an answer beside its messages", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"},{"role":"user","content":"q2"}],"response":"b"}`, `messages: u q | a a | u q2 => b`},
	{"a role that is none", `{"messages":[{"role":"user","content":"q"},{"role":"narrator","content":"a"}]}`, `reject unknown_role`},
	{"Baize", `{"input":"The conversation between human and AI assistant.\n[|Human|] q\n[|AI|] a\n[|Human|] "}`, `chat-text: s The conversation between human and AI assistant. | u q => a`},
	{"smolagents", `{"steps":[{"task":"q"},{"model_output":"","tool_calls":[{"id":"c","function":{"name":"f","arguments":{}}}],"observations":"r"},{"model_output":"a"}]}`, `messages: u q | a f({}) | t r => a`},
	{"DialogStudio", `{"log":[{"user utterance":"q","system response":"a"}]}`, `messages: u q => a`},
	{"a result before its call", `{"messages":[{"role":"user","content":"q"},{"role":"tool","tool_call_id":"c","content":"r"},{"role":"assistant","content":"a","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]}]}`, `reject bad_result`},
	{"call, result and answer in one message of a span", `{"gen_ai.input.messages":[{"role":"user","parts":[{"type":"text","content":"q"}]}],"gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"f","arguments":{}},{"type":"tool_call_response","id":"c","response":"r"},{"type":"text","content":"a"}]}]}`, `messages: u q | a f({}) | t r => a`},
	{"tau-bench", `{"traj":[{"role":"user","content":"q"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","name":"f","content":"r"},{"role":"assistant","content":"a"}],"reward":1.0}`, `messages: u q | a f("{}") | t r => a`},
	{"verl prompt", `{"prompt":[{"role":"user","content":"q"}],"reward_model":{"ground_truth":"x"}}`, `decline`},
	{"KTO", `{"prompt":[{"role":"user","content":"q"}],"completion":[{"role":"assistant","content":"a"}],"label":true}`, `messages: u q => a`},
	{"TRL preference", `{"chosen":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}],"rejected":[{"role":"user","content":"q"},{"role":"assistant","content":"b"}]}`, `messages: u q => a`},
}

// TestConversations protects what is learned from each kind: the right question, the right answer, calls before their results, and
// nothing that is lost without a count.
func TestConversations(t *testing.T) {
	for _, c := range conversations {
		t.Run(strings.ReplaceAll(c.kind, " ", "-"), func(t *testing.T) {
			have := "decline"
			if p, ok := takerOf(t, c.record); ok {
				results, _ := sdktest.Direct(t, p, "", c.record)
				if r := results[0]; r.Verdict == "emit" {
					have = p.Name + ": " + told(r.Emitted[0])
					canonicaltest.Kept(t, p, "", nil, c.record)
				} else {
					have = r.Verdict + " " + r.Code
				}
			}
			if have != c.want {
				t.Errorf("want %s\nhave %s", c.want, have)
			}
		})
	}
}

// told returns what is said in a canonical row, in short.
func told(row string) string {
	var parts []string
	if s := gjson.Get(row, "request.system").String(); s != "" {
		parts = append(parts, "s "+s)
	}
	call := func(name, arguments gjson.Result) string { return name.String() + "(" + arguments.Raw + ")" }
	gjson.Get(row, "request.messages").ForEach(func(_, m gjson.Result) bool {
		text := m.Get("role").String()[:1]
		if content := m.Get("content").String(); content != "" {
			text += " " + content
		}
		for _, c := range m.Get("tool_calls").Array() {
			text += " " + call(c.Get("function.name"), c.Get("function.arguments"))
		}
		parts = append(parts, text)
		return true
	})
	answer := gjson.Get(row, "response.text").String()
	for _, c := range gjson.Get(row, "response.toolCalls").Array() {
		answer = strings.TrimSpace(answer + " " + call(c.Get("toolName"), c.Get("input")))
	}
	return strings.Join(parts, " | ") + " => " + answer
}
