package places

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// An unfitError is an answer that no file can be read by, however often it is asked for.
type unfitError struct{ text string }

// Error implements error.
func (e *unfitError) Error() string { return e.text }

var errNoRanges = &unfitError{"want a server that answers with a range of the file (206), have one that sends all of it"}

// request asks for the bytes from off on, up to but not including end. The answer says what the file is, too.
func request(ctx context.Context, i info, off, end int64) (io.ReadCloser, info, error) {
	if IsWeb(i.url) {
		return requestWeb(ctx, i, off, end)
	}
	c, bucket, key, err := withBucket("read", i.url)
	if err != nil {
		return nil, info{}, err
	}
	opts := minio.GetObjectOptions{}
	if err := opts.SetRange(off, end-1); err != nil {
		return nil, info{}, err
	}
	if i.etag != "" {
		if err := opts.SetMatchETag(i.etag); err != nil {
			return nil, info{}, err
		}
	}
	body, _, head, err := c.GetObject(ctx, bucket, key, opts)
	if err != nil {
		return nil, info{}, err
	}
	size, err := sizeIn(head, off)
	return checkAnswer(i, body, head, size, err)
}

// web follows redirects without saying where it came from: the first URL may be signed.
var web = &http.Client{Transport: transport, CheckRedirect: func(req *http.Request, via []*http.Request) error {
	req.Header.Del("Referer")
	if len(via) >= 10 {
		return &unfitError{"want a file, have 10 redirects one after the other"}
	}
	return nil
}}

func requestWeb(ctx context.Context, i info, off, end int64) (io.ReadCloser, info, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, i.url, nil)
	if err != nil {
		return nil, info{}, errors.New("want a URL, have one that cannot be read")
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, end-1))
	if i.etag != "" && !strings.HasPrefix(i.etag, "W/") {
		req.Header.Set("If-Match", strconv.Quote(i.etag))
	}
	resp, err := web.Do(req)
	if err != nil {
		return nil, info{}, withoutURL(err)
	}
	switch resp.StatusCode {
	case http.StatusPartialContent:
		size, err := int64(0), error(&unfitError{"want the total size of the file in Content-Range, have a part of it (206) without"})
		if resp.Header.Get("Content-Range") != "" {
			size, err = sizeIn(resp.Header, off)
		}
		return checkAnswer(i, resp.Body, resp.Header, size, err)
	case http.StatusOK:
		err = errNoRanges
		if resp.ContentLength == 0 { // an empty file has no ranges
			return checkAnswer(i, resp.Body, resp.Header, 0, nil)
		}
	case http.StatusRequestedRangeNotSatisfiable:
		if strings.HasSuffix(resp.Header.Get("Content-Range"), "/0") {
			resp.Body.Close()
			return checkAnswer(i, http.NoBody, resp.Header, 0, nil)
		}
		err = ErrChanged // it has become shorter
	case http.StatusPreconditionFailed:
		err = ErrChanged
	default:
		err = &statusError{resp.StatusCode}
	}
	resp.Body.Close()
	return nil, info{}, err
}

// sizeIn returns the size of the whole file as the answer to a request for its bytes from off on says it.
func sizeIn(head http.Header, off int64) (int64, error) {
	text := head.Get("Content-Range")
	if text == "" { // all of the file
		size, err := strconv.ParseInt(head.Get("Content-Length"), 10, 64)
		if err != nil || off > 0 {
			return 0, errNoRanges
		}
		return size, nil
	}
	span, total, _ := strings.Cut(strings.TrimPrefix(text, "bytes "), "/")
	size, err := strconv.ParseInt(total, 10, 64)
	if err != nil || size < 0 {
		return 0, &unfitError{fmt.Sprintf("want the total size of the file in Content-Range, have %q", text)}
	}
	if first, _, _ := strings.Cut(span, "-"); first != strconv.FormatInt(off, 10) {
		return 0, &unfitError{fmt.Sprintf("want bytes from %d on, have the range %q", off, text)}
	}
	return size, nil
}

// checkAnswer compares an answer with what is known of the file: its size, and its ETag or, of a server without one, the time of its last
// change. err is what is wrong with the answer already.
func checkAnswer(i info, body io.ReadCloser, head http.Header, size int64, err error) (io.ReadCloser, info, error) {
	now := info{url: i.url, size: size, etag: strings.Trim(head.Get("ETag"), `"`)}
	now.modified, _ = http.ParseTime(head.Get("Last-Modified"))
	known := i.size >= 0
	switch {
	case err != nil:
	case known && (size != i.size || i.etag != "" && now.etag != i.etag || i.etag == "" && !now.modified.Equal(i.modified)):
		err = ErrChanged
	default:
		return body, now, nil
	}
	body.Close()
	return nil, info{}, err
}

// withoutURL returns the error of a request without its URL.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// fill reads the bytes from off on into buf. What was read is kept when the connection breaks, and the rest asked for again.
func fill(ctx context.Context, i info, buf []byte, off int64) error {
	n := 0
	var err error
	for before := -1; n < len(buf) && before < n; { // as long as a round of tries brings something
		before = n
		err = again(ctx, func() error {
			more, err := fillOnce(ctx, i, buf[n:], off+int64(n))
			n += more
			return err
		})
	}
	if n < len(buf) {
		return explain(i, "read", cmp.Or(err, io.ErrUnexpectedEOF))
	}
	return nil
}

