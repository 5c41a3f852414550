package sdk

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A Record is one JSON value with its origin. Edits are collected and applied once, and every byte that no edit
// touched stays as it was read. A record and what is derived from it belong to one call of Process.
type Record struct {
	*document        // a step uses it again, for the next record of the stream
	turn      uint64 // the call of Process that the record belongs to
}

type document struct {
	data      string   // never changed in place
	edits     []splice // of Set and Delete; then there are no splices
	splices   *splices // of Splice; nil: none
	shown     bool     // JSON or Reading returned data, and no edit came since
	unchecked bool     // data is the plugin's own and may not be JSON
	derived   uint64   // which text of the plugin's own data is; 0: not one that it may change
	pos       Pos
	from      *wire.Origins // nil: the record was made of the one at pos
	labels    []wire.Label
	step      *step // what the record belongs to
	input     bool  // came from the stream, as data is
}

// Get returns a copy of the value at a gjson path, which may be kept. For a missing path the Result does not Exist. Of
// duplicate keys it returns the first, as gjson does.
func (r *Record) Get(path string) gjson.Result {
	v := r.View(path)
	raw := strings.Clone(v.Raw)
	if n := len(raw); v.Type == gjson.String && n >= 2 && v.Raw[1:n-1] == v.Str { // nothing was escaped
		v.Str = raw[1 : n-1]
	} else {
		v.Str = strings.Clone(v.Str)
	}
	v.Raw = raw
	return v
}

// View is Get without a copy: the value and all strings in it are valid during the call of Process, after which their memory is
// reused for other records. Edits do not change it.
func (r *Record) View(path string) gjson.Result { return gjson.Get(r.text(), path) }

// JSON returns the whole record, edits applied, without a copy: the bytes are valid during the call of Process, after which
// their memory is reused for other records. The caller must not change them. Later edits do not change them.
func (r *Record) JSON() []byte { return jsontext.Bytes(r.shows()) }

// Pos returns the place that the record was read from, of a record made of several the place of the first.
func (r *Record) Pos() Pos {
	r.check()
	return r.pos
}

// Origins returns the places of the records that the record was made of, which may be kept: its own, or those that SetOrigins named.
func (r *Record) Origins() []Pos {
	r.check()
	if r.from == nil {
		return []Pos{r.pos}
	}
	places := make([]Pos, len(r.from.List))
	for i, p := range r.from.List {
		places[i] = Pos(p)
	}
	return places
}

// SetOrigins says which records the record was made of, such as those of a session, in the order of their places. Rejects, side rows,
// explain and diff name all of them, and the first as the record's own place. Of more than 1,000 the first are named and the others
// counted. A record without SetOrigins is made of the one at hand; one that Flush emits needs it. No places, and a place without a
// file or with a line below 1, reject the record with code "error", and end the run from Flush.
func (r *Record) SetOrigins(places ...Pos) {
	r.check()
	list := make([]wire.Pos, len(places))
	for i, p := range places {
		list[i] = wire.Pos{File: own(p.File), Line: p.Line}
	}
	if i := slices.IndexFunc(list, func(p wire.Pos) bool { return p.File == "" || p.Line < 1 }); i >= 0 || len(list) == 0 {
		r.step.blame(wire.PlainError, "want the places of records, which Record.Pos returns, as origins, have %d, of which not every one is a place", len(list))
		return
	}
	r.from, r.pos = wire.OriginsOf(list), places[0]
}

// Derive returns a new record with the same origin and labels and a JSON text, with long texts put into it. Neither may change until
// the new record is emitted. A text that is not JSON rejects the record that it was derived from, with code "invalid_output".
func (r *Record) Derive(json []byte, long ...jsontext.Long) *Record {
	r.check()
	d := r.step.newDocument()
	*d = document{
		data: jsontext.View(json), unchecked: true, derived: r.step.readings.number(),
		pos: r.pos, from: r.from, labels: r.labels, step: r.step,
	}
	for _, l := range long {
		d.edits = append(d.edits, splice{start: l.At, end: l.At, text: jsontext.Bytes(l.Piece)})
	}
	return r.step.newRecord(d)
}

// Label returns the value of a label, or "" when the record does not have it.
func (r *Record) Label(name string) string {
	r.check()
	if i, ok := r.findLabel(name); ok {
		return r.labels[i].Value
	}
	return ""
}

// Side writes a row to the side output of that name. json must be an object; the host puts the record's file, line and step in
// front, and leaves members of these names out of the row. Only a line of the row's own stays, such as that of a mistake in a
// document; then the record's is record_line. Rows of a record that is rejected or declined are discarded, unless the error is
// wrapped in Keep. An output that the plugin does not declare rejects the record, and so do too many rows or more than
// 16 MiB of them, with the code "too_large".
func (r *Record) Side(output string, json []byte) {
	r.check()
	if r.step.declares("an output", r.step.plugin.Outputs, output) {
		r.step.side(output, json)
	}
}

// Conceal sets the JSON that the dead letter shows instead of the record if this step rejects it, for a step whose rejects
// must not be written as they are. The last call counts. Bytes that are not JSON are shown as null. A record that crashes the step, and
// one whose output or side row is not JSON, are shown as they came, or as null if the plugin is Private.
func (r *Record) Conceal(json []byte) {
	r.check()
	r.step.shown = slices.Clone(json)
}

// Warn counts the record under a code of the plugin, and with a name, such as a column's, under both. The run warns about it once,
// with the number of records and what Codes says of the code. As with Count, a record that is rejected does not count. An empty code
// rejects the record with code "error", and so does one that Codes lacks, unless Codes is empty.
func (r *Record) Warn(code, name string) {
	r.check()
	if codes := r.step.plugin.Codes; code == "" || len(codes) > 0 && codes[code] == "" {
		r.step.blame(wire.PlainError, "want a warning with a code that the plugin declares, have %q", code)
		return
	}
	if name != "" {
		code += "." + name
	}
	r.step.counts.add(wire.WarnPrefix+code, 1)
}

// Count adds n, which is 0 or more, to a named figure of this step in the receipt, such as a rule that matched or a loss.
// Counts of a record that is rejected or declined are discarded, unless the error is wrapped in Keep. An empty name or a negative n
// rejects the record with code "error", or ends the run from Flush and Finish. More than 2^53 counts as 2^53. A step that replaces personal
// data counts each record that it has searched under "privacy_rules." and the name of its rules: by that it is a filter to publish.
func (r *Record) Count(name string, n int) {
	r.check()
	if name == "" || n < 0 {
		r.step.blame(wire.PlainError, "want a count with a name, of 0 or more, have %q of %d", name, n)
		return
	}
	r.step.counts.add(name, int64(n))
}

// check panics when a processor uses a record that it kept: its memory may be another record's by now.
func (r *Record) check() {
	if r.document == nil || r.turn != r.step.turn {
		panic("sdk: record used after the call of Process that it belongs to has returned")
	}
}

func (r *Record) text() string {
	r.check()
	r.flush()
	return r.data
}
