package chattext

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestGrows protects a run from one text that takes hours: many of whatever a dialect can hold many of.
func TestGrows(t *testing.T) {
	const namespace = "<|start|>developer<|message|>namespace functions { type f = (_: {"
	for _, c := range []struct{ what, begin, each, end string }{
		{"turns of ChatML", "", "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n", ""},
		{"thoughts", "", "<|im_start|>thought\na<|im_end|>", "<|im_start|>user\na<|im_end|><|im_start|>assistant\nb<|im_end|>"},
		{"marks of a beginning", "<|im_start|>user\na<|im_end|>", "<s>", "<|im_start|>assistant\nb"},
		{"angles", "<|im_start|>user\n", "<|", "<|im_end|><|im_start|>assistant\nb"},
		{"answers of Guanaco", "### Human: a", "### Assistant: b", ""},
		{"headings of Guanaco", "### Human: a", "### ", "### Assistant: b"},
		{"calls of Gemma", "<start_of_turn>user\na<end_of_turn><start_of_turn>model\n", "so <start_function_call>call:f{a:1}<end_function_call>", ""},
		{"opened functions of Gemma", "<start_of_turn>user\na<end_of_turn><start_of_turn>model\n", "<start_function_", ""},
		{"results of Gemma", "<start_of_turn>user\na<end_of_turn><start_of_turn>model\n", "<start_function_response>response:f<end_function_response>", "b"},
		{"declarations of Gemma", "<start_of_turn>developer\n", "<start_function_declaration>declaration:f{}<end_function_declaration>", "<end_of_turn><start_of_turn>user\na<end_of_turn><start_of_turn>model\nb"},
		{"messages of one answer of Harmony", "<|start|>user<|message|>a<|end|>", "<|start|>assistant<|channel|>analysis<|message|>b<|end|><|start|>assistant<|channel|>final<|message|>c<|end|>", ""},
		{"parameters of Harmony", namespace, "a: string, ", "}) => any; }<|end|><|start|>user<|message|>a<|end|><|start|>assistant<|message|>b"},
		{"brackets of Harmony", namespace + "a: string", "[]", "}) => any; }<|end|><|start|>user<|message|>a<|end|><|start|>assistant<|message|>b"},
		{"turns of Llama 2", "", "<s>[INST] a [/INST] b </s>", ""},
		{"turns of Glaive", "", "USER: a\n\n\nASSISTANT: b\n\n\n", ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			sdktest.Grows(t, Plugin, "", func(n int) []byte {
				return append(jsontext.AppendString([]byte(`{"text":`), c.begin+strings.Repeat(c.each, n)+c.end), '}')
			})
		})
	}
}
