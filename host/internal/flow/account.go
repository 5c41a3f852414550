package flow

import (
	"maps"
	"sync"
	"time"

	"github.com/sluicehq/sluice/sdk/batch"
)

// An Account is what went through one step.
type Account struct {
	mu sync.Mutex
	Figures
}

// Figures count records and bytes of one step. In plus Extra equals Out plus what was dropped, rejected and declined.
type Figures struct {
	In, Out, Extra    int64
	BytesIn, BytesOut int64
	Dropped           map[string]int64 // by reason
	Rejected          map[string]int64 // by code
	Declined          map[string]int64 // by reason
	Counts            map[string]int64 // named by the plugin
	Busy              time.Duration    // of all workers, not counting waits for what comes after
	Taken             Span             // of the records that were not declined
}

// Snapshot is the account as it stands.
func (a *Account) Snapshot() Figures {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.Figures
	f.Dropped, f.Rejected = maps.Clone(f.Dropped), maps.Clone(f.Rejected)
	f.Declined, f.Counts = maps.Clone(f.Declined), maps.Clone(f.Counts)
	return f
}

// add takes one answer about records of in into account.
func (a *Account) add(in []batch.Record, answer batch.Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, o := range answer.Outcomes {
		a.In++
		size := int64(len(in[i].Data))
		a.BytesIn += size
		switch o.Verdict {
		case batch.Unchanged:
			a.Out++
			a.BytesOut += size
		case batch.Emitted:
			a.Out += int64(len(o.Emitted))
			a.Extra += int64(len(o.Emitted)) - 1
			for j := range o.Emitted {
				a.BytesOut += int64(len(o.Emitted[j].Data))
			}
		case batch.Dropped:
			bump(&a.Dropped, o.Fault.Message, 1)
		case batch.Rejected:
			bump(&a.Rejected, o.Fault.Code, 1)
		case batch.Declined:
			bump(&a.Declined, o.Fault.Message, 1)
			continue
		}
		a.Taken.add(&in[i])
	}
	for _, c := range answer.Counts {
		bump(&a.Counts, c.Name, c.N)
	}
}

func (a *Account) busy(d time.Duration) {
	a.mu.Lock()
	a.Busy += d
	a.mu.Unlock()
}

func bump(m *map[string]int64, key string, n int64) {
	if *m == nil {
		*m = map[string]int64{}
	}
	(*m)[key] += n
}

// Totals are what went through the run. Read plus Extra plus Teed equals Written plus Dropped plus all rejects.
type Totals struct {
	mu sync.Mutex
	Sums
}

// Sums count records of a run.
type Sums struct {
	Read, Extra, Teed, Written int64
	Dropped                    map[string]int64 // by reason
	Rejected                   map[string]int64 // by code
}

// Snapshot is the sums as they stand.
func (t *Totals) Snapshot() Sums {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.Sums
	s.Dropped, s.Rejected = maps.Clone(s.Dropped), maps.Clone(s.Rejected)
	return s
}

func (t *Totals) change(f func(*Sums)) {
	t.mu.Lock()
	f(&t.Sums)
	t.mu.Unlock()
}
