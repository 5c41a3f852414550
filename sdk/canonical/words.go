package canonical

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// words are the short strings of a record, as far as a few bits tell them apart: a string that is among them may be in the
// record, one that is not is not. Adapters of one chain share them.
type words struct {
	bits [4]uint64
	all  bool // any string may be in the record
}

// longest is how long a string may be, as it is written, to be a mark.
const longest = 200

// read notes the strings of a record. What may spell a string in another way makes all strings possible.
func (w *words) read(record jsontext.JSON) {
	*w = words{all: record.Kind() != '{' && record.Kind() != '['}
	c := record.Cursor()
	for {
		next := strings.IndexByte(string(c.JSON[c.At:]), '"')
		if next < 0 {
			return
		}
		c.At += next
		word, _ := c.String()
		if len(word) > longest {
			continue
		}
		if strings.IndexByte(string(word), '\\') >= 0 {
			w.all = w.all || strings.Contains(string(word), `\u`)
			continue
		}
		i := bitOf(string(word))
		w.bits[i/64] |= 1 << (i % 64)
	}
}

// mayHave tells whether one of some strings may be in the record.
func (w *words) mayHave(any []string) bool {
	return w.all || slices.ContainsFunc(any, func(word string) bool {
		i := bitOf(word)
		return w.bits[i/64]&(1<<(i%64)) != 0
	})
}

// bitOf gives the bit of a string.
func bitOf(word string) uint8 {
	if word == "" {
		return 0
	}
	h := uint32(len(word))<<16 | uint32(word[0])<<8 | uint32(word[len(word)-1])
	return uint8(h * 0x9e3779b1 >> 24)
}
