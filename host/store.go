package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/config"
	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/internal/store"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Store keeps what runs make of each file of their inputs. A file that is known with all that its rows depend on is not run again.
type Store struct {
	Dir   string // a folder, which is made if need be, or s3://bucket/prefix
	Size  int64  // bytes that the store takes at most
	Fresh bool   // everything is run, and what is known of it replaced
}

// ParseSize reads a size in bytes, such as "10 GiB" or "500MB".
func ParseSize(text string) (int64, error) { return config.ParseSize(text) }

// A memory is the store of a run. It implements flow.Memory.
type memory struct {
	*run
	store  *store.Store
	basis  string // hash of all that the rows depend on besides the files
	reused receipt.Reused

	mu        sync.Mutex
	open      map[*unit]bool // that are read, or not done yet
	unkept    int            // files whose results are not stored
	firstWhy  error          // of the first of them
	firstFile string
	broken    bool // nothing more is stored: the store cannot be written

	source int     // whose files are at hand
	coming []*unit // its next files, as far as the store was told of them
	told   int     // files of the source that it was told of
}

// openMemory opens the store of the run. The steps have started.
func (r *run) openMemory(ctx context.Context) (*memory, error) {
	s, err := store.Open(ctx, r.opts.Store.Dir, r.opts.Store.Size)
	if err != nil {
		return nil, err
	}
	m := &memory{run: r, store: s, open: map[*unit]bool{}}
	if m.basis, err = m.hashBasis(); err != nil {
		return nil, err
	}
	return m, nil
}

// hashBasis hashes what the rows of a file depend on, besides the file and how its source reads it. The values of secrets are among it in
// a form from which nobody guesses them.
func (m *memory) hashBasis() (string, error) {
	own, err := launch.OwnSHA256()
	if err != nil {
		return "", err
	}
	all := []any{"sluice.store.v1", own, m.opts.Version, m.plan.Shape()}
	var hidden []string
	for _, v := range m.tree.Vars {
		if v.Sensitive {
			hidden = append(hidden, v.Name+"="+string(v.Value))
		}
	}
	for i, step := range m.plan.Steps {
		p, err := m.plugin(i)
		if err != nil {
			return "", err
		}
		p.Path = ""
		all = append(all, p)
		for _, f := range m.filesOf(i) {
			if f.info.ModTime().After(m.began) { // the plugin may have read it before
				all = append(all, m.id)
			}
			sum, err := filehash.File(f.name, filehash.BLAKE3)
			if err != nil {
				return "", fmt.Errorf("step %s: %w", step.Label(), err)
			}
			all = append(all, f.name, sum)
		}
		all = append(all, m.foldersOf(i))
		for _, name := range slices.Concat(step.Host.Env, m.tree.Plugins[step.Type].Env) {
			value, set := os.LookupEnv(name)
			hidden = append(hidden, fmt.Sprintf("%s %s %t=%s", step.Label(), name, set, value))
		}
	}
	if len(hidden) > 0 {
		sum, err := hashOf([]byte(strings.Join(hidden, "\n")), true, m.store.Salt())
		if err != nil {
			return "", err
		}
		all = append(all, sum)
	}
	text, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	return store.Hash([]byte(m.secrets.Replace(string(text)))), nil
}

// mostInFolders is how many files of the folders that attributes of a step name are looked at.
const mostInFolders = 10_000

