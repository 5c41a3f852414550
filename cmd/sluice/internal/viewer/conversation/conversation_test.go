package conversation_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/conversation"
)

// spelled is a talk in one line a turn, for tests.
func spelled(t *conversation.Conversation) string {
	lines := []string{t.Shape}
	if t.Reject != nil {
		lines = append(lines, "reject "+t.Reject.Code+" at "+t.Reject.Path)
	}
	for _, tool := range t.Tools {
		lines = append(lines, "tool "+tool.Name+" "+tool.Schema)
	}
	add := func(before string, turns []conversation.Turn) {
		for _, x := range turns {
			line := before + x.Role
			if x.Spelling != x.Role {
				line += " as " + x.Spelling
			}
			if x.Name != "" {
				line += " " + x.Name
			}
			for _, m := range x.Marks {
				line += " (" + m + ")"
			}
			for _, p := range x.Parts {
				line += " | " + strings.Join(strings.Fields(strings.Join([]string{p.Kind, p.Name, p.ID, p.Text, p.JSON}, " ")), " ")
				if p.Failed {
					line += " failed"
				}
			}
			lines = append(lines, line)
		}
	}
	add("", t.Turns)
	for _, w := range t.Candidates {
		add(w.Name+": ", w.Turns)
	}
	for _, m := range t.Rest {
		lines = append(lines, "beside "+m.Key)
	}
	return strings.Join(lines, "\n")
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ reason, row, want string }{
		{"a canonical row", `{"format":"eliza_native_v1","request":{"system":"S","messages":[{"role":"user","content":[{"type":"text","text":"look"},{"type":"image","image":"data:"}]},
			{"role":"assistant","content":[{"type":"reasoning","text":"hm"},{"type":"tool-call","toolCallId":"1","toolName":"send","input":{"to":"a"}}]},
			{"role":"tool","content":[{"type":"tool-result","toolCallId":"1","toolName":"send","output":{"type":"error-text","value":"no"}}]}],
			"tools":[{"type":"function","function":{"name":"send","parameters":{"type":"object"}}}]},"response":{"text":"sent"},"trajectoryId":"t"}`,
			"canonical row\ntool send {\"type\":\"object\"}\nsystem | text S\nuser | text look | media image\nassistant | thought hm | call send 1 {\"to\":\"a\"}\n" +
				"tool | result send 1 no failed\nassistant (response) | text sent\nbeside trajectoryId"},
		{"a ChatML row", `{"messages":[{"role":"system","content":"S"},{"role":"assistant","content":null,"weight":0,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"}}]},
			{"role":"tool","tool_call_id":"c","name":"f","content":"ok"}],"tools":[],"x":1}`,
			"messages\nsystem | text S\nassistant (not trained on) | call f c {\"a\":1}\ntool f | result f c ok\nbeside tools\nbeside x"},
		{"a thread", `{"system_settings":{},"messages":[{"role":"platform","content":"S"},{"role":"assistant","format":"reasoning","content":"hm","end_turn":false},
			{"role":"model","format":"f:json","content":"{\"a\":1}","end_turn":true},{"role":"context","name":"f","content":"ok"}]}`,
			"thread\nsystem as platform | text S\nassistant (format reasoning) (goes on) | thought hm\nassistant as model (format f:json) | call f {\"a\":1}\n" +
				"tool as context f | result f ok\nbeside system_settings"},
		{"a thread alone", `[{"role":"user","content":"hi"}]`, "thread\nuser | text hi"},
		{"a pair of texts", `{"prompt":"p","chosen":"c","rejected":"r","reason":"why"}`,
			"preference pair\nuser | text p\nchosen: assistant | text c\nrejected: assistant | text r\nbeside reason"},
		{"a pair of messages", `{"prompt":[{"role":"user","content":"p"}],"chosen":[{"role":"assistant","content":"c"}],"rejected":[{"role":"assistant","content":"r"}]}`,
			"preference pair\nuser | text p\nchosen: assistant | text c\nrejected: assistant | text r"},
		{"from and value", `{"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"a"}]}`,
			"conversation\nuser as human | text q\nassistant as gpt | text a"},
		{"a flat record", `{"memoryEntries":[],"currentMessage":{"role":"user","speaker":"Ann","content":"q"},"expectedResponse":"a"}`,
			"flat record\nuser Ann | text q\nassistant | text a"},
		{"token text", `{"text":"<|role|>user<|content|>q<|role|>assistant<|format|>f:json<|content|>{\"a\":1}<|end_turn|>"}`,
			"token text\nuser | text q\nassistant (format f:json) | call f {\"a\":1}"},
		{"token text of ChatML", `{"text":"<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\na<|im_end|>\n"}`,
			"token text\nuser | text q\nassistant | text a"},
		{"blocks of another provider", `{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","id":"1","name":"f","input":{}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"ok","is_error":true},{"type":"odd"}]}]}`,
			"messages\nassistant | thought hm | call f 1 {}\nuser | result 1 ok failed | aside odd {\"type\":\"odd\"}"},
		{"a reject", `{"code":"c","message":"m","path":"p","step":"s","file":"f","line":1,"record":{"messages":[{"role":"user","content":"q"}]}}`,
			"messages\nreject c at p\nuser | text q"},
		{"a reject that was no JSON", `{"code":"c","message":"m","path":"","step":"s","file":"f","line":1,"record":"{'a'"}`,
			"no JSON\nreject c at \nother as record | text {'a'"},
		{"nothing that talks", `{"a":1}`, ""},
		{"members of other kinds", `{"messages":[{"role":1}],"text":2,"chosen":3,"rejected":[],"conversations":{}}`, ""},
	} {
		if diff := cmp.Diff(c.want, spelled(conversation.Read([]byte(c.row)))); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// TestCorpus holds that every row of the real corpora talks.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("../../../../../shared/corpus/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("the real corpora stand beside the repository, and are not there")
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		in := bufio.NewScanner(f)
		in.Buffer(nil, 64<<20)
		for line := 1; in.Scan(); line++ {
			if talk := conversation.Read(in.Bytes()); talk.Shape == "" || len(talk.Turns) == 0 {
				t.Errorf("%s:%d: want a conversation, have none", filepath.Base(name), line)
			}
		}
		if err := in.Err(); err != nil {
			t.Error(err)
		}
	}
}

// FuzzRead holds that no JSON can break the reading.
func FuzzRead(f *testing.F) {
	f.Add(`{"messages":[{"role":"user","content":[1,{"type":"tool-result","output":{"type":"json","value":[]}}]}]}`)
	f.Add(`{"text":"x<|role|><|im_start|>"}`)
	f.Add(`{"chosen":"","rejected":""}`)
	f.Fuzz(func(_ *testing.T, row string) { conversation.Read([]byte(row)) })
}
