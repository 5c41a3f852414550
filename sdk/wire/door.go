package wire

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Door lets in what one worker says about one batch. Nothing that a worker answers reaches a pipeline another way,
// whether the worker runs in this process or in another and however its bytes travel.
//
// What breaks the protocol is an error, after which the worker is of no more use. New records and side rows that are not
// JSON make their record a reject with code "invalid_output".
type Door struct {
	In    []Record // the batch
	Depth int      // deepest nesting of what is new
	Name  string   // of the plugin, for messages

	answered int
	region   *Region
	base     uint64 // what offsets count from
	used     int    // bytes of the region that answers lie in
}

// InvalidOutput is the code of a record for which a plugin gave something that is no record.
const InvalidOutput = "invalid_output"

// Grant says that new records lie in region from now on, at offsets that count from base. The door has the region's
// reference; what no answer lies in goes back at the next Grant, or with End.
func (d *Door) Grant(region *Region, base uint64) {
	d.End()
	d.region, d.base, d.used = region, base, 0
}

// End gives back what is left of the memory at hand.
func (d *Door) End() {
	if d.region != nil {
		d.region.Shrink(d.used)
		d.region.Release()
		d.region = nil
	}
}

// Answered is how many records of the batch have their answer.
func (d *Door) Answered() int { return d.answered }

// Admit makes a reply into the answer to the next records of the batch. Emitted records hold references on their memory.
func (d *Door) Admit(r *Reply) (Answer, error) {
	if err := d.form(r); err != nil {
		return Answer{}, fmt.Errorf("plugin %s broke the protocol: %w", d.Name, err)
	}
	a := Answer{Outcomes: make([]Outcome, len(r.Verdicts)), Counts: r.Counts}
	records := make([]Record, len(r.Lengths))
	next, fault, bad := 0, 0, map[int]string{}
	counts := r.Emitted
	for i, v := range r.Verdicts {
		o, in := &a.Outcomes[i], &d.In[d.answered+i]
		o.Verdict = Verdict(v)
		switch o.Verdict {
		case Unchanged:
		case Emitted:
			n := int(counts[0])
			counts = counts[1:]
			for k := next; k < next+n; k++ {
				if message := d.record(&records[k], in, r, k); message != "" && bad[i] == "" {
					bad[i] = message
				}
			}
			o.Emitted = records[next : next+n : next+n]
			next += n
		default:
			f := r.Faults[fault]
			fault++
			o.Fault = d.fault(o.Verdict, f)
		}
	}
	for _, l := range r.Labels {
		records[l.Index].Labels = sortLabels(l.Labels)
	}
	for _, s := range r.Sides {
		if message := d.row(s); message != "" {
			bad[s.Index-d.answered] = message
		}
	}
	for i, message := range bad {
		a.Outcomes[i] = Outcome{Verdict: Rejected, Fault: &Fault{Code: InvalidOutput, Message: message}}
	}
	for _, s := range r.Sides {
		if bad[s.Index-d.answered] == "" {
			a.Sides = append(a.Sides, s)
		}
	}
	for i := range a.Outcomes {
		RetainAll(a.Outcomes[i].Emitted)
	}
	d.answered += len(r.Verdicts)
	a.Last = d.answered == len(d.In)
	return a, nil
}

// form checks all counts, indexes and regions of a reply.
func (d *Door) form(r *Reply) error {
	left := len(d.In) - d.answered
	if len(r.Verdicts) > left {
		return fmt.Errorf("want at most %d records answered, have %d", left, len(r.Verdicts))
	}
	if len(r.Verdicts) == 0 && (len(r.Sides) > 0 || len(r.Counts) > 0 || len(r.Lengths) > 0) {
		return fmt.Errorf("want rows and counts together with the verdict on their record, have none")
	}
	if r.Done && len(r.Verdicts) < left {
		return fmt.Errorf("want %d records answered, have %d", len(d.In), d.answered+len(r.Verdicts))
	}
	if err := d.formVerdicts(r); err != nil {
		return err
	}
	for k := range r.Lengths {
		if err := d.formRegion(r, k); err != nil {
			return err
		}
	}
	for _, l := range r.Labels {
		if int(l.Index) >= len(r.Lengths) {
			return fmt.Errorf("want labels of one of %d new records, have %d", len(r.Lengths), l.Index)
		}
	}
	for _, s := range r.Sides {
		if s.Index < d.answered || s.Index >= d.answered+len(r.Verdicts) {
			return fmt.Errorf("want a side row of a record that this message answers, have record %d", s.Index)
		}
	}
	for _, c := range r.Counts {
		if c.N < 0 || c.Name == "" {
			return fmt.Errorf("want a count with a name, of 0 or more, have %d", c.N)
		}
	}
	return nil
}

