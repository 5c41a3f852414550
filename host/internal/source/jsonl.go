package source

import (
	"bytes"
	"strings"

	"github.com/sluicehq/sluice/sdk/wire"
)

// jsonlKind reads one record a line.
//
// Lines end at LF; a CR before it and blanks around a record are dropped, as is a byte-order mark at the start of a
// file. Blank lines are counted and skipped.
var jsonlKind = kind{
	doc:     "reads one record a line; empty lines are skipped",
	split:   newLineSplitter,
	ending:  ".jsonl",
	certain: []string{".jsonl", ".ndjson"},
	join:    joinLines,
}

func joinLines(rows []string) string { return strings.Join(rows, "\n") + "\n" }

func newLineSplitter(entry, Options) (splitter, error) { return &lineSplitter{at: 1}, nil }

// lineSplitter splits at LF.
type lineSplitter struct {
	at   int64
	open bool // there are bytes before the LF
}

func (l *lineSplitter) split(b []byte) (int, stretch) {
	n := bytes.IndexByte(b, '\n')
	switch {
	case n < 0:
		l.open = true
		return len(b), inside
	case n == 0 && !l.open:
		l.at++
		return 1, gap
	}
	l.open = false
	return n, ended
}

func (l *lineSplitter) end() stretch {
	if l.open {
		return ended
	}
	return gap
}

func (l *lineSplitter) line() int64 { return l.at }

// fault implements splitter. No text of lines is broken.
func (l *lineSplitter) fault([]byte, int) *wire.Fault { return nil }
