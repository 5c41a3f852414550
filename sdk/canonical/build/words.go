package build

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// bits is a set of strings, each of which sets one bit. Strings may share a bit.
type bits [16]uint64

// words holds the short strings of a record as bits for all adapters of a chain: a string whose bit is not set is not there.
type words struct {
	bits bits
	all  bool // any string may be in the record
}

// longest is how long a mark may be in the record's spelling.
const longest = 200

// read notes the strings of a record. An escape that may spell any string makes all strings possible.
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
		w.bits.add(string(word))
	}
}

// mayHave reports whether one of some strings may be in the record.
func (w *words) mayHave(any bits) bool {
	if w.all {
		return true
	}
	for i, b := range any {
		if w.bits[i]&b != 0 {
			return true
		}
	}
	return false
}

func (b *bits) add(word string) {
	h := uint32(len(word)) << 16
	if word != "" {
		h |= uint32(word[0])<<8 | uint32(word[len(word)-1])
		h ^= uint32(word[len(word)/2]) << 4
	}
	i := h * 0x9e3779b1 >> 22
	b[i/64] |= 1 << (i % 64)
}

// A need is a group of strings of which a record must have one, and the error that declines other records.
type need struct {
	bits   bits
	absent error
}

func needsOf(groups [][]string) (all []need) {
	for _, group := range groups {
		want := "want one of the strings "
		if len(group) == 1 {
			want = "want the string "
		}
		n := need{absent: sdk.Decline(want + strings.Join(group, ", "))}
		for _, word := range group {
			n.bits.add(word)
		}
		all = append(all, n)
	}
	return all
}
