package wire

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Door lets in what one worker says about one batch. Nothing that a worker answers reaches a pipeline another way,
// whether the worker runs in this process or in another and however its bytes travel.
//
// What breaks the protocol is an error, after which the worker is of no more use. New records and side rows that are not
// JSON make their record a reject with code "invalid_output". Inside a chain the host may lack that record, and only the
// plugin's process can reject it. A worker that was trusted so far is then to be asked again, which ErrUnfit says; of any
// other they break the protocol.
type Door struct {
	In     []Record // the batch
	Depth  int      // deepest nesting of what is new
	Name   string   // of the plugin, for messages
	Behind []Step   // of a chain
	Trust  bool     // the worker leaves checks to the door

	answered int
	region   *Region
	base     uint64 // what offsets count from
	used     int    // bytes of the region that answers lie in
	written  int    // bytes of new records, in all regions
}

// InvalidOutput is the code of a record for which a plugin gave something that is no record.
const InvalidOutput = "invalid_output"

// PlainError is the code of a reject whose plugin gave no code, or one that is none.
const PlainError = "error"

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

// Written is how many bytes of new records the door has let in.
func (d *Door) Written() int { return d.written }

// Answered is how many records of the batch have their answer.
func (d *Door) Answered() int { return d.answered }

// Admit makes a reply into the answer to the next records of the batch. Emitted records hold references on their memory.
// What a step behind the first did wrong is a StepError.
func (d *Door) Admit(r *Reply) (Answer, error) {
	if left := len(d.In) - d.answered; len(r.Verdicts) > left {
		return Answer{}, d.broken(d.Name, fmt.Errorf("want at most %d records answered, have %d", left, len(r.Verdicts)))
	} else if r.Done && len(r.Verdicts) < left {
		return Answer{}, d.broken(d.Name, fmt.Errorf("want %d records answered, have %d", len(d.In), d.answered+len(r.Verdicts)))
	}
	p := part{Door: d, Reply: r, name: d.Name, in: d.In[d.answered:][:len(r.Verdicts)], from: d.answered, last: d.lastGroup(0)}
	a, err := p.admit()
	if err != nil {
		return Answer{}, d.broken(d.Name, err)
	}
	if len(d.Behind) > 0 {
		if err := d.follow(&a, p.in, r); err != nil {
			return Answer{}, err
		}
	}
	retain(&a)
	d.answered += len(r.Verdicts)
	a.Last = d.answered == len(d.In)
	return a, nil
}

// broken is the error of a plugin that does not keep to the protocol.
func (d *Door) broken(name string, err error) error {
	if err == ErrUnfit {
		return err
	}
	return fmt.Errorf("plugin %s broke the protocol: %w", name, err)
}

// retain takes the references that emitted records hold.
func retain(a *Answer) {
	for i := range a.Outcomes {
		RetainAll(a.Outcomes[i].Emitted)
	}
	for i := range a.Behind {
		retain(&a.Behind[i])
	}
}

// A part is what one step says in a reply.
type part struct {
	*Door
	*Reply
	name string   // of the plugin
	in   []Record // what the reply is about
	from int      // index of the first in side rows
	last bool     // what goes on leaves the chain
	away int      // records so far whose bytes stayed in the process
}

// admit makes the part into an answer that holds no references yet.
func (p *part) admit() (Answer, error) {
	r := p.Reply
	if err := p.form(); err != nil {
		return Answer{}, err
	}
	a := Answer{Outcomes: make([]Outcome, len(r.Verdicts)), Counts: r.Counts, Spent: r.Spent}
	records := make([]Record, len(r.Lengths))
	next, fault, bad := 0, 0, map[int]string{}
	counts := r.Emitted
	unchanged := 0
	for i, v := range r.Verdicts {
		o, in := &a.Outcomes[i], &p.in[i]
		o.Verdict = Verdict(v)
		switch o.Verdict {
		case Unchanged:
			unchanged++
		case Emitted:
			n := int(counts[0])
			counts = counts[1:]
			for k := next; k < next+n; k++ {
				if message := p.record(&records[k], in, k); message != "" && bad[i] == "" {
					bad[i] = message
				}
			}
			o.Emitted = records[next : next+n : next+n]
			next += n
		default:
			o.Fault = p.fault(o.Verdict, &r.Faults[fault], in.Away > 0)
			fault++
		}
	}
	for _, l := range r.Labels {
		records[l.Index].Labels = sortLabels(l.Labels)
	}
	for _, s := range r.Sides {
		if message := BadRow(s.Output, s.JSON, p.Depth); message != "" {
			if p.lastWord() {
				return Answer{}, fmt.Errorf("after the last record, %s", message)
			}
			bad[s.Index-p.from] = message
		}
	}
	for i, message := range bad {
		if inside := !p.last || p.in[i].Away > 0; inside && p.Trust {
			return Answer{}, ErrUnfit
		} else if inside {
			return Answer{}, fmt.Errorf("inside a chain, %s", message)
		}
		a.Outcomes[i] = Outcome{Verdict: Rejected, Fault: &Fault{Code: InvalidOutput, Message: message}}
	}
	for _, s := range r.Sides {
		s.Index -= p.from
		if bad[s.Index] == "" {
			a.Sides = append(a.Sides, s)
		}
	}
	switch n := len(a.Outcomes); {
	case len(bad) > 0: // GoOn leaves these out
	case unchanged == n:
		a.Out = p.in[:n:n]
	case unchanged == 0:
		a.Out = records
	}
	return a, nil
}

