package canonical

import (
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestPartKinds protects each type of a part: one that is taken for another is lost, or trained on.
func TestPartKinds(t *testing.T) {
	kinds := map[Kind][]string{
		TextPart:      {"text", "input_text", "output_text", "refusal"},
		ReasoningPart: {"reasoning", "thinking", "redacted-reasoning", "redacted_thinking"},
		CallPart:      {"tool-call", "tool_use", "server_tool_use"},
		ResultPart:    {"tool-result", "tool_result", "tool-error"},
		StepPart:      {"step-start"},
		AsidePart:     {"source", "source-url", "source-document", "tool-approval-request", "tool-approval-response", "custom", "data-chart"},
		UnknownPart:   {"function_call", "odd"},
	}
	media := map[jsontext.Body][]string{
		"image": {"image", "image_url", "input_image", "image-url", "image-data", "image-file-id"},
		"audio": {"audio", "input_audio", "audio_url"},
		"video": {"video", "video_url"},
		"file":  {"file", "document", "media", "file-data", "file-url", "file-id", "file-reference", "reasoning-file"},
	}
	seen := map[string]bool{"dynamic-tool": true, "tool-invocation": true} // calls and results in one: TestUIParts
	read := func(kind string) Part {
		seen[kind] = true
		var r Row
		r.Read(jsontext.JSON(`{"response":{"content":[{"type":"` + kind + `","text":"t","name":"N","id":"i"}]}}`))
		if len(r.Parts) != 1 {
			t.Fatalf("%s: want one part, have %d", kind, len(r.Parts))
		}
		return r.Parts[0]
	}
	for want, types := range kinds {
		for _, kind := range types {
			if have := read(kind); have.Kind != want {
				t.Errorf("%s: want a part of kind %s, have %s", kind, kindNames[want], kindNames[have.Kind])
			}
		}
	}
	for body, types := range media {
		for _, kind := range types {
			if have := read(kind); have.Kind != MediaPart || have.Body != body {
				t.Errorf("%s: want a medium of type %s, have a %s of %s", kind, body, kindNames[have.Kind], have.Body)
			}
		}
	}
	for kind := range partKinds {
		if !seen[kind] {
			t.Errorf("%s: want a case, have none", kind)
		}
	}
}

func TestUIParts(t *testing.T) {
	for _, part := range []string{
		`{"type":"dynamic-tool","toolName":"A","toolCallId":"k","state":"output-available","input":{},"output":1}`,
		`{"type":"tool-A","toolCallId":"k","state":"output-available","input":{},"output":1}`,
		`{"type":"tool-invocation","toolInvocation":{"toolName":"A","toolCallId":"k","state":"result","args":{},"result":1}}`,
	} {
		var r Row
		r.Read(jsontext.JSON(`{"response":{"content":[` + part + `]}}`))
		if len(r.Parts) != 2 || r.Parts[0].Kind != CallPart || r.Parts[1].Kind != ResultPart || r.Parts[0].Name != "A" || r.Parts[1].Mate != 0 {
			t.Errorf("%s: want a call of A and its result, have %s", part, dump(&r))
		}
	}
}

// TestFinishReasons protects what tells a whole answer from one that was cut.
func TestFinishReasons(t *testing.T) {
	for given, want := range map[string]string{
		`"stop"`: "stop", `"length"`: "length", `"max_tokens"`: "max_tokens", `"content-filter"`: "content_filter", `"Tool-Calls"`: "tool_calls",
		`"error"`: "error", `{"unified":"content-filter","raw":"SAFETY"}`: "content_filter", `null`: "", `5`: "", `{"raw":"MAX"}`: "",
	} {
		for _, key := range []string{"finishReason", "finish_reason"} {
			var r Row
			r.Read(jsontext.JSON(`{"response":{"` + key + `":` + given + `}}`))
			if r.FinishReason != want {
				t.Errorf("%s %s: want %q, have %q", key, given, want, r.FinishReason)
			}
		}
	}
}

// TestNames protects every member that holds names, by its key, in a record, in a request and, lists, in settings.
func TestNames(t *testing.T) {
	list, tools, calls, messages := `["A",{"name":"B"}]`, `{"A":{"name":"B"}}`, `[{"toolName":"A"},{"function":{"name":"B"}}]`, `[{"role":"tool","name":"A"},{"role":"assistant","content":"ACTION: B"}]`
	for _, c := range []struct{ key, value string }{
		{"availableActions", list}, {"allowedToolNames", list}, {"allowedTools", list}, {"activeTools", list}, {"candidateActions", list}, {"parentActionHints", list},
		{"settings", `{"a":{"availableActions":` + list + `}}`}, {"providerOptions", `{"a":{"toolSpecs":` + tools + `}}`}, {"metadata", `{"activeTools":` + list + `}`},
		{"tools", tools}, {"toolChoice", `{"type":"allowed_tools","tools":[{"name":"A"},{"name":"B"}]}`}, {"tool_choice", `{"function":{"name":"A"},"toolName":"B"}`},
		{"messages", messages}, {"memoryEntries", messages}, {"agent_actions", calls}, {"tool_results", calls},
		{"actions", `["A",{"name":"B"}]`}, {"expectedResponse", `"ACTION: A\nACTION: B"`},
		{"turns", `[{"actions":["A"]},{"tools":[{"name":"B"}]}]`}, {"scenarios", `[{"turns":[{"actions":["A","B"]}]}]`},
	} {
		for _, record := range []string{`{"` + c.key + `":` + c.value + `}`, `{"request":{"` + c.key + `":` + c.value + `}}`} {
			var r Row
			r.Read(jsontext.JSON(record))
			var have []string
			for _, n := range r.Names() {
				have = append(have, n.Body.Text())
			}
			if slices.Sort(have); !slices.Equal(have, []string{"A", "B"}) {
				t.Errorf("%s: want the names A and B, have %v", record, have)
			}
		}
	}
}

// TestNamesOfKnownTools protects the names of tools that were read for an earlier row.
func TestNamesOfKnownTools(t *testing.T) {
	record := func(lead string) jsontext.JSON {
		tools := `[{"name":"A","description":"` + strings.Repeat("words ", 50) + `"},5,{"function":{"name":"B"}}]`
		return jsontext.JSON(`{` + lead + `"availableActions":["X"],"request":{"tools":` + tools + `}}`)
	}
	var r Row
	for _, lead := range []string{"", ` "a":1,`, ""} {
		text := record(lead)
		r.Read(text)
		if r.ToolsID == 0 {
			t.Fatal("want tools that are remembered, have none")
		}
		var have []string
		lists := map[int]int{}
		for _, n := range r.Names() {
			have = append(have, string(n.Body))
			lists[n.List]++
			if at, ok := r.Place(n.Entry); !ok || string(text[at.Start:at.End]) != n.Entry {
				t.Errorf("want the entry %s in this record, have it at %v", n.Entry, at)
			}
		}
		if !slices.Equal(have, []string{"X", "A", "", "B"}) || len(lists) != 2 {
			t.Errorf("want X and A, an entry without a name, and B of two lists, have %q of %d", have, len(lists))
		}
	}
}
