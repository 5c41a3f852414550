package notation

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// tokensOf writes messages as token text, decoded, with its segments.
func tokensOf(w TokenWriter, messages []Message) (text, segments string) {
	w.WriteThread(&Thread{Shape: RowShape, Messages: messages}, true)
	row := string(w.Text)
	return gjson.Get(row, "text").String(), gjson.Get(row, "segments").Raw
}

// TestTokens holds both notations, and what of them is trained on.
func TestTokens(t *testing.T) {
	messages := []Message{
		{Role: User, Body: "q"}, {Role: Assistant, Format: "w:json", Body: "{}"}, {Role: Tool, Body: "r"}, {Role: Assistant, Format: "markdown", Body: "a", EndTurn: true},
		{Role: User, Body: "é"}, {Role: Assistant, Format: "w:json", Body: "{}"},
	}
	for _, c := range []struct {
		reason string
		writer TokenWriter
		want   string // what is trained on stands in brackets of its own kind
	}{
		{"the document's notation: a role is the stop token of a message that does not end its turn", TokenWriter{},
			"<|role|>user<|content|>q<|role|>assistant⟦<|format|>w:json<|content|>{}<|role|>⟧tool<|content|>r<|role|>assistant⟦<|format|>markdown<|content|>a<|end_turn|>⟧<|role|>user<|content|>é<|role|>assistant⟦<|format|>w:json<|content|>{}<|role|>⟧"},
		{"the authors' later one", TokenWriter{EndMessage: true},
			"<|role|>user<|content|>q<|end_message|><|role|>model⟦<|format|>w:json<|content|>{}<|end_message|>⟧<|role|>context<|content|>r<|end_message|><|role|>model⟦<|format|>markdown<|content|>a<|end_message|><|end_turn|>⟧<|role|>user<|content|>é<|end_message|><|role|>model⟦<|format|>w:json<|content|>{}<|end_message|>⟧"},
	} {
		text, segments := tokensOf(c.writer, messages)
		runes, have := []rune(text), ""
		for _, s := range gjson.Parse(segments).Array() {
			part := string(runes[s.Get("start").Int():s.Get("end").Int()])
			if s.Get("train").Bool() {
				part = "⟦" + part + "⟧"
			}
			have += part
		}
		if have != c.want {
			t.Errorf("%s: want\n%s\nhave\n%s", c.reason, c.want, have)
		}
		back, faults := parseTokens(text, "")
		if c.writer.EndMessage {
			for i := range back {
				back[i].Later = false
			}
		}
		if diff := cmp.Diff(messages, back); faults != nil || diff != "" {
			t.Errorf("%s: %v, want the messages back (-want +have):\n%s", c.reason, faults, diff)
		}
	}
}

// TestEscape holds that JSON stays JSON, code stays code, and what is no special token stays as it is.
func TestEscape(t *testing.T) {
	for _, c := range []struct {
		reason string
		m      Message
		only   []string
		want   string // the content in token text, decoded
		n      int
	}{
		{"a text gets a backslash, and one more", Message{Role: User, Body: `<|role|> <\\|end_turn|> a <| b |> c <`}, nil, `<\|role|> <\\|end_turn|> a <| b |> c <`, 2},
		{"JSON gets its own escape", Message{Role: Assistant, Format: "run:json", Body: `{\"a\":\"<|x|> <| <\\\\|x|>\"}`}, nil, `{"a":"\u003c|x|> <| \u003c\\|x|>"}`, 2},
		{"so do Python and JavaScript", Message{Role: Assistant, Format: "py", Body: `print('<|x|>')`}, nil, `print('\u003c|x|>')`, 1},
		{"a result that is JSON", Message{Role: Tool, Body: `[\"<|x|>\"]`}, nil, `["\u003c|x|>"]`, 1},
		{"a token that JSON spells otherwise", Message{Role: User, Body: `\u003c\u007crole|>`}, nil, `<\|role|>`, 1},
		{"only the tokens of a list", Message{Role: User, Body: `<|x|></s><|role|>`}, []string{"</s>"}, `<|x|><\/s><\|role|>`, 2},
	} {
		w := TokenWriter{Special: specialOf(c.only)}
		c.m.EndTurn = true
		w.message(&c.m, true)
		have := strings.TrimSuffix(jsontext.Body(w.Text[w.content:]).Text(), EndTurnToken)
		if have != c.want || w.noted.escaped != c.n {
			t.Errorf("%s: want %d in %s, have %d in %s", c.reason, c.n, c.want, w.noted.escaped, have)
		}
	}
}

func TestParseTokens(t *testing.T) {
	for _, c := range []struct{ reason, text, want string }{
		{"a token in a content", "<|role|>user<|content|>a<|content|>b", "want the end of message 0, have <|content|>"},
		{"a token that nobody knows", "<|role|>user<|content|>a<|bogus|>b", "want the end of message 0, have an unknown special token"},
		{"a user who ends a turn", "<|role|>user<|content|>a<|end_turn|>", "want the end of message 0, have <|end_turn|>"},
		{"text behind a turn", "<|role|>model<|format|>x<|content|>a<|end_turn|>b", "want nothing behind the end of message 0, have text"},
		{"another role", "<|role|>system<|content|>a", "want platform, developer, user, assistant or tool in message 0, have an unknown role"},
		{"no format", "<|role|>assistant<|content|>a", "want <|format|> behind the role of message 0, have <|content|>"},
		{"no content", "<|role|>user<|content|>a<|role|>user", "want <|content|> in message 1, have the end"},
		{"a prompt to go on", "<|role|>user<|content|>a<|end_message|><|role|>model", ""},
		{"the authors' way to end", "<|role|>user<|content|>a<|end_message|>\n<|role|>", ""},
	} {
		_, faults := parseTokens(c.text, "text")
		have := ""
		for _, f := range faults {
			have += f.Message
		}
		if have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

// FuzzTokens holds that texts come back from token text, whatever they hold, that none of it is a special token, and that
// the segments are the whole text.
func FuzzTokens(f *testing.F) {
	f.Add("<|end_turn|>", "a<\\|b", "<", true)
	f.Add("|role|>", "\\", "<\\\\|x|>", false)
	f.Fuzz(func(t *testing.T, user, assistant, tool string, later bool) {
		for _, text := range []string{user, assistant, tool} {
			if !utf8.ValidString(text) {
				t.Skip("not UTF-8")
			}
		}
		if looksLikeJSON(tool) {
			t.Skip("keeps its meaning, not its spelling")
		}
		messages := []Message{
			{Role: User, Body: jsontext.BodyOf(user)}, {Role: Assistant, Later: later, Format: "x:text", Body: jsontext.BodyOf(assistant), EndTurn: true},
			{Role: Tool, Later: later, Body: jsontext.BodyOf(tool)},
		}
		text, segments := tokensOf(TokenWriter{EndMessage: later}, messages)
		back, faults := parseTokens(text, "")
		if diff := cmp.Diff(messages, back); faults != nil || diff != "" {
			t.Errorf("%v (-want +have):\n%s", faults, diff)
		}
		at := int64(0)
		for _, s := range gjson.Parse(segments).Array() {
			if s.Get("start").Int() != at || s.Get("end").Int() <= at {
				t.Errorf("want segments one behind the other, have %s", segments)
			}
			at = s.Get("end").Int()
		}
		if n := int64(utf8.RuneCountInString(text)); at != n {
			t.Errorf("want segments up to %d, have them up to %d", n, at)
		}
	})
}