// foldersOf lists what lies in the folders that attributes of a step name, with what tells each file from others and from itself in another
// state. Of more than mostInFolders files nothing is known, and no run has the same. A word without a slash is no folder to a built-in plugin,
// whatever lies there.
func (m *memory) foldersOf(step int) (all []string) {
	eachString(gjson.ParseBytes(m.fleet.Steps[step].Args), func(name string) {
		if m.fleet.Steps[step].Location.BuiltIn && !strings.ContainsAny(name, `/\`) {
			return
		}
		folder, err := filepath.EvalSymlinks(name)
		if err != nil {
			return
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return
		}
		_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return nil // what cannot be listed the plugin cannot read either
			}
			info, err := os.Stat(path)
			switch {
			case err != nil || info.IsDir():
			case len(all) >= mostInFolders:
				all = append(all, m.id)
				return fs.SkipAll
			default:
				all = append(all, fmt.Sprintf("%q %s", path, cmp.Or(store.Stamp(info, time.Now()), m.id)))
			}
			return nil
		})
	})
	return all
}

// lookAhead is how many files ahead the store is told which it will be asked for.
const lookAhead = 64

// Next implements flow.Memory.
func (m *memory) Next(_ context.Context, source int) (flow.Unit, error) {
	src := m.plan.Sources[source]
	if source != m.source {
		m.source, m.coming, m.told = source, nil, 0
	}
	if err := src.NextFile(); err != nil {
		return nil, err
	}
	for len(m.coming) < lookAhead {
		f, ok := src.File(m.told)
		if !ok {
			break
		}
		u, err := m.unit(src, f)
		if err != nil {
			return nil, err
		}
		if m.told++; u.key != "" && !m.opts.Store.Fresh {
			m.store.Ahead(u.key, u.stamp)
		}
		m.coming = append(m.coming, u)
	}
	u := m.coming[0]
	m.coming = m.coming[1:]
	m.reused.Of++
	return u, nil
}

// unit returns what is known of a file before it is read.
func (m *memory) unit(src *plan.Source, f plan.File) (*unit, error) {
	u := &unit{memory: m, src: src, file: f}
	if f.Info == nil || !f.Info.Mode().IsRegular() { // the null device
		return u, nil
	}
	text, err := json.Marshal([]any{m.basis, src.Shape(), places.Shown(f.Name), f.Shown, f.Info.Size()})
	if err != nil {
		return nil, err
	}
	u.key, u.stamp = store.Hash(text), store.Stamp(f.Info, time.Now())
	return u, nil
}

// left counts a file whose results are not stored.
func (m *memory) left(u *unit, why error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.unkept++; m.unkept == 1 {
		m.firstFile, m.firstWhy = u.file.Shown, why
	}
}

// tell says at the end of a run what its user should know of the store.
func (m *memory) tell(ctx context.Context, failed bool) {
	if err := m.store.Close(); err != nil && ctx.Err() == nil {
		m.failed(err)
	}
	if failed {
		if n := m.store.Added(); n > 0 {
			m.opts.Notice(fmt.Sprintf("the store has the results of %s that this run has done: the next one goes on from there", files(n)))
		}
		return
	}
	if m.unkept > 0 {
		m.opts.Notice(fmt.Sprintf("the store has no results of %s of the inputs; of %s, since %s", files(m.unkept), m.firstFile, m.hide(m.firstWhy)))
	}
	if n := m.store.Removed(); n > 0 {
		m.opts.Notice(fmt.Sprintf("the store is full: the results of %s that were not used for longest were removed", files(n)))
	}
}

func files(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}

// close removes what a run that fails has not finished.
func (m *memory) close() {
	for u := range m.open {
		u.drop()
	}
}

// A unit is a file of the inputs. It implements flow.Unit.
type unit struct {
	*memory
	src        *plan.Source
	file       plan.File
	key, stamp string // no key: it is not stored

	entry  *store.Entry  // nil: nothing is known
	input  receipt.Input // of a file that is known, or was read to its end
	whole  bool          // it was
	writer *store.Writer // nil: nothing is kept
}

// remembered is the account of an entry.
type remembered struct {
	Key   string
	Input receipt.Input // without its name
	Flow  *flow.State
}

// File implements flow.Unit.
func (u *unit) File() string { return u.file.Shown }

// Recall implements flow.Unit.
func (u *unit) Recall(ctx context.Context) (*flow.State, error) {
	if u.key == "" {
		return nil, nil
	}
	if u.opts.Store.Fresh { // at once: what comes now may not be stored
		u.store.Drop(u.key)
		return nil, nil
	}
	entry, err := u.store.Find(u.key, u.stamp, func() (string, error) { return u.hash(ctx) })
	if bad, ok := errors.AsType[*store.Damaged](err); ok {
		u.opts.Notice(fmt.Sprintf("%s: what the store has of it is damaged, so it is run again: %s", u.file.Shown, bad.Why))
		return nil, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if bad, ok := errors.AsType[*store.Unread](err); ok {
		u.opts.Notice("the store cannot be read, so the files are run: " + u.hide(bad.Err).Error())
		return nil, nil
	}
	if entry == nil || err != nil { // reading it finds the error again
		return nil, nil
	}
	var a remembered
	if err := json.Unmarshal(entry.Account, &a); err != nil || a.Key != u.key || a.Flow == nil {
		entry.Close()
		u.opts.Notice(u.file.Shown + ": what the store has of it is not known to this program, so it is run again")
		return nil, nil
	}
	u.entry, u.input = entry, a.Input
	return a.Flow, nil
}

// hash reads the file and returns its hash.
func (u *unit) hash(ctx context.Context) (string, error) {
	f, err := places.OpenAs(u.file.Name, u.file.Info)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := filehash.New(u.tree.Hash)
	buf := make([]byte, 256<<10)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := places.ReadWithin(ctx, f, buf)
		h.Write(buf[:n])
		if err == io.EOF {
			return h.Result().Hex(), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// Reuse implements flow.Unit.
func (u *unit) Reuse(do func(sink int, rows []wire.Record) error) error {
	defer u.drop()
	if err := u.entry.Rows(do); err != nil {
		return err
	}
	u.input.Name = u.file.Name
	u.src.Known(u.input)
	u.reused.Files++
	u.reused.Records += u.input.Records
	u.reused.Bytes += u.input.Bytes
	return nil
}

// Begin implements flow.Unit.
func (u *unit) Begin() {
	u.drop() // it was known, and did not fit
	u.mu.Lock()
	broken := u.broken
	u.open[u] = true
	u.mu.Unlock()
	if u.key == "" || broken {
		return
	}
	var err error
	if u.writer, err = u.store.Create(); err != nil {
		u.failed(err)
	}
}

// failed says once that nothing is stored any more. No run fails for that.
func (m *memory) failed(err error) {
	m.mu.Lock()
	told := m.broken
	m.broken = true
	m.mu.Unlock()
	if !told {
		m.opts.Notice("nothing more is stored: " + m.hide(err).Error())
	}
}

// End implements flow.Unit.
func (u *unit) End() { u.input, u.whole = u.src.Input() }

// Note implements flow.Unit.
func (u *unit) Note(sink int, rows []wire.Record) {
	if u.writer != nil {
		u.writer.Note(sink, rows)
	}
}

// Keep implements flow.Unit.
func (u *unit) Keep(s *flow.State, why error) error {
	defer u.drop()
	in := u.input
	switch {
	case u.writer == nil:
		return nil
	case !u.whole || in.Changed || in.Bytes != u.file.Info.Size():
		why = errors.New("it changed while it was read")
	}
	if why != nil {
		u.left(u, why)
		return nil
	}
	in.Name = ""
	text, err := json.Marshal(remembered{u.key, in, s})
	if err != nil {
		return err
	}
	err = u.writer.Commit(u.key, in.Hex(), u.stamp, text)
	if u.writer = nil; errors.Is(err, store.ErrTooLarge) {
		u.left(u, err)
	} else if err != nil {
		u.failed(err)
	}
	return nil
}

// drop closes what is open of the entry, and removes one that is not whole.
func (u *unit) drop() {
	if u.writer != nil {
		u.writer.Abort()
	}
	if u.entry != nil {
		u.entry.Close()
	}
	u.writer, u.entry = nil, nil
	u.mu.Lock()
	delete(u.open, u)
	u.mu.Unlock()
}
