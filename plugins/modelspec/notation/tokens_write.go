package notation

import (
	"strconv"
	"strings"
	"unicode/utf8"

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
	assists  bool   // the message is the assistant's
	trains   bool   // the message is one to train on
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

// beginMessage begins a message, whose content the caller appends to Text as the body of a string. learn reports whether an
// assistant's message is one to train on.
func (w *TokenWriter) beginMessage(role Role, format string, learn bool) {
	w.writeRole(role, false)
	w.role, w.named = false, false
	w.assists = role == Assistant
	w.trains = w.assists && learn
	w.language, w.results = "", false
	if w.assists {
		w.Text = append(w.Text, FormatToken...)
		w.content = len(w.Text)
		w.Text = jsontext.AppendBody(w.Text, format)
		w.escape()
		if _, language := Split(Canonical(format)); isCode(language) {
			w.language = language
		}
	}
	w.Text = append(w.Text, ContentToken...)
	w.content, w.results = len(w.Text), role == Tool
}

// endMessage ends the message, and with turn the turn of an assistant.
func (w *TokenWriter) endMessage(turn bool) {
	w.escape()
	if w.EndMessage {
		w.Text = append(w.Text, EndMessageToken...)
	}
	switch {
	case turn && w.assists:
		w.Text = append(w.Text, EndTurnToken...)
	case w.assists && !w.EndMessage:
		w.Text = append(w.Text, RoleToken...)
		w.role = true
	}
	w.close(w.trains)
}

// escape escapes the text behind w.content and counts its code points. The text is decoded first, since < may be an escape
// of JSON in it.
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

// escaped escapes a content in its language.
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

// count counts the code points of Text up to an offset.
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

// codePoints returns the number of code points in a decoded body. An escape is one, and so are two of a surrogate pair. less
// reports whether an escape is "<".
func codePoints(body []byte) (n int, less bool) {
	text := jsontext.View(body)
	n = utf8.RuneCountInString(text)
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

func high(s string) bool { return s[2]|0x20 == 'd' && strings.IndexByte("89abAB", s[3]) >= 0 }

func low(s string) bool {
	return s[0] == '\\' && s[1] == 'u' && s[2]|0x20 == 'd' && strings.IndexByte("cdefCDEF", s[3]) >= 0
}
