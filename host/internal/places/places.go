// Package places opens, lists and writes files by their names: of this machine, of object storage (s3://bucket/key), and of the web
// (https://host/path, which is only read). A name of this machine goes to the os package and costs nothing more; nothing of a remote place,
// not even its credentials, is looked for before such a name is used.
//
// Errors are of type *fs.PathError, with the name as it may be shown. Secrets of a name, such as the signature of a URL, are in no error.
package places

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A File is open for reading. *os.File is one.
type File interface {
	io.ReadSeekCloser
	io.ReaderAt
	Stat() (fs.FileInfo, error)
}

const s3Scheme = "s3://"

// Remote reports whether a name is that of a file which no path of this machine leads to.
func Remote(name string) bool { return IsS3(name) || IsWeb(name) }

// IsS3 reports whether a name is one of object storage.
func IsS3(name string) bool { return strings.HasPrefix(name, s3Scheme) }

// IsWeb reports whether a name is one of the web. A scheme has letters of either case.
func IsWeb(name string) bool {
	scheme, _, found := strings.Cut(name, "://")
	return found && (strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http"))
}

// Split returns the bucket and the key of a name of object storage. A folder has a key that ends with a slash, or none.
func Split(name string) (bucket, key string) {
	bucket, key, _ = strings.Cut(strings.TrimPrefix(name, s3Scheme), "/")
	return bucket, key
}

// Shown returns a name without what may be secret in it: the user and the query of a URL.
func Shown(name string) string {
	if !IsWeb(name) {
		return name
	}
	u, err := url.Parse(name)
	if err != nil {
		scheme, _, _ := strings.Cut(name, "://")
		return scheme + "://..."
	}
	u.User, u.Fragment = nil, ""
	if u.RawQuery != "" {
		u.RawQuery = "(sensitive)"
	}
	return u.String()
}

// Secrets returns the parts of a name that may be secret: what Shown leaves out, and the same of a URL that no file can be read from.
func Secrets(name string) (all []string) {
	_, rest, found := strings.Cut(name, "://")
	if !found || IsS3(name) {
		return nil
	}
	u, err := url.Parse(name)
	if err != nil {
		return []string{rest}
	}
	if u.User != nil {
		userinfo, _, _ := strings.Cut(rest, "@")
		all = append(all, userinfo+"@")
	}
	if u.RawQuery != "" {
		all = append(all, u.RawQuery)
	}
	return all
}

// Dir returns the folder of a file.
func Dir(name string) string {
	scheme, rest, remote := cut(name)
	if !remote {
		return filepath.Dir(name)
	}
	return scheme + path.Dir(rest)
}

// Join adds elements to a folder.
func Join(folder string, elements ...string) string {
	scheme, rest, remote := cut(folder)
	if !remote {
		return filepath.Join(append([]string{folder}, elements...)...)
	}
	return scheme + path.Join(append([]string{rest}, elements...)...)
}

// Clean returns the shortest name of the same file.
func Clean(name string) string {
	if !Remote(name) {
		return filepath.Clean(name)
	}
	return Join(name)
}

// Base returns the last element of a name, without the query of a URL.
func Base(name string) string {
	if IsWeb(name) {
		if u, err := url.Parse(name); err == nil {
			return path.Base(u.Path)
		}
	}
	return filepath.Base(name)
}

// cut cuts the scheme off a remote name.
func cut(name string) (scheme, rest string, remote bool) {
	if !Remote(name) {
		return "", name, false
	}
	scheme, rest, _ = strings.Cut(name, "://")
	return scheme + "://", rest, true
}

// Open opens a file. A remote one is asked for with the first read; it must then be what Stat or List has found, if info is from there.
func Open(name string) (File, error) {
	if Remote(name) {
		return openRemote(context.Background(), name)
	}
	return os.Open(name)
}

// OpenAs opens the file that info of Stat or List describes. A remote one that is another by then cannot be read.
func OpenAs(name string, found fs.FileInfo) (File, error) {
	if i, ok := found.(info); ok {
		return newFile(i), nil
	}
	return Open(name)
}

// Stat describes a file.
func Stat(name string) (fs.FileInfo, error) {
	if Remote(name) {
		return statRemote(context.Background(), name)
	}
	return os.Stat(name)
}

// Exists reports whether there is a file or a folder.
func Exists(name string) bool {
	_, err := Stat(name)
	return err == nil
}

// ReadFile reads a whole file.
func ReadFile(name string) ([]byte, error) {
	if !Remote(name) {
		return os.ReadFile(name)
	}
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// ReadDir lists a folder, sorted by name. The web has none.
func ReadDir(name string) ([]fs.DirEntry, error) {
	switch {
	case IsWeb(name):
		return nil, fault("list", name, fs.ErrInvalid)
	case IsS3(name):
		return readBucket(context.Background(), name)
	}
	return os.ReadDir(name)
}

// SameFile reports whether both describe one file, whose bytes may differ unless it is remote.
func SameFile(a, b fs.FileInfo) bool {
	x, remote := a.(info)
	y, both := b.(info)
	if remote || both {
		return remote && both && x.url == y.url && x.etag == y.etag
	}
	return os.SameFile(a, b)
}

// ETag returns what a service of object storage calls the bytes of an object that Stat or List has found, "" for any other file.
func ETag(found fs.FileInfo) string {
	if i, ok := found.(info); ok && IsS3(i.url) {
		return i.etag
	}
	return ""
}

// An info describes a remote file. It implements fs.FileInfo.
type info struct {
	url      string
	size     int64
	modified time.Time // to the second, as all answers have it
	etag     string    // "" when the server has none
	token    string    // of the upload that made it, as far as it was asked for
	folder   bool
}

// Name implements fs.FileInfo.
func (i info) Name() string { return Base(i.url) }

// Size implements fs.FileInfo.
func (i info) Size() int64 { return i.size }

// Mode implements fs.FileInfo.
func (i info) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir
	}
	return 0
}

