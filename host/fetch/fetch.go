// Package fetch copies what lies in a bucket to this machine, for what reads files of this machine: the files of a run, or single ones.
//
// A copy lies in the user's cache, with the folders that the bucket has, so that files of a run find each other as they do there. What has
// not changed since is not copied again. Copies that were not used for a week are removed.
package fetch

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/wholefile"
)

// Remote reports whether a name is that of a file or a folder in a bucket.
func Remote(name string) bool { return places.IsS3(name) }

// A Copy is a part of a bucket on this machine.
type Copy struct {
	Paths []string // of the copies of what was named
	Bytes int64    // that were copied now, and not before

	root   string // of the folders of buckets
	copied atomic.Int64
}

const (
	unused = 7 * 24 * time.Hour // the age from which a copy is removed
	atOnce = 4                  // files
)

// newCopy returns the copy that belongs to names. It has what was copied for them before.
func newCopy(names []string) (*Copy, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("want a folder for copies of what lies in a bucket: %w", err)
	}
	service, err := places.Endpoint()
	if err != nil {
		return nil, err
	}
	all := filepath.Join(cache, "sluice", "buckets")
	prune(all)
	sum := fnv.New128a()
	_, _ = io.WriteString(sum, strings.Join(names, "\x00"))
	c := &Copy{root: filepath.Join(all, service+"-"+hex.EncodeToString(sum.Sum(nil)))}
	if err := os.MkdirAll(c.root, 0o700); err != nil {
		return nil, err
	}
	now := time.Now()
	return c, os.Chtimes(c.root, now, now) // it is used
}

func prune(all string) {
	entries, _ := os.ReadDir(all)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > unused {
			_ = os.RemoveAll(filepath.Join(all, e.Name()))
		}
	}
}

// Local returns where the copy of a file or folder lies, and a name of this machine as it is. The copy may be nil.
func (c *Copy) Local(name string) string {
	if c == nil || !Remote(name) {
		return name
	}
	bucket, key := places.Split(places.Clean(name))
	return filepath.Join(c.root, bucket, filepath.FromSlash(key))
}

// Name returns what lies in the bucket for a path of the copy, and any other path as it is.
func (c *Copy) Name(path string) string {
	below, err := filepath.Rel(c.root, path)
	if err != nil || !filepath.IsLocal(below) {
		return path
	}
	return "s3://" + filepath.ToSlash(below)
}

// Named returns an error with the names of the bucket in place of the paths of the copies. The copy may be nil.
func (c *Copy) Named(err error) error {
	if c == nil || err == nil {
		return err
	}
	return &named{err, strings.ReplaceAll(err.Error(), c.root+string(filepath.Separator), "s3://")}
}

type named struct {
	err  error
	text string
}

// Error implements error.
func (e *named) Error() string { return e.text }

// Unwrap returns the error as it was.
func (e *named) Unwrap() error { return e.err }

// Files copies what names lead to: files, what patterns match, all files below folders, and of the folder or the receipt of a run
// what Run copies. Names of this machine stay as they are.
func Files(ctx context.Context, names ...string) (*Copy, error) {
	if len(names) == 1 && Remote(names[0]) {
		if r, path := openRun(names[0]); r != nil {
			return Run(ctx, r, path)
		}
	}
	c, err := newCopy(names)
	if err != nil {
		return nil, err
	}
	var wanted []string
	for _, name := range names {
		if !Remote(name) {
			c.Paths = append(c.Paths, name)
			continue
		}
		found, folder, err := expand(name)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, found...)
		if folder {
			if err := c.removeBut(c.below(c.Local(name)), found); err != nil {
				return nil, err
			}
			found = []string{name}
		}
		for _, f := range found {
			c.Paths = append(c.Paths, c.Local(f))
		}
	}
	return c, c.take(ctx, wanted, false)
}

// openRun returns the receipt of a finished run that a name leads to, nil when it leads to anything else.
func openRun(name string) (*receipt.Receipt, string) {
	if strings.ContainsAny(name, "*?[") || filepath.Ext(name) != ".json" && !isFolder(name) {
		return nil, ""
	}
	r, path, err := receipt.Open(name)
	if err != nil {
		return nil, ""
	}
	return r, path
}

func isFolder(name string) bool {
	info, err := places.Stat(name)
	return err == nil && info.IsDir()
}

