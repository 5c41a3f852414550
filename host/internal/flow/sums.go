package flow

import "time"

// plus adds what is known of a unit. The sum is the same as if its records had been counted one by one: of more names than there is room
// for, the alphabetically first stay.
func (t *Totals) plus(s *totalsState) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sums.Read += s.Sums.Read
	t.sums.Extra += s.Sums.Extra
	t.sums.Teed += s.Sums.Teed
	t.sums.Written += s.Sums.Written
	if t.first.IsZero() && s.Sums.Written > 0 {
		t.first = time.Now()
	}
	t.dropped.plus(&s.Dropped, maxReasons)
	t.rejected.plus(&s.Rejected, maxReasons)
	for _, r := range s.Reasons {
		t.reasons.plus(r)
	}
	for _, n := range s.Rejected.Names {
		t.found.Add(n)
	}
	t.found.Add(s.Rejected.Other)
}

func (r *reasons) plus(x Reason) {
	kind := rejectKind{x.Code, x.Step}
	if len(x.Said) == 0 { // of an older version
		x.Said = []Said{{x.Message, x.Records, x.First}}
	}
	first := x.Said[0]
	r.add(kind, first.Message, first.First)
	at, known := r.at[kind]
	if !known {
		return
	}
	all := &r.all[at]
	all.Records += x.Records - 1
	all.say(first.Message, first.Records-1, first.First)
	for _, s := range x.Said[1:] {
		all.say(s.Message, s.Records, s.First)
	}
}

// plus adds the account of a unit whose first record has place base among all records.
func (a *Account) plus(s *stepState, base uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f, x := &a.figures, &s.Sums
	f.In += x.In
	f.Out += x.Out
	f.Extra += x.Extra
	f.BytesIn += x.BytesIn
	f.BytesOut += x.BytesOut
	f.Accepted.plus(x.Accepted, base)
	a.dropped.plus(&s.Dropped, maxReasons)
	for reason, places := range s.Drops {
		for _, p := range places {
			p.Ord += base
			a.drops.put(reason, p, a.dropped.names)
		}
	}
	a.rejected.plus(&s.Rejected, maxReasons)
	a.declined.plus(&s.Declined, maxReasons)
	a.counts.plus(&s.Counts, maxCounts)
	a.unwanted.plus(&s.Unwanted, maxReasons)
	for i := range a.columns {
		a.columns[i].plus(&s.Columns[i], maxColumns)
	}
}

func (b *bounded) plus(s *boundedState, limit int) {
	for name, n := range s.Names {
		b.add(name, n, limit)
	}
	b.other = plus(b.other, s.Other)
}

// plus adds a range of records that all come later.
func (s *Range) plus(x Range, base uint64) {
	if x.Records == 0 {
		return
	}
	if s.Records == 0 {
		s.First, s.FirstOrd = x.First, base+x.FirstOrd
	}
	s.Records += x.Records
	s.Last, s.LastOrd = x.Last, base+x.LastOrd
}

func (o *Others) plus(values []otherValue, more int64) {
	o.More += more
	for _, x := range values {
		if o.add(x.Value); o.By[x.Value] != nil {
			*o.By[x.Value] += x.N - 1
		} else {
			o.More += x.N - 1
		}
	}
}
