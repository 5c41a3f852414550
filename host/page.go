package host

import (
	"context"
	"crypto/rand"
	"errors"

	"github.com/sluicehq/sluice/host/internal/output"
)

// WriteBeside writes a file that tells more of a run, in one go: what was there stays until all of the new text lies on disk. It fails
// while a run writes into the folder.
func WriteBeside(ctx context.Context, path string, text []byte) (err error) {
	set := output.New(output.Options{Run: rand.Text()})
	defer func() { err = errors.Join(err, set.Abort()) }()
	r, err := set.Report(output.Claim{What: "the report", Path: path})
	if err != nil {
		return err
	}
	if err := set.Prepare(ctx); err != nil {
		return err
	}
	if err := r.Write(text); err != nil {
		return err
	}
	if _, err := set.Finish(); err != nil {
		return err
	}
	return set.Commit()
}
