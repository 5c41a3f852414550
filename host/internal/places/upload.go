package places

import (
	"context"
	"crypto/md5"
	"encoding/base64"
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

	"github.com/minio/minio-go/v7"
)

// tokenKey is the metadata that names the upload which has made an object.
const tokenKey = "Sluice-Upload"

// Parts are as large as each other but the last, since some servers want that. An object has at most mostParts: one that would have more
// begins again with larger ones, at most largestPart.
const (
	partSize    = 16 << 20
	mostParts   = 10_000
	growPart    = 8
	largestPart = partSize * growPart * growPart // an object of 10 TB
)

// uploading bounds how many parts of all uploads are under way.
var uploading = make(chan struct{}, 4)

// An Upload makes an object of a local file. It sends the file's parts while it is written, and the object becomes visible with
// Complete. Goroutines of it send; its methods are for one.
type Upload struct {
	ctx   context.Context
	name  string
	path  string // of the local file
	token string // becomes metadata of the object, so that it can be told from any other

	noted func(id string) error // notes that an upload begins, and then its id, so that it can be found

	group sync.WaitGroup
	mu    sync.Mutex
	id    string // "" until the server has given one
	size  int64  // of a part
	begun int    // parts that were sent, or are
	etags []string
	err   error // the first of those parts
}

// NewUpload makes an upload of a file. Nothing is sent for it before Grow finds a whole part. noted is called before an upload
// begins, without id, and then with the one that the server has given.
func NewUpload(ctx context.Context, name, path, token string, noted func(id string) error) *Upload {
	return &Upload{ctx: ctx, name: name, path: path, token: token, noted: noted, size: partSize}
}

// Grow says how many bytes of the file will not change any more. It does not wait.
func (u *Upload) Grow(size int64) {
	for int64(u.begun+1)*u.size <= size && u.begun < mostParts-1 && u.failed() == nil {
		select {
		case uploading <- struct{}{}:
			u.send(int64(u.begun)*u.size, u.size)
		default: // a later call, or Finish
			return
		}
	}
}

// failed returns why a part could not be sent.
func (u *Upload) failed() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err
}

// send sends the next part. The caller has taken a place among those that upload.
func (u *Upload) send(from, size int64) {
	number := u.begun
	u.begun++
	u.mu.Lock()
	u.etags = append(u.etags, "")
	u.mu.Unlock()
	u.group.Go(func() {
		defer func() { <-uploading }()
		etag, err := u.put(number, from, size)
		u.mu.Lock()
		defer u.mu.Unlock()
		if u.etags[number] = etag; u.err == nil {
			u.err = err
		}
	})
}

// begin has the server give an id, once.
func (u *Upload) begin(c *client, bucket, key string) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.id != "" {
		return u.id, nil
	}
	if err := u.noted(""); err != nil {
		return "", err
	}
	var id string
	began, tried := time.Now(), 0
	err := c.do(u.ctx, "write", u.name, func() (err error) {
		tried++
		id, err = c.NewMultipartUpload(u.ctx, bucket, key, u.options())
		return err
	})
	if tried > 1 { // the server may have begun one whose id was lost on the way
		err = errors.Join(err, AbortSince(u.ctx, u.name, began, id))
	}
	if err == nil {
		err = u.noted(id)
	}
	if err != nil {
		if id != "" {
			err = errors.Join(err, Abort(u.ctx, u.name, id))
		}
		return "", err
	}
	u.id = id
	return id, nil
}

func (u *Upload) options() minio.PutObjectOptions {
	return minio.PutObjectOptions{
		UserMetadata: map[string]string{tokenKey: u.token}, ContentType: contentType(u.name), DisableContentSha256: true,
	}
}

// contentType returns what a browser makes of a file.
func contentType(name string) string {
	switch filepath.Ext(name) {
	case ".jsonl":
		return "application/x-ndjson"
	case ".json":
		return "application/json"
	case ".html":
		return "text/html; charset=utf-8"
	case ".gz":
		return "application/gzip"
	case ".zst":
		return "application/zstd"
	}
	return "application/octet-stream"
}

