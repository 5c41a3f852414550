package flow

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// An Account counts what went through one step.
type Account struct {
	mu                          sync.Mutex
	figures                     Figures // its maps are empty
	dropped, rejected, declined bounded
	drops                       earliest
	counts, unwanted            bounded
	columns                     [len(ofColumns)]bounded // counts that begin with these
	work                        atomic.Pointer[workTimes]
	step                        atomic.Int64 // its index in the chain
	queue                       atomic.Pointer[<-chan *batch]
}

// Figures count records and bytes of one step. In plus Extra equals Out plus what was dropped, rejected and declined.
// Of many reasons or names the alphabetically first are counted apart, the others together as [Other].
type Figures struct {
	In, Out, Extra    int64
	BytesIn, BytesOut int64
	Dropped           map[string]int64              // by reason
	Drops             map[string][]receipt.Position // the first records of each reason
	Rejected          map[string]int64              // by code
	Declined          map[string]int64              // by reason
	Counts            map[string]int64              // named by the plugin
	Unwanted          map[string]int64              // rows of side outputs without a sink, by output
	Busy              time.Duration                 // of all workers, up to now, without their waits for later nodes and for memory
	Accepted          Range                         // records that were not declined
}

// Snapshot returns the account so far.
func (a *Account) Snapshot() Figures {
	underWay, unlock := a.lock()
	defer unlock()
	f := a.figures
	f.Busy += underWay
	f.Dropped, f.Rejected, f.Declined = a.dropped.snapshot(), a.rejected.snapshot(), a.declined.snapshot()
	f.Drops = a.drops.places(a.dropped.names)
	f.Counts, f.Unwanted = a.counts.snapshot(), a.unwanted.snapshot()
	for i, prefix := range ofColumns {
		f.Counts = a.columns[i].addTo(f.Counts, prefix+"other")
	}
	return f
}

// Brief returns the account so far without what is counted by name.
func (a *Account) Brief() Figures {
	underWay, unlock := a.lock()
	defer unlock()
	f := a.figures
	f.Busy += underWay
	return f
}

func (a *Account) add(in []wire.Record, answer wire.Answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s, declines := &a.figures, int64(0)
	if f := answer.AllDeclined(); f != nil {
		s.In += int64(len(in))
		s.BytesIn += sizeOf(in)
		a.declined.add(f.Message, int64(len(in)), maxReasons)
		in, answer.Outcomes = nil, nil
	}
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
			a.drops.add(o.Fault.Message, &in[i], a.dropped.names)
		case wire.Rejected:
			a.rejected.add(o.Fault.Code, 1, maxReasons)
		case wire.Declined:
			if declines++; i+1 == len(answer.Outcomes) || answer.Outcomes[i+1].Fault != o.Fault { // records in a row share one
				a.declined.add(o.Fault.Message, declines, maxReasons)
				declines = 0
			}
			continue
		}
		s.Accepted.add(&in[i])
	}
	s.Out += int64(len(answer.Made))
	s.Extra += int64(len(answer.Made))
	for i := range answer.Made {
		s.BytesOut += int64(answer.Made[i].Size())
	}
	for _, c := range answer.Counts {
		a.count(c.Name, c.N)
	}
}

func sizeOf(records []wire.Record) (n int64) {
	for i := range records {
		n += int64(records[i].Size())
	}
	return n
}

// count adds to a figure that the plugin named. Figures that are named after the columns of records, of which there may be any
// number, have bounds of their own, so that they displace no others.
func (a *Account) count(name string, n int64) {
	for i, prefix := range ofColumns {
		if strings.HasPrefix(name, prefix) {
			a.columns[i].add(name, n, maxColumns)
			return
		}
	}
	a.counts.add(name, n, maxCounts)
}

// ofColumns begin the names of counts that end in the name of a column.
var ofColumns = [...]string{"beside.", wire.WarnPrefix}

func (a *Account) addUnwanted(output string) {
	a.mu.Lock()
	a.unwanted.add(output, 1, maxReasons)
	a.mu.Unlock()
}

// QueueLength returns how many batches wait before the step, 0 when it has no queue.
func (a *Account) QueueLength() int {
	if in := a.queue.Load(); in != nil {
		return len(*in)
	}
	return 0
}

// HasQueue reports whether the step has a queue of its own: the later steps of a chain or a First have none.
func (a *Account) HasQueue() bool { return a.queue.Load() != nil }

// Totals count what went through the run. Read plus Extra plus Teed equals Written plus Dropped plus all rejects.
type Totals struct {
	mu                sync.Mutex
	sums              Sums // its maps are empty
	dropped, rejected bounded
	reasons           reasons
	first             time.Time    // when the first record was written
	found             atomic.Int64 // rejects, of which some may still wait for the dead letter
}

