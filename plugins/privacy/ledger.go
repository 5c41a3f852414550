package privacy

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

// A hasher makes keyed hashes, from which a value cannot be guessed without the key. One without a key makes none, and
// what it writes is the same in every run.
type hasher struct {
	mac   hash.Hash
	keyID string // tells keys apart without giving them away
	sum   []byte
}

// processKey is a key that nobody sees.
var processKey = sync.OnceValue(func() []byte {
	key := make([]byte, 32)
	rand.Read(key)
	return key
})

func newHasher(key []byte) *hasher {
	h := &hasher{}
	if len(key) > 0 {
		h.mac = hmac.New(sha256.New, key)
		h.keyID = string(h.append(nil, "key", "", 4))
	}
	return h
}

// append appends 2*size hex digits of the keyed hash of a value that is used for purpose.
func (h *hasher) append(dst []byte, purpose, value string, size int) []byte {
	h.mac.Reset()
	h.mac.Write([]byte(purpose))
	h.mac.Write([]byte{0})
	h.mac.Write(unsafe.Slice(unsafe.StringData(value), len(value)))
	h.sum = h.mac.Sum(h.sum[:0])
	return hex.AppendEncode(dst, h.sum[:size])
}

// appendRow appends a ledger row: what was found where, and never the value itself.
func (h *hasher) appendRow(dst []byte, f *finding) []byte {
	dst = append(dst, `{"path":"`...)
	dst = appendEscaped(dst, h.path(f.path))
	dst = append(dst, `","place":"`...)
	if f.inKey {
		dst = append(dst, "key"...)
	} else {
		dst = append(dst, "value"...)
	}
	dst = append(dst, `","entity":"`...)
	dst = append(dst, f.rule.entity...)
	dst = append(dst, `","rule":"`...)
	dst = appendEscaped(dst, f.rule.name)
	dst = append(dst, `","start":`...)
	dst = strconv.AppendInt(dst, int64(f.start), 10)
	dst = append(dst, `,"end":`...)
	dst = strconv.AppendInt(dst, int64(f.end), 10)
	dst = append(dst, `,"unit":"code_point","replacement":"`...)
	dst = appendEscaped(dst, f.out)
	if h.mac != nil {
		dst = append(dst, `","value_hash":"`...)
		dst = h.append(dst, "value", f.value, 16)
		dst = append(dst, `","key_id":"`...)
		dst = append(dst, h.keyID...)
	}
	return append(dst, `"}`...)
}

// path writes a gjson path. A key that is personal stands there as <key>, with its hash if there is a key for it, and @fromstr leads into a string that was
// read as JSON.
func (h *hasher) path(steps []step) string {
	var b strings.Builder
	for i, s := range steps {
		if i > 0 {
			b.WriteByte('.')
		}
		switch {
		case s.parsed:
			b.WriteString("@fromstr")
		case s.index >= 0:
			b.WriteString(strconv.Itoa(s.index))
		case s.personal:
			b.WriteString("<key")
			if h.mac != nil {
				b.WriteByte(':')
				b.Write(h.append(nil, "key", s.key, 6))
			}
			b.WriteByte('>')
		default:
			for j := range len(s.key) {
				if strings.IndexByte(`.*?|#@!{}[]()\`, s.key[j]) >= 0 {
					b.WriteByte('\\')
				}
				b.WriteByte(s.key[j])
			}
		}
	}
	return b.String()
}

// view gives bytes as a string without a copy, for as long as they do not change.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
