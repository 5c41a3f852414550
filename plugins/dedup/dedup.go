// Package dedup drops rows that repeat an earlier row: exactly, nearly, or as its beginning. It keeps the rows of one trajectory
// in one split, and no copy in two splits.
package dedup

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/sluicehq/sluice/plugins/fingerprint"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
)

// Plugin is the built-in "dedup". It is ordered, so that the first of two rows stays.
var Plugin = sdk.Plugin{
	Name:     "dedup",
	Doc:      "drops rows that repeat an earlier row, exactly or nearly, and keeps each trajectory in one split",
	Args:     config{Prefixes: "drop", Extensions: "keep", Across: "drop", Aside: []string{"repair_eval", "calibration"}, MaxRows: 5_000_000, Full: "reject", Text: fingerprint.DefaultText},
	TakesAll: true,
	New:      start,

	Ordered: true,
	Outputs: []string{pairs},
	Labels:  []string{fingerprint.Label}, // which it removes
	Codes: map[string]string{
		"memory_full":    "max_rows rows are remembered, so this one cannot be compared with all earlier ones",
		"not_native":     "the row is not eliza_native_v1, so it cannot be compared with those held out",
		"split_conflict": "a row of the same trajectory is in another split",
	},
	Drops: drops,
}

type config struct {
	Near       float64  `hcl:"near,optional" doc:"from which estimated Jaccard similarity, 0.5 to 1, rows are near duplicates; 0 looks for exact ones only"`
	Prefixes   string   `hcl:"prefixes,optional" oneof:"drop keep" doc:"a row whose conversation an earlier row of its trajectory continues"`
	Extensions string   `hcl:"extensions,optional" oneof:"keep drop" doc:"a row whose conversation continues that of an earlier row of its trajectory"`
	Longer     []string `hcl:"longer,optional" doc:"files of canonical rows whose conversations count as earlier ones for prefixes" example:"[\"all/*.jsonl\"]"`
	HeldOut    []string `hcl:"held_out,optional" doc:"files of canonical rows that must not be in train, and neither must rows like them" example:"[\"out/canonical/test.jsonl\"]"`
	Across     string   `hcl:"across,optional" oneof:"drop keep" doc:"a row that repeats a row of another split"`
	Aside      []string `hcl:"aside,optional" doc:"splits that rows of a trajectory may be in besides its own"`
	MaxRows    int      `hcl:"max_rows,optional" doc:"how many rows are remembered"`
	Full       string   `hcl:"full,optional" oneof:"reject pass" doc:"rows past max_rows; pass compares them with the rows in memory"`
	Text       int      `hcl:"text,optional" doc:"how many bytes of question and of answer pairs show and the step remembers of each row; 0 for none"`
}

const pairs = "pairs"

func start(a sdk.Args) (sdk.Processor, error) {
	d := &deduper{known: newMemory(), held: newMemory()}
	errs := []error{a.Decode(&d.config)}
	if d.Near != 0 && !(d.Near >= 0.5 && d.Near <= 1) {
		errs = append(errs, a.Errorf("near", "want 0 or a similarity from 0.5 to 1, have %v", d.Near))
	}
	if d.MaxRows < 1 || d.MaxRows > math.MaxUint32-1 {
		errs = append(errs, a.Errorf("max_rows", "want from 1 to %d, have %d", math.MaxUint32-1, d.MaxRows))
	}
	if d.Text < 0 || d.Text > fingerprint.MaxText {
		errs = append(errs, a.Errorf("text", "want from 0 to %d bytes, have %d", fingerprint.MaxText, d.Text))
	}
	for _, files := range []struct {
		attr     string
		patterns []string
		into     *[]string
	}{{"held_out", d.HeldOut, &d.HeldOut}, {"longer", d.Longer, &d.Longer}} {
		found, err := match(files.patterns)
		if err != nil {
			errs = append(errs, a.Errorf(files.attr, "%v", err))
		}
		*files.into = found
	}
	d.prints.Sketches, d.prints.Text = d.Near > 0, d.Text
	return d, errors.Join(errs...)
}

type deduper struct {
	config
	known, held *memory
	loaded      bool
	sum         uint64 // of what was loaded

	row    row
	prints fingerprint.Reader
	buf    []byte
}

// Process implements sdk.Processor.
func (d *deduper) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	if !d.loaded { // not earlier: checking a pipeline reads none of its files
		if err := d.load(); err != nil {
			return sdk.Fatal("%v", err)
		}
		d.loaded = true
	}
	w := &d.row
	d.prints.Record(r, &w.Print)
	fingerprint.TakeLabel(r)
	if len(d.HeldOut) > 0 && !w.Native {
		return sdk.Reject("not_native", "format", "want %q, have %s", canonical.Format, canonical.Read(r).SeenFormat())
	}
	w.pos, w.split = r.Pos(), r.Label("split")
	if t, ok := d.twin(w); ok {
		return d.leave(r, w, t)
	}
	if d.Extensions == "keep" && d.extends(w) >= 0 {
		r.Count("extensions", 1)
	}
	if d.known.rows.len >= d.MaxRows {
		if d.Full == "reject" {
			return sdk.Reject("memory_full", "", "want at most %d rows to compare", d.MaxRows)
		}
		r.Count("unremembered", 1)
		emit(r)
		return nil
	}
	if d.known.splits.of(w.split) > math.MaxUint16 {
		return sdk.Fatal("want at most %d splits", math.MaxUint16)
	}
	d.remember(w)
	emit(r)
	return nil
}

// remember adds a row that was emitted.
func (d *deduper) remember(w *row) {
	number := d.known.add(w, d.key(w), d.Near > 0)
	d.known.goesOn(w, number, d.Prefixes == "drop")
	if w.Trajectory != 0 && !slices.Contains(d.Aside, w.split) {
		if _, known := d.known.runs[w.Trajectory]; !known {
			d.known.runs[w.Trajectory] = uint32(number)
		}
	}
}

// load reads the files of longer and held_out, before the first record.
func (d *deduper) load() error {
	var w row
	conversations := fingerprint.Reader{Text: d.Text}
	err := load(d.HeldOut, func(pos sdk.Pos, r *canonical.Row) {
		d.prints.Read(r, "", &w.Print)
		w.pos = pos
		d.addSum(&w)
		number := d.held.add(&w, w.Content, d.Near > 0)
		if w.Trajectory != 0 {
			d.held.runs[w.Trajectory] = uint32(number)
		}
	})
	if err != nil {
		return err
	}
	return load(d.Longer, func(pos sdk.Pos, r *canonical.Row) {
		conversations.Read(r, "", &w.Print)
		w.pos = pos
		d.addSum(&w)
		number := d.held.rows.len
		d.held.rows.add(origin{line: uint32(pos.Line), file: uint32(d.held.files.of(pos.File)), split: uint16(d.held.splits.of(""))})
		d.held.texts.add(w.Asked, w.Answered)
		d.held.goesOn(&w, number, true)
	})
}

// addSum adds a row to the sum of what was loaded.
func (d *deduper) addSum(w *row) {
	for _, n := range []uint64{w.Content.Hi, w.Content.Lo, w.Trajectory, uint64(w.pos.Line)} {
		d.sum = mix(d.sum ^ n)
	}
}
