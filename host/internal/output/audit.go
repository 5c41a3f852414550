package output

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
)

// A digest is what is known of the bytes of a file, from the start on.
type digest struct {
	hash  hash.Hash
	bytes int64
	lines int64
}

func newDigest() digest { return digest{hash: sha256.New()} }

func (d *digest) add(p []byte) {
	d.hash.Write(p)
	d.bytes += int64(len(p))
	d.lines += int64(bytes.Count(p, []byte{'\n'}))
}

func (d *digest) sum() string { return hex.EncodeToString(d.hash.Sum(nil)) }

// auditStep is how many bytes are read back at a time.
const auditStep = 256 << 10

// An auditor reads files back behind their writers, in one goroutine of its own: what the receipt says of a file is what
// lies on disk, and hashing does not hold the sinks up. What is left when it stops is read by Finish.
type auditor struct {
	mu     sync.Mutex
	behind []*file
	wake   chan struct{} // holds one
	quit   chan struct{}
	group  sync.WaitGroup
}

func (a *auditor) start() {
	a.wake, a.quit = make(chan struct{}, 1), make(chan struct{})
	a.group.Go(a.run)
}

// stop returns when the auditor touches no file any more.
func (a *auditor) stop() {
	if a.quit == nil {
		return
	}
	close(a.quit)
	a.group.Wait()
	a.quit = nil
}

// wrote tells that a file has more to read. Its writer calls it.
func (a *auditor) wrote(f *file) {
	a.mu.Lock()
	a.behind = append(a.behind, f)
	a.mu.Unlock()
	select {
	case a.wake <- struct{}{}:
	default: // it will look
	}
}

func (a *auditor) run() {
	buf := make([]byte, auditStep)
	for {
		select {
		case <-a.quit:
			return
		case <-a.wake:
		}
		a.mu.Lock()
		files := a.behind
		a.behind = nil
		a.mu.Unlock()
		for _, f := range files {
			for f.readBack(buf) {
				select {
				case <-a.quit:
					return
				default:
				}
			}
		}
	}
}
