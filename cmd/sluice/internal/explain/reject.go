package explain

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/trace"
)

// A Reject is a row of a dead letter.
type Reject struct {
	places []trace.Input // of the records that it was made of
	held   trace.Input   // the record as the row has it, when it has one: as it reached the step that rejected it
}

// ReadReject reads a row of a dead letter.
func ReadReject(row gjson.Result) Reject {
	at := func(x gjson.Result) trace.Input {
		return trace.Input{File: x.Get("file").Str, Line: x.Get("line").Int()}
	}
	r := Reject{held: at(row)}
	for _, x := range row.Get("origins").Array() {
		r.places = append(r.places, at(x))
	}
	if len(r.places) == 0 {
		r.places = []trace.Input{r.held}
	}
	switch record := row.Get("record"); {
	case record.Type == gjson.Null:
	case record.Type != gjson.String, !receipt.IsUnread(row.Get("step").Str, row.Get("plugin").Str): // with its quotes it is JSON
		r.held.JSON = []byte(record.Raw)
	case row.Get("encoding").Str == "base64":
		r.held.JSON, _ = base64.StdEncoding.DecodeString(record.Str)
	default:
		r.held.JSON = []byte(record.Str)
	}
	return r
}

// String names the reject by its place.
func (r *Reject) String() string { return fmt.Sprintf("%s:%d", r.held.File, r.held.Line) }

// asHeld returns the record of the row, with the reason for not reading it from its file.
func (r *Reject) asHeld(why string) []trace.Input {
	w := r.held
	w.Note = "as the dead letter has it, since its file " + why
	return []trace.Input{w}
}

// inFile returns the records that the row was made of, to be read from their files, or the one of the row when a file cannot be read.
func (r *Reject) inFile() ([]trace.Input, error) {
	for _, w := range r.places {
		info, err := os.Stat(w.File)
		switch {
		case err == nil && info.Mode().IsRegular() && w.Line > 0:
		case r.held.JSON == nil:
			return nil, fmt.Errorf("want the record of the reject at %s, have a file that cannot be read, and no record in the row", r)
		default:
			return r.asHeld("cannot be read"), nil
		}
	}
	return r.places, nil
}

// isIn reports whether the records of a trace are those that the row was made of: one of them is what the row has somewhere on its way.
// A row without a record says nothing of that.
func (r *Reject) isIn(x *trace.Trace) bool {
	same := func(s *trace.State) bool { return bytes.Equal(s.JSON, r.held.JSON) }
	for i := range r.places {
		k := slices.IndexFunc(x.Records, func(rec *trace.Record) bool { return isAt(rec, &r.places[i]) })
		if k < 0 {
			return false
		}
		rec := x.Records[k]
		if same(&rec.Read) || slices.ContainsFunc(rec.Visits, func(v trace.Visit) bool { return same(&v.In) }) {
			return true
		}
	}
	return slices.ContainsFunc(x.Final, func(v trace.Visit) bool { return same(&v.In) })
}

// An Explainer sends records through a pipeline.
type Explainer func(context.Context, trace.Selection) (*trace.Trace, error)

// Rejects sends the records of rejects through a pipeline, and returns which these are: those of their files where these still have them, else
// what the dead letter has. of is the receipt of the run that rejected them, nil when it is not known.
func (send Explainer) Rejects(ctx context.Context, rejects []Reject, of *receipt.Receipt) (*trace.Trace, trace.Selection, error) {
	picked := make([][]trace.Input, len(rejects))
	var err error
	for i := range rejects {
		if picked[i], err = rejects[i].inFile(); err != nil {
			return nil, trace.Selection{}, err
		}
	}
	pick := selectionOf(picked)
	found, err := send(ctx, pick)
	if found == nil || err != nil && !errors.Is(err, trace.ErrNoRecord) {
		return found, pick, err
	}
	again := false
	for i := range rejects {
		r := &rejects[i]
		if picked[i][0].JSON != nil || r.isIn(found) {
			continue
		}
		changed, known := changedSince(of, r.places)
		switch {
		case known && !changed: // the pipeline has, or a step keeps state
		case r.held.JSON == nil && changed:
			picked[i] = slices.Clone(picked[i])
			for k := range picked[i] {
				picked[i][k].Note = "its file has changed since the run, and the dead letter does not have the record: this may be another one"
			}
		case r.held.JSON == nil:
		case known:
			picked[i], again = r.asHeld("has changed since the run"), true
		default:
			picked[i], again = r.asHeld("may have changed since the run"), true
		}
	}
	pick = selectionOf(picked)
	if again {
		found, err = send(ctx, pick)
	}
	return found, pick, err
}

// selectionOf selects records, each once.
func selectionOf(picked [][]trace.Input) (pick trace.Selection) {
	for _, of := range picked {
		for _, w := range of {
			if w.JSON != nil || !slices.ContainsFunc(pick.Records, func(other trace.Input) bool {
				return other.JSON == nil && other.File == w.File && other.Line == w.Line
			}) {
				pick.Records = append(pick.Records, w)
			}
		}
	}
	return pick
}

// changedSince reports whether one of the files of some records is not the one that the run has read, as far as its receipt shows.
func changedSince(of *receipt.Receipt, places []trace.Input) (changed, known bool) {
	if of == nil {
		return false, false
	}
	for _, at := range places {
		i := slices.IndexFunc(of.Inputs, func(in receipt.Input) bool { return in.Name == at.File && in.Hex() != "" && in.Share == nil })
		if i < 0 {
			return false, false
		}
		have, err := filehash.File(at.File, of.Inputs[i].Algorithm())
		if err != nil {
			return false, false
		}
		changed = changed || have != of.Inputs[i].Sum
	}
	return changed, true
}