// put sends a part. The server compares what it gets with the checksum, and refuses it otherwise.
func (u *Upload) put(number int, from, size int64) (etag string, err error) {
	c, bucket, key, err := withBucket("write", u.name)
	if err != nil {
		return "", err
	}
	id, err := u.begin(c, bucket, key)
	if err != nil {
		return "", err
	}
	f, err := os.Open(u.path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum, err := sumOf(f, from, size)
	if err != nil {
		return "", err
	}
	err = c.do(u.ctx, "write", u.name, func() error {
		part, err := c.PutObjectPart(u.ctx, bucket, key, id, number+1, io.NewSectionReader(f, from, size), size,
			minio.PutObjectPartOptions{Md5Base64: sum, DisableContentSha256: true})
		etag = part.ETag
		return err
	})
	return etag, err
}

func sumOf(f *os.File, from, size int64) (string, error) {
	sum := md5.New()
	if _, err := io.CopyBuffer(struct{ io.Writer }{sum}, io.NewSectionReader(f, from, size), make([]byte, 256<<10)); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(sum.Sum(nil)), nil
}

// Parts are all parts of an upload that only has to be completed, or of none when the file is small.
type Parts struct {
	ID    string   `json:"id,omitempty"`
	ETags []string `json:"etags,omitempty"`
}

// Finish sends what is missing of a file of the size, and returns what Complete needs. A file smaller than a part is left to Complete. Parts
// that have failed are sent again, with all others.
func (u *Upload) Finish(size int64) (Parts, error) {
	u.group.Wait()
	if u.id == "" && size < partSize {
		return Parts{}, nil
	}
	if size > largestPart*mostParts {
		return Parts{}, fault("write", u.name, fmt.Errorf("want at most %d bytes in one object, have %d: rotate makes several", int64(largestPart)*mostParts, size))
	}
	if u.err != nil || size > u.size*mostParts {
		if err := u.restart(size); err != nil {
			return Parts{}, err
		}
	}
	for from := int64(u.begun) * u.size; from < size && u.failed() == nil; from += u.size {
		uploading <- struct{}{}
		u.send(from, min(u.size, size-from))
	}
	u.group.Wait()
	if u.err != nil {
		return Parts{}, u.err
	}
	return Parts{u.id, slices.Clone(u.etags)}, nil
}

// restart begins anew, with parts in which a file of the size has room.
func (u *Upload) restart(size int64) error {
	if err := u.Abort(); err != nil {
		return err
	}
	for size > u.size*mostParts {
		u.size *= growPart
	}
	u.begun, u.etags, u.err = 0, nil, nil
	return nil
}

// Abort ends the upload, whose parts the server forgets.
func (u *Upload) Abort() error {
	u.group.Wait()
	if u.id == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(u.ctx), abortPatience)
	defer cancel()
	err := Abort(ctx, u.name, u.id)
	if err == nil {
		u.id = ""
	}
	return err
}

// abortPatience is how long an end of a run waits for the server to forget an upload. What it does not forget, the next run has it forget.
const abortPatience = 10 * time.Second