// formVerdicts checks that there is as much of everything as the verdicts say.
func (d *Door) formVerdicts(r *Reply) error {
	emitting, faults := 0, 0
	for _, v := range r.Verdicts {
		switch Verdict(v) {
		case Unchanged:
		case Emitted:
			emitting++
		case Dropped, Rejected, Declined:
			faults++
		default:
			return fmt.Errorf("want a verdict from 0 to 4, have %d", v)
		}
	}
	if len(r.Emitted) != emitting {
		return fmt.Errorf("want %d numbers of emitted records, have %d", emitting, len(r.Emitted))
	}
	if len(r.Faults) != faults {
		return fmt.Errorf("want %d faults, have %d", faults, len(r.Faults))
	}
	var total uint64
	for _, n := range r.Emitted {
		if n == 0 {
			return fmt.Errorf("want one or more emitted records for a verdict 1, have 0")
		}
		total += uint64(n)
	}
	if uint64(len(r.Lengths)) != total || uint64(len(r.Offsets)) != total || len(r.Same) > 0 && uint64(len(r.Same)) != total {
		return fmt.Errorf("want %d emitted records, have %d lengths, %d offsets and %d flags", total, len(r.Lengths), len(r.Offsets), len(r.Same))
	}
	return nil
}

func (r *Reply) same(k int) bool { return len(r.Same) > 0 && r.Same[k] != 0 }

// formRegion checks that new bytes lie in what was granted: a plugin can spoil nothing but its own output.
func (d *Door) formRegion(r *Reply, k int) error {
	off, n := r.Offsets[k], r.Lengths[k]
	if r.same(k) {
		if n != 0 || off != 0 {
			return fmt.Errorf("want no place for a record that is its input's bytes, have offset %d and length %d", off, n)
		}
		return nil
	}
	if n == 0 {
		return nil // an empty record, which is a reject
	}
	if d.region == nil {
		return fmt.Errorf("want no new records without a grant, have one of %d bytes", n)
	}
	size := uint64(len(d.region.Bytes()))
	if from := off - d.base; off < d.base || from > size || n > size-from {
		return fmt.Errorf("want new records inside the grant, have offset %d and length %d", off, n)
	}
	return nil
}

// record makes emitted record k of in, and says what is wrong with its bytes or "".
func (d *Door) record(out, in *Record, r *Reply, k int) string {
	*out = *in
	if r.same(k) {
		return ""
	}
	out.Data, out.Mem = nil, nil
	n := int(r.Lengths[k])
	if n == 0 {
		return fmt.Sprintf("want JSON from plugin %s, have a record without bytes", d.Name)
	}
	from := int(r.Offsets[k] - d.base)
	d.used = max(d.used, from+n)
	out.Data, out.Mem = d.region.Bytes()[from:from+n:from+n], d.region
	if bad := jsontext.Check(out.Data, d.Depth); bad != nil {
		return fmt.Sprintf("want JSON from plugin %s, have %d bytes that are not: %s", d.Name, n, bad.Message)
	}
	return ""
}

// row says what keeps a side row from being one, or "".
func (d *Door) row(s Side) string {
	if jsontext.Check(s.JSON, d.Depth) != nil || !jsontext.IsObject(s.JSON) {
		return fmt.Sprintf("want a JSON object for output %s, have %d bytes that are none", s.Output, len(s.JSON))
	}
	return ""
}

// fault checks what a worker says of a record that does not go on. What it shows instead of a record has to be JSON on
// one line, since it is written as it is.
func (d *Door) fault(v Verdict, f Fault) *Fault {
	if v != Rejected {
		f.Code, f.Record = "", nil
		if f.Message == "" {
			f.Message = "no reason given"
		}
		return &f
	}
	if !IsCode(f.Code) {
		f.Message = fmt.Sprintf("%s (code %q, which is not snake_case)", f.Message, clip(f.Code))
		f.Code = "error"
	}
	if len(f.Record) > 0 {
		if jsontext.Check(f.Record, d.Depth) != nil {
			f.Record = []byte("null")
		} else if bytes.IndexByte(f.Record, '\n') >= 0 || bytes.IndexByte(f.Record, '\r') >= 0 {
			f.Record = jsontext.AppendCompact(nil, f.Record)
		}
	}
	return &f
}

func clip(s string) string { return s[:min(len(s), 64)] }

// IsCode tells whether a text is a code of a reject: snake_case, at most 64 bytes.
func IsCode(s string) bool {
	if s == "" || len(s) > 64 || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_') {
			return false
		}
	}
	return true
}

// sortLabels sorts labels by name; of two with one name the last counts.
func sortLabels(labels []Label) []Label {
	slices.SortStableFunc(labels, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
	kept := labels[:0]
	for i, l := range labels {
		if i+1 < len(labels) && labels[i+1].Name == l.Name {
			continue
		}
		kept = append(kept, l)
	}
	return kept
}
