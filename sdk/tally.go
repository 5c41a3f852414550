package sdk

import "github.com/sluicehq/sluice/sdk/wire"

// A tally adds up the figures that a plugin counts. A record's figures count only when its verdict is known and keeps them.
type tally struct {
	figures []figure
	index   map[string]int // of figures, by name
	touched []int          // figures that the input at hand counted
	settled []int          // figures that settled inputs, which came of the batch's record at hand, counted
}

type figure struct {
	name    string
	sum     int64 // of answered records
	settled int64 // of the settled inputs that came of the batch's record at hand
	record  int64 // of the input at hand
	counted bool  // part of sum, be it 0
	kept    bool  // part of settled
	pending bool  // part of record
}

// maxFigures is how many names a tally remembers from one answer to the next.
const maxFigures = 1024

func (t *tally) add(name string, n int64) {
	i, ok := t.index[name]
	if !ok {
		if t.index == nil {
			t.index = map[string]int{}
		}
		name = own(name)
		if i, ok = t.index[name]; !ok {
			i = len(t.figures)
			t.index[name] = i
			t.figures = append(t.figures, figure{name: name})
		}
	}
	f := &t.figures[i]
	if !f.pending {
		f.pending = true
		t.touched = append(t.touched, i)
	}
	f.record += n
}

// settle adds what the input at hand counted, or drops it.
func (t *tally) settle(accepted bool) {
	for _, i := range t.touched {
		f := &t.figures[i]
		if accepted {
			if f.settled += f.record; !f.kept {
				f.kept = true
				t.settled = append(t.settled, i)
			}
		}
		f.record, f.pending = 0, false
	}
	t.touched = t.touched[:0]
}

// keep adds what has settled, as the record is answered.
func (t *tally) keep() {
	for _, i := range t.settled {
		f := &t.figures[i]
		f.sum, f.counted = f.sum+f.settled, true
		f.settled, f.kept = 0, false
	}
	t.settled = t.settled[:0]
}

// forget drops what has settled of a record that is not answered.
func (t *tally) forget() {
	for _, i := range t.settled {
		f := &t.figures[i]
		f.settled, f.kept = 0, false
	}
	t.settled = t.settled[:0]
}

// drain returns the sums since the last call. What the record at hand counted stays for the next.
func (t *tally) drain() []wire.Count {
	var counts []wire.Count
	for i := range t.figures {
		f := &t.figures[i]
		if f.counted {
			counts = append(counts, wire.Count{Name: f.name, N: f.sum})
			f.sum, f.counted = 0, false
		}
	}
	if len(t.figures) > maxFigures && len(t.touched)+len(t.settled) == 0 {
		t.figures, t.index = nil, nil
	}
	return counts
}
