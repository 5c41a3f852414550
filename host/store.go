package host

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/internal/store"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// A Store keeps what runs make of each file of their inputs. A file that is known with all that its rows depend on is not run again.
type Store struct {
	Dir   string // a folder, which is made if need be, or s3://bucket/prefix
	Size  int64  // bytes that the store takes at most
	Fresh bool   // everything is run, and what is known of it replaced
}

// ParseSize reads a size in bytes, such as "10 GiB" or "500MB".
func ParseSize(text string) (int64, error) { return config.ParseSize(text) }

// A runStore is the store of a run. It implements flow.Store. It keeps results for places: behind each step that says keep, and behind all.
type runStore struct {
	of      *run
	entries *store.Store
	bases   []string // for each place, the hash of all that the rows up to there depend on besides the files
	reused  receipt.Reused
	behind  []receipt.ReusedBehind // for each step that says keep

	mu     sync.Mutex
	open   map[*unit]bool // that are read, or not done yet
	lacks  []lack         // for each place
	added  int            // files whose results were stored now, or are about to be
	broken bool           // nothing more is stored: the store cannot be written

	source int     // whose files are at hand
	coming []*unit // its next files, as far as the store was told of them
	told   int     // files of the source that it was told of
}

// A lack counts the files whose results at a place are not stored.
type lack struct {
	files     int
	firstFile string
	firstWhy  error
}

// openStore opens the store of the run. The steps have started.
func (r *run) openStore(ctx context.Context) (*runStore, error) {
	entries, err := store.Open(ctx, r.opts.Store.Dir, r.opts.Store.Size)
	if err != nil {
		return nil, err
	}
	s := &runStore{of: r, entries: entries, open: map[*unit]bool{}, lacks: make([]lack, len(r.plan.Keeps)+1)}
	steps := make([]stepBasis, len(r.plan.Steps))
	for i := range steps {
		if steps[i], err = s.stepBasis(i); err != nil {
			return nil, err
		}
	}
	for _, keep := range r.plan.Keeps {
		n, shape := r.plan.UpTo(keep)
		basis, err := s.hashBasis([]any{"keep", shape}, steps[:n])
		if err != nil {
			return nil, err
		}
		s.bases, s.behind = append(s.bases, basis), append(s.behind, receipt.ReusedBehind{Step: keep.Label()})
	}
	basis, err := s.hashBasis(r.plan.Shape(), steps)
	s.bases = append(s.bases, basis)
	return s, err
}

// lookAhead is how many files ahead the store is told which it will be asked for.
const lookAhead = 64

// Next implements flow.Store.
func (s *runStore) Next(_ context.Context, source int) (flow.Unit, error) {
	src := s.of.plan.Sources[source]
	if source != s.source {
		s.source, s.coming, s.told = source, nil, 0
	}
	if err := src.NextFile(); err != nil {
		return nil, err
	}
	for len(s.coming) < lookAhead {
		f, ok := src.File(s.told)
		if !ok {
			break
		}
		u, err := s.unit(src, f)
		if err != nil {
			return nil, err
		}
		s.told++
		if !s.of.opts.Store.Fresh {
			u.ahead()
		}
		s.coming = append(s.coming, u)
	}
	u := s.coming[0]
	s.coming = s.coming[1:]
	s.reused.Of++
	return u, nil
}

// unit returns what is known of a file before it is read.
func (s *runStore) unit(src *plan.Source, f plan.File) (*unit, error) {
	u := &unit{runStore: s, src: src, file: f, writers: make([]*store.Writer, len(s.bases))}
	if f.Info == nil || !f.Info.Mode().IsRegular() { // the null device
		return u, nil
	}
	for _, basis := range s.bases {
		of := []any{basis, src.Shape(), places.Shown(f.Name), f.Shown, f.Info.Size()}
		if f.Portion != nil {
			of = append(of, f.Portion.String())
		}
		text, err := json.Marshal(of)
		if err != nil {
			return nil, err
		}
		u.keys = append(u.keys, store.Hash(text))
	}
	u.stamp = store.Stamp(f.Info, time.Now())
	return u, nil
}

// account returns what was reused.
func (s *runStore) account() *receipt.Reused {
	x := s.reused
	x.Behind = slices.DeleteFunc(slices.Clone(s.behind), func(b receipt.ReusedBehind) bool { return b.Files == 0 })
	return &x
}

// left counts a file whose results at a place are not stored.
func (s *runStore) left(u *unit, at int, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := &s.lacks[at]
	if x.files++; x.files == 1 {
		x.firstFile, x.firstWhy = u.file.Shown, why
	}
}

// results names what the store has of a file at a place.
func (s *runStore) results(at int) string {
	if at == len(s.behind) {
		return "results"
	}
	return "records behind step " + s.behind[at].Step
}

// tell says at the end of a run what its user should know of the store.
func (s *runStore) tell(ctx context.Context, failed bool) {
	if err := s.entries.Close(); err != nil && ctx.Err() == nil {
		s.failed(err)
	}
	if failed {
		if n := min(s.added, s.entries.Added()); n > 0 {
			s.of.opts.Notice(fmt.Sprintf("the store has the results of %s that this run has done: the next one goes on from there", plural.Of(n, "file")))
		}
		return
	}
	for at, x := range s.lacks {
		if x.files > 0 {
			s.of.opts.Notice(fmt.Sprintf("the store has no %s of %s of the inputs; of %s, since %s", s.results(at), plural.Of(x.files, "file"), x.firstFile, s.of.hide(x.firstWhy)))
		}
	}
	if n := s.entries.Removed(); n > 0 {
		s.of.opts.Notice(fmt.Sprintf("the store is full: the results of %s that were not used for longest were removed", plural.Of(n, "file")))
	}
}

// close removes what a run that fails has not finished.
func (s *runStore) close() {
	for u := range s.open {
		u.Done()
	}
}
