package rows

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/zeebo/xxh3"
)

// Tables are kept in a folder, one file for each file that was indexed: a line that says which form this is, the hash of what
// follows, and an entry in gob. Other forms, and files that are broken, are made anew.
const (
	cacheForm    = "sluice index 2\n"
	cacheEnding  = ".index"
	cacheMost    = 1 << 30   // bytes of all tables; the ones used longest ago go first
	cacheSmaller = 256 << 10 // files that are read as fast as a table
)

// An entry is a table with what it is of.
type entry struct {
	Of    cacheOf
	Table table
}

// cacheOf is what a table is of. Another file of that path, or other bytes in it, make another one.
type cacheOf struct {
	Path, SHA256 string
	Size, Time   int64
	Status       int64 // see statusTime
	Said         bool  // rows tell of which records they are
}

func cacheKey(f *file, info fs.FileInfo, said bool) cacheOf {
	path, err := filepath.Abs(f.Path)
	if err != nil {
		path = f.Path
	}
	return cacheOf{path, f.SHA256, info.Size(), info.ModTime().UnixNano(), statusTime(info), said}
}

// cachePath is where the table of a file lies, "" when it lies nowhere.
func (x *Index) cachePath(of cacheOf) string {
	if x.options.Cache == "" || of.Size < cacheSmaller {
		return ""
	}
	sum := xxh3.HashString128(of.Path).Bytes()
	return filepath.Join(x.options.Cache, fmt.Sprintf("%x%s", sum[:], cacheEnding))
}

// cachedTable gives the table of a file if it was kept.
func (x *Index) cachedTable(of cacheOf) (*table, bool) {
	path := x.cachePath(of)
	if path == "" {
		return nil, false
	}
	data, err := os.ReadFile(path)
	if err != nil || !bytes.HasPrefix(data, []byte(cacheForm)) || len(data) < len(cacheForm)+8 {
		return nil, false
	}
	data = data[len(cacheForm):]
	if binary.LittleEndian.Uint64(data) != xxh3.Hash(data[8:]) {
		return nil, false
	}
	var k entry
	if gob.NewDecoder(bytes.NewReader(data[8:])).Decode(&k) != nil || k.Of != of || !k.Table.sound() {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(path, now, now) // it is used; that this cannot be noted does no harm
	return &k.Table, true
}

// keepTable keeps the table of a file. One that cannot be kept is made again the next time.
func (x *Index) keepTable(of cacheOf, t *table) {
	path := x.cachePath(of)
	if path == "" {
		return
	}
	var b bytes.Buffer
	b.WriteString(cacheForm)
	b.Write(make([]byte, 8))
	if gob.NewEncoder(&b).Encode(entry{of, *t}) != nil {
		return
	}
	head := b.Bytes()[len(cacheForm):]
	binary.LittleEndian.PutUint64(head, xxh3.Hash(head[8:]))
	if write(path, b.Bytes()) == nil {
		prune(x.options.Cache, cacheMost)
	}
}

// write writes a file under a hidden name first.
func write(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// prune removes the tables used longest ago until the others have at most so many bytes.
func prune(folder string, most int64) {
	paths, _ := filepath.Glob(filepath.Join(folder, "*"+cacheEnding))
	var all []fs.FileInfo
	var size int64
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			all = append(all, info)
			size += info.Size()
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
