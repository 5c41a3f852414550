package chattext

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// greetings are a conversation in every dialect.
var greetings = map[string]string{
	"chatml":         "<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb.<|im_end|>",
	"llama3":         "<|start_header_id|>user<|end_header_id|>\n\na<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nb.",
	"gemma":          "<start_of_turn>user\na<end_of_turn>\n<start_of_turn>model\nb.<end_of_turn>",
	"harmony":        "<|start|>user<|message|>a<|end|><|start|>assistant<|message|>b.<|return|>",
	"nemo":           "<extra_id_0>System\n\n<extra_id_1>User\na\n<extra_id_1>Assistant\nb.\n<extra_id_1>",
	"instruct":       "<s>[INST] a [/INST] b. </s>",
	"guanaco":        "### Human: a### Assistant: b.",
	"baize":          "The conversation between human and AI assistant.\n[|Human|] a\n[|AI|] b.\n[|Human|] ",
	"glaive":         "USER: a\n\n\nASSISTANT: b.",
	"user-assistant": "Human: a\n\nAssistant: b.",
	"roles":          "user: a\nassistant: b.",
}

// TestPresets protects what every preset reads: its dialects, and its columns in order.
func TestPresets(t *testing.T) {
	const everywhere = "text processed_chat_with_reasoning chat messages conversation conversations prompt chosen"
	for name, want := range map[string]struct{ dialects, columns string }{
		"":                    {"chatml llama3 gemma harmony nemo instruct guanaco baize glaive user-assistant roles", everywhere},
		"chatml":              {"chatml", everywhere},
		"chatml-text":         {"chatml", everywhere},
		"llama3":              {"llama3", everywhere},
		"open-paws-llama":     {"llama3", "messages text"},
		"gemma":               {"gemma", everywhere},
		"gemma-text":          {"gemma", everywhere},
		"harmony":             {"harmony", everywhere},
		"nemo":                {"nemo", everywhere},
		"llama2":              {"instruct", everywhere},
		"mistral":             {"instruct", everywhere},
		"guanaco":             {"guanaco", everywhere},
		"baize":               {"baize", "input"},
		"glaive-v2":           {"glaive", "chat"},
		"glaive-fc":           {"glaive", "processed_chat_with_reasoning chat"},
		"glaive-fc-reasoning": {"glaive", "processed_chat_with_reasoning chat"},
		"noesis-text":         {"user-assistant", "text"},
		"hh-rlhf":             {"user-assistant", "chosen prompt text"},
		"rendered":            {"chatml llama3 gemma harmony nemo instruct guanaco baize glaive user-assistant roles", "prompt"},
	} {
		if _, ok := presets[name]; !ok && name != "" {
			t.Errorf("want preset %s, have none", name)
		}
		dialects, columns := strings.Fields(want.dialects), strings.Fields(want.columns)
		record := func(column, dialect string) string {
			return `{"` + column + `":` + string(jsontext.AppendString(nil, greetings[dialect])) + `,"completion":""}`
		}
		var records, dialectOf, columnOf []string
		add := func(column, dialect string) {
			records, columnOf, dialectOf = append(records, record(column, dialect)), append(columnOf, column), append(dialectOf, dialect)
		}
		for dialect := range greetings {
			add(columns[0], dialect)
		}
		for column := range strings.FieldsSeq(everywhere) {
			add(column, dialects[0])
		}
		results, _ := sdktest.Run(t, Plugin, `{"preset":"`+name+`"}`, records...)
		for i, r := range results {
			reads := slices.Contains(dialects, dialectOf[i]) && slices.Contains(columns, columnOf[i])
			if reads != (r.Verdict == "emit") {
				t.Errorf("preset %q reads %s in %s: want %v, have %s", name, dialectOf[i], columnOf[i], reads, r.Verdict)
			} else if shape := gjson.Get(strings.Join(r.Emitted, ""), "metadata.conversion.shape").String(); reads && shape != dialectOf[i] {
				t.Errorf("preset %q: want dialect %s, have %s", name, dialectOf[i], shape)
			}
		}
	}
	if len(presets) != 18 {
		t.Errorf("want a case for each of %d presets, have 18", len(presets))
	}
}

// TestCleanEnd protects answers from being taken for cut off, and those that are cut off from being learnt.
func TestCleanEnd(t *testing.T) {
	for text, want := range map[string]bool{
		"a.": true, "a! ": true, "a?\n": true, "好。": true, "好！": true, "好？": true, "(a)": true, "[a]": true, "{a}": true, "«a»": true,
		"「a」": true, "『a』": true, "```\na\n```": true, "**a**.": true,
		"a": false, "a,": false, "a:": false, "**a": false, "": false,
	} {
		row := &build.Builder{}
		row.Add(canonical.Assistant, 0).Body = jsontext.BodyOf(text)
		row.Add(canonical.User, 0).Body = "c"
		if have := endsClean(row); have != want {
			t.Errorf("%q ends clean: want %v, have %v", text, want, have)
		}
	}
}
