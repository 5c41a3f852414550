package attest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluicehq/sluice/host/fetch"
)

// WriteRemote is Write for a run in a bucket, of which it gets a copy. The attestation goes into the bucket, too, unless it is asked for
// elsewhere. The path is that of this machine.
func WriteRemote(ctx context.Context, run *fetch.Copy, o Options) (string, error) {
	o.Receipt, o.Output, o.To, o.Shown = run.Paths[0], run.Local(o.Output), run.Local(o.To), run.Name
	if o.To != "" {
		if err := os.MkdirAll(filepath.Dir(o.To), 0o700); err != nil {
			return "", err
		}
	}
	path, bad := Write(o)
	if bad = run.Named(bad); path == "" {
		return "", bad
	}
	for _, written := range []string{StatsBeside(path), path} {
		if name := run.Name(written); name != written {
			if err := fetch.Put(ctx, written, name); err != nil {
				return "", errors.Join(bad, err)
			}
		}
	}
	return path, bad
}

// Nearby copies an attestation from a bucket, with the files that it names. These lie beside it, or in dir, another folder of a bucket. The
// copy has the path of the attestation first, then those of the files.
func Nearby(ctx context.Context, name, dir string) (*fetch.Copy, error) {
	if dir == "" {
		dir = name[:strings.LastIndexByte(name, '/')]
	}
	if !fetch.Remote(dir) {
		return nil, fmt.Errorf("--dir: want a folder in a bucket, as the attestation is, have %q", dir)
	}
	c, err := fetch.Files(ctx, name)
	if err != nil {
		return nil, err
	}
	files, err := Files(c.Paths[0])
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: want an attestation that names files", name)
	}
	all := []string{name}
	for _, file := range files {
		all = append(all, strings.TrimSuffix(dir, "/")+"/"+file)
	}
	return fetch.Files(ctx, all...)
}