// Abort has the server forget an upload. One that it does not know is forgotten.
func Abort(ctx context.Context, name, id string) error {
	c, bucket, key, err := withBucket("abort", name)
	if err != nil {
		return err
	}
	err = c.do(ctx, "abort", name, func() error { return c.AbortMultipartUpload(ctx, bucket, key, id) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// skew is how far the clock of a server may be from this machine's.
const skew = time.Minute

// AbortSince has the server forget the uploads for an object that have begun since a moment, but for one: those whose ids never came.
// Of a run that another machine has begun for the same object just then, the parts are sent once more.
func AbortSince(ctx context.Context, name string, began time.Time, but string) error {
	c, bucket, key, err := withBucket("abort", name)
	if err != nil {
		return err
	}
	var list minio.ListMultipartUploadsResult
	err = c.do(ctx, "abort", name, func() (err error) {
		list, err = c.ListMultipartUploads(ctx, bucket, key, "", "", "", 1000)
		return err
	})
	if errors.Is(err, fs.ErrPermission) { // some may write and not list; the rules of the bucket remove what is left
		return nil
	}
	for _, x := range list.Uploads {
		if x.Key == key && x.UploadID != but && x.Initiated.After(began.Add(-skew)) {
			err = errors.Join(err, Abort(ctx, name, x.UploadID))
		}
	}
	return err
}

// Complete makes the object visible, of the parts that were sent, or of a small file as a whole. It may be called again, by another process
// too: an object with the token that has the size is the one.
func Complete(ctx context.Context, name, path, token string, size int64, parts Parts) error {
	u := NewUpload(ctx, name, path, token, func(string) error { return nil })
	c, bucket, key, err := withBucket("write", name)
	if err != nil {
		return err
	}
	if parts.ID == "" {
		err = u.whole(c, bucket, key, size)
	} else {
		err = u.join(c, bucket, key, parts)
	}
	done, bad := Made(ctx, name, token, size)
	switch {
	case done, err == nil && errors.Is(bad, fs.ErrPermission): // some may write and not read
		return nil
	case err == nil && bad == nil:
		err = fault("write", name, fmt.Errorf("want the %d bytes that were sent, have an object of somebody else", size))
	case err == nil:
		err = bad
	case errors.Is(err, fs.ErrNotExist) && parts.ID != "": // the server has forgotten the parts
		return u.again(size)
	}
	return err
}

// again sends the file once more.
func (u *Upload) again(size int64) error {
	parts, err := u.Finish(size)
	if err != nil {
		return err
	}
	if parts.ID == "" {
		return Complete(u.ctx, u.name, u.path, u.token, size, parts)
	}
	c, bucket, key, err := withBucket("write", u.name)
	if err != nil {
		return err
	}
	return u.join(c, bucket, key, parts)
}

func (u *Upload) whole(c *client, bucket, key string, size int64) error {
	f, err := os.Open(u.path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum, err := sumOf(f, 0, size)
	if err != nil {
		return err
	}
	return c.do(u.ctx, "write", u.name, func() error {
		_, err := c.PutObject(u.ctx, bucket, key, io.NewSectionReader(f, 0, size), size, sum, "", u.options())
		return err
	})
}

func (u *Upload) join(c *client, bucket, key string, parts Parts) error {
	all := make([]minio.CompletePart, len(parts.ETags))
	for i, etag := range parts.ETags {
		all[i] = minio.CompletePart{PartNumber: i + 1, ETag: etag}
	}
	return c.do(u.ctx, "write", u.name, func() error {
		_, err := c.CompleteMultipartUpload(u.ctx, bucket, key, parts.ID, all, minio.PutObjectOptions{})
		return err
	})
}

// Made reports whether an object is the one of an upload.
func Made(ctx context.Context, name, token string, size int64) (bool, error) {
	c, bucket, key, err := withBucket("stat", name)
	if err != nil {
		return false, err
	}
	i, err := c.stat(ctx, name, bucket, key)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && i.token == token && i.size == size, err
}

// Put makes an object of a whole file.
func Put(ctx context.Context, name, path, token string, size int64) error {
	u := NewUpload(ctx, name, path, token, func(string) error { return nil })
	parts, err := u.Finish(size)
	if err == nil {
		err = Complete(ctx, name, path, token, size, parts)
	}
	if err != nil {
		err = errors.Join(err, u.Abort())
	}
	return err
}

// Remove removes an object. One that is not there is removed.
func Remove(ctx context.Context, name string) error {
	c, bucket, key, err := withBucket("remove", name)
	if err != nil {
		return err
	}
	if _, err := c.stat(ctx, name, bucket, key); errors.Is(err, fs.ErrNotExist) { // some may write and not remove
		return nil
	}
	return c.do(ctx, "remove", name, func() error { return c.RemoveObject(ctx, bucket, key, minio.RemoveObjectOptions{}) })
}

// Writable tries whether objects can be written into a folder, and leaves nothing. All runs try it by one key, which nothing else has: so each
// removes what one that was killed has left of its trial, and two at once do each other no harm.
func Writable(ctx context.Context, folder string) error {
	name := Join(folder, ".sluice", "trial")
	u := NewUpload(ctx, name, "", "", func(string) error { return nil })
	c, bucket, key, err := withBucket("write", name)
	if err != nil {
		return err
	}
	if _, err := u.begin(c, bucket, key); err != nil {
		return err
	}
	return errors.Join(u.Abort(), AbortSince(ctx, name, time.Time{}, ""))
}

// CheckKey returns why a name cannot be that of an object which is written.
func CheckKey(name string) error {
	bucket, key := Split(name)
	switch {
	case bucket == "" || strings.ContainsAny(bucket, "{}"):
		return fmt.Errorf("want a bucket, have %q", name)
	case key == "" || strings.HasSuffix(key, "/"):
		return fmt.Errorf("want a file to write, have %q", name)
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part == "." || part == ".." || strings.ContainsAny(part, "\\\x00") {
			return fmt.Errorf("want a key whose parts could be names of files, have %q", name)
		}
	}
	return nil
}

// Staging returns the folder of this machine in which objects lie until they are uploaded: SLUICE_STAGE, or a folder of the user's state.
func Staging() (string, error) {
	if dir := os.Getenv("SLUICE_STAGE"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "sluice", "s3"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("want a folder in SLUICE_STAGE, where outputs lie until they are uploaded: %w", err)
	}
	return filepath.Join(home, ".local", "state", "sluice", "s3"), nil
}

// Endpoint returns a name for the service that s3:// leads to, which can be that of a folder.
func Endpoint() string {
	endpoint := strings.TrimSuffix(current().endpoint, "/")
	_, host, _ := strings.Cut(endpoint, "://")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:@?*"<>|`, r) {
			return '_'
		}
		return r
	}, host)
}
