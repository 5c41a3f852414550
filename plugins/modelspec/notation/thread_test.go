package notation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/schema"
)

func TestRead(t *testing.T) {
	user := Message{Role: User, Body: "a"}
	answer := Message{Role: Assistant, Format: "markdown", Body: "b", EndTurn: true}
	model := answer
	model.Later = true
	for _, c := range []struct {
		reason, json string
		want         Thread
	}{
		{"a row", `{"system_settings":{"formats":["markdown",{"name":"x:json","halt_on_start":true,"sampler":"json"}]},"messages":[{"role":"user","content":"a"}],"metadata":{"n":1}}`, Thread{
			Shape: RowShape, Settings: `{"formats":["markdown",{"name":"x:json","halt_on_start":true,"sampler":"json"}]}`,
			Formats:  Formats{{Name: "markdown"}, {Name: "x:json", HaltOnStart: true, Sampler: Sampler{Language: "json"}}},
			Messages: []Message{user}, Extra: []jsontext.Member{{Key: "metadata", Value: `{"n":1}`}},
		}},
		{"formats may be one name", `{"system_settings":{"formats":"markdown"},"messages":[]}`, Thread{Shape: RowShape, Settings: `{"formats":"markdown"}`, Formats: Formats{{Name: "markdown"}}}},
		{"a bare list, roles of the later version", `[{"role":"context","name":"x","content":"\u0061"},{"role":"model","format":"markdown","content":"b","end_turn":true}]`,
			Thread{Shape: ListShape, Messages: []Message{{Role: Tool, Later: true, Name: "x", Body: `\u0061`}, model}}},
		{"a context without a name", `[{"role":"context","name":null,"content":"a"}]`, Thread{Shape: ListShape, Messages: []Message{{Role: Tool, Later: true, Body: "a"}}}},
		{"a role in escapes", `[{"role":"\u0063ontext","content":"a"}]`, Thread{Shape: ListShape, Messages: []Message{{Role: Tool, Later: true, Body: "a"}}}},
		{"keys, a role and a format in escapes", `{"\u006dessages":[{"role":"\u0061ssistant","\u0066ormat":"m\u0061rkdown","content":"b","end_turn":true}]}`,
			Thread{Shape: RowShape, Messages: []Message{answer}}},
		{"token text", `"<|role|>user<|content|>a<|role|>assistant<|format|>markdown<|content|>b<|end_turn|>"`, Thread{Shape: TokenShape, Messages: []Message{user, answer}}},
		{"token text with its settings", `{"text":"<|role|>user<|content|>a","segments":[],"system_settings":{"formats":"x"}}`, Thread{Shape: TokenShape, Settings: `{"formats":"x"}`, Formats: Formats{{Name: "x"}}, Messages: []Message{user}}},
		{"an editor's thread", `{"allowed_formats":[{"name":"a"}],"messages":[]}`, Thread{Shape: RowShape, Settings: `{"formats":[{"name":"a"}]}`, Formats: Formats{{Name: "a"}}}},
		{"a preference row", `{"prompt":[{"role":"user","content":"a"}],"chosen":[{"role":"assistant","format":"markdown","content":"b","end_turn":true}],"rejected":[{"role":"assistant","format":"markdown","content":"b","end_turn":true,"correct":false,"halted_on_completion":true}],"reason":"r"}`,
			Thread{Shape: PairShape, Messages: []Message{user}, Chosen: []Message{answer}, Rejected: []Message{{Role: Assistant, Format: "markdown", Body: "b", EndTurn: true, Correct: No, Halted: Yes}}, Reason: "r"}},
	} {
		have, err := Read(jsontext.JSON(c.json))
		if err != nil || cmp.Diff(c.want, have, cmp.AllowUnexported(Special{})) != "" {
			t.Errorf("%s: %v (-want +have):\n%s", c.reason, err, cmp.Diff(c.want, have))
		}
		if back, err := Read(jsontext.JSON(AppendThread(nil, &have))); err != nil || c.want.Shape != TokenShape && c.want.Shape != ListShape && cmp.Diff(have, back) != "" {
			t.Errorf("%s: %v, want it back (-want +have):\n%s", c.reason, err, cmp.Diff(have, back))
		}
	}
	for reason, json := range map[string]string{
		"chat rows are others'":        `{"messages":[{"role":"developer","content":"a"},{"role":"assistant","content":"b"}]}`,
		"a system text is no settings": `{"system":"a","messages":[{"role":"user","content":"b"}]}`,
		"other text":                   `{"text":"a"}`,
		"chat pairs are others'":       `{"prompt":[{"role":"user","content":"a"}],"chosen":[{"role":"assistant","content":"b"}],"rejected":[{"role":"assistant","content":"c"}]}`,
		"a number":                     `1`,
		"a list of something":          `[1,2]`,
	} {
		if _, err := Read(jsontext.JSON(json)); err == nil {
			t.Errorf("%s: want no thread, have one", reason)
		}
	}
}

