package wire

import (
	"bytes"
	"fmt"
)

// A part is the part of a reply that one step answered.
type part struct {
	*Validator
	*Reply
	name   string   // of the plugin
	in     []Record // that the reply answers
	from   int      // index of the first of them in side rows
	last   bool     // emitted records leave the chain
	inside bool     // bytes of in may have stayed in the process
	away   int      // records so far whose bytes stayed in the process
}

// admit checks the part and returns it as an answer, which holds no references yet.
func (p *part) admit() (Answer, error) {
	r := p.Reply
	if err := p.checkForm(); err != nil {
		return Answer{}, err
	}
	a := Answer{Outcomes: make([]Outcome, len(r.Verdicts)), Counts: p.hiddenCounts(r.Counts), Spent: r.Spent}
	records := make([]Record, len(r.Lengths))
	bad := map[int]string{} // what is wrong with an answer, by its record
	unchanged := p.readVerdicts(&a, records, bad)
	for _, l := range r.Labels {
		sorted := sortLabels(l.Labels)
		for i := uint64(l.Index); i < l.end(); i++ {
			records[i].Labels = sorted
		}
	}
	for _, o := range r.Origins {
		records[o.Index].comeFrom(o.Origins)
	}
	if p.afterLast() {
		var err error
		if a.Made, err = p.made(records); err != nil {
			return Answer{}, err
		}
	}
	if err := p.readSides(&a, bad); err != nil {
		return Answer{}, err
	}
	switch n := len(a.Outcomes); {
	case len(bad) > 0: // GoOn leaves these out
		return a, nil
	case unchanged == n:
		a.Out = p.in[:n:n]
	case unchanged == 0:
		a.Out = records
	}
	if !p.afterLast() {
		a.new = records
	}
	return a, nil
}

// readVerdicts reads the verdicts into outcomes, and what they emit into records. It returns how many are Unchanged.
func (p *part) readVerdicts(a *Answer, records []Record, bad map[int]string) (unchanged int) {
	next, faults := 0, faultReader{part: p}
	if p.declinesAll() {
		a.declined, a.alike = len(a.Outcomes), true
		all := Outcome{Verdict: Declined, Fault: faults.next(Declined, false)}
		for i := range a.Outcomes {
			a.Outcomes[i] = all
		}
		return 0
	}
	counts := p.Emitted
	for i, v := range p.Verdicts {
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
		case Declined:
			a.declined++
			fallthrough
		default:
			o.Fault = faults.next(o.Verdict, in.Away > 0)
		}
	}
	return unchanged
}

// readSides reads the side rows of records whose answers are right, and rejects the other records.
func (p *part) readSides(a *Answer, bad map[int]string) error {
	for _, s := range p.Sides {
		if message := BadRow(s.Output, s.JSON, p.Depth); message != "" {
			if p.afterLast() {
				return fmt.Errorf("after the last record, %s", message)
			}
			bad[s.Index-p.from] = message
		}
	}
	for i, message := range bad {
		if inside := !p.last || p.in[i].Away > 0; inside && p.Trust {
			return ErrUnfit
		} else if inside {
			return fmt.Errorf("inside a chain, %s", message)
		}
		if a.Outcomes[i].Verdict == Declined {
			a.declined--
		}
		a.alike = false
		a.Outcomes[i] = Outcome{Verdict: Rejected, Fault: &Fault{Code: InvalidOutput, Message: message}}
	}
	for _, s := range p.Sides {
		s.Index -= p.from
		if bad[s.Index] == "" {
			a.Sides = append(a.Sides, s)
		}
	}
	return nil
}

// declinesAll reports whether the part declines all of one or more records for one fault, and the host has the bytes of all.
func (p *part) declinesAll() bool {
	n := len(p.Verdicts)
	return n > 0 && !p.inside && len(p.Runs) == 1 && bytes.Count(p.Verdicts, []byte{byte(Declined)}) == n
}

// afterLast reports whether the part comes after the last record, with the rows of Finish.
func (p *part) afterLast() bool { return len(p.In) == 0 }

func (p *part) checkForm() error {
	r := p.Reply
	if len(r.Verdicts) == 0 && !p.afterLast() && (len(r.Sides) > 0 || len(r.Counts) > 0 || len(r.Lengths) > 0) {
		return fmt.Errorf("want rows and counts together with the verdict on their record, have no verdicts")
	}
	if err := p.checkVerdicts(r); err != nil {
		return err
	}
	for k := range r.Lengths {
		if err := p.checkRegion(r, k); err != nil {
			return err
		}
	}
	if err := r.checkAway(); err != nil {
		return err
	}
	for _, l := range r.Labels {
		if l.end() > uint64(len(r.Lengths)) {
			return fmt.Errorf("want labels of one of %d new records, have %d", len(r.Lengths), l.end()-1)
		}
	}
	for _, o := range r.Origins {
		if int(o.Index) >= len(r.Lengths) {
			return fmt.Errorf("want origins of one of %d new records, have %d", len(r.Lengths), o.Index)
		}
		if err := o.Origins.check(); err != nil {
			return err
		}
	}
	for _, s := range r.Sides {
		if s.Index < p.from || s.Index >= p.from+len(r.Verdicts) && !(p.afterLast() && s.Index == 0) {
			return fmt.Errorf("want a side row of a record that this message answers, have record %d", s.Index)
		}
	}
	for _, c := range r.Counts {
		if c.N < 0 || c.Name == "" {
			return fmt.Errorf("want a count with a name, of 0 or more, have %d", c.N)
		}
		if c.N > MaxCount {
			return fmt.Errorf("want a count of at most %d, have %d", int64(MaxCount), c.N)
		}
	}
	return nil
}

// record makes emitted record k from in, and returns what is wrong with its bytes or "".
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
