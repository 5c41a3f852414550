package check

import (
	"fmt"
	"math/bits"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// leak finds a part of a platform or developer message that an answer repeats word for word, in any case, quoted or as a
// string of JSON. White space counts as one blank. What a user wrote before is no secret. A code or quotation next to words about
// secrets may be short.
func leak(v *view, i int, m *notation.Message) string {
	if m.Format == notation.Reasoning || v.isCall(i) {
		return ""
	}
	if v.tellsShort(i) {
		return "want no secrets of the platform or developer, have a code or a quotation of one"
	}
	if len(v.texts[i]) < v.leakLength {
		return ""
	}
	answer := v.plainOf(i)
	for at, earlier := range v.messages[:i] {
		if !earlier.Instructs() {
			continue
		}
		if v.secrets == nil {
			v.secrets = make([]*secret, len(v.messages))
		}
		if v.secrets[at] == nil {
			v.secrets[at] = newSecret(v.plainOf(at), v.leakLength)
		}
		if found := v.secrets[at].in(answer); found != "" && !v.known(found, i) {
			return fmt.Sprintf("want no secrets of the platform or developer, have at least %d characters of one in a row", v.leakLength)
		}
	}
	return ""
}

// known reports whether a user wrote as much of found before message i.
func (v *view) known(found string, i int) bool {
	s := newSecret(found, v.leakLength)
	for at := range v.messages[:i] {
		if v.messages[at].Role == notation.User && s.in(v.plainOf(at)) != "" {
			return true
		}
	}
	return false
}

var (
	unescaped = strings.NewReplacer(`\n`, "\n", `\"`, `"`)
	quoteMark = regexp.MustCompile(`(?m)^[ \t]*> `)
)

// plain makes texts equal that differ only in case, white space, marks of a quotation and escapes of JSON.
func plain(text string) string {
	if strings.Contains(text, `\n`) || strings.Contains(text, `\"`) {
		text = unescaped.Replace(text)
	}
	if strings.Contains(text, "> ") {
		text = quoteMark.ReplaceAllString(text, "")
	}
	lower, blank := make([]byte, 0, len(text)), false
	for _, r := range text {
		switch {
		case r <= ' ':
			blank = len(lower) > 0
			continue
		case blank:
			lower, blank = append(lower, ' '), false
		}
		switch {
		case 'A' <= r && r <= 'Z':
			lower = append(lower, byte(r)|0x20)
		case r < utf8.RuneSelf:
			lower = append(lower, byte(r))
		default:
			lower = utf8.AppendRune(lower, unicode.ToLower(r))
		}
	}
	return string(lower)
}

// plainOf returns the text of message i as plain makes it, once for all checks.
func (v *view) plainOf(i int) string {
	if v.plains == nil {
		v.plains = make([]string, len(v.messages))
	}
	if v.plains[i] == "" {
		v.plains[i] = plain(v.texts[i])
	}
	return v.plains[i]
}

// A secret is a text cut into blocks. Any part of it that is length code points long holds a whole block, so a text repeats
// such a part only around a block that it holds.
type secret struct {
	text         string
	length, size int     // of a part, in code points; of a block, in bytes
	last         []int32 // a hash table: the last block of each slot, counted from 1
	same         []int32 // the block before it in the same slot
	shift        int     // makes a hash a slot
}

func newSecret(text string, length int) *secret {
	s := &secret{text: text, length: length, size: (length + 1) / 2}
	blocks := len(text) / s.size
	s.shift = 64 - bits.Len(uint(blocks)*8)
	s.last, s.same = make([]int32, 1<<(64-s.shift)), make([]int32, blocks+1)
	for block := 1; block <= blocks; block++ {
		slot := hash(text[(block-1)*s.size:block*s.size]) >> s.shift
		s.same[block], s.last[slot] = s.last[slot], int32(block)
	}
	return s
}

// in returns a part of the secret that answer repeats, or "".
func (s *secret) in(answer string) string {
	if len(answer) < s.length || len(s.text) < s.length {
		return ""
	}
	drop := uint64(1)
	for range s.size {
		drop *= hashBase
	}
	sum := hash(answer[:s.size])
	for end := s.size; ; end++ {
		for block := s.last[sum>>s.shift]; block > 0; block = s.same[block] {
			at := (int(block) - 1) * s.size
			if answer[end-s.size:end] != s.text[at:at+s.size] {
				continue
			}
			if both := shared(answer, s.text, end-s.size, at); utf8.RuneCountInString(both) >= s.length {
				return both
			}
		}
		if end == len(answer) {
			return ""
		}
		sum = sum*hashBase + uint64(answer[end]) - drop*uint64(answer[end-s.size])
	}
}

const hashBase = 0x9e3779b97f4a7c15

func hash(text string) (sum uint64) {
	for i := range len(text) {
		sum = sum*hashBase + uint64(text[i])
	}
	return sum
}

// shared returns the longest text that both have around the offsets i and j.
func shared(answer, text string, i, j int) string {
	to := 0
	for i+to < len(answer) && j+to < len(text) && answer[i+to] == text[j+to] {
		to++
	}
	from := 0
	for from < i && from < j && answer[i-from-1] == text[j-from-1] {
		from++
	}
	return strings.ToValidUTF8(text[j-from:j+to], "") // the code points at both ends may differ in some of their bytes
}
