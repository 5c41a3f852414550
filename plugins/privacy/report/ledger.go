// Package report makes the rows of ledgers, the statistics and the attestations of what a privacy step replaced, and checks attestations. It
// knows records and hashes, but no receipt and no folder: those of a run cmd/sluice/internal/attest brings to it.
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

// Hasher makes keyed hashes, which do not reveal a value without the key.
type Hasher struct {
	mac   hash.Hash
	keyID string // differs between keys without showing them
	sum   []byte
}

// RunKey returns the random key of this process.
var RunKey = sync.OnceValue(func() []byte {
	key := make([]byte, 32)
	rand.Read(key)
	return key
})

// NewHasher returns a hasher with a key, or nil without one.
func NewHasher(key []byte) *Hasher {
	if len(key) == 0 {
		return nil
	}
	h := &Hasher{mac: hmac.New(sha256.New, key)}
	h.keyID = string(h.Append(nil, "key", "", 4))
	return h
}

// Append appends 2*size hex digits of the keyed hash of a value for a purpose.
func (h *Hasher) Append(dst []byte, purpose, value string, size int) []byte {
	h.mac.Reset()
	h.mac.Write([]byte(purpose))
	h.mac.Write([]byte{0})
	h.mac.Write(jsontext.Bytes(value))
	h.sum = h.mac.Sum(h.sum[:0])
	return hex.AppendEncode(dst, h.sum[:size])
}

// Row is a finding in the ledger. The ledger holds a hash of Value or nothing of it.
type Row struct {
	Path         []byte // a gjson path
	InKey        bool
	Entity, Rule string
	Start, End   int // code points
	Replacement  string
	Value        string
}

// AppendJSON appends the row as a JSON object, with a hash of the value unless h is nil.
func (r *Row) AppendJSON(dst []byte, h *Hasher) []byte {
	place := "value"
	if r.InKey {
		place = "key"
	}
	dst = jsontext.AppendString(jsontext.AppendKey(append(dst, '{'), "path"), r.Path)
	dst = jsontext.AppendMember(dst, "place", place)
	dst = jsontext.AppendMember(dst, "entity", r.Entity)
	dst = jsontext.AppendMember(dst, "rule", r.Rule)
	dst = strconv.AppendInt(jsontext.AppendKey(dst, "start"), int64(r.Start), 10)
	dst = strconv.AppendInt(jsontext.AppendKey(dst, "end"), int64(r.End), 10)
	dst = jsontext.AppendMember(dst, "unit", "code_point")
	dst = jsontext.AppendMember(dst, "replacement", r.Replacement)
	if h != nil {
		dst = append(jsontext.AppendKey(dst, "value_hash"), '"')
		dst = append(h.Append(dst, "value", r.Value, 16), '"')
		dst = jsontext.AppendMember(dst, "key_id", h.keyID)
	}
	return append(dst, '}')
}
