package flow

import (
	"sync"
	"time"
)

// A workTimes holds since when the workers of a chain have been in the plugin. Its accounts hold the time of what is answered.
type workTimes struct {
	mu          sync.Mutex
	workers     []workTime
	shares      []uint64             // of the steps of the chain in its time so far, as its answers say
	currentStep func(worker int) int // index in the chain; nil: always 0
}

// A workTime is the time that a worker has been in the plugin since its last answer.
type workTime struct {
	since  time.Time     // zero: it is not there
	before time.Duration // until it left, to wait for the host
}

func (w *workTime) sum() time.Duration {
	if w.since.IsZero() {
		return w.before
	}
	return w.before + time.Since(w.since)
}

// aMoment is the time within which a worker answers what it has. When it takes longer, it is at a single record.
const aMoment = 1500 * time.Millisecond

func shareWorkTimes(chain []*Step, workers int, currentStep func(int) int) {
	t := &workTimes{workers: make([]workTime, workers), shares: make([]uint64, len(chain)), currentStep: currentStep}
	for i, s := range chain {
		s.Account.work.Store(t)
		s.Account.step.Store(int64(i))
	}
}

func (a *Account) enter(worker int) {
	t := a.work.Load()
	t.mu.Lock()
	t.workers[worker].since = time.Now()
	t.mu.Unlock()
}

func (a *Account) leave(worker int) {
	t := a.work.Load()
	t.mu.Lock()
	w := &t.workers[worker]
	w.before, w.since = w.sum(), time.Time{}
	t.mu.Unlock()
}

// lock locks the account, and returns the time of the step that is in no account yet. Nothing is booked until it is unlocked.
func (a *Account) lock() (underWay time.Duration, unlock func()) {
	t := a.work.Load()
	if t == nil {
		a.mu.Lock()
		return 0, a.mu.Unlock
	}
	t.mu.Lock()
	a.mu.Lock()
	return t.underWay(int(a.step.Load())), func() { a.mu.Unlock(); t.mu.Unlock() }
}

// underWay returns the time of a step since the last answers. In a chain it is an estimate: a moment is divided among the steps as their
// time so far, and what exceeds the moment is the time of the step that has the record.
func (t *workTimes) underWay(step int) (all time.Duration) {
	sum := sumOf(t.shares)
	for i := range t.workers {
		d := t.workers[i].sum()
		if d == 0 {
			continue
		}
		if sum > 0 {
			moment := min(d, aMoment)
			all += time.Duration(float64(moment) * float64(t.shares[step]) / float64(sum))
			d -= moment
		}
		if t.stepOf(i) == step {
			all += d
		}
	}
	return all
}

func (t *workTimes) stepOf(worker int) int {
	if t.currentStep == nil {
		return 0
	}
	return t.currentStep(worker)
}

// book divides the time of a worker since its last answer among the steps of its chain, by the shares of the answer, or by those so
// far when it has none.
func (c *call) book(shares []uint64) {
	chain := c.step.chain()
	t := c.step.Account.work.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	w := &t.workers[c.worker]
	d := w.sum()
	*w = workTime{}
	for i, n := range shares {
		t.shares[i] += n
	}
	all := sumOf(shares)
	if all == 0 {
		shares = t.shares
		all = sumOf(shares)
	}
	for i, s := range chain {
		share := d
		if all > 0 {
			share = time.Duration(float64(d) * float64(shares[i]) / float64(all))
		}
		s.Account.addBusy(share)
		if c.spans != nil {
			c.spans.accounts[i].addBusy(share)
		}
		if all == 0 { // the chain has one step, or nothing was timed yet
			return
		}
	}
}

func sumOf(shares []uint64) (all uint64) {
	for _, n := range shares {
		all += n
	}
	return all
}

func (a *Account) addBusy(d time.Duration) {
	a.mu.Lock()
	a.figures.Busy += d
	a.mu.Unlock()
}

// LongestCall returns how long the worker that has been in the plugin for longest has been there without an answer, not
// waiting for later nodes or for memory. It is 0 when no worker is there.
func (a *Account) LongestCall() (longest time.Duration) {
	t := a.work.Load()
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.workers {
		if w := &t.workers[i]; !w.since.IsZero() && t.stepOf(i) == int(a.step.Load()) {
			longest = max(longest, time.Since(w.since))
		}
	}
	return longest
}

// A Stopwatch adds up the time that one goroutine spends at something. Any goroutine may read it.
type Stopwatch struct {
	mu    sync.Mutex
	since time.Time // zero: it is at something else
	all   time.Duration
}

func (w *Stopwatch) start() {
	w.mu.Lock()
	w.since = time.Now()
	w.mu.Unlock()
}

func (w *Stopwatch) stop() {
	w.mu.Lock()
	w.all += time.Since(w.since)
	w.since = time.Time{}
	w.mu.Unlock()
}

// Sum returns the time so far, with that of what is under way.
func (w *Stopwatch) Sum() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() {
		return w.all
	}
	return w.all + time.Since(w.since)
}
