package redact

import (
	"encoding/binary"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// repeats reports whether a record holds copies of secrets that were found in values, and whether that is certain: the words of
// a short secret are not looked for, and of one of many only their beginnings.
func repeats(doc string, values, secrets []string) (repeated, certain bool) {
	probes := map[string]bool{}
	for _, secret := range secrets {
		probe := longestWord(secret)
		if probes[probe] = true; len(probe) < leastProbe {
			return false, false
		}
	}
	if len(probes) > mostProbes {
		return false, !escapesLetters(doc) && !repeatAny(doc, values, secrets)
	}
	if len(probes) > 0 && escapesLetters(doc) {
		return true, true
	}
	for probe := range probes {
		known := 0
		for _, value := range values {
			known += strings.Count(value, probe)
		}
		if strings.Count(doc, probe) != known {
			return true, true
		}
	}
	return false, true
}

const (
	leastProbe = 4 // letters and digits
	mostProbes = 8 // each is looked for by itself
)

// repeatAny reports whether a record may hold one of many secrets beside the values in which they were found. It counts in
// one pass the beginnings of their longest words, which are all in the values when there is no copy.
func repeatAny(doc string, values, secrets []string) bool {
	var words []string
	b := beginnings{size: 8}
	for _, secret := range secrets {
		word := longestWord(secret)
		words, b.size = append(words, word), min(b.size, len(word))
	}
	if b.size < leastProbe {
		return true
	}
	b.add(words)
	count := 0
	for _, value := range values {
		if strings.IndexByte(value, '<') >= 0 {
			return true // it may hold a marker, which is not in the record
		}
		count += b.count(value)
	}
	return b.count(doc) != count
}

// Beginnings are the first bytes of words, up to eight.
type beginnings struct {
	size  int
	known map[uint64]bool
	maybe []uint64 // a bit for each hash of one
	shift uint     // of a hash
}

func (b *beginnings) add(words []string) {
	b.known = make(map[uint64]bool, len(words))
	for b.shift = 64 - 10; 1<<(64-b.shift) < 16*len(words); b.shift-- {
	}
	b.maybe = make([]uint64, 1<<(64-b.shift)/64)
	for _, word := range words {
		var first [8]byte
		copy(first[:b.size], word)
		v := binary.LittleEndian.Uint64(first[:])
		h := v * beginningsHash >> b.shift
		b.known[v], b.maybe[h/64] = true, b.maybe[h/64]|1<<(h%64)
	}
}

const beginningsHash = 0x9e3779b97f4a7c15

// count returns how many places of a text begin as one of the words.
func (b *beginnings) count(text string) (n int) {
	mask, at := ^uint64(0)>>(64-8*b.size), 0
	for ; at+8 <= len(text); at++ {
		v := ascii.Load64(text, at) & mask
		if h := v * beginningsHash >> b.shift; b.maybe[h/64]>>(h%64)&1 != 0 && b.known[v] {
			n++
		}
	}
	for ; at+b.size <= len(text); at++ {
		var last [8]byte
		copy(last[:b.size], text[at:])
		if b.known[binary.LittleEndian.Uint64(last[:])] {
			n++
		}
	}
	return n
}

// longestWord returns the first run of 32 letters and digits in a secret, or the longest shorter one. All spellings have it as it is, so
// the letters and digits of an escape are none.
func longestWord(secret string) (longest string) {
	r := reading{text: secret}
	if len(secret) <= longestSpelled {
		r = read(secret)
	}
	for i := 0; i < len(r.text) && len(longest) < 32; i++ {
		start := i
		for i < len(r.text) && i-start < 32 && ascii.IsAlnum(r.text[i]) && (len(r.rounds) == 0 || r.end(i+1) == r.start(start)+i+1-start) {
			i++
		}
		if i-start > len(longest) {
			longest = r.text[start:i]
		}
	}
	return longest
}

// escapesLetters reports whether a JSON text may hold escapes of letters or digits, which no program needs to write.
func escapesLetters(doc string) bool {
	for {
		_, rest, ok := strings.Cut(doc, `\u00`)
		if !ok {
			return false
		}
		if len(rest) > 1 && rest[0] >= '3' && rest[0] <= '7' && !(rest[0] == '3' && rest[1] > '9') {
			return true
		}
		doc = rest
	}
}
