package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/internal/store"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A unit is a file of the inputs. It implements flow.Unit.
type unit struct {
	*runStore
	src   *plan.Source
	file  plan.File
	keys  []string // for each place; none: nothing is stored
	stamp string
	sum   string // hash of the file, once it is known

	entry   *store.Entry    // that was recalled last; nil: none
	at      int             // its place
	input   receipt.Input   // of a file that is known, or was read to its end
	whole   bool            // it was either
	writers []*store.Writer // for each place; nil: nothing is kept there
}

// remembered is the account of an entry.
type remembered struct {
	Key   string
	Input receipt.Input // without its name
	Flow  *flow.State
}

// File implements flow.Unit.
func (u *unit) File() string { return u.file.Shown }

// ahead tells the store which entry of the file will be asked for: that of the last place that it knows.
func (u *unit) ahead() {
	for _, key := range slices.Backward(u.keys) {
		if u.entries.Ahead(key, u.stamp) {
			return
		}
	}
}

// Recall implements flow.Unit.
func (u *unit) Recall(ctx context.Context, at int) (*flow.State, error) {
	u.closeEntry()
	if u.keys == nil {
		return nil, nil
	}
	key := u.keys[at]
	if u.of.opts.Store.Fresh { // at once: what comes now may not be stored
		u.entries.Drop(key)
		return nil, nil
	}
	entry, err := u.entries.Find(key, u.stamp, func() (string, error) { return u.hash(ctx) })
	if bad, ok := errors.AsType[*store.Damaged](err); ok {
		u.of.opts.Notice(fmt.Sprintf("%s: %s is damaged, so it is run again: %s", u.file.Shown, u.has(at), bad.Why))
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if bad, ok := errors.AsType[*store.Unread](err); ok {
		u.of.opts.Notice("the store cannot be read, so the files are run: " + u.of.hide(bad.Err).Error())
		return nil, nil
	}
	if entry == nil || err != nil { // reading it finds the error again
		return nil, nil
	}
	var a remembered
	if err := json.Unmarshal(entry.Account, &a); err != nil || a.Key != key || a.Flow == nil {
		entry.Close()
		u.of.opts.Notice(fmt.Sprintf("%s: %s is not known to this program, so it is run again", u.file.Shown, u.has(at)))
		return nil, nil
	}
	u.entry, u.at, u.input = entry, at, a.Input
	return a.Flow, nil
}

// has says what the store has of the file at a place.
func (u *unit) has(at int) string {
	text := "what the store has of it"
	if at < len(u.behind) {
		text += " behind step " + u.behind[at].Step
	}
	return text
}

// hash reads the file, once, and returns its hash.
func (u *unit) hash(ctx context.Context) (string, error) {
	if u.sum != "" {
		return u.sum, nil
	}
	if p := u.file.Portion; p != nil {
		sum, err := p.Hash(ctx)
		u.sum = sum
		return sum, err
	}
	f, err := places.OpenAs(u.file.Name, u.file.Info)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum, err := filehash.Reader(places.Until(ctx, f), u.of.tree.Hash)
	u.sum = sum.Hex()
	return u.sum, err
}

// Reuse implements flow.Unit.
func (u *unit) Reuse(do func(number int, rows []wire.Record) error) error {
	defer u.closeEntry()
	if err := u.entry.Rows(do); err != nil {
		return err
	}
	u.input.Name, u.whole = u.file.Name, true
	u.src.Known(u.input)
	if u.at < len(u.behind) {
		b := &u.behind[u.at]
		b.Files++
		b.Records += u.input.Records
		b.Bytes += u.input.Bytes
		return nil
	}
	u.reused.Files++
	u.reused.Records += u.input.Records
	u.reused.Bytes += u.input.Bytes
	return nil
}

// Begin implements flow.Unit.
func (u *unit) Begin(from int) {
	u.mu.Lock()
	broken := u.broken
	u.open[u] = true
	u.mu.Unlock()
	if u.keys == nil || broken {
		return
	}
	for at := from; at < len(u.keys); at++ {
		var err error
		if u.writers[at], err = u.entries.Create(); err != nil {
			u.failed(err)
			return
		}
	}
}

// failed says once that nothing is stored any more. No run fails for that.
func (s *runStore) failed(err error) {
	s.mu.Lock()
	told := s.broken
	s.broken = true
	s.mu.Unlock()
	if !told {
		s.of.opts.Notice("nothing more is stored: " + s.of.hide(err).Error())
	}
}

// End implements flow.Unit.
func (u *unit) End() { u.input, u.whole = u.src.Input() }

// Add implements flow.Unit.
func (u *unit) Add(at, number int, rows []wire.Record) {
	if w := u.writers[at]; w != nil {
		w.Add(number, rows)
	}
}

// Keep implements flow.Unit.
func (u *unit) Keep(at int, s *flow.State, why error) error {
	in, w := u.input, u.writers[at]
	switch {
	case w == nil:
		return nil
	case !u.whole || in.Changed || u.file.Portion == nil && in.Bytes != u.file.Info.Size():
		why = errors.New("it changed while it was read")
	}
	if why != nil {
		u.left(u, at, why)
		return nil
	}
	sum := in.Hex()
	if in.Name = ""; u.file.Portion != nil {
		sum = u.file.Portion.Placed(sum)
	} else {
		in.Share = nil // any run that reads all of it has the same
	}
	text, err := json.Marshal(remembered{u.keys[at], in, s})
	if err != nil {
		return err
	}
	err = w.Commit(u.keys[at], sum, u.stamp, text)
	if u.writers[at] = nil; errors.Is(err, store.ErrTooLarge) {
		u.left(u, at, err)
	} else if err != nil {
		u.failed(err)
	} else if at == len(u.behind) {
		u.added++
	}
	return nil
}

// Done implements flow.Unit. It removes what was not kept.
func (u *unit) Done() {
	u.closeEntry()
	for at, w := range u.writers {
		if w != nil {
			w.Abort()
			u.writers[at] = nil
		}
	}
	u.mu.Lock()
	delete(u.open, u)
	u.mu.Unlock()
}

func (u *unit) closeEntry() {
	if u.entry != nil {
		u.entry.Close()
	}
	u.entry = nil
}
