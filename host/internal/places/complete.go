package places

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
)

// Complete makes the object visible, of the parts that were sent, or of a small file as a whole. It may be called again, by another process
// too: an object with the token that has the size is the one. noted is that of NewUpload, for parts that the server has forgotten: they are
// sent once more.
func Complete(ctx context.Context, name, path, token string, size int64, parts Parts, noted func(id string) error) error {
	u := NewUpload(ctx, name, path, token, noted)
	defer u.cancel()
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
	if !done && parts.ID != "" && errors.Is(err, fs.ErrNotExist) { // the server has forgotten the parts
		err = u.again(c, bucket, key, size)
		done, bad = Made(ctx, name, token, size)
	}
	switch {
	case done, err == nil && errors.Is(bad, fs.ErrPermission): // some may write and not read
		return nil
	case err == nil && bad == nil:
		err = fault("write", name, fmt.Errorf("want the %d bytes that were sent, have an object of somebody else", size))
	case err == nil:
		err = bad
	}
	return err
}

// again sends the file once more.
func (u *Upload) again(c *client, bucket, key string, size int64) error {
	parts, err := u.Finish(size)
	if err == nil {
		err = u.join(c, bucket, key, parts)
	}
	if err != nil {
		err = errors.Join(err, u.Abort())
	}
	return err
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

// Put makes an object of a whole file. noted is that of NewUpload.
func Put(ctx context.Context, name, path, token string, size int64, noted func(id string) error) error {
	u := NewUpload(ctx, name, path, token, noted)
	defer u.cancel()
	parts, err := u.Finish(size)
	if err == nil {
		err = Complete(ctx, name, path, token, size, parts, noted)
	}
	if err != nil {
		err = errors.Join(err, u.Abort())
	}
	return err
}

// MostAtOnce is how many bytes an object may have that is sent by one request.
const MostAtOnce = 5 << 30

// Write makes an object of some bytes by one request: it has all of them or is not there, and whoever is killed meanwhile leaves nothing. From
// is read again where a request is repeated.
func Write(ctx context.Context, name string, from io.ReaderAt, size int64) error {
	c, bucket, key, err := withBucket("write", name)
	if err != nil {
		return err
	}
	sum, err := sumOf(from, 0, size)
	if err != nil {
		return err
	}
	return c.do(ctx, "write", name, func() error {
		_, err := c.PutObject(ctx, bucket, key, io.NewSectionReader(from, 0, size), size, sum, "",
			minio.PutObjectOptions{ContentType: contentType(name), DisableContentSha256: true})
		return err
	})
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
	return RemoveListed(ctx, name)
}

// RemoveListed removes an object that was there a moment ago.
func RemoveListed(ctx context.Context, name string) error {
	c, bucket, key, err := withBucket("remove", name)
	if err != nil {
		return err
	}
	return c.do(ctx, "remove", name, func() error { return c.RemoveObject(ctx, bucket, key, minio.RemoveObjectOptions{}) })
}

// Writable tries whether objects can be written into a folder, and leaves nothing. All runs try it by one key, which nothing else has: so each
// removes what one that was killed has left of its trial, and two at once do each other no harm.
func Writable(ctx context.Context, folder string) error {
	name := Join(folder, ".sluice", "trial")
	u := NewUpload(ctx, name, "", "", func(string) error { return nil })
	if _, err := u.begin(); err != nil {
		_ = u.Abort() // of an upload whose id did not come
		return err
	}
	return errors.Join(u.Abort(), AbortSince(ctx, name, time.Time{}, ""))
}
