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
// Complete. It sends in goroutines of its own; only one goroutine may call its methods.
type Upload struct {
	run    context.Context
	ctx    context.Context // of all requests but those that end the upload
	cancel context.CancelFunc

	name  string
	path  string // of the local file
	token string // becomes metadata of the object, so that it can be told from any other

	noted func(id string) error // notes that an upload begins, and then its id, so that it can be found
	begin func() (id string, err error)
	asked time.Time // when begin asked the server for an id, until there is one
	id    string

	group sync.WaitGroup
	mu    sync.Mutex
	size  int64 // of a part
	begun int   // parts that were sent, or are
	etags []string
	err   error // the first of those parts
}

// NewUpload makes an upload of a file. Nothing is sent for it before Grow finds a whole part. noted is called before an upload
// begins, without id, and then with the one that the server has given.
func NewUpload(ctx context.Context, name, path, token string, noted func(id string) error) *Upload {
	u := &Upload{run: ctx, name: name, path: path, token: token, noted: noted, size: partSize}
	u.renew()
	return u
}

// renew makes the upload one that has not begun.
func (u *Upload) renew() {
	u.ctx, u.cancel = context.WithCancel(u.run)
	u.begin = sync.OnceValues(u.ask) // parts wait for it together, and fail together
	u.begun, u.etags, u.err = 0, nil, nil
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

// ask has the server give an id.
func (u *Upload) ask() (string, error) {
	c, bucket, key, err := withBucket("write", u.name)
	if err != nil {
		return "", err
	}
	if err := u.noted(""); err != nil {
		return "", err
	}
	u.asked = time.Now()
	var id string
	tried := 0
	err = c.do(u.ctx, "write", u.name, func() (err error) {
		tried++
		id, err = c.NewMultipartUpload(u.ctx, bucket, key, u.options())
		return err
	})
	if err == nil && tried > 1 { // others may have begun whose ids were lost on the way
		err = AbortSince(u.ctx, u.name, u.asked, id)
	}
	if err != nil {
		return "", err
	}
	u.id, u.asked = id, time.Time{}
	return id, u.noted(id)
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
	id, err := u.begin()
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

func sumOf(f io.ReaderAt, from, size int64) (string, error) {
	sum := md5.New()
	if _, err := io.CopyBuffer(struct{ io.Writer }{sum}, io.NewSectionReader(f, from, size), make([]byte, 256<<10)); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(sum.Sum(nil)), nil
}

// Parts lists what was sent of a file whose upload only has to be completed. It is empty for a small file, which is sent at once.
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
	u.renew()
	return nil
}

// Abort ends the upload, whose parts the server forgets. It cancels the parts under way and waits until they have ended.
func (u *Upload) Abort() error {
	u.cancel()
	u.group.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(u.ctx), abortPatience)
	defer cancel()
	var err error
	switch {
	case u.id != "":
		err = Abort(ctx, u.name, u.id)
	case !u.asked.IsZero(): // the server may have begun one whose id did not come
		err = AbortSince(ctx, u.name, u.asked, "")
	}
	if err == nil {
		u.id, u.asked = "", time.Time{}
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
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some may write and not list, and some services have no such list; the rules of the bucket remove what is left
	}
	for _, x := range list.Uploads {
		if x.Key == key && x.UploadID != but && x.Initiated.After(began.Add(-skew)) {
			err = errors.Join(err, Abort(ctx, name, x.UploadID))
		}
	}
	return err
}
