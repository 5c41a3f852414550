package output

import (
	"context"
	"strconv"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// The origins of a file's rows lie in the hidden folder next to it, as lines of JSON:
//
//	{"schema":"sluice.origins.v1"}
//	"corpus/a.jsonl"
//	[1,40]
//	[43,2,0,1]
//	{"rows":42,"bytes":345678,"sha256":"..."}
//
// A string is the file that the following rows come from. An array is a run of rows: the line of the first row, the number
// of rows, the record on that line that the first row comes from and its place among the rows of that record. The last two
// count from 0 and are left out where they and all behind them are 0. Each further row of a run is the first row of the
// first record on the next line. The last line describes the file of rows, which has changed when it does not agree.
const (
	originsEnding = ".origins"
	originsSchema = "sluice.origins.v1"
	originsHead   = `{"schema":"` + originsSchema + `"}` + "\n"
	originsBuffer = 32 << 10
)

// OriginsPath returns where the origins of an output's rows lie, "" when its name is too long for it.
func OriginsPath(path string) string { return sidecarPath(path, originsEnding) }

// Origins is the file that lists where the rows of an output come from. The SHA-256 is in hex.
type Origins struct {
	Path   string
	SHA256 string
}

// origins notes where rows come from.
type origins struct {
	file  *file
	text  []byte // not written yet
	err   error  // the first
	last  Origin
	rows  int64
	first Origin // of the run
	run   int64  // its rows; 0 before the first
}

// originsTarget returns where the origins of t go, nil when they are not noted.
func (s *Set) originsTarget(t *target) (*target, error) {
	path := OriginsPath(t.path)
	if !s.origins || t.inPlace() || path == "" {
		return nil, nil
	}
	beside, err := s.locate(path)
	if err == nil {
		err = beside.writable()
	}
	return beside, err
}

// claimOrigins claims the path of the origins of a sink without labels.
func (s *Set) claimOrigins(c *claim) error {
	if c.target == nil || s.owned[c.target.key].by != c { // another claim has the file itself
		return nil
	}
	t, err := s.originsTarget(c.target)
	if t != nil && err == nil {
		s.tryOwn(ownership{c, t})
	}
	return err
}

// openOrigins stages the origins of a file, nil when they are not noted.
func (s *Set) openOrigins(of *file) (*origins, error) {
	t, err := s.originsTarget(of.target)
	if t == nil || err != nil {
		return nil, err
	}
	f, err := s.stage(context.Background(), of.claim, t) // never a pipe, so it does not wait
	if err != nil {
		return nil, err
	}
	f.auditor, f.notDurable = nil, true
	return &origins{file: f, text: []byte(originsHead)}, nil
}

// note takes in the next row.
func (o *origins) note(r *wire.Record) {
	o.rows++
	same := o.run > 0 && r.File == o.last.File
	if same && r.Line == o.last.Line+1 && r.OfLine == 0 { // as most rows are
		o.last.Line, o.last.OfLine, o.last.Row = r.Line, 0, 0
		o.run++
		return
	}
	next := Origin{r.File, r.Line, r.OfLine, 0}
	if same && next.Line == o.last.Line && next.OfLine == o.last.OfLine {
		next.Row = o.last.Row + 1
	}
	o.endRun()
	if !same {
		o.text = append(jsontext.AppendString(o.text, next.File), '\n')
	}
	o.first, o.last, o.run = next, next, 1
}

// endRun writes the run at hand.
func (o *origins) endRun() {
	if o.run == 0 {
		return
	}
	o.text = strconv.AppendInt(append(o.text, '['), o.first.Line, 10)
	o.text = strconv.AppendInt(append(o.text, ','), o.run, 10)
	if o.first.OfLine > 0 || o.first.Row > 0 {
		o.text = strconv.AppendUint(append(o.text, ','), uint64(o.first.OfLine), 10)
	}
	if o.first.Row > 0 {
		o.text = strconv.AppendUint(append(o.text, ','), uint64(o.first.Row), 10)
	}
	if o.text = append(o.text, "]\n"...); len(o.text) >= originsBuffer {
		o.write()
	}
}

func (o *origins) write() {
	if o.err == nil {
		_, o.err = o.file.Write(o.text)
	}
	o.text = o.text[:0]
}

// finish completes the origins of a file that is whole.
func (o *origins) finish(d *disk, of *File) (*Origins, error) {
	o.endRun()
	o.text = strconv.AppendInt(append(o.text, `{"rows":`...), o.rows, 10)
	o.text = strconv.AppendInt(append(o.text, `,"bytes":`...), of.Bytes, 10)
	o.text = append(jsontext.AppendMember(append(o.text, ','), "sha256", of.SHA256), "}\n"...)
	if o.write(); o.err != nil {
		return nil, o.err
	}
	if err := o.file.finish(d, -1); err != nil {
		return nil, err
	}
	return &Origins{Path: o.file.target.path, SHA256: o.file.digest.sum()}, nil
}
