package viewer

import (
	"context"
	"mime"
	"net/http"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
)

// raw serves a value of a row as text, for people who copy it and for programs, as the page of the value shows it.
func (s *Server) raw(w http.ResponseWriter, r *http.Request, x *state) error {
	v := r.URL.Query()
	row, err := find(r.Context(), s.index, v.Get(atKey))
	if err != nil {
		return err
	}
	path := v.Get(pathKey)
	if err := rows.CheckPath(path); err != nil {
		return wrong("path: %v", err)
	}
	if row.Size > mostWhole && !x.shown {
		return wrong("a row of this size cannot be masked: want %s=%s, to have it with its personal values", valuesKey, asShown)
	}
	text, err := s.valueText(r.Context(), row, path, x.shown)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte(text))
	return nil
}

// Bounds of a download.
const (
	downloadRows = 500             // that are looked up at once
	downloadWait = 4 * time.Minute // until everything is found
	downloadStep = time.Minute     // in which so many rows must have left
)

// unmasked is the line of a row that cannot be masked.
const unmasked = "null"

// download serves all rows of a search as JSON Lines, in its order, masked unless values are shown. A row that cannot be masked is null.
func (s *Server) download(w http.ResponseWriter, r *http.Request, x *state) error {
	found, err := s.index.FindWithin(r.Context(), x.query, downloadWait)
	if err != nil {
		return &wrongAddress{err.Error()}
	}
	if !found.Done {
		return context.DeadlineExceeded
	}
	name := "rows.masked.jsonl"
	if x.shown {
		name = "rows.jsonl"
	}
	w.Header().Set("Content-Type", "application/x-ndjson; charset=utf-8")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	control := http.NewResponseController(w)
	for from := 0; from < found.Len(); from += downloadRows {
		_ = control.SetWriteDeadline(time.Now().Add(downloadStep)) // a test's writer has none
		page, err := found.Page(from, downloadRows)
		if err != nil {
			panic(http.ErrAbortHandler) // a half must not look like the whole
		}
		for _, row := range page {
			line, err := s.line(r.Context(), row, x.shown)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return nil // who asked has left
			}
		}
	}
	return nil
}

// line returns a row as a download has it.
func (s *Server) line(ctx context.Context, row rows.Row, shown bool) ([]byte, error) {
	if row.Size > mostWhole && !shown {
		return []byte(unmasked), nil
	}
	if row.Size > mostAtOnce {
		if err := acquire(ctx, s.large); err != nil {
			return nil, err
		}
		defer release(s.large)
	}
	c, err := whole(ctx, s.index, row, shown)
	switch {
	case err != nil:
		return nil, err
	case c.unknown:
		return []byte(unmasked), nil
	case c.json == nil:
		return []byte(c.text), nil
	}
	return c.json, nil
}
