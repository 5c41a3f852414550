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

// errNoRanges is the error of a server that sends whole files only.
var errNoRanges = errors.New("want a server that answers with a range of the file (206), have one that sends all of it")

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
	return checkAnswer(i, body, head, off)
}

func requestWeb(ctx context.Context, i info, off, end int64) (io.ReadCloser, info, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, i.url, nil)
	if err != nil {
		return nil, info{}, errors.New("want a URL, have one that cannot be read")
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, end-1))
	if i.etag != "" && !strings.HasPrefix(i.etag, "W/") {
		req.Header.Set("If-Match", strconv.Quote(i.etag))
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return nil, info{}, withoutURL(err)
	}
	switch resp.StatusCode {
	case http.StatusPartialContent:
		return checkAnswer(i, resp.Body, resp.Header, off)
	case http.StatusOK:
		err = errNoRanges
		if resp.ContentLength == 0 { // an empty file has no ranges
			return checkAnswer(i, resp.Body, resp.Header, off)
		}
	case http.StatusRequestedRangeNotSatisfiable:
		if strings.HasSuffix(resp.Header.Get("Content-Range"), "/0") {
			resp.Body.Close()
			return checkAnswer(i, http.NoBody, resp.Header, off)
		}
		err = errChanged // it has become shorter
	case http.StatusPreconditionFailed:
		err = errChanged
	default:
		err = &statusError{resp.StatusCode}
	}
	resp.Body.Close()
	return nil, info{}, err
}

// checkAnswer compares an answer with what is known of the file: size, ETag, and where the bytes begin.
func checkAnswer(i info, body io.ReadCloser, head http.Header, off int64) (io.ReadCloser, info, error) {
	now := info{url: i.url, etag: strings.Trim(head.Get("ETag"), `"`)}
	now.modified, _ = http.ParseTime(head.Get("Last-Modified"))
	span, total, ranged := strings.Cut(strings.TrimPrefix(head.Get("Content-Range"), "bytes "), "/")
	size, err := strconv.ParseInt(total, 10, 64)
	if !ranged || err != nil { // an empty file
		size, _ = strconv.ParseInt(head.Get("Content-Length"), 10, 64)
		span = fmt.Sprint(off)
	}
	now.size = size
	first, _, _ := strings.Cut(span, "-")
	switch {
	case i.etag != "" && now.etag != i.etag, i.size >= 0 && size != i.size:
		err = errChanged
	case first != strconv.FormatInt(off, 10) && first != "*":
		err = fmt.Errorf("want bytes from %d on, have a range that begins at %q", off, first)
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
	c, err := connect()
	if err != nil {
		return nil, fault("list", name, err)
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