// expand returns the files that a name leads to, and whether it is that of a folder.
func expand(name string) (found []string, folder bool, err error) {
	if strings.ContainsAny(name, "*?[") {
		if _, found, err = places.List(name); err == nil && len(found) == 0 {
			err = fmt.Errorf("want files, have 0 that match %q", name)
		}
		return found, false, err
	}
	info, err := places.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}, false, err
	}
	_, found, err = places.List(places.Join(name, "**"))
	return found, true, err
}

// Run copies the receipt of a run that a path names and the files that the receipt names in the same bucket, but for inputs. The one path
// of the copy is that of the receipt. Files that are not there any more, or that nobody may read, are left out.
func Run(ctx context.Context, r *receipt.Receipt, path string) (*Copy, error) {
	c, err := newCopy([]string{path})
	if err != nil {
		return nil, err
	}
	c.Paths = []string{c.Local(path)}
	bucket, _ := places.Split(path)
	var files []string
	for _, f := range r.Files() {
		name := f.Path
		if !Remote(name) {
			continue
		}
		at, _ := r.Place(places.Dir(path), name)
		if b, _ := places.Split(at); Remote(at) && b == bucket {
			files = append(files, at)
		}
	}
	if err := c.take(ctx, []string{path}, false); err != nil {
		return nil, err
	}
	return c, c.take(ctx, files, true)
}

// Inputs copies the inputs of a run that lie in buckets, whichever these are. Those that are not there any more, or that nobody may read, are left out.
// It returns nil when the run has none.
func Inputs(ctx context.Context, r *receipt.Receipt) (*Copy, error) {
	var names []string
	for _, in := range r.Inputs {
		if Remote(in.Name) && places.CheckKey(in.Name) == nil { // the name of a key that no file of this machine can have
			names = append(names, in.Name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	c, err := newCopy(names)
	if err != nil {
		return nil, err
	}
	return c, c.take(ctx, names, true)
}

// Beside copies the files beside the copied run that patterns match, below its folder.
func (c *Copy) Beside(ctx context.Context, patterns ...string) error {
	folder := c.Name(filepath.Dir(c.Paths[0]))
	var wanted []string
	for _, pattern := range patterns {
		_, found, err := places.List(places.Join(folder, pattern))
		if err != nil {
			return err
		}
		have, err := filepath.Glob(filepath.Join(filepath.Dir(c.Paths[0]), filepath.FromSlash(pattern)))
		if err := errors.Join(err, c.removeBut(have, found)); err != nil {
			return err
		}
		wanted = append(wanted, found...)
	}
	return c.take(ctx, wanted, false)
}

// below returns the copies below a folder.
func (c *Copy) below(folder string) (paths []string) {
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// removeBut removes the copies at paths of what is not in the bucket any more.
func (c *Copy) removeBut(paths, names []string) error {
	is := map[string]bool{}
	for _, name := range names {
		is[c.Local(name)] = true
	}
	for _, path := range paths {
		if !is[path] {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// take copies files, some at a time. Of optional ones those that cannot be read are left out.
func (c *Copy) take(ctx context.Context, names []string, optional bool) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, name := range names {
		group.Go(func() error {
			err := c.one(ctx, name)
			if optional && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)) {
				return nil
			}
			return err
		})
	}
	err := group.Wait()
	c.Bytes = c.copied.Load()
	return err
}

func (c *Copy) one(ctx context.Context, name string) error {
	if err := places.CheckKey(name); err != nil { // whoever wrote the receipt has named it
		return err
	}
	to := c.Local(name)
	info, err := places.Stat(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			_ = os.Remove(to) // it was there before
		}
		return err
	}
	if have, err := os.Stat(to); err == nil && have.Size() == info.Size() && have.ModTime().Equal(info.ModTime()) {
		return nil
	}
	from, err := places.OpenAs(name, info)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	f, err := wholefile.Create(to, wholefile.Options{})
	if err != nil {
		return err
	}
	defer f.Discard()
	n, err := io.Copy(f, places.Until(ctx, from))
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := errors.Join(os.Chtimes(f.Name(), info.ModTime(), info.ModTime()), f.Commit()); err != nil {
		return err
	}
	c.copied.Add(n)
	return nil
}

// Put makes an object of a small file.
func Put(ctx context.Context, path, name string) error {
	if err := places.CheckKey(name); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return places.Put(ctx, name, path, rand.Text(), info.Size(), func(string) error { return nil })
}
