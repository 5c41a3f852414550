package dedup

import (
	"slices"
	"strconv"

	"github.com/zeebo/xxh3"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// The reasons for a drop.
const (
	trajectory = "trajectory"
	exact      = "exact"
	near       = "near"
	prefix     = "prefix"    // the row is the beginning of the other
	extension  = "extension" // the other is the beginning of the row
)

// reasons are those that apply unless the other row is held out or in another split.
var reasons = map[string]string{
	trajectory: "split_conflict", exact: "duplicate", near: "near_duplicate", prefix: "prefix", extension: "extension",
}

// drops are the reasons for which rows are dropped, with what each means.
var drops = map[string]string{
	"duplicate":      "an earlier row of the same split has the same conversation",
	"near_duplicate": "an earlier row of the same split is nearly the same",
	"prefix":         "another row of its trajectory begins with this conversation and goes on",
	"extension":      "an earlier row of its trajectory is the beginning of this one",
	"held_out":       "a row of the held-out files is the same, or nearly",
	"seen_in_train":  "a row of train is the same, or nearly",
	"cross_split":    "a row of another split is the same, or nearly",
}

// A twin is the earlier row that a row repeats.
type twin struct {
	kind   string
	in     *memory
	number int
	alike  float64 // 0 to 1
}

// twin returns the first reason to drop a row.
func (d *deduper) twin(w *row) (twin, bool) {
	if isTrain(w.split) {
		if t, ok := d.heldOut(w); ok {
			return t, true
		}
	}
	if n, ok := d.known.runs[w.Trajectory]; ok && !slices.Contains(d.Aside, w.split) && d.known.split(int(n)) != w.split {
		return twin{trajectory, d.known, int(n), 0}, true
	}
	if n, ok := d.known.content[d.key(w)]; ok {
		return twin{exact, d.known, int(n), 1}, true
	}
	if t, ok := d.prefix(w); ok {
		return t, true
	}
	if n := d.extends(w); n >= 0 && d.Extensions == "drop" {
		return twin{extension, d.known, n, 1}, true
	}
	return d.known.nearest(w, d.Near, func(split string) bool { return d.Across == "drop" || split == w.split })
}

// isTrain reports whether rows of a split are trained on.
func isTrain(split string) bool { return split == "" || split == "train" }

// heldOut looks for a held-out row of the same trajectory as w, or one like it.
func (d *deduper) heldOut(w *row) (twin, bool) {
	if n, ok := d.held.runs[w.Trajectory]; ok {
		return twin{trajectory, d.held, int(n), 0}, true
	}
	if n, ok := d.held.content[w.Content]; ok {
		return twin{exact, d.held, int(n), 1}, true
	}
	return d.held.nearest(w, d.Near, func(string) bool { return true })
}

// key is the same for rows with the same content that are compared with each other.
func (d *deduper) key(w *row) canonical.Digest {
	key := w.Content
	if d.Across == "keep" {
		key.Hi ^= xxh3.HashString(w.split)
	}
	return key
}

// prefix looks for a row whose conversation continues that of w.
func (d *deduper) prefix(w *row) (twin, bool) {
	if w.End == 0 || d.Prefixes == "keep" {
		return twin{}, false
	}
	for _, m := range []*memory{d.known, d.held} {
		if n, ok := m.within[w.End]; ok {
			return twin{prefix, m, int(n), 1}, true
		}
	}
	return twin{}, false
}

// extends returns the row that w continues, or -1.
func (d *deduper) extends(w *row) int {
	for _, inner := range slices.Backward(w.Inner) {
		if n, ok := d.known.ends[inner]; ok {
			return int(n)
		}
	}
	return -1
}

// leave drops a row because of another.
func (d *deduper) leave(r *sdk.Record, w *row, t twin) error {
	reason := reasons[t.kind]
	pos, split := t.in.pos(t.number), t.in.split(t.number)
	switch {
	case t.in == d.held && t.kind != prefix:
		reason, split = "held_out", "held_out"
	case t.in == d.known && t.kind != trajectory && split != w.split && isTrain(split):
		reason = "seen_in_train"
	case t.in == d.known && t.kind != trajectory && split != w.split:
		reason = "cross_split"
	}
	b := jsontext.AppendMember(append(d.buf[:0], '{'), "left_out", reason)
	b = jsontext.AppendMember(append(b, ','), "kind", t.kind)
	if t.kind == exact || t.kind == near {
		b = strconv.AppendFloat(append(b, `,"similarity":`...), t.alike, 'f', 3, 64)
	}
	b = jsontext.AppendMember(append(b, ','), "split", w.split)
	b = jsontext.AppendMember(append(b, ','), "twin_split", split)
	b = jsontext.AppendMember(append(b, ','), "twin_file", pos.File)
	b = strconv.AppendInt(append(b, `,"twin_line":`...), pos.Line, 10)
	asked, answered := t.in.texts.at(t.number)
	for _, x := range []struct {
		key  string
		text []byte
	}{{"asked", w.Asked}, {"answered", w.Answered}, {"twin_asked", asked}, {"twin_answered", answered}} {
		if len(x.text) > 0 {
			b = jsontext.AppendMember(append(b, ','), x.key, jsontext.View(x.text))
		}
	}
	d.buf = append(b, '}')
	r.Side(pairs, d.buf)
	if t.in == d.known && t.kind == trajectory {
		return sdk.Keep(sdk.Reject(reason, "metadata.split", "want split %s, which %s of the same trajectory has, have %s", split, pos, w.split))
	}
	return sdk.Drop(reason)
}
