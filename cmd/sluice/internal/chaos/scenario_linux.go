package chaos

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// A Harness runs scenarios. Those with neighbouring seeds share a world.
type Harness struct {
	Programs
	dir string // for the folders of worlds and scenarios

	mu     sync.Mutex
	worlds map[uint64]*sharedWorld
	tally  Tally
}

// A Tally counts what has been run.
type Tally struct {
	Scenarios, Runs, Resumed, Records int
	Faults                            map[string]int // that happened, by kind
	Lost, Doubled, OutOfOrder, Hangs  int            // scenarios that found it
	Failed                            int
}

type sharedWorld struct {
	once sync.Once
	*world
	err error
}

// New returns a harness of programs that makes its folders in one.
func New(p Programs, dir string) (h *Harness, err error) {
	h = &Harness{dir: dir, worlds: map[uint64]*sharedWorld{}}
	h.Programs, err = p.named(dir)
	return h, err
}

// perWorld is how many scenarios share a world.
const perWorld = 10

func (h *Harness) world(seed uint64) (*world, error) {
	n := seed / perWorld
	h.mu.Lock()
	w := h.worlds[n]
	if w == nil {
		w = new(sharedWorld)
		h.worlds[n] = w
	}
	h.mu.Unlock()
	w.once.Do(func() {
		dir := filepath.Join(h.dir, fmt.Sprintf("world-%d", n))
		if w.err = os.MkdirAll(dir, 0o700); w.err == nil {
			w.world, w.err = newWorld(h.Programs, n, dir)
		}
	})
	return w.world, w.err
}

// Tally returns what has been run so far.
func (h *Harness) Tally() Tally {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.tally
}

// Run runs the scenario of a seed. The error says what the program did that it must not do.
func (h *Harness) Run(seed uint64) error {
	w, err := h.world(seed)
	s := &scenario{Harness: h, world: w, seed: seed, Rand: rand.New(rand.NewPCG(seed, 2)), hit: map[int64]bool{}}
	if err == nil {
		s.folder = filepath.Join(h.dir, fmt.Sprintf("scenario-%d", seed))
		err = os.MkdirAll(s.folder, 0o700)
	}
	if err == nil {
		if err = s.play(); err != nil {
			err = fmt.Errorf("%w\n%s\n%s", err, strings.Join(s.story, "\n"), w.text)
		} else {
			err = os.RemoveAll(s.folder)
		}
	}
	h.count(s, err)
	return err
}

func (h *Harness) count(s *scenario, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &h.tally
	if t.Faults == nil {
		t.Faults = map[string]int{}
	}
	t.Scenarios++
	t.Runs += s.runs
	t.Resumed += s.resumed
	if s.world != nil {
		t.Records += len(s.lines) * s.runs
	}
	for _, f := range s.faults {
		if f.happened {
			t.Faults[f.kind]++
		}
	}
	if err == nil {
		return
	}
	t.Failed++
	for kind, n := range map[error]*int{errLost: &t.Lost, errDoubled: &t.Doubled, errOrder: &t.OutOfOrder} {
		if errors.Is(err, kind) {
			*n++
		}
	}
	if strings.Contains(err.Error(), "hang: ") {
		t.Hangs++
	}
}

// A scenario is runs of a world with faults, one after the other, until one succeeds.
type scenario struct {
	*Harness
	*world
	*rand.Rand
	folder  string
	seed    uint64
	disk    *disk
	before  tree   // what was there before the run
	read    []byte // from the pipe
	faults  []*fault
	hit     map[int64]bool // ids of records that faults may have had rejected; 0 for any
	story   []string
	runs    int
	resumed int
}

const (
	mostFaults = 4
	nobody     = -1 // the id of no record
)

// intervals are the times between checkpoints that runs are given. With the shortest, one checkpoint follows the other at once.
var intervals = []string{"1ns", "1ns", "1ns", "1ms", "10ms", "off"}

func (s *scenario) play() error {
	if err := s.settle(s.folder, s.IntN(2) == 0); err != nil {
		return err
	}
	var err error
	if s.disk, err = newDisk(filepath.Join(s.folder, "out"), filepath.Join(s.folder, "kept")); err != nil {
		return err
	}
	resume := false
	for n := 0; ; n++ {
		var f *fault
		if n == 0 || n < mostFaults && s.IntN(2) == 0 {
			f = drawFault(s.Rand, s.world, s.seed, n == 0)
			s.faults = append(s.faults, f)
		}
		done, goesOn, err := s.attempt(f, resume)
		if err != nil {
			return err
		}
		if done {
			return nil
		}
		if f == nil {
			return errors.New("want a run without a fault to succeed")
		}
		resume = goesOn && s.IntN(4) > 0
		if !resume {
			clear(s.hit)
		}
	}
}

