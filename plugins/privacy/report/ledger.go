// Package report accounts for what was taken out: rows of the ledger, statistics, and attestations with their check.
package report

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"sync"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Hasher makes keyed hashes, from which a value cannot be guessed without the key.
type Hasher struct {
	mac   hash.Hash
	keyID string // tells keys apart without giving them away
	sum   []byte
}

// RunKey is a key that nobody sees.
var RunKey = sync.OnceValue(func() []byte {
	key := make([]byte, 32)
	rand.Read(key)
	return key
})

// NewHasher makes a hasher with a key, or nil without one.
func NewHasher(key []byte) *Hasher {
	if len(key) == 0 {
		return nil
	}
	h := &Hasher{mac: hmac.New(sha256.New, key)}
	h.keyID = string(h.Append(nil, "key", "", 4))
	return h
}

// Append appends 2*size hex digits of the keyed hash of a value that is used for purpose.
func (h *Hasher) Append(dst []byte, purpose, value string, size int) []byte {
	h.mac.Reset()
	h.mac.Write([]byte(purpose))
	h.mac.Write([]byte{0})
	h.mac.Write(jsontext.Bytes(value))
	h.sum = h.mac.Sum(h.sum[:0])
	return hex.AppendEncode(dst, h.sum[:size])
}

// A Row is one finding in the ledger. Value is what was found, which stands there as a hash or not at all.
type Row struct {
	Path         []byte // a gjson path
	InKey        bool
	Entity, Rule string
	Start, End   int // code points
	Replacement  string
	Value        string
}

// AppendJSON appends the row as an object, with a hash of the value unless h is nil.
func (r *Row) AppendJSON(dst []byte, h *Hasher) []byte {
	dst = append(dst, `{"path":`...)
	dst = jsontext.AppendString(dst, r.Path)
	dst = append(dst, `,"place":"`...)
	if r.InKey {
		dst = append(dst, "key"...)
	} else {
		dst = append(dst, "value"...)
	}
	dst = append(dst, `","entity":"`...)
	dst = append(dst, r.Entity...)
	dst = append(dst, `","rule":`...)
	dst = jsontext.AppendString(dst, r.Rule)
	dst = append(dst, `,"start":`...)
	dst = strconv.AppendInt(dst, int64(r.Start), 10)
	dst = append(dst, `,"end":`...)
	dst = strconv.AppendInt(dst, int64(r.End), 10)
	dst = append(dst, `,"unit":"code_point","replacement":`...)
	dst = jsontext.AppendString(dst, r.Replacement)
	if h != nil {
		dst = append(dst, `,"value_hash":"`...)
		dst = h.Append(dst, "value", r.Value, 16)
		dst = append(dst, `","key_id":"`...)
		dst = append(append(dst, h.keyID...), '"')
	}
	return append(dst, '}')
}
