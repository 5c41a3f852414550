package check

import (
	"fmt"
	"math/bits"
	"strings"
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
	for at := range v.messages[:i] {
		if !v.messages[at].Instructs() {
			continue
		}
		if found := v.secretOf(at).in(answer); found != "" && !v.known(found, i) {
			return fmt.Sprintf("want no secrets of the platform or developer, have at least %d characters of one in a row", v.leakLength)
		}
	}
	return ""
}

// known reports whether a user wrote as much of found before message i.
func (v *view) known(found string, i int) bool {
	var s secret
	s.cut(found, v.leakLength)
	for at := range v.messages[:i] {
		if v.messages[at].Role == notation.User && s.in(v.plainOf(at)) != "" {
			return true
		}
	}
	return false
}

// A secret is a text cut into blocks. Any part of it that is length code points long holds a whole block, so a text repeats
// such a part only around a block that it holds.
type secret struct {
	text         string
	length, size int      // of a part, in code points; of a block, in bytes
	begins       []uint64 // a set of bits for how blocks of eight bytes and more begin, which most of an answer is not in
	last         []int32  // a hash table: the last block of each slot, counted from 1
	same         []int32  // the block before it in the same slot
	shift        int      // makes a hash a slot
}

// cut makes the secret that of a text, with the memory that it has.
func (s *secret) cut(text string, length int) {
	s.text, s.length, s.size = text, length, (length+1)/2
	blocks := len(text) / s.size
	s.shift = min(64-bits.Len(uint(blocks)*8), 64-6)
	slots := 1 << (64 - s.shift)
	s.last, s.same, s.begins = zeroed(s.last, slots), zeroed(s.same, blocks+1), zeroed(s.begins, slots/64)
	for block := 1; block <= blocks; block++ {
		at := (block - 1) * s.size
		slot := s.slot(text, at)
		if s.size >= 8 {
			begin := load(text, at) * hashFactor >> (s.shift & 63)
			s.begins[begin/64] |= 1 << (begin % 64)
		}
		s.same[block], s.last[slot] = s.last[slot], int32(block)
	}
}

// in returns a part of the secret that answer repeats, or "".
func (s *secret) in(answer string) string {
	if len(answer) < s.length || len(s.text) < s.length {
		return ""
	}
	size, shift, begins := s.size, s.shift&63, s.begins
	for from := range len(answer) - size + 1 {
		if size >= 8 {
			if begin := load(answer, from) * hashFactor >> shift; begins[begin/64]>>(begin%64)&1 == 0 {
				continue
			}
		}
		for block := s.last[s.slot(answer, from)]; block > 0; block = s.same[block] {
			at := (int(block) - 1) * s.size
			if answer[from:from+s.size] != s.text[at:at+s.size] {
				continue
			}
			if both := shared(answer, s.text, from, at); utf8.RuneCountInString(both) >= s.length {
				return both
			}
		}
	}
	return ""
}

const hashFactor = 0x9e3779b97f4a7c15

// slot returns the slot of the block at an offset of a text, by its first and last eight bytes.
func (s *secret) slot(text string, at int) (sum uint64) {
	if s.size < 8 {
		for i := range s.size {
			sum = sum<<8 | uint64(text[at+i])
		}
	} else {
		sum = load(text, at)*hashFactor ^ load(text, at+s.size-8)
	}
	return sum * hashFactor >> (s.shift & 63)
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

// zeroed returns a list of n zeros, in the memory of another list where that is enough.
func zeroed[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}