// Sums count records of a run. Written counts those that sinks and surveys took.
type Sums struct {
	Read, Extra, Teed, Written int64
	Dropped                    map[string]int64 // by reason
	Rejected                   map[string]int64 // by code
}

// Snapshot returns the sums so far.
func (t *Totals) Snapshot() Sums {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sums
	s.Dropped, s.Rejected = t.dropped.snapshot(), t.rejected.snapshot()
	return s
}

// Left returns how many records have left the run, and of how many. Copies and records that steps added are among both.
func (t *Totals) Left() (left, of int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dropped.sum() + t.sums.Written + t.found.Load(), t.sums.Read + t.sums.Extra + t.sums.Teed
}

// FirstWritten returns when the first records were written, zero when none were.
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

// How many reasons and codes, and how many counts, an account keeps apart.
const (
	maxReasons = 100
	maxCounts  = 1000
	maxColumns = 200
)

// Other names what an account counts together.
const Other = "(other)"

// bounded counts by name. It keeps the alphabetically first names, so that the result does not depend on the order in
// which workers add to it.
type bounded struct {
	names map[string]int64
	last  string // of names, alphabetically
	other int64
}

// plus adds counts, of which none is below 0. A sum that is too large stays the largest number.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (b *bounded) add(name string, n int64, limit int) {
	if b.names == nil {
		b.names = map[string]int64{}
	}
	_, known := b.names[name]
	switch {
	case name == Other:
		b.other = plus(b.other, n)
		return
	case known, len(b.names) < limit:
	case name > b.last:
		b.other = plus(b.other, n)
		return
	default:
		b.other = plus(b.other, b.names[b.last])
		delete(b.names, b.last)
		b.last = ""
		for have := range b.names {
			b.last = max(b.last, have)
		}
	}
	b.names[name] = plus(b.names[name], n)
	b.last = max(b.last, name)
}

// addTo adds the counts to others, those without a name as other. No counts make no map.
func (b *bounded) addTo(all map[string]int64, other string) map[string]int64 {
	if all == nil && b.names != nil {
		all = map[string]int64{}
	}
	maps.Copy(all, b.names)
	if b.other > 0 {
		all[other] = plus(all[other], b.other)
	}
	return all
}

func (b *bounded) sum() (all int64) {
	for _, n := range b.names {
		all = plus(all, n)
	}
	return plus(all, b.other)
}

func (b *bounded) snapshot() map[string]int64 {
	all := maps.Clone(b.names)
	if b.other > 0 {
		all[Other] = b.other
	}
	return all
}

func positionOf(r *wire.Record) receipt.Position { return receipt.Position{File: r.File, Line: r.Line} }

// rangeText describes the place of records, as in "in.jsonl:1 to in.jsonl:20".
func rangeText(records []wire.Record) string {
	first := positionOf(&records[0]).String()
	if len(records) == 1 {
		return first
	}
	return first + " to " + positionOf(&records[len(records)-1]).String()
}

// A Range counts records and holds the first and the last of them in the input.
type Range struct {
	Records           int64
	First, Last       receipt.Position
	FirstOrd, LastOrd uint64 // their places among all records of the run
}

func (s *Range) add(r *wire.Record) {
	s.Records++
	if s.Records == 1 || r.Ord < s.FirstOrd {
		s.First, s.FirstOrd = positionOf(r), r.Ord
	}
	if s.Records == 1 || r.Ord > s.LastOrd {
		s.Last, s.LastOrd = positionOf(r), r.Ord
	}
}

// Ends returns the first and the last, nil when there are none.
func (s Range) Ends() (first, last *receipt.Position) {
	if s.Records == 0 {
		return nil, nil
	}
	return &s.First, &s.Last
}

// UndeclaredDrops returns the reasons among those of a step's drops that are neither the SDK's nor its plugin's, sorted. A plugin that
// declares no reasons at all may give any.
func UndeclaredDrops(dropped map[string]int64, declared map[string]string) (reasons []string) {
	if len(declared) == 0 {
		return nil
	}
	for _, reason := range slices.Sorted(maps.Keys(dropped)) {
		if _, known := declared[reason]; !known && reason != wire.NothingEmitted && reason != Other {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}

// Undeclared returns the codes among those of a step's rejects that are neither the host's nor its plugin's, sorted. A plugin that declares no
// codes at all may use any.
func Undeclared(rejected map[string]int64, declared map[string]string) (codes []string) {
	if len(declared) == 0 {
		return nil
	}
	for _, code := range slices.Sorted(maps.Keys(rejected)) {
		if _, known := declared[code]; !known && !wire.IsHostCode(code) && code != DeclinedCode {
			codes = append(codes, code)
		}
	}
	return codes
}
