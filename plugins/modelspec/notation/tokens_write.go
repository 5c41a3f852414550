package notation

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TokenWriter writes token text as the body of a JSON string, and notes which segments of it a model is to be trained on: the
// format, the content and the stop token of assistant messages.
//
// The document's notation has no token for the end of a message alone. So <|role|>, which begins the next message, is the stop
// token of an assistant message that does not end its turn, and ends a text whose last message is such a message.
type TokenWriter struct {
	Special
	EndMessage bool // <|end_message|> behind every message, and the roles "model" and "context"

	Text []byte // written so far; callers append to it too

	noted    notes
	counted  int // how far into Text the code points are counted
	points   int // of the current text, so far
	segments []segment
	role     bool   // Text ends with <|role|>, or with a role
	named    bool   // Text ends with a role
	language string // of the content, if isCode
	results  bool   // the content is a tool's
	content  int    // offset of the content
}

// notes counts what token text changes or loses.
type notes struct {
	escaped   int    // special tokens in contents
	rewritten int    // contents in YAML that were written anew
	broken    string // the language of a content that no escape can keep, or ""
	names     int    // of contexts
	marks     int    // correct and halted_on_completion
}

// A segment is a part of the text, up to a code point.
type segment struct {
	to    int
	train bool
}

// startText begins a text at the end of Text. continues reports whether the text before it ended with the first role.
func (w *TokenWriter) startText(continues bool) {
	w.counted, w.points, w.segments = len(w.Text), 0, w.segments[:0]
	w.role, w.named = continues, continues
}

// writeRole writes the role of the next message. A context keeps its name, since it may be no result.
func (w *TokenWriter) writeRole(role Role, context bool) {
	if w.named {
		return
	}
	if !w.role {
		w.Text = append(w.Text, RoleToken...)
	}
	switch name := string(role); {
	case w.EndMessage && role == Assistant:
		w.Text = append(w.Text, "model"...)
	case role == Tool && (context || w.EndMessage):
		w.Text = append(w.Text, "context"...)
	default:
		w.Text = append(w.Text, name...)
	}
	w.close(false)
	w.role, w.named = true, true
}

// escape escapes the text behind w.content, decoded, since JSON may escape "<" in it, and counts its code points.
func (w *TokenWriter) escape() {
	w.count(w.content)
	body := w.Text[w.content:]
	n, spelt := codePoints(body)
	if spelt || w.may(jsontext.Body(jsontext.View(body))) {
		if escaped, found := w.escaped(strings.Clone(jsontext.Body(jsontext.View(body)).Text())); found > 0 {
			w.Text = jsontext.AppendBody(w.Text[:w.content], escaped)
			w.noted.escaped += found
			n, _ = codePoints(w.Text[w.content:])
		}
	}
	w.points += n
	w.counted = len(w.Text)
}

func (w *TokenWriter) escaped(text string) (string, int) {
	switch {
	case w.language != "":
		escaped, n, rewritten, ok := w.escapeCode(text, w.language)
		if rewritten {
			w.noted.rewritten++
		}
		if !ok {
			w.noted.broken = w.language
		}
		return escaped, n
	case w.results && looksLikeJSON(text):
		return w.escapeText(text, true)
	}
	return w.escapeText(text, false)
}

func (w *TokenWriter) count(to int) {
	n, _ := codePoints(w.Text[w.counted:to])
	w.points += n
	w.counted = to
}

// close adds the text since the last call as a segment, or to the last segment.
func (w *TokenWriter) close(train bool) {
	w.count(len(w.Text))
	n := len(w.segments)
	switch {
	case n > 0 && w.segments[n-1].train == train:
		w.segments[n-1].to = w.points
	case n == 0 && w.points > 0 || n > 0 && w.points > w.segments[n-1].to:
		w.segments = append(w.segments, segment{w.points, train})
	}
}

