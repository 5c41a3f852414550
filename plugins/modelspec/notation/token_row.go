package notation

import (
	"errors"
	"strings"

	"github.com/sluicehq/sluice/sdk"
)

// TokenOptions holds the attributes of a step that writes token text.
type TokenOptions struct {
	Notation      string   `hcl:"notation,optional" oneof:"document end_message" doc:"the tokens of the document, or its authors' later ones"`
	SpecialTokens string   `hcl:"special_tokens,optional" oneof:"escape reject" doc:"special tokens in contents"`
	Tokens        []string `hcl:"tokens,optional" doc:"the special tokens of the tokenizer, beside those of the notation; without them everything like <|name|> is one" example:"[\"<|endoftext|>\"]"`
	Segments      bool     `hcl:"segments,optional" doc:"whether to say which stretches of a text to train on"`
}

// DefaultTokens holds the defaults of TokenOptions.
var DefaultTokens = TokenOptions{Notation: "document", SpecialTokens: "escape", Segments: true}

// Check returns the mistakes in the options.
func (o *TokenOptions) Check(a sdk.Args) error {
	var errs []error
	for _, token := range o.Tokens {
		if len(token) < 3 || token[0] != '<' || strings.ContainsAny(token, " \t\r\n\\") {
			errs = append(errs, a.Errorf("tokens", `want special tokens that begin with "<", without white space and backslashes, have %q`, token))
		}
	}
	return errors.Join(errs...)
}

// Writer returns a writer with the options.
func (o *TokenOptions) Writer() TokenWriter {
	return TokenWriter{Special: specialOf(o.Tokens), EndMessage: o.Notation == "end_message"}
}

// Report counts what a writer escaped and lost since the last call, or rejects the record for its special tokens.
func (o *TokenOptions) Report(r *sdk.Record, w *TokenWriter) error {
	n := w.noted
	w.noted = notes{}
	switch {
	case n.escaped > 0 && o.SpecialTokens == "reject":
		return sdk.Reject("special_token", "", "want texts without special tokens, have one")
	case n.broken != "":
		return sdk.Reject("special_token", "", "want special tokens in %s in strings that have escapes, have one elsewhere", n.broken)
	}
	for _, c := range []struct {
		name string
		n    int
	}{{"escape.special_token", n.escaped}, {"escape.yaml", n.rewritten}, {"loss.name", n.names}, {"loss.mark", n.marks}} {
		if c.n > 0 {
			r.Count(c.name, c.n)
		}
	}
	return nil
}

// WriteThread writes a thread to w.Text as {"text", "segments", "system_settings"}, and a preference row as {"prompt", "chosen",
// "rejected", "chosen_segments", "rejected_segments", "reason", "system_settings"}; then the row's other members. Results of
// tools and the prompt of a preference row are not trained on. Messages that both answers begin with move to the prompt, and
// both answers are trained on, since the loss of preference training needs both.
func (w *TokenWriter) WriteThread(t *Thread, segments bool) {
	w.Text = append(w.Text, '{')
	if t.Shape != PairShape {
		w.Text = append(w.Text, `"text":"`...)
		w.startText(false)
		w.messages(t.Messages, true)
		w.end("segments", segments)
	} else {
		pair := *t
		pair.moveCommon()
		w.pair(&pair, segments)
	}
	if t.Settings != "" {
		w.Text = append(append(w.Text, `,"system_settings":`...), t.Settings...)
	}
	w.Text = append(appendExtra(w.Text, t), '}')
}

// pair writes the prompt of a preference row and its two answers. The role that both begin with ends the prompt.
func (w *TokenWriter) pair(t *Thread, segments bool) {
	w.Text = append(w.Text, `"prompt":"`...)
	w.startText(false)
	w.messages(t.Messages, false)
	speak := len(t.Chosen) > 0 && len(t.Rejected) > 0 && t.Chosen[0].Role == Assistant && t.Rejected[0].Role == Assistant
	if speak {
		w.writeRole(Assistant, false)
	}
	begun := w.role && !w.named // behind a call that both answers share
	w.end("", false)
	for _, side := range []struct {
		name     string
		messages []Message
	}{{"chosen", t.Chosen}, {"rejected", t.Rejected}} {
		w.Text = append(append(append(w.Text, ',', '"'), side.name...), `":"`...)
		w.startText(speak)
		w.role = w.role || begun
		w.messages(side.messages, true)
		w.end(side.name+"_segments", segments)
	}
	w.Text = AppendReason(w.Text, t)
}

// messages writes messages; learn reports whether to train on those of the assistant.
func (w *TokenWriter) messages(messages []Message, learn bool) {
	for i := range messages {
		m := &messages[i]
		w.writeRole(m.Role, m.Later)
		w.beginMessage(m.Role, m.Format, learn)
		w.Text = append(w.Text, m.Body...)
		w.endMessage(m.EndTurn)
		w.lose(m)
	}
}

// end ends a text and writes its segments as the member name.
func (w *TokenWriter) end(name string, segments bool) {
	w.Text = append(w.Text, '"')
	if segments {
		w.Text = append(append(append(w.Text, ',', '"'), name...), `":`...)
		w.Text = w.appendSegments(w.Text)
	}
}

// lose counts what token text cannot hold of a message.
func (w *TokenWriter) lose(m *Message) {
	if m.Name != "" {
		w.noted.names++
	}
	for _, mark := range []Mark{m.Correct, m.Halted} {
		if mark != Unmarked {
			w.noted.marks++
		}
	}
}
