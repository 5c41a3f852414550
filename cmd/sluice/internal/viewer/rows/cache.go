package rows

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/zeebo/xxh3"

	"github.com/sluicehq/sluice/host/filestate"
	"github.com/sluicehq/sluice/host/privatefolder"
)

// The cache is a folder of databases, one for each set of files that was indexed. A name says of which files, and the hash of
// its content. A database in the cache is never written to. One that is broken, or of other bytes, is made anew.
const (
	cacheEnding  = ".sqlite"
	newPrefix    = ".new-"        // of databases that are being made
	cacheMost    = 1 << 30        // bytes of all databases; the ones used longest ago go first
	cacheSmaller = 256 << 10      // files that are read as fast as a database
	abandoned    = 24 * time.Hour // the age from which an unfinished database was abandoned
)

// cacheFolder returns the folder of the cache, "" when others could put databases there.
func cacheFolder(folder string) string {
	if folder == "" {
		return privatefolder.Cache()
	}
	if os.MkdirAll(folder, 0o700) != nil || !privatefolder.Is(folder) {
		return ""
	}
	return folder
}

// state says which bytes a file and its origins have. Other bytes, or another receipt, make another state.
func (f *file) state() string {
	state := f.Hash
	for _, path := range []string{f.Path, filepath.Join(filepath.Dir(f.Path), ".sluice", filepath.Base(f.Path)+".origins")} {
		if info, err := os.Stat(path); err == nil {
			state += fmt.Sprintf(" %d %d %d", info.Size(), info.ModTime().UnixNano(), statusTime(info))
		} else {
			state += " none"
		}
	}
	return state
}

// statusTime returns when a file was last changed in any way, 0 when that is unknown: a wrong index is noticed when rows are read.
func statusTime(info fs.FileInfo) int64 {
	s, known := filestate.Of(info)
	if !known {
		return 0
	}
	return s.Changed.UnixNano()
}

// cachePrefix returns how the name of the database of these files begins.
func (x *Index) cachePrefix() string {
	h := xxh3.New()
	for _, f := range x.files {
		path, err := filepath.Abs(f.Path)
		if err != nil {
			path = f.Path
		}
		fmt.Fprintf(h, "%q %q %q %q %t\n", f.Name, path, f.Input, f.Outcome, x.shared[f.Input])
	}
	if x.options.Mask != nil {
		fmt.Fprintln(h, x.options.Mask.Rules)
	}
	fmt.Fprintf(h, "%q", x.options.Shared)
	return fmt.Sprintf("%x-", h.Sum128().Bytes())
}

// cached opens the database of these files if there is one of their bytes.
func (x *Index) cached() bool {
	if x.options.Cache == "" {
		return false
	}
	paths, _ := filepath.Glob(filepath.Join(x.options.Cache, x.prefix+"*"+cacheEnding))
	for _, path := range paths {
		opened, err := x.openCached(path)
		if err != nil {
			_ = os.Remove(path) // who reads it still has it
			continue
		}
		now := time.Now()
		_ = os.Chtimes(path, now, now) // it is used; that this cannot be noted does no harm
		x.store = opened
		return true
	}
	return false
}

// openCached opens a database of the cache. It returns an error when that is broken, or of other bytes than the files have.
func (x *Index) openCached(path string) (*store, error) {
	if sum, err := fileSum(path); err != nil || filepath.Base(path) != x.prefix+sum+cacheEnding {
		return nil, errors.Join(errForm, err)
	}
	opened, err := openStore(path, "&mode=ro&immutable=1")
	if err != nil {
		return nil, err
	}
	opened.kept = true
	if err = errors.Join(opened.load(), x.loadFiles(opened)); err != nil {
		return nil, errors.Join(err, opened.close())
	}
	return opened, nil
}

// loadFiles reads the states of the files. It returns an error when a file has changed since.
func (x *Index) loadFiles(s *store) error {
	all := make([]known, len(x.files))
	err := each(s.Query("SELECT id, state, read, rows, bad, trouble FROM index_file"))(func(scan func(...any) error) error {
		var id int
		var state, trouble string
		k := known{Indexed: Indexed{Done: true, Cached: true}}
		if err := scan(&id, &state, &k.Read, &k.Rows, &k.Bad, &trouble); err != nil {
			return err
		}
		if id >= len(all) || state != x.files[id].state() {
			return ErrChanged
		}
		if trouble != "" {
			k.Err = errors.New(trouble)
		}
		_ = k.stat(x.files[id].Path) // a file that is missing was missing then, since its state is the same
		all[id] = k
		return nil
	})
	for i, k := range all {
		if err == nil && !k.Done {
			err = errForm
		}
		x.files[i].known = k
	}
	return err
}

// keep moves the finished database of these files into the cache. One that cannot be kept is made again.
func (x *Index) keep(states []string) {
	s, total := x.store, int64(0)
	err := s.write(func(b batch) error {
		for i, f := range x.files {
			trouble := ""
			if f.Err != nil {
				trouble = f.Err.Error()
			}
			if err := b.exec("INSERT INTO index_file VALUES (?, ?, ?, ?, ?, ?, ?)", i, f.Name, states[i], f.Read, f.Rows, f.Bad, trouble); err != nil {
				return err
			}
			if states[i] != f.state() {
				return ErrChanged
			}
			total += f.Of
		}
		return nil
	})
	if err != nil || x.options.Cache == "" || total < cacheSmaller {
		return
	}
	sum, err := fileSum(s.path)
	if err != nil {
		return
	}
	if others, _ := filepath.Glob(filepath.Join(x.options.Cache, x.prefix+"*"+cacheEnding)); len(others) > 0 {
		return // another process was faster
	}
	path := filepath.Join(x.options.Cache, x.prefix+sum+cacheEnding)
	if os.Rename(s.path, path) != nil { // Windows does not rename open files
		s.keepAs = path
		return
	}
	s.path, s.kept = path, true
	prune(x.options.Cache, cacheMost)
}

func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := xxh3.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%016x", h.Sum64()), err
}

// prune removes abandoned databases, and those used longest ago until the others have at most so many bytes.
func prune(folder string, most int64) {
	paths, _ := filepath.Glob(filepath.Join(folder, "*"+cacheEnding))
	begun, _ := filepath.Glob(filepath.Join(folder, newPrefix+"*"))
	var all []fs.FileInfo
	var size int64
	for _, path := range slices.Concat(paths, begun) {
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case filepath.Ext(path) == cacheEnding:
			all = append(all, info)
			size += info.Size()
		case time.Since(info.ModTime()) > abandoned:
			_ = os.Remove(path)
		}
	}
	slices.SortFunc(all, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range all {
		if size <= most {
			return
		}
		if os.Remove(filepath.Join(folder, info.Name())) == nil {
			size -= info.Size()
		}
	}
}
