package source

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A hasher computes the SHA-256 of a file. What lies in memory that is kept is hashed in a goroutine of its own, behind the
// reader.
type hasher struct {
	hash  hash.Hash
	spans chan span // nil until there is one
	group sync.WaitGroup
}

// A span is a run of bytes that is to be hashed.
type span struct {
	data []byte
	hold hold
}

// A hold keeps memory as it is until it is hashed.
type hold struct {
	mem  *wire.Region
	busy *sync.WaitGroup // counts the spans of it that are not hashed
}

// spanDepth is how many spans may wait. The reader makes them of readSize at most.
const spanDepth = 64

func newHasher() hasher { return hasher{hash: sha256.New()} }

// write hashes p at once.
func (s *hasher) write(p []byte) { s.hash.Write(p) }

// writeLater hashes p later. What was followed must not be mixed with later writes.
func (s *hasher) writeLater(p []byte, in hold) {
	if s.spans == nil {
		s.spans = make(chan span, spanDepth)
		spans := s.spans
		s.group.Go(func() {
			for x := range spans {
				s.hash.Write(x.data)
				x.hold.mem.Release()
				x.hold.busy.Done()
			}
		})
	}
	in.mem.Retain()
	in.busy.Add(1)
	s.spans <- span{p, in}
}

// close ends the input of the hash. It may be called again.
func (s *hasher) close() {
	if s.spans != nil {
		close(s.spans)
		s.spans = nil
	}
}

// sum waits until all is hashed, and returns the sum in hex. The hasher is closed.
func (s *hasher) sum() string {
	s.group.Wait()
	return hex.EncodeToString(s.hash.Sum(nil))
}
