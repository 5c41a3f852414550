package source

import "bytes"

// openJSONL finds the files of a source that reads one record a line.
//
// Lines end at LF; a CR before it and blanks around a record are dropped, as is a byte-order mark at the start of a
// file. Blank lines are counted and skipped.
func openJSONL(opts Options) (Source, error) {
	return openRecords(opts, newLineSplitter)
}

func newLineSplitter(entry) (splitter, error) { return &lineSplitter{at: 1}, nil }

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

func (l *lineSplitter) wanted() string { return "" }