// lastWord tells that the part is about no record, since all have been answered.
func (p *part) lastWord() bool { return len(p.In) == 0 }

// form checks all counts, indexes and regions of a part.
func (p *part) form() error {
	r := p.Reply
	if len(r.Verdicts) == 0 && !p.lastWord() && (len(r.Sides) > 0 || len(r.Counts) > 0 || len(r.Lengths) > 0) {
		return fmt.Errorf("want rows and counts together with the verdict on their record, have none")
	}
	if err := p.formVerdicts(r); err != nil {
		return err
	}
	for k := range r.Lengths {
		if err := p.formRegion(r, k); err != nil {
			return err
		}
	}
	if err := r.formAway(); err != nil {
		return err
	}
	for _, l := range r.Labels {
		if int(l.Index) >= len(r.Lengths) {
			return fmt.Errorf("want labels of one of %d new records, have %d", len(r.Lengths), l.Index)
		}
	}
	for _, s := range r.Sides {
		if s.Index < p.from || s.Index >= p.from+len(r.Verdicts) && !(p.lastWord() && s.Index == 0) {
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

// bytes says what the bytes of emitted record k are.
func (r *Reply) bytes(k int) byte {
	if len(r.Same) == 0 {
		return NewBytes
	}
	return r.Same[k]
}

// formRegion checks that new bytes lie in what was granted: a plugin can spoil nothing but its own output.
func (d *Door) formRegion(r *Reply, k int) error {
	off, n := r.Offsets[k], r.Lengths[k]
	switch b := r.bytes(k); {
	case b == InputBytes && (n != 0 || off != 0):
		return fmt.Errorf("want no place for a record that is its input's bytes, have offset %d and length %d", off, n)
	case b == InputBytes:
		return nil
	case b == AwayBytes && (n == 0 || n > math.MaxInt32 || off != 0 || len(d.Behind) == 0):
		return fmt.Errorf("want bytes that stay away inside a chain, with their length, have offset %d and length %d", off, n)
	case b == AwayBytes:
		return nil
	case b != NewBytes:
		return fmt.Errorf("want 0, 1 or 2 for what the bytes of a record are, have %d", b)
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
func (p *part) record(out, in *Record, k int) string {
	*out = *in
	out.Lethal = nil
	n := int(p.Lengths[k])
	switch p.bytes(k) {
	case InputBytes:
		return ""
	case AwayBytes:
		out.Data, out.Mem, out.Away = nil, nil, n
		if p.away++; len(p.Away) == 0 || len(p.Away[p.away-1]) == 0 {
			return ""
		}
		out.Data = p.Away[p.away-1]
		return BadRecord(p.name, out.Data, p.Depth)
	}
	out.Data, out.Mem, out.Away = nil, nil, 0
	if n == 0 {
		return fmt.Sprintf("want JSON from plugin %s, have a record without bytes", p.name)
	}
	from := int(p.Offsets[k] - p.base)
	p.used = max(p.used, from+n)
	p.written += n
	out.Data, out.Mem = p.region.Bytes()[from:from+n:from+n], p.region
	return BadRecord(p.name, out.Data, p.Depth)
}

// BadRecord says what keeps new bytes of a plugin from being a record, or "".
func BadRecord(plugin string, data []byte, depth int) string {
	if bad := jsontext.Check(data, depth); bad != nil {
		return fmt.Sprintf("want JSON from plugin %s, have %d bytes that are not: %s", plugin, len(data), bad.Message)
	}
	return ""
}

// BadRow says what keeps a side row from being one, or "".
func BadRow(output string, row []byte, depth int) string {
	if jsontext.Check(row, depth) != nil || !jsontext.IsObject(row) {
		return fmt.Sprintf("want a JSON object for output %s, have %d bytes that are none", output, len(row))
	}
	return ""
}

// fault checks what a worker says of a record that does not go on. What it shows instead of a record has to be JSON on
// one line, since it is written as it is. It has to be there when the record is away.
func (d *Door) fault(v Verdict, f *Fault, away bool) *Fault {
	if v == Dropped || v == Declined && !away {
		f.Record = nil
	}
	if v != Rejected {
		f.Code = ""
		if f.Message == "" {
			f.Message = "no reason given"
		}
	} else if !IsCode(f.Code) {
		f.Message = fmt.Sprintf("%s (code %q, which is not snake_case)", f.Message, clip(f.Code))
		f.Code = PlainError
	}
	switch {
	case len(f.Record) == 0 && away && v != Dropped:
		f.Record = []byte("null")
	case len(f.Record) == 0:
	case jsontext.Check(f.Record, d.Depth) != nil:
		f.Record = []byte("null")
	case bytes.IndexByte(f.Record, '\n') >= 0 || bytes.IndexByte(f.Record, '\r') >= 0:
		f.Record = jsontext.AppendCompact(nil, f.Record)
	}
	return f
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
