package redact

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

type knownKey struct {
	first, last uint64 // bytes of it
	size        int
	raw         string // only of a key of more than 16 bytes
	class       rules.Class
	clean       bool // the rules find nothing in it
}

// A keyCache holds 1024 keys of at most 40 bytes by their raw text, since records repeat them.
type keyCache struct {
	known [1 << 10]knownKey
	other knownKey
}

const longestKnown = 40

// at returns the entry of the key in doc[start:end], valid until the next call. It does not cache very long keys.
func (c *keyCache) at(doc string, start, end int, e *recognise.Engine) *knownKey {
	size := end - start
	if size == 0 || size > longestKnown || start+8 > len(doc) {
		c.other = knownKey{class: classOf(doc[start:end], e)}
		return &c.other
	}
	first, last := recognise.Load64(doc, start), uint64(0)
	if size < 8 {
		first &= 1<<(8*size) - 1
	} else {
		last = recognise.Load64(doc, end-8)
	}
	slot := (first*0x9e3779b97f4a7c15 ^ last*0xc2b2ae3d27d4eb4f) >> 54
	known, other := &c.known[slot], &c.known[slot^1]
	if known.first == first && known.last == last && known.size == size && (size <= 16 || known.raw == doc[start:end]) {
		return known
	}
	if other.first == first && other.last == last && other.size == size && (size <= 16 || other.raw == doc[start:end]) {
		return other
	}
	if known.size > 0 && (other.size == 0 || size&1 == 0) {
		known = other
	}
	*known = knownKey{first: first, last: last, size: size, class: classOf(doc[start:end], e)}
	if size > 16 {
		known.raw = strings.Clone(doc[start:end])
	}
	return known
}

// classOf returns the class of a key as it is written.
func classOf(raw string, e *recognise.Engine) rules.Class {
	key := Decode(raw, 0).Decoded
	class := e.Class(key)
	switch key {
	case "type", "files", "experimental_attachments": // where package canonical finds media: a string with their type, or an array
		class |= rules.MediaKey
	}
	return class
}
