package rowfile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestShapeOf holds which rows go together in a dataset.
func TestShapeOf(t *testing.T) {
	const settings = `"system_settings":{"formats":["markdown"]}`
	for _, c := range []struct{ row, want, reason string }{
		{`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`, ChatML, "a chat"},
		{`{` + settings + `,"messages":[{"role":"user","content":"q"}]}`, "thread", "a thread with settings"},
		{`{"messages":[{"role":"user","content":"q"},{"role":"assistant","format":"markdown","content":"a","end_turn":true}]}`, "thread", "a thread without"},
		{`{` + settings + `,"prompt":[{"role":"user","content":"q"}],"chosen":[{"role":"assistant","format":"markdown","content":"a"}],"rejected":[{"role":"assistant","format":"plaintext","content":"b"}]}`,
			"thread-preference", "a pair"},
		{`{"prompt":[{"role":"user","content":"q"}],"chosen":[{"role":"assistant","format":"markdown","content":"a"}],"rejected":[{"role":"assistant","format":"plaintext","content":"b"}]}`,
			"thread-preference", "a pair without settings"},
		{`{"text":"<|role|>user<|content|>q<|role|>assistant<|format|>markdown<|content|>a<|end_turn|>","segments":[{"start":0,"end":9,"train":false}],` + settings + `}`,
			"thread-tokens", "token text"},
		{`{"prompt":"<|role|>user<|content|>q<|role|>assistant","chosen":"<|format|>markdown<|content|>a<|end_turn|>","chosen_segments":[],"rejected":"b","rejected_segments":[]}`,
			"thread-preference-tokens", "token text of a pair"},
		{`{"prompt":"q","chosen":"a","rejected":"b"}`, "preference", "a pair of texts"},
		{`{"prompt":[{"role":"user","content":"q"}],"chosen":[{"role":"assistant","content":"a"}],"rejected":[{"role":"assistant","content":"b"}]}`, "preference", "a pair of chats"},
		{`{"text":"prose"}`, "", "anything else"},
	} {
		path := filepath.Join(t.TempDir(), "rows.jsonl")
		if err := os.WriteFile(path, []byte("\nno JSON\n"+c.row+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if have, err := ShapeOf(path); err != nil || have != c.want {
			t.Errorf("%s: want %q, have %q (%v)", c.reason, c.want, have, err)
		}
	}
}
