// Package filehash hashes the files that a run reads and writes. It is the one place that knows the algorithms; which of them a
// run uses, its pipeline says.
package filehash

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/zeebo/blake3"
	"github.com/zeebo/xxh3"
)

// The algorithms, by the words that a pipeline has for them. The default depends on nothing, so that receipts of one corpus from
// two machines are equal.
const (
	BLAKE3 = "blake3" // cryptographic, and fast with AVX2
	SHA256 = "sha256" // cryptographic; fast only on processors with instructions for it
	XXH3   = "xxh3"   // of 128 bits: finds what broke, not who changed it

	Default = BLAKE3
)

// Algorithms lists all, the default first.
var Algorithms = []string{BLAKE3, SHA256, XXH3}

// Sum is the hash of a file in hex, named by its algorithm in JSON too. At most one field is set.
type Sum struct {
	BLAKE3 string `json:"blake3,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
	XXH3   string `json:"xxh3,omitempty"`
}

// Of returns the sum with this hash.
func Of(algorithm, hex string) (s Sum) {
	switch algorithm {
	case BLAKE3:
		s.BLAKE3 = hex
	case SHA256:
		s.SHA256 = hex
	case XXH3:
		s.XXH3 = hex
	}
	return s
}

// Algorithm returns the algorithm, "" when there is no hash.
func (s Sum) Algorithm() string {
	switch {
	case s.BLAKE3 != "":
		return BLAKE3
	case s.SHA256 != "":
		return SHA256
	case s.XXH3 != "":
		return XXH3
	}
	return ""
}

// Hex returns the hash, "" when there is none.
func (s Sum) Hex() string { return s.BLAKE3 + s.SHA256 + s.XXH3 }

// Named returns the algorithm and the hash.
func (s Sum) Named() string {
	if s == (Sum{}) {
		return ""
	}
	return s.Algorithm() + " " + s.Hex()
}

// Hasher computes the hash of what is written to it.
type Hasher struct {
	hash.Hash
	algorithm string
}

// New returns a hasher, with the default algorithm for "".
func New(algorithm string) *Hasher {
	switch algorithm {
	case SHA256:
		return &Hasher{sha256.New(), SHA256}
	case XXH3:
		return &Hasher{xxh128{xxh3.New()}, XXH3}
	case BLAKE3, "":
		return &Hasher{blake3.New(), BLAKE3}
	}
	panic(fmt.Sprintf("want an algorithm of %v, have %q", Algorithms, algorithm)) // the pipeline was checked
}

// Result returns the hash of all that was written.
func (h *Hasher) Result() Sum { return Of(h.algorithm, hex.EncodeToString(h.Sum(nil))) }

// Algorithm returns the hasher's algorithm.
func (h *Hasher) Algorithm() string { return h.algorithm }

// File returns the hash of a file.
func File(path, algorithm string) (Sum, error) {
	file, err := os.Open(path)
	if err != nil {
		return Sum{}, err
	}
	defer file.Close()
	return Reader(file, algorithm)
}

// Reader returns the hash of all that a reader returns.
func Reader(from io.Reader, algorithm string) (Sum, error) {
	h := New(algorithm)
	if _, err := io.CopyBuffer(struct{ io.Writer }{h}, struct{ io.Reader }{from}, make([]byte, 256<<10)); err != nil {
		return Sum{}, err
	}
	return h.Result(), nil
}

// xxh128 is XXH3 with all its 128 bits, as xxh128sum prints them.
type xxh128 struct{ *xxh3.Hasher }

// Size implements hash.Hash.
func (x xxh128) Size() int { return 16 }

// Sum implements hash.Hash.
func (x xxh128) Sum(b []byte) []byte {
	sum := x.Sum128().Bytes()
	return append(b, sum[:]...)
}