// ModTime implements fs.FileInfo. Servers tell seconds; the rest is made of the ETag, so that times differ where the bytes do.
func (i info) ModTime() time.Time {
	var sum uint32 = 2166136261
	for _, c := range []byte(i.etag) {
		sum = (sum ^ uint32(c)) * 16777619
	}
	return i.modified.Add(time.Duration(sum % uint32(time.Second)))
}

// IsDir implements fs.FileInfo.
func (i info) IsDir() bool { return i.folder }

// Sys implements fs.FileInfo.
func (i info) Sys() any { return nil }

// fault returns the error of an operation on a file.
func fault(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: Shown(name), Err: err}
}

const wildcards = "*?["

// CheckPattern returns why a name cannot be that of files to read, or a pattern for them. It asks nobody.
func CheckPattern(name string) error {
	if !IsS3(name) {
		return nil
	}
	bucket, key := Split(name)
	if bucket == "" || strings.ContainsAny(bucket, wildcards) {
		return fmt.Errorf("want a bucket, and wildcards behind its name alone, have %q", name)
	}
	for s := range strings.SplitSeq(key, "/") {
		if _, err := path.Match(s, ""); err != nil && strings.ContainsAny(key, wildcards) {
			return fmt.Errorf("want a pattern such as s3://%s/*.jsonl, have %q", bucket, name)
		}
	}
	return nil
}

// List returns the objects that a pattern of object storage matches, sorted: the wildcards of path.Match within a part of the key, and
// "**" for any number of parts. Wildcards match no part that begins with a dot.
func List(pattern string) ([]fs.FileInfo, []string, error) {
	if err := CheckPattern(pattern); err != nil {
		return nil, nil, fault("list", pattern, err)
	}
	bucket, key := Split(pattern)
	segments := strings.Split(key, "/")
	fixed, delimiter := key, ""
	if i := strings.IndexAny(key, wildcards); i >= 0 {
		fixed = key[:i]
	}
	if !strings.Contains(key[len(fixed):], "/") && !strings.Contains(key, "**") {
		delimiter = "/" // nothing below the folder can match
	}
	all, err := listBucket(context.Background(), bucket, fixed, delimiter)
	if err != nil {
		return nil, nil, err
	}
	var found []info
	for _, i := range all {
		_, key := Split(i.url)
		if !i.folder && !strings.HasSuffix(key, "/") && matches(segments, strings.Split(key, "/")) {
			found = append(found, i)
		}
	}
	slices.SortFunc(found, func(a, b info) int { return strings.Compare(a.url, b.url) })
	infos, names := make([]fs.FileInfo, len(found)), make([]string, len(found))
	for i, f := range found {
		infos[i], names[i] = f, f.url
	}
	return infos, names, nil
}

// matches reports whether the parts of a key are those of a pattern.
func matches(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" {
		rest := pattern[1:]
		if len(rest) == 0 {
			rest = []string{"*"}
		}
		for i := range parts {
			if matches(rest, parts[i:]) {
				return true
			}
			if strings.HasPrefix(parts[i], ".") {
				return false
			}
		}
		return false
	}
	if len(parts) == 0 || strings.HasPrefix(parts[0], ".") && strings.ContainsAny(pattern[0], wildcards) {
		return false
	}
	ok, _ := path.Match(pattern[0], parts[0])
	return ok && matches(pattern[1:], parts[1:])
}
