package redact

import (
	"math/bits"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// A knownValues remembers strings and objects that hold nothing and that records repeat, such as system prompts and tools, so that they
// are not searched again. It compares all their bytes. Its memory is bounded, and values that do not come again cost little.
type knownValues struct {
	begun [1 << 8]begunValues // by mark
	held  int                 // bytes of all values
}

// begunValues are the known values that begin alike.
type begunValues struct {
	mark   uint64
	values []knownValue
	next   int // the one that the next takes the place of, when there are as many as may be
	found  int // how often one of them came again
	tried  int // how often one was to be kept
	age    int // how often others with the same place have come since it was of use
}

type knownValue struct {
	text string
	tail uint64 // its last bytes, which differ where a date or a number is at the end
}

// Bounds of knownValues.
const (
	leastKnownValue = 64       // bytes
	mostKnownValue  = 64 << 10 // bytes
	mostHeld        = 1 << 20  // bytes of all values
	mostAlike       = 64       // values that begin alike
	credit          = 96       // values beginning alike that are to be kept before one comes again
	mostAge         = 256
)

// find returns the size of the known value that text begins with, or 0. Then worth reports that the value is to be kept if it holds
// nothing, since another one has begun like it.
func (k *knownValues) find(text string) (size int, worth bool) {
	if len(text) < leastKnownValue {
		return 0, false
	}
	mark := markOf(text)
	b := &k.begun[mark%uint64(len(k.begun))]
	if b.mark != mark {
		if b.age++; b.tried == 0 || b.age > mostAge {
			k.forget(b)
			b.mark = mark
		}
		return 0, false
	}
	for i := range b.values {
		v := &b.values[i]
		if n := len(v.text); n <= len(text) && ascii.Load64(text, n-8) == v.tail && text[:n] == v.text {
			b.found++
			b.age = 0
			return n, false
		}
	}
	if b.tried < b.found+credit {
		return 0, true
	}
	k.drop(b) // values that begin so are all different
	return 0, false
}

// try counts a value that is to be kept, whatever becomes of it: what begins like many that are too large, or hold something, is given up
// too, so that the values inside of it can be kept.
func (k *knownValues) try(text string) {
	mark := markOf(text)
	if b := &k.begun[mark%uint64(len(k.begun))]; b.mark == mark {
		b.tried++
	}
}

// keep remembers a value.
func (k *knownValues) keep(value string) {
	if len(value) < leastKnownValue || len(value) > mostKnownValue {
		return
	}
	mark := markOf(value)
	if k.held += len(value); k.held > mostHeld {
		*k = knownValues{held: len(value)}
	}
	b := &k.begun[mark%uint64(len(k.begun))]
	if b.mark != mark {
		k.forget(b)
		b.mark = mark
	}
	made := knownValue{strings.Clone(value), ascii.Load64(value, len(value)-8)}
	if len(b.values) < mostAlike {
		b.values = append(b.values, made)
		return
	}
	k.held -= len(b.values[b.next].text)
	b.values[b.next] = made
	b.next = (b.next + 1) % mostAlike
}

// drop drops values that begin alike.
func (k *knownValues) drop(b *begunValues) {
	for i := range b.values {
		k.held -= len(b.values[i].text)
	}
	b.values, b.next = slices.Delete(b.values, 0, len(b.values)), 0
}

// forget makes room for values that begin in another way.
func (k *knownValues) forget(b *begunValues) {
	k.drop(b)
	*b = begunValues{values: b.values}
}

// markOf returns a hash of the first bytes of a text.
func markOf(text string) uint64 {
	at := func(i int) uint64 { return ascii.Load64(text, i) }
	return fold(at(0)^0xa0761d6478bd642f, at(8)^0xe7037ed1a0b428db) ^ fold(at(16)^0x8ebc6af09c88c6e3, at(24)^0x589965cc75374cc3) ^
		fold(at(32)^0x1d8e4e27c47d124f, at(40)^0xeb44accab455d165) ^ fold(at(48)^0x9c6e6877736c46e3, at(56)^0xca5a826395121157)
}

func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
