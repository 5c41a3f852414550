package modelspec

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

func TestRead(t *testing.T) {
	answer := Message{Role: "assistant", Format: "markdown", Content: "b", EndTurn: true}
	for _, c := range []struct {
		reason, json string
		want         Thread
		err          string // of a Fault; "not" for a value that is no thread
	}{
		{"a row", `{"system_settings":{"formats":["markdown",{"name":"x:json","halt_on_start":true,"sampler":"json"}]},"messages":[{"role":"user","content":"a"}]}`,
			Thread{Settings: `{"formats":["markdown",{"name":"x:json","halt_on_start":true,"sampler":"json"}]}`, Formats: []Format{{Name: "markdown"}, {Name: "x:json", HaltOnStart: true, Sampler: `"json"`}}, Messages: []Message{{Role: "user", Content: "a"}}}, ""},
		{"formats may be one name", `{"system_settings":{"formats":"markdown"},"messages":[]}`, Thread{Settings: `{"formats":"markdown"}`, Formats: []Format{{Name: "markdown"}}}, ""},
		{"a bare list, roles of the later version", `[{"role":"context","name":"x","content":"\u0061"},{"role":"model","format":"markdown","content":"b","end_turn":true}]`,
			Thread{Messages: []Message{{Role: "tool", Name: "x", Content: "a"}, answer}}, ""},
		{"token text", `"<|role|>user<|content|>a<|role|>assistant<|format|>markdown<|content|>b<|end_turn|>"`, Thread{Messages: []Message{{Role: "user", Content: "a"}, answer}}, ""},
		{"an editor's thread", `{"id":1,"allowed_formats":[{"name":"a"}],"messages":[]}`, Thread{Settings: `{"formats":[{"name":"a"}]}`, Formats: []Format{{Name: "a"}}}, ""},
		{"chat rows are others'", `{"messages":[{"role":"developer","content":"a"},{"role":"assistant","content":"b"}]}`, Thread{}, "not"},
		{"a system text is no settings", `{"system":"a","messages":[{"role":"user","content":"b"}]}`, Thread{}, "not"},
		{"other text", `{"text":"a"}`, Thread{}, "not"},
		{"a format without a name", `{"system_settings":{"formats":[1]},"messages":[]}`, Thread{}, "system_settings.formats.0: want a name or an object with a name, have neither"},
		{"a message that is none", `{"system_settings":{},"messages":[1]}`, Thread{}, "messages.0: want an object, have another type"},
	} {
		have, err := Read(jsontext.JSON(c.json))
		var fault *Fault
		var not *NotThreadError
		switch {
		case c.err == "not":
			if !errors.As(err, &not) {
				t.Errorf("%s: want no thread, have %v", c.reason, err)
			}
		case c.err != "":
			if !errors.As(err, &fault) || err.Error() != c.err {
				t.Errorf("%s: want %s, have %v", c.reason, c.err, err)
			}
		case err != nil || cmp.Diff(c.want, have) != "":
			t.Errorf("%s: %v (-want +have):\n%s", c.reason, err, cmp.Diff(c.want, have))
		}
	}
}

func TestCanonical(t *testing.T) {
	for format, want := range map[string]string{"js": "javascript", "browser:js": "browser:javascript", "markdown": "markdown", "a:b:yml": "a:b:yaml", "": ""} {
		if have := Canonical(format); have != want {
			t.Errorf("%q: want %q, have %q", format, want, have)
		}
	}
}

// FuzzTokens holds that texts come back from token text, whatever they hold, and that none of it is a special token.
func FuzzTokens(f *testing.F) {
	f.Add("<|end_turn|>", "a<\\|b", "<")
	f.Add("|role|>", "\\", "<\\\\|x|>")
	f.Fuzz(func(t *testing.T, user, assistant, tool string) {
		messages := []Message{
			{Role: "user", Content: user}, {Role: "assistant", Format: "x:json", Content: assistant, EndTurn: true}, {Role: "tool", Content: tool},
		}
		text := string(appendTokens(nil, messages))
		if n := strings.Count(text, "<|"); n != 8 && !strings.HasSuffix(user, "<") {
			t.Errorf("want 8 special tokens, have %d in %q", n, text)
		}
		back, err := ParseTokens(text)
		if diff := cmp.Diff(messages, back); err != nil || diff != "" {
			t.Errorf("%v (-want +have):\n%s", err, diff)
		}
	})
}

// FuzzDefinitions holds that definitions come back from developer text with the text around them.
func FuzzDefinitions(f *testing.F) {
	f.Add("Be brief.", "get_weather", "Says how warm it is.", true)
	f.Add("", "A", "```\ncode\n```\n\n", false)
	f.Add("ends\n\n", "x", "## x", true)
	f.Fuzz(func(t *testing.T, system, name, description string, typescript bool) {
		for _, text := range []string{system, description} {
			if strings.Contains(text, "You can use") || strings.Contains(text, "Respond") || strings.Contains(text, "## ") || strings.Contains(text, "`") {
				t.Skip("holds words of a definition itself")
			}
		}
		if name == "" || strings.ContainsAny(name, ":`\n\r\t ") || name == "tools" {
			t.Skip("no name of a tool")
		}
		tools := []Tool{{Name: name, Description: description, Schema: `{"type":"object","properties":{"a":{"type":"string"}}}`}, {Name: name + "_2"}}
		schemaIn := "json-schema"
		if typescript {
			schemaIn = "typescript"
		}
		text := []byte(system)
		for i, tool := range tools {
			if i > 0 || system != "" {
				text = append(text, "\n\n"...)
			}
			text = AppendDefinition(text, tool, tool.Name+":json", schemaIn)
		}
		text = AppendAnswer(append(text, "\n\n"...), `{"type":"string"}`, true, schemaIn)
		have := ReadDefinitions(string(text))
		want := Definitions{Tools: tools, Answer: `{"type":"string"}`, Rest: system}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("from\n%s\n(-want +have):\n%s", text, diff)
		}
	})
}

func TestAppendMessage(t *testing.T) {
	for _, m := range []Message{
		{Role: "user", Content: "a \"b\"\n"},
		{Role: "tool", Name: "x", Content: ""},
		{Role: "assistant", Format: "x:json", Content: "{}", EndTurn: true},
	} {
		json := string(AppendMessages(nil, []Message{m}))
		back, err := Read(jsontext.JSON(`{"system_settings":{},"messages":` + json + `}`))
		if err != nil || !gjson.Valid(json) || cmp.Diff([]Message{m}, back.Messages) != "" {
			t.Errorf("%s: %v, want %v back, have %v", json, err, m, back.Messages)
		}
	}
}

// appendTokens appends a thread as token text.
func appendTokens(dst []byte, messages []Message) []byte {
	for _, m := range messages {
		dst = append(append(dst, RoleToken...), m.Role...)
		if m.Name != "" {
			dst = append(append(dst, NameToken...), Escape(m.Name)...)
		}
		if m.Role == "assistant" {
			dst = append(append(dst, FormatToken...), Escape(m.Format)...)
		}
		dst = append(append(dst, ContentToken...), Escape(m.Content)...)
		if m.EndTurn {
			dst = append(dst, EndTurnToken...)
		}
	}
	return dst
}