// TestFaults holds every member to the document's types.
func TestFaults(t *testing.T) {
	row := func(messages string) string {
		return `{"system_settings":{"formats":"a"},"messages":[` + messages + `]}`
	}
	settings := func(json string) string { return `{"system_settings":` + json + `,"messages":[]}` }
	answer := func(rest string) string {
		return row(`{"role":"assistant","format":"markdown","content":"a"` + rest + `}`)
	}
	for _, c := range []struct{ reason, json, want string }{
		{"no object", row(`1`), "bad_thread messages.0: want an object, have a number"},
		{"null", row(`null`), "bad_thread messages.0: want an object, have null"},
		{"an empty list", row(`[]`), "bad_thread messages.0: want an object, have an array, which plugin modelspec-document expands"},
		{"a thread in the thread", row(`[{"role":"user","content":"a"}]`), "bad_thread messages.0: want an object, have an array, which plugin modelspec-document expands"},
		{"another role", row(`{"role":"system","content":"a"}`), "bad_thread messages.0.role: want platform, developer, user, assistant or tool, have an unknown role"},
		{"content of parts", row(`{"role":"user","content":[]}`), "bad_thread messages.0.content: want a string, have an array"},
		{"no format", row(`{"role":"assistant","content":"a","end_turn":true}`), "bad_thread messages.0.format: want the name of a format, without white space, have nothing"},
		{"a format of two words", row(`{"role":"assistant","format":"my format","content":"a","end_turn":true}`), "bad_thread messages.0.format: want the name of a format, without white space, have a string with white space"},
		{"no end_turn", answer(``), "bad_thread messages.0.end_turn: want true or false, have nothing"},
		{"end_turn as a text", answer(`,"end_turn":"yes"`), "bad_thread messages.0.end_turn: want true or false, have a string"},
		{"correct as a number", answer(`,"end_turn":true,"correct":1`), "bad_thread messages.0.correct: want true or false, have a number"},
		{"an unknown member", answer(`,"end_turn":true,"reward":1`), "unknown_member messages.0.reward: want a member that the document has in messages, have one of another name"},
		{"what only assistants have", row(`{"role":"user","content":"a","end_turn":true}`), "role_member messages.0.end_turn: want a member that user messages have, have one of the assistant's"},
		{"formats as a number", settings(`{"formats":7}`), "bad_thread system_settings.formats: want a name or a list of formats, have a number"},
		{"formats as one object", settings(`{"formats":{"name":"a"}}`), "bad_thread system_settings.formats: want a name or a list of formats, have an object"},
		{"no formats", settings(`{}`), "bad_thread system_settings.formats: want a name or a list of formats, have nothing"},
		{"no formats, and a blank", settings(`{ }`), "bad_thread system_settings.formats: want a name or a list of formats, have nothing"},
		{"no settings", `{"system_settings":null,"messages":[{"role":"platform","content":"a"}]}`, ""},
		{"no format at all", settings(`{"formats":[]}`), "bad_thread system_settings.formats: want at least one format"},
		{"a format without a name", settings(`{"formats":[1]}`), "bad_thread system_settings.formats.0: want the name of a format, without white space, or an object with one, have a number"},
		{"a halt that is no boolean", settings(`{"formats":[{"name":"a","halt_on_start":"no"}]}`), "bad_thread system_settings.formats.0.halt_on_start: want true or false, have a string"},
		{"an unknown sampler", settings(`{"formats":[{"name":"a","sampler":"foo"}]}`), "bad_thread system_settings.formats.0.sampler: want json, jsonl, a custom sampler or null, have an unknown name"},
		{"a language that is no sampler", settings(`{"formats":[{"name":"a","sampler":"xml"}]}`), "bad_thread system_settings.formats.0.sampler: want json, jsonl, a custom sampler or null, have an unknown name"},
		{"a sampler that is a number", settings(`{"formats":[{"name":"a","sampler":7}]}`), "bad_thread system_settings.formats.0.sampler: want json, jsonl, a custom sampler or null, have a number"},
		{"other settings", settings(`{"formats":"a","temperature":1}`), "unknown_member system_settings.temperature: want a member that the document has in system settings, have one of another name"},
		{"a sampler in escapes", settings(`{"formats":[{"name":"a","sampler":"\u006ason"}]}`), ""},
		{"a custom sampler is open", settings(`{"formats":[{"name":"a","sampler":{"grammar":7}},{"name":"b","sampler":{}}]}`), ""},
		{"a custom sampler is one", settings(`{"formats":[{"name":"a","sampler":{"bnf":"s ::= \"a\""}},{"name":"b","sampler":null}]}`), ""},
		{"branches", row(`[[{"role":"user","content":"a"}],[]]`), "bad_thread messages.0: want an object, have an array, which plugin modelspec-document expands"},
		{"a list that is none", `{"system_settings":{"formats":"a"},"messages":{}}`, "bad_thread messages: want a list of messages, have an object"},
	} {
		thread, err := Read(jsontext.JSON(c.json))
		have := ""
		for _, f := range thread.Faults {
			have += f.Code + " " + f.Path + ": " + f.Message
		}
		if err != nil || have != c.want {
			t.Errorf("%s: want %q, have %q (%v)", c.reason, c.want, have, err)
		}
		if faults := threadRow(t).Check(jsontext.JSON(c.json)); (len(faults) > 0) != (c.want != "") {
			t.Errorf("%s: want the schema to say the same, have %v", c.reason, faults)
		}
	}
}

// threadRow is the schema of rows, which must say what the reading says.
func threadRow(t *testing.T) *schema.Schema {
	t.Helper()
	s, err := schema.Get("thread-row")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCanonical(t *testing.T) {
	for format, want := range map[string]string{"js": "javascript", "browser:js": "browser:javascript", "markdown": "markdown", "a:b:yml": "a:b:yaml", "": ""} {
		if have := Canonical(format); have != want {
			t.Errorf("%q: want %q, have %q", format, want, have)
		}
	}
}
