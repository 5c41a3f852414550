package notation

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A TokenWriter writes token text as the body of a JSON string, and knows which stretches of it a model is to be trained on:
// the format, the content and the stop token of assistant messages.
//
// The document's notation has no token for the end of a message alone. So <|role|>, with which the next message begins, is the
// stop token of an assistant message that does not end its turn, and stands at the end of a text that such a message closes.
type TokenWriter struct {
	Special
	EndMessage bool // <|end_message|> behind every message, and the roles "model" and "context"

	Text []byte // what was written; a caller may have put something before

	noted    notes
	counted  int // how far into Text the code points are counted
	points   int // of the text at hand, so far
	segments []segment
	role     bool // a <|role|> stands at the end already
	named    bool // and the role behind it
	assists  bool
	trains   bool
	language string // of the content, where isCode holds for it
	results  bool   // the content is a tool's
	content  int    // where the content begins
}

// notes are what becomes of a thread in token text.
type notes struct {
	escaped   int    // special tokens in contents
	rewritten int    // contents in YAML that were written anew for them
	broken    string // the language of a content that means something else for them, "" for none
	names     int    // of contexts
	marks     int    // of answers: correct, halted_on_completion
}

// A segment is a stretch of the text that ends before a code point.
type segment struct {
	to    int
	train bool
}

// Start begins a text behind what Text holds. continues tells that it goes on behind a role that another text ends with.
func (w *TokenWriter) Start(continues bool) {
	w.counted, w.points, w.segments = len(w.Text), 0, w.segments[:0]
	w.role, w.named = continues, continues
}

// Role writes the role of the next message. A context goes by its own name, since it may be no result.
func (w *TokenWriter) Role(role Role, context bool) {
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

// Begin begins a message; its content is to be appended to Text, as the body of a string. An assistant has a format. learn
// reports whether the message is one to train on.
func (w *TokenWriter) Begin(role Role, format string, learn bool) {
	w.Role(role, false)
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

// End ends the message, and the turn of an assistant if turn says so.
func (w *TokenWriter) End(turn bool) {
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

// escape escapes what stands behind w.content, and counts it. It may spell < as an escape of JSON, so it is looked at
// decoded.
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

// escaped escapes a content as its language wants it.
func (w *TokenWriter) escaped(text string) (string, int) {
	switch {
	case w.language != "":
		escaped, n, rewritten, ok := w.EscapeCode(text, w.language)
		if rewritten {
			w.noted.rewritten++
		}
		if !ok {
			w.noted.broken = w.language
		}
		return escaped, n
	case w.results && looksLikeJSON(text):
		return w.Escape(text, true)
	}
	return w.Escape(text, false)
}

// count counts the code points of Text up to an offset.
func (w *TokenWriter) count(to int) {
	n, _ := codePoints(w.Text[w.counted:to])
	w.points += n
	w.counted = to
}

// close makes what was written since the last time a segment, or part of the last one.
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

// AppendSegments appends the segments of the text at hand as JSON: [{"start", "end", "train"}], in code points.
func (w *TokenWriter) AppendSegments(dst []byte) []byte {
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

// codePoints counts the code points of a body, as a program counts them that has read the JSON: an escape is one, and so are
// two that are a surrogate pair. less tells whether an escape spells "<".
func codePoints(body []byte) (n int, less bool) {
	text := jsontext.View(body)
	n = starts(text)
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

// starts counts the bytes of valid UTF-8 that begin a code point. Most texts are ASCII, which is found for 32 bytes at a time.
func starts(text string) int {
	data := jsontext.Bytes(text)
	inside := 0
	for len(data) >= 32 {
		block := (*[32]byte)(data)
		a, b := binary.LittleEndian.Uint64(block[:]), binary.LittleEndian.Uint64(block[8:])
		c, d := binary.LittleEndian.Uint64(block[16:]), binary.LittleEndian.Uint64(block[24:])
		if (a|b|c|d)&0x8080808080808080 != 0 {
			// Each byte of the sum is at most 4, and all together are at most 32.
			inside += int((within(a) + within(b) + within(c) + within(d)) * ones >> 56)
		}
		data = data[32:]
	}
	for len(data) >= 8 {
		inside += int(within(binary.LittleEndian.Uint64(data)) * ones >> 56)
		data = data[8:]
	}
	for _, c := range data {
		if c&0xc0 == 0x80 {
			inside++
		}
	}
	return len(text) - inside
}

const ones = 0x0101010101010101

// within marks those of eight bytes that go on with a code point, each by a 1.
func within(v uint64) uint64 { return v >> 7 & ^(v >> 6) & ones }
