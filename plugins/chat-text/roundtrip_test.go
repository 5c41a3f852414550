package chattext

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		dialect, text string
		lost          func(lines []string)
	}{
		{"chatml", "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nOslo & \"Rome\"? 🌦\nPlease.<|im_end|>\n" +
			"<|im_start|>assistant\nI will check.\n<tool_call>\n{\"name\": \"w\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>\n<tool_call>\n{\"name\": \"w\", \"arguments\": {\"city\": \"Rome\", \"days\": 2}}\n</tool_call><|im_end|>\n" +
			"<|im_start|>user\n<tool_response>\nrain\n</tool_response>\n<tool_response>\n\n</tool_response><|im_end|>\n" +
			"<|im_start|>assistant\n<think>\nBoth are in.\n</think>\n\nRain in Oslo, nothing from Rome.<|im_end|>\n", nil},
		{"llama3", "<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nOslo & \"Rome\"? 🌦\nPlease.<|eot_id|>" +
			"<|start_header_id|>assistant<|end_header_id|>\n\nI will check. <|python_tag|>w(city=\"Oslo\"); w(city=\"Rome\", days=2)<|eom_id|>" +
			"<|start_header_id|>ipython<|end_header_id|>\n\nrain<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\n<|eot_id|>" +
			"<|start_header_id|>assistant<|end_header_id|>\n\n<think>Both are in.</think>Rain in Oslo, nothing from Rome.<|eot_id|>", nil},
		{"gemma, whose responses are objects", "<bos><start_of_turn>developer\nBe brief.<end_of_turn>\n<start_of_turn>user\nOslo & \"Rome\"? 🌦\nPlease.<end_of_turn>\n" +
			"<start_of_turn>model\nI will check.<start_function_call>call:w{city:<escape>Oslo<escape>}<end_function_call><start_function_call>call:w{city:<escape>Rome<escape>,days:2}<end_function_call>" +
			"<start_function_response>response:w{sky:<escape>rain<escape>}<end_function_response><start_function_response>response:w{}<end_function_response><end_of_turn>\n" +
			"<start_of_turn>model\n<think>Both are in.</think>Rain in Oslo, nothing from Rome.<end_of_turn>\n",
			func(lines []string) { lines[3], lines[4] = `tool #0: {"sky":"rain"}`, "tool #1: {}" }},
		{"harmony", "<|start|>developer<|message|># Instructions\n\nBe brief.<|end|><|start|>user<|message|>Oslo & \"Rome\"? 🌦\nPlease.<|end|>" +
			"<|start|>assistant<|channel|>commentary<|message|>I will check.<|end|><|start|>assistant<|channel|>commentary to=functions.w <|constrain|>json<|message|>{\"city\":\"Oslo\"}<|call|>" +
			"<|start|>assistant<|channel|>commentary to=functions.w <|constrain|>json<|message|>{\"city\":\"Rome\",\"days\":2}<|call|>" +
			"<|start|>functions.w to=assistant<|channel|>commentary<|message|>rain<|end|><|start|>functions.w to=assistant<|channel|>commentary<|message|><|end|>" +
			"<|start|>assistant<|channel|>analysis<|message|>Both are in.<|end|><|start|>assistant<|channel|>final<|message|>Rain in Oslo, nothing from Rome.<|return|>", nil},
		{"glaive", "SYSTEM: Be brief.\n\n\nUSER: Oslo & \"Rome\"? 🌦\nPlease.\n\n\n" +
			"ASSISTANT: I will check. <functioncall> {\"name\": \"w\", \"arguments\": '{\"city\": \"Oslo\"}'} <functioncall> {\"name\": \"w\", \"arguments\": '{\"city\": \"Rome\", \"days\": 2}'} <|endoftext|>\n\n\n" +
			"FUNCTION RESPONSE: rain\n\n\nFUNCTION RESPONSE:\n\n\nASSISTANT: <think>Both are in.</think> Rain in Oslo, nothing from Rome. <|endoftext|>", nil},
	} {
		t.Run(c.dialect, func(t *testing.T) {
			want := canonicaltest.Sample()
			if c.lost != nil {
				c.lost(want)
			}
			canonicaltest.RoundTrip(t, Plugin, "", `{"text": `+string(jsontext.AppendString(nil, c.text))+"}", want)
		})
	}
}
