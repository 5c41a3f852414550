package bucket

import (
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Faults has a share of the requests go wrong, by a seed. A request that is repeated succeeds in the end.
type Faults struct {
	mu     sync.Mutex
	random *rand.Rand
	share  float64
	only   []Fault
	met    map[Fault]int
}

// A Fault is a way in which a request goes wrong.
type Fault string

// All ways.
const (
	SlowDown  Fault = "slow down"       // 503, as S3 throttles
	TooMany   Fault = "too many"        // 429, as others do
	Reset     Fault = "reset"           // the connection, before an answer
	Lost      Fault = "lost answer"     // what was asked for was done, and the connection reset
	Truncated Fault = "truncated"       // the body of an answer ends early
	Slow      Fault = "slow"            // the answer comes late
	Failed    Fault = "failed"          // 500 instead of doing it
	DoneTwice Fault = "done and failed" // 500 after doing it
	Spoilt    Fault = "spoilt"          // a byte of what is sent changes on the way
)

var allFaults = []Fault{SlowDown, TooMany, Reset, Lost, Truncated, Slow, Failed, DoneTwice, Spoilt}

// NewFaults returns faults that meet a share of all requests: some of the ways by name, or all.
func NewFaults(seed uint64, share float64, only ...Fault) *Faults {
	if len(only) == 0 {
		only = allFaults
	}
	return &Faults{random: rand.New(rand.NewPCG(seed, 0)), share: share, only: only, met: map[Fault]int{}}
}

// Met returns how many requests went wrong, by the way.
func (f *Faults) Met() map[Fault]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.met
}

// draw returns what becomes of a request, "" for nothing, and where in its body.
func (f *Faults) draw(r *http.Request) (Fault, int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.random.Float64() >= f.share {
		return "", 0
	}
	fault := f.only[f.random.IntN(len(f.only))]
	writes := r.Method == http.MethodPut && r.ContentLength > 0
	if fault == Spoilt && !writes || fault == Truncated && r.Method != http.MethodGet {
		fault = Reset
		if !slices.Contains(f.only, Reset) {
			return "", 0
		}
	}
	f.met[fault]++
	return fault, f.random.Int64N(1 << 20)
}

func (f *Faults) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	fault, at := f.draw(r)
	switch fault {
	case SlowDown:
		refuse(w, r, http.StatusServiceUnavailable, "SlowDown")
	case TooMany:
		refuse(w, r, http.StatusTooManyRequests, "TooManyRequests")
	case Failed:
		refuse(w, r, http.StatusInternalServerError, "InternalError")
	case Reset:
		reset(w)
	case Lost:
		next.ServeHTTP(nothing{http.Header{}}, r)
		reset(w)
	case DoneTwice:
		next.ServeHTTP(nothing{http.Header{}}, r)
		refuse(w, r, http.StatusInternalServerError, "InternalError")
	case Truncated:
		next.ServeHTTP(&truncated{w, at % 4096}, r)
	case Slow:
		time.Sleep(time.Duration(at % int64(100*time.Millisecond)))
		next.ServeHTTP(w, r)
	case Spoilt:
		r.Body = &spoilt{r.Body, at % r.ContentLength}
		next.ServeHTTP(w, r)
	default:
		next.ServeHTTP(w, r)
	}
}

// reset ends a connection as a router does that has forgotten it.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	conn.Close()
}

// nothing is an answer that nobody gets.
type nothing struct{ head http.Header }

func (n nothing) Header() http.Header         { return n.head }
func (n nothing) Write(p []byte) (int, error) { return len(p), nil }
func (n nothing) WriteHeader(int)             {}

// truncated ends an answer after some bytes of its body.
type truncated struct {
	http.ResponseWriter
	left int64
}

// Write implements io.Writer.
func (t *truncated) Write(p []byte) (int, error) {
	n, err := t.ResponseWriter.Write(p[:min(int64(len(p)), t.left)])
	if t.left -= int64(n); t.left == 0 || err != nil {
		_ = http.NewResponseController(t.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	return n, err
}

// spoilt changes one byte of a body.
type spoilt struct {
	io.ReadCloser
	at int64
}

// Read implements io.Reader.
func (s *spoilt) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	if s.at >= 0 && s.at < int64(n) {
		p[s.at] ^= 0x55
	}
	s.at -= int64(n)
	return n, err
}