// attempt runs the program once. It is done when the run has succeeded, and else says whether it can be resumed.
func (s *scenario) attempt(f *fault, resume bool) (done, goesOn bool, err error) {
	out := filepath.Join(s.folder, "out")
	if s.before, err = readTree(out); err != nil {
		return false, false, err
	}
	if err := s.give(f); err != nil {
		return false, false, err
	}
	l := launch{Programs: s.Programs, dir: s.folder, pipe: s.pipe()}
	l.args = append(s.args(), "--checkpoint", intervals[s.IntN(len(intervals))])
	if resume {
		l.args = append(l.args, "--resume")
		s.resumed++
	}
	f.set(&l, s.Rand, s.disk)
	s.runs++
	res, err := l.run()
	if f != nil && f.step != "" {
		_, err := os.Stat(filepath.Join(s.folder, "orders.0.done"))
		f.happened = err == nil
	}
	if !resume || len(res.stdout) > 0 { // else the run before has written it
		s.read = res.stdout
	}
	s.story = append(s.story, fmt.Sprintf("%v: %v: exit code %d: %s", l.args[1:], f, res.exit, first(res.said, 2000)))
	if err != nil {
		return false, false, err
	}
	if f != nil && f.kind == "power loss" && f.happened {
		if err := errors.Join(s.disk.err, s.disk.lose(s.Rand)); err != nil {
			return false, false, err
		}
	}
	if f != nil && f.happened && (kinds[f.kind].effect == rejects || kinds[f.kind].effect == refuses) {
		s.hit[f.id] = true
	}
	if res.exit == 0 {
		if f != nil && f.happened && kinds[f.kind].effect == ends && kinds[f.kind].where == atRecord {
			s.hit[nobody] = true // it hit a candidate, whose end is a warning
		}
		return true, false, s.succeeded(f)
	}
	goesOn, err = s.failed(f, res)
	return false, goesOn, err
}

func first(text string, n int) string {
	if len(text) > n {
		return text[:n] + "..."
	}
	return text
}

// give leaves the plugins their orders, or none.
func (s *scenario) give(f *fault) error {
	for _, name := range []string{"orders", "orders.0.done"} {
		if err := os.Remove(filepath.Join(s.folder, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if f == nil || f.step == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(s.folder, "orders"), fmt.Appendf(nil, `{"orders":[%s]}`, f.order()), 0o600)
}

func (s *scenario) succeeded(f *fault) error {
	if err := s.whole(s.folder, s.hit); err != nil {
		return err
	}
	if len(s.hit) == 0 && !bytes.Equal(s.read, s.stdout) {
		return fmt.Errorf("want the %d bytes of the calm run from the pipe, have %d", len(s.stdout), len(s.read))
	}
	if err := s.blames(); err != nil {
		return err
	}
	have, err := readTree(filepath.Join(s.folder, "out"))
	if err != nil {
		return err
	}
	if left := have.hidden(); len(left) > 0 && (f == nil || f.struck != "remove") {
		return fmt.Errorf("want nothing hidden after a run that succeeded, have %v", left)
	}
	for _, name := range sortedKeys(have) {
		if ofFailed(name) && (f == nil || f.struck != "remove") {
			return fmt.Errorf("want nothing of a failed run beside what one that succeeded has written, have %s", name)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(s.folder, "tmp")); err != nil || len(entries) > 0 {
		return fmt.Errorf("want an empty TMPDIR after a run that succeeded, have %v (%v)", entries, err)
	}
	if len(s.hit) > 0 {
		return nil // bytes may differ by rejects, which whole has counted
	}
	return s.asCalm(s.folder)
}

// blames wants the records that are said to have ended a plugin rejected for what a fault did, one for each.
func (s *scenario) blames() error {
	text, err := readText(rejectsIn(s.folder))
	if err != nil {
		return err
	}
	n := 0
	for line := range strings.Lines(text) {
		if gjson.Get(line, "code").Str != "plugin_crash" {
			continue
		}
		n++
		message := gjson.Get(line, "message").Str
		if !slices.ContainsFunc(s.faults, func(f *fault) bool { return f.ended() != nil && f.ended().MatchString(message) }) {
			return fmt.Errorf("want how a plugin ended, have %q", message)
		}
	}
	most := 0
	for _, f := range s.faults {
		if f.ended() != nil {
			most += max(1, s.times[f.id]*line{do: s.deeds[f.id]}.made())
		}
	}
	if n > most {
		return fmt.Errorf("want at most %d records rejected for the end of a plugin, have %d", most, n)
	}
	return nil
}

// failed wants a run that has failed, or was ended, to have left what was there before.
func (s *scenario) failed(f *fault, res result) (goesOn bool, err error) {
	goesOn = res.exit < 0 || strings.Contains(res.said, "--resume")
	if f == nil || !f.happened || kinds[f.kind].effect >= refuses {
		return goesOn, fmt.Errorf("want a run that succeeds, have exit code %d", res.exit)
	}
	if res.exit > 1 && res.exit != 130 && !strings.Contains(res.said, "too many open files") {
		return goesOn, fmt.Errorf("want exit code 1 or 130 of a run that failed, have %d", res.exit)
	}
	if how := f.ended(); how != nil && res.exit == 1 && !how.MatchString(res.said) {
		return goesOn, fmt.Errorf("want %q said, have %q", how, res.said)
	}
	if kinds[f.kind].asks != (res.exit == 130) {
		return goesOn, fmt.Errorf("want exit code 130 of a run that was interrupted, and of no other, have %d", res.exit)
	}
	have, err := readTree(filepath.Join(s.folder, "out"))
	if err != nil {
		return goesOn, err
	}
	if err := described(s.folder); err != nil {
		return goesOn, err
	}
	if res.exit < 0 || strings.Contains(res.said, "in place: ") {
		return goesOn, nil // in the middle of the commit, perhaps
	}
	if d := have.differs(s.before, ofFailed); d != "" {
		return goesOn, fmt.Errorf("want the files untouched that were there before a run that failed: %s", d)
	}
	if left := have.hidden(); len(left) > 0 && !goesOn && len(s.before.hidden()) == 0 && f.struck != "remove" {
		return goesOn, fmt.Errorf("want nothing hidden after a run that failed, have %v", left)
	}
	return goesOn, nil
}