// fillOnce reads as much as one answer brings. A server that sends nothing for long is given up.
func fillOnce(ctx context.Context, i info, buf []byte, off int64) (n int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	idle := time.AfterFunc(patience, func() { cancel(errSilent) })
	defer idle.Stop()
	body, _, err := request(ctx, i, off, off+int64(len(buf)))
	if err != nil {
		return 0, err
	}
	defer body.Close()
	for n < len(buf) && err == nil {
		var more int
		more, err = body.Read(buf[n:])
		n += more
		idle.Reset(patience)
	}
	if n == len(buf) {
		return n, nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

var errSilent = fmt.Errorf("the server sent nothing for %v", patience)

// explain returns the error of a request about a file.
func explain(i info, op string, err error) error {
	if _, named := errors.AsType[*fs.PathError](err); named {
		return err
	}
	if IsS3(i.url) {
		if c, _, _, bad := withBucket(op, i.url); bad == nil {
			bucket, _ := Split(i.url)
			err = c.because(bucket, err)
		}
	}
	return fault(op, i.url, err)
}

// statRemote describes a remote file.
func statRemote(ctx context.Context, name string) (fs.FileInfo, error) {
	if IsWeb(name) {
		i := info{url: name, size: -1}
		var now info
		err := again(ctx, func() error { // with the first byte, since a signed URL may allow nothing else
			body, is, err := requestWeb(ctx, i, 0, 1)
			if err != nil {
				return err
			}
			now = is
			return body.Close()
		})
		if err != nil {
			return nil, fault("stat", name, err)
		}
		return now, nil
	}
	c, bucket, key, err := withBucket("stat", name)
	if err != nil {
		return nil, err
	}
	folder := info{url: name, folder: true}
	if key == "" || strings.HasSuffix(key, "/") {
		return folder, nil
	}
	i, err := c.stat(ctx, name, bucket, key)
	if err == nil {
		return i, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if bad := c.hasBucket(ctx, bucket); bad != nil { // a HEAD has no body that says which of both is missing
		return nil, bad
	}
	if page, bad := c.ListObjectsV2(bucket, key+"/", "", "", "/", 1); bad == nil && len(page.Contents)+len(page.CommonPrefixes) > 0 {
		return folder, nil
	}
	return nil, err
}

// stat describes an object.
func (c *client) stat(ctx context.Context, name, bucket, key string) (info, error) {
	var is minio.ObjectInfo
	err := c.do(ctx, "stat", name, func() (err error) {
		is, err = c.StatObject(ctx, bucket, key, minio.StatObjectOptions{})
		return err
	})
	if r, ok := errors.AsType[*refusal](err); ok && r.code == "AccessDenied" {
		r.text += "; or there is no such object, which is told only to those who may list the bucket (s3:ListBucket)"
	}
	return infoOf(bucket, is), err
}

// hasBucket returns an error when a bucket is known to be missing.
func (c *client) hasBucket(ctx context.Context, bucket string) error {
	name := s3Scheme + bucket
	is := true
	err := again(ctx, func() (err error) {
		is, err = c.BucketExists(ctx, bucket)
		return err
	})
	if err != nil || is {
		return nil // or may not be asked for
	}
	return fault("stat", name, c.because(bucket, minio.ErrorResponse{Code: "NoSuchBucket"}))
}

func infoOf(bucket string, o minio.ObjectInfo) info {
	return info{
		url: s3Scheme + bucket + "/" + o.Key, size: o.Size, modified: o.LastModified.Truncate(time.Second).UTC(),
		etag: strings.Trim(o.ETag, `"`), token: o.UserMetadata[tokenKey],
	}
}

// listBucket lists what has a prefix.
func listBucket(ctx context.Context, bucket, prefix, delimiter string) (all []info, err error) {
	name := s3Scheme + bucket + "/" + prefix
	c, _, _, err := withBucket("list", name)
	if err != nil {
		return nil, err
	}
	for token := ""; ; {
		var page minio.ListBucketV2Result
		err := c.do(ctx, "list", name, func() (err error) {
			page, err = c.ListObjectsV2(bucket, prefix, "", token, delimiter, 1000)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, o := range page.Contents {
			all = append(all, infoOf(bucket, o))
		}
		for _, p := range page.CommonPrefixes {
			all = append(all, info{url: s3Scheme + bucket + "/" + p.Prefix, folder: true})
		}
		if !page.IsTruncated || page.NextContinuationToken == "" {
			return all, nil
		}
		token = page.NextContinuationToken
	}
}

// readBucket lists a folder of object storage.
func readBucket(ctx context.Context, name string) ([]fs.DirEntry, error) {
	bucket, key := Split(name)
	if key != "" && !strings.HasSuffix(key, "/") {
		key += "/"
	}
	all, err := listBucket(ctx, bucket, key, "/")
	if err != nil {
		return nil, err
	}
	var entries []fs.DirEntry
	for _, i := range all {
		if _, k := Split(i.url); k != key { // the mark of the folder itself
			entries = append(entries, fs.FileInfoToDirEntry(i))
		}
	}
	return entries, nil
}
