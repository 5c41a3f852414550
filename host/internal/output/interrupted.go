package output

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/sluicehq/sluice/host/internal/oserr"
)

// Interrupted is an interrupted run that can go on.
type Interrupted struct {
	Run        string          // its id, which the run that goes on has too
	Text       json.RawMessage // what its last Save was given; nil when Committing
	Committing bool            // all is written, and only names are missing: see Complete

	path  string
	state *state
}

// Interrupted returns the interrupted run that has the path of this Set's receipt, or nil when there is none. The error says that its
// state cannot be read. All paths are claimed, and nothing is prepared.
func (s *Set) Interrupted() (*Interrupted, error) {
	path := s.statePath()
	if path == "" {
		return nil, nil
	}
	x, err := readState(path)
	if oserr.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &Interrupted{x.Run, x.Text, len(x.Commit) > 0, path, x}, nil
}

// Attached opens an attachment of the state by the name that it was written with. Without one the error is fs.ErrNotExist.
func (i *Interrupted) Attached(ctx context.Context, name string) (io.ReadCloser, error) {
	for _, p := range i.state.Attached {
		if p.Name != name {
			continue
		}
		f, err := os.Open(far(i.path, p.File))
		if err != nil {
			return nil, err
		}
		if info, err := f.Stat(); err != nil || info.Size() != p.Bytes {
			return nil, errors.Join(cmp.Or(err, fmt.Errorf("%s: want %d bytes, have %d; run without --resume", f.Name(), p.Bytes, info.Size())), f.Close())
		}
		if same, err := holds(ctx, f.Name(), p.Bytes, p.CRC); err != nil || !same {
			return nil, errors.Join(cmp.Or(err, fmt.Errorf("%s: want what the interrupted run has written, have bytes that differ; run without --resume", f.Name())), f.Close())
		}
		return f, nil
	}
	return nil, fmt.Errorf("%s: %w", name, os.ErrNotExist)
}

// Resume has Prepare open the files of an interrupted run, as they were at its last checkpoint, instead of new ones. The Set gets
// the run's id.
func (s *Set) Resume(i *Interrupted) {
	s.from, s.opts.Run, s.temps = i.state, i.Run, i.state.Next
}

// Discard removes the interrupted run that this one replaces: its state and its hidden files. The Set is prepared. A run that was
// killed before it wrote its first state may have left attachments of it.
func (s *Set) Discard() error {
	path := s.statePath()
	if path == "" || s.from != nil || s.saved {
		return nil
	}
	x, err := readState(path)
	if oserr.Missing(err) && !hasAttachments(path) {
		return nil
	}
	if err := s.enterState(); err != nil {
		return err
	}
	return s.removeState(x)
}
