package trajectory

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestPresets protects where every preset looks for steps and calls, and whether prompts are transcripts.
func TestPresets(t *testing.T) {
	const question, everywhere, anyKey = "[Ann]: q", "steps trajectory.steps trajectory stages stepsJson", "llmCalls model"
	for name, want := range map[string]struct {
		steps, calls string
		asks         string // what the user's turn says
	}{
		"":                    {everywhere, anyKey, question},
		"recorder":            {"stages", "model", question},
		"export":              {"steps stepsJson", "llmCalls", question},
		"scam-defense-corpus": {"trajectory.steps steps", "llmCalls", "q"},
	} {
		var records, places []string
		for place := range strings.FieldsSeq(everywhere) {
			for key := range strings.FieldsSeq(anyKey) {
				steps := `[{"` + key + `":{"prompt":"` + question + `","response":"a"}}]`
				outer, inner, nested := strings.Cut(place, ".")
				switch {
				case nested:
					steps = `{"` + inner + `":` + steps + "}"
				case strings.HasSuffix(place, "Json"):
					steps = `"` + strings.ReplaceAll(steps, `"`, `\"`) + `"`
				}
				records, places = append(records, `{"`+outer+`":`+steps+"}"), append(places, place+" "+key)
			}
		}
		results, _ := sdktest.Run(t, Plugin, `{"preset":"`+name+`"}`, records...)
		for i, r := range results {
			place, key, _ := strings.Cut(places[i], " ")
			reads := slices.Contains(strings.Fields(want.steps), place) && slices.Contains(strings.Fields(want.calls), key)
			if reads != (r.Verdict == "emit") {
				t.Errorf("preset %q reads %s: want %v, have %s", name, places[i], reads, r.Verdict)
			} else if reads && gjson.Get(r.Emitted[0], "request.messages.0.content").String() != want.asks {
				t.Errorf("preset %q: want the user to say %q, have %s", name, want.asks, r.Emitted[0])
			}
		}
	}
	if len(presets) != 4 {
		t.Errorf("want a case for each of %d presets, have 4", len(presets))
	}
}

// TestMembers protects what every member of a run, a step and a call becomes.
func TestMembers(t *testing.T) {
	for _, c := range []struct{ run, step, call, path, want string }{
		{`"trajectoryId":"r"`, "", "", "trajectoryId", "r"},
		{`"agentId":"a"`, "", "", "agentId", "a"},
		{`"status":"ended","metrics":{"finalStatus":"completed"}`, "", "", "status", "ended"},
		{`"metrics":{"finalStatus":"completed"}`, "", "", "status", "completed"},
		{`"tags":["t"]`, "", "", "tags.0", "t"},
		{`"split":"train"`, "", "", "metadata.split", "train"},
		{`"note":[1]`, "", "", "metadata.note", "[1]"},
		{`"trajectoryId":"r"`, "", "", "stepId", "r:step:1"},
		{`"trajectoryId":"r"`, "", "", "callId", "r:step:1:call:1"},
		{`"trajectoryId":"r"`, `"stepId":"s"`, "", "callId", "r:s:call:1"},
		{"", `"stageId":"s"`, "", "stepId", "s"},
		{"", `"id":"s"`, "", "stepId", "s"},
		{"", `"stepId":"s","id":"other"`, "", "stepId", "s"},
		{"", `"timestamp":5`, "", "timestamp", "5"},
		{"", `"startedAt":5`, "", "timestamp", "5"},
		{"", `"kind":"k"`, "", "stepType", "k"},
		{"", `"stepType":"k"`, "", "stepType", "k"},
		{"", `"iteration":2`, "", "metadata.iteration", "2"},
		{"", "", `"callId":"c"`, "callId", "c"},
		{"", "", `"id":"c"`, "callId", "c"},
		{"", "", `"modelName":"m"`, "model", "m"},
		{"", "", `"modelSlot":"m"`, "modelType", "m"},
		{"", "", `"purpose":"p"`, "purpose", "p"},
		{"", "", `"stepIndex":7`, "stepIndex", "0"},
		{"", "", `"systemPrompt":"s"`, "request.system", "s"},
		{"", "", `"system":"s"`, "request.system", "s"},
		{"", "", `"toolChoice":"auto"`, "request.toolChoice", "auto"},
		{"", "", `"output":{"type":"object"}`, "request.responseSchema.type", "object"},
		{"", "", `"reasoningText":"r"`, "response.reasoning", "r"},
		{"", "", `"finishReason":"tool-calls"`, "response.finishReason", "tool_calls"},
		{"", "", `"usage":{"promptTokens":1}`, "response.usage.promptTokens", "1"},
		{"", "", `"promptTokens":1,"completionTokens":2`, "response.usage.completionTokens", "2"},
		{"", "", `"promptTokens":1`, "response.usage", ""},
		{"", "", `"tool_calls":[{"name":"F"}]`, "response.toolCalls.0.toolName", "F"},
		{"", "", `"latency":3`, "metadata.latency", "3"},
	} {
		members := func(first, more string) string { return "{" + strings.TrimSuffix(first+","+more, ",") + "}" }
		call := members(`"prompt":"q","response":"a"`, c.call)
		record := members(`"steps":[`+members(`"llmCalls":[`+call+"]", c.step)+"]", c.run)
		results, _ := sdktest.Run(t, Plugin, "", record)
		if have := gjson.Get(strings.Join(results[0].Emitted, ""), c.path).String(); have != c.want {
			t.Errorf("%s: want %q at %s, have %q: %s", record, c.want, c.path, have, results[0].Message)
		}
	}
}

// TestGrows protects a run from a transcript that takes hours.
func TestGrows(t *testing.T) {
	for what, c := range map[string]struct{ begin, each string }{
		"lines of one speaker": {"[Ann]: q\\n", "more\\n"},
		"speakers":             {"", "[Ann]: q\\n[You]: a\\n"},
		"brackets":             {"[Ann]: q\\n", "["},
	} {
		t.Run(what, func(t *testing.T) {
			sdktest.Grows(t, Plugin, `{"transcript":true}`, func(n int) []byte {
				return []byte(`{"steps":[{"llmCalls":[{"prompt":"` + c.begin + strings.Repeat(c.each, n) + `","response":"a"}]}]}`)
			})
		})
	}
}
