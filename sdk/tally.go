package sdk

import "github.com/sluicehq/sluice/sdk/wire"

// A tally adds up what a plugin counts. What a record counts stands only once its verdict is known.
type tally struct {
	figures  []figure
	index    map[string]int // of figures, by name
	touched  []int          // figures that the input at hand counted
	standing []int          // figures that inputs which stand and came of the record at hand counted
}

type figure struct {
	name    string
	sum     int64 // of records that stand and are answered
	stands  int64 // of the inputs that stand and came of the record at hand
	record  int64 // of the input at hand
	counted bool  // by a record that stands, be it 0
	kept    bool  // by one that came of the record at hand
	pending bool  // by the input at hand
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

// settle takes in what the input at hand counted, or forgets it.
func (t *tally) settle(stands bool) {
	for _, i := range t.touched {
		f := &t.figures[i]
		if stands {
			if f.stands += f.record; !f.kept {
				f.kept = true
				t.standing = append(t.standing, i)
			}
		}
		f.record, f.pending = 0, false
	}
	t.touched = t.touched[:0]
}

// keep takes in what has settled, as the record is answered.
func (t *tally) keep() {
	for _, i := range t.standing {
		f := &t.figures[i]
		f.sum, f.counted = f.sum+f.stands, true
		f.stands, f.kept = 0, false
	}
	t.standing = t.standing[:0]
}

// forget drops what has settled of a record that is not answered.
func (t *tally) forget() {
	for _, i := range t.standing {
		f := &t.figures[i]
		f.stands, f.kept = 0, false
	}
	t.standing = t.standing[:0]
}

// take gives the sums since the last call. What the record at hand counted stays for the next.
func (t *tally) take() []wire.Count {
	var counts []wire.Count
	for i := range t.figures {
		f := &t.figures[i]
		if f.counted {
			counts = append(counts, wire.Count{Name: f.name, N: f.sum})
			f.sum, f.counted = 0, false
		}
	}
	if len(t.figures) > maxFigures && len(t.touched)+len(t.standing) == 0 {
		t.figures, t.index = nil, nil
	}
	return counts
}
