package output

import (
	"bytes"
	"runtime"
	"sync"

	"github.com/sluicehq/sluice/host/filehash"
)

// A digest sums up the bytes of a file from its start on.
type digest struct {
	hash  *filehash.Hasher
	bytes int64
	lines int64
}

func newDigest(algorithm string) digest { return digest{hash: filehash.New(algorithm)} }

// count adds to the sums but for the hash.
func (d *digest) count(p []byte) {
	d.bytes += int64(len(p))
	d.lines += int64(bytes.Count(p, []byte{'\n'}))
}

// auditStep is how many bytes are read back at a time.
const auditStep = 256 << 10

// An auditor reads files back behind their writers, in goroutines of its own: what the receipt says of a file is what
// lies on disk, and hashing does not hold the sinks up. What is left when it stops is read by Finish.
type auditor struct {
	lagging chan *file
	quit    chan struct{}
	group   sync.WaitGroup
}

const (
	maxAuditors  = 4
	laggingDepth = 64
)

// start starts the readers. Two of them share a file: one reads while the other hashes.
func (a *auditor) start() {
	a.lagging, a.quit = make(chan *file, laggingDepth), make(chan struct{})
	for range min(maxAuditors, 1+runtime.GOMAXPROCS(0)) {
		a.group.Go(a.run)
	}
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

// notify queues a file that has more to read. Its writer calls it.
func (a *auditor) notify(f *file) {
	select {
	case a.lagging <- f:
	default: // a later call notifies again, or Finish reads these bytes
	}
}

func (a *auditor) run() {
	buf := make([]byte, auditStep)
	for {
		select {
		case <-a.quit:
			return
		case f := <-a.lagging:
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
