package flow

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluicehq/sluice/sdk/wire"
)

// An Account is what went through one step.
type Account struct {
	mu                          sync.Mutex
	sums                        Figures // without its maps
	dropped, rejected, declined bounded
	counts, unwanted            bounded
	calls                       atomic.Pointer[callTimes]
	step                        atomic.Int64 // of the chain
	queue                       atomic.Pointer[<-chan *batch]
}

// Figures count records and bytes of one step. In plus Extra equals Out plus what was dropped, rejected and declined.
// Of many reasons or names the first in the alphabet stand by themselves, the others are summed as [Other].
type Figures struct {
	In, Out, Extra    int64
	BytesIn, BytesOut int64
	Dropped           map[string]int64 // by reason
	Rejected          map[string]int64 // by code
	Declined          map[string]int64 // by reason
	Counts            map[string]int64 // named by the plugin
	Unwanted          map[string]int64 // side rows that have nowhere to go, by output
	Busy              time.Duration    // of all workers, not counting waits for what comes after and for memory
	Accepted          Range            // of the records that were not declined
}

// Snapshot is the account as it stands.
func (a *Account) Snapshot() Figures {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.sums
	f.Dropped, f.Rejected, f.Declined = a.dropped.snapshot(), a.rejected.snapshot(), a.declined.snapshot()
	f.Counts, f.Unwanted = a.counts.snapshot(), a.unwanted.snapshot()
	return f
}

// Brief is the account as it stands but for what is counted by name.
func (a *Account) Brief() Figures {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sums
}

// add takes one answer about records of in into account.
func (a *Account) add(in []wire.Record, answer wire.Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &a.sums
	for i, o := range answer.Outcomes {
		s.In++
		size := int64(in[i].Size())
		s.BytesIn += size
		switch o.Verdict {
		case wire.Unchanged:
			s.Out++
			s.BytesOut += size
		case wire.Emitted:
			s.Out += int64(len(o.Emitted))
			s.Extra += int64(len(o.Emitted)) - 1
			for j := range o.Emitted {
				s.BytesOut += int64(o.Emitted[j].Size())
			}
		case wire.Dropped:
			a.dropped.add(o.Fault.Message, 1, maxReasons)
		case wire.Rejected:
			a.rejected.add(o.Fault.Code, 1, maxReasons)
		case wire.Declined:
			a.declined.add(o.Fault.Message, 1, maxReasons)
			continue
		}
		s.Accepted.add(&in[i])
	}
	for _, c := range answer.Counts {
		a.counts.add(c.Name, c.N, maxCounts)
	}
}

func (a *Account) addUnwanted(output string) {
	a.mu.Lock()
	a.unwanted.add(output, 1, maxReasons)
	a.mu.Unlock()
}

func (a *Account) busy(d time.Duration) {
	a.mu.Lock()
	a.sums.Busy += d
	a.mu.Unlock()
}

// presence is since when each worker has been in the plugin: nanoseconds after began, 0 when it is not. The accounts of a
// chain share it.
type callTimes struct {
	began time.Time
	since []atomic.Int64
	at    func(worker int) int // the step of the chain; nil: it has one
}

// share has the accounts of a chain watch its workers.
func shareCallTimes(line []*Step, workers int, at func(int) int) {
	h := &callTimes{began: time.Now(), since: make([]atomic.Int64, workers), at: at}
	for i, s := range line {
		s.Account.calls.Store(h)
		s.Account.step.Store(int64(i))
	}
}

func (a *Account) enter(worker int) {
	h := a.calls.Load()
	h.since[worker].Store(max(int64(time.Since(h.began)), 1))
}

func (a *Account) leave(worker int) { a.calls.Load().since[worker].Store(0) }

// Waiting is how many batches wait before the step, 0 when it has no queue.
func (a *Account) QueueLength() int {
	if in := a.queue.Load(); in != nil {
		return len(*in)
	}
	return 0
}

// Queued tells whether the step has a queue of its own: those behind another in a chain or in a first have none.
func (a *Account) HasQueue() bool { return a.queue.Load() != nil }

// Held is how long the worker that has been longest in the plugin without an answer has been there: neither in the steps
// behind nor waiting for memory. It is 0 when none is there.
func (a *Account) LongestCall() time.Duration {
	h := a.calls.Load()
	if h == nil {
		return 0
	}
	var oldest int64
	for i := range h.since {
		if h.at != nil && int64(h.at(i)) != a.step.Load() {
			continue
		}
		if since := h.since[i].Load(); since > 0 && (oldest == 0 || since < oldest) {
			oldest = since
		}
	}
	if oldest == 0 {
		return 0
	}
	return time.Since(h.began) - time.Duration(oldest)
}

// Totals are what went through the run. Read plus Extra plus Teed equals Written plus Dropped plus all rejects.
type Totals struct {
	mu                sync.Mutex
	sums              Sums // without its maps
	dropped, rejected bounded
	first             time.Time // when the first record was written
}

// Sums count records of a run. Written is what ends of ways have taken.
type Sums struct {
	Read, Extra, Teed, Written int64
	Dropped                    map[string]int64 // by reason
	Rejected                   map[string]int64 // by code
}

// Snapshot is the sums as they stand.
func (t *Totals) Snapshot() Sums {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sums
	s.Dropped, s.Rejected = t.dropped.snapshot(), t.rejected.snapshot()
	return s
}

// FirstWritten is when the end of a way had taken its first records, zero when none has.
func (t *Totals) FirstWritten() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.first
}

func (t *Totals) wrote(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sums.Written += int64(n)
	if t.first.IsZero() {
		t.first = time.Now()
	}
}

func (t *Totals) change(f func(*Totals)) {
	t.mu.Lock()
	f(t)
	t.mu.Unlock()
}

// How many reasons and codes, and how many counts, stand by themselves in an account.
const (
	maxReasons = 100
	maxCounts  = 1000
)

// Other is the name of what an account sums together.
const Other = "(other)"

// bounded counts by name. It keeps the names that are first in the alphabet, so that its contents do not depend on the
// order in which several workers add to it.
type bounded struct {
	names map[string]int64
	last  string // of names in the alphabet
	other int64
}

func (b *bounded) add(name string, n int64, limit int) {
	if b.names == nil {
		b.names = map[string]int64{}
	}
	_, known := b.names[name]
	switch {
	case name == Other:
		b.other += n
		return
	case known, len(b.names) < limit:
	case name > b.last:
		b.other += n
		return
	default:
		b.other += b.names[b.last]
		delete(b.names, b.last)
		b.last = ""
		for have := range b.names {
			b.last = max(b.last, have)
		}
	}
	b.names[name] += n
	b.last = max(b.last, name)
}

func (b *bounded) snapshot() map[string]int64 {
	all := maps.Clone(b.names)
	if b.other > 0 {
		all[Other] = b.other
	}
	return all
}
