package redact

import (
	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

type knownKey struct {
	first, last uint64 // bytes of it; last only of a key of more than 8
	size        int
	class       rules.Class
	clean       bool               // the rules find nothing in it
	raw         [longestKnown]byte // only of a key of more than 16 bytes
}

// is reports whether an entry is that of a key with these first and last bytes.
func (k *knownKey) is(first, last uint64, raw string) bool {
	size := len(raw)
	return k.first == first && k.last == last && k.size == size && (size <= 16 || string(k.raw[:size]) == raw)
}

// A keyCache holds 1024 keys of at most 40 bytes by their raw text, since records repeat them.
type keyCache struct {
	known [1 << 10]knownKey
	other knownKey
}

const longestKnown = 40

// firstBytes are the bits of so many bytes.
var firstBytes = [...]uint64{0, 1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<32 - 1, 1<<40 - 1, 1<<48 - 1, 1<<56 - 1, 1<<64 - 1}

// at returns the entry of the key in doc[start:end], valid until the next call. It does not cache very long keys.
func (c *keyCache) at(doc string, start, end int, e *recognise.Engine) *knownKey {
	raw := doc[start:end]
	size := len(raw)
	if uint(size-1) >= longestKnown || start+8 > len(doc) {
		c.other = knownKey{class: classOf(raw, e)}
		return &c.other
	}
	first, last := ascii.Load64(doc, start)&firstBytes[min(size, 8)], uint64(0)
	if size > 8 {
		last = ascii.Load64(doc, end-8)
	}
	slot := (first + last) * 0x9e3779b97f4a7c15 >> 54
	known := &c.known[slot]
	if known.is(first, last, raw) {
		return known
	}
	return beside(first, last, raw, known, &c.known[slot^1], e)
}

// beside returns the entry in the slot beside that of a key, or else makes one in either.
func beside(first, last uint64, raw string, known, other *knownKey, e *recognise.Engine) *knownKey {
	if other.is(first, last, raw) {
		return other
	}
	size := len(raw)
	if known.size > 0 && (other.size == 0 || size&1 == 0) {
		known = other
	}
	*known = knownKey{first: first, last: last, size: size, class: classOf(raw, e)}
	if size > 16 {
		copy(known.raw[:], raw)
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
	case "kind":
		class |= rules.KindKey
	case "data", "stringData":
		class |= rules.DataKey
	}
	return class
}

// sawMember notes whether the value at at, whose key has the class, may be of a part with media.
func (f *Filter) sawMember(doc string, at int, class rules.Class) {
	if class&rules.MediaKey == 0 || f.media {
		return
	}
	for at < len(doc) && (doc[at] == ':' || isBlank(doc[at])) {
		at++
	}
	switch {
	case at == len(doc):
	case doc[at] == '[':
		f.media = true
	case doc[at] == '"':
		f.media = canonical.MediaPart.HasType(jsontext.Body(doc[at+1 : stringEnd(doc, at+1)]))
	}
}