// appendSegments appends the segments of the current text as JSON: [{"start", "end", "train"}], in code points.
func (w *TokenWriter) appendSegments(dst []byte) []byte {
	dst = append(dst, '[')
	at := 0
	for i, s := range w.segments {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(append(dst, `{"start":`...), int64(at), 10)
		at = s.to
		dst = strconv.AppendInt(append(dst, `,"end":`...), int64(at), 10)
		dst = append(appendBool(append(dst, `,"train":`...), s.train), '}')
	}
	return append(dst, ']')
}

// codePoints returns the number of code points that a body has when decoded. less reports whether an escape is "<".
func codePoints(body []byte) (n int, less bool) {
	text := jsontext.View(body)
	n = runes(body)
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return n, less
		}
		size := 2
		if text[i+1] == 'u' && i+6 <= len(text) {
			size = 6
			less = less || text[i+5]|0x20 == 'c' && text[i+2:i+5] == "003"
			if high(text[i:]) && i+12 <= len(text) && low(text[i+6:]) {
				size = 12
			}
		}
		n -= size - 1
		text = text[i+size:]
	}
}

// runes returns the number of characters of UTF-8: of bytes but those that go on with a character.
func runes(text []byte) (n int) {
	const ones = 0x0101010101010101
	n = len(text)
	for ; len(text) >= 8; text = text[8:] {
		eight := binary.LittleEndian.Uint64(text)
		n -= bits.OnesCount64(eight >> 7 &^ (eight >> 6) & ones)
	}
	for _, c := range text {
		if c&0xc0 == 0x80 {
			n--
		}
	}
	return n
}

func high(s string) bool { return s[2]|0x20 == 'd' && strings.IndexByte("89abAB", s[3]) >= 0 }

func low(s string) bool {
	return s[0] == '\\' && s[1] == 'u' && s[2]|0x20 == 'd' && strings.IndexByte("cdefCDEF", s[3]) >= 0
}

// TokenOptions holds the attributes of a step that writes token text.
type TokenOptions struct {
	Notation      string   `hcl:"notation,optional" oneof:"document end_message" doc:"the tokens of the document, or its authors' later ones"`
	SpecialTokens string   `hcl:"special_tokens,optional" oneof:"escape reject" doc:"special tokens in contents"`
	Tokens        []string `hcl:"tokens,optional" doc:"the special tokens of the tokenizer, in addition to those of the notation; without them everything like <|name|> is one" example:"[\"<|endoftext|>\"]"`
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
	Count(r, "escape.special_token", n.escaped)
	Count(r, "escape.yaml", n.rewritten)
	Count(r, "loss.name", n.names)
	Count(r, "loss.mark", n.marks)
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
		w.message(&messages[i], learn)
	}
}

func (w *TokenWriter) message(m *Message, learn bool) {
	w.writeRole(m.Role, m.Later)
	w.role, w.named = false, false
	w.language, w.results = "", false
	assists := m.Role == Assistant
	if assists {
		w.Text = append(w.Text, FormatToken...)
		w.content = len(w.Text)
		w.Text = jsontext.AppendBody(w.Text, m.Format)
		w.escape()
		if _, language := Split(Canonical(m.Format)); isCode(language) {
			w.language = language
		}
	}
	w.Text = append(w.Text, ContentToken...)
	w.content, w.results = len(w.Text), m.Role == Tool
	w.Text = append(w.Text, m.Body...)
	w.escape()
	if w.EndMessage {
		w.Text = append(w.Text, EndMessageToken...)
	}
	switch {
	case m.EndTurn && assists:
		w.Text = append(w.Text, EndTurnToken...)
	case assists && !w.EndMessage:
		w.Text = append(w.Text, RoleToken...)
		w.role = true
	}
	w.close(assists && learn)
	// What token text cannot hold of a message:
	if m.Name != "" {
		w.noted.names++
	}
	for _, mark := range []Mark{m.Correct, m.Halted} {
		if mark != Unmarked {
			w.noted.marks++
		}
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
