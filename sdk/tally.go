package sdk

import (
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// A tally adds up the figures that a plugin counts. A record's figures count only when its verdict is known and keeps them.
type tally struct {
	figures []figure
	index   map[string]int // of figures, by name
	pending []increment    // of the current input
	settled []increment    // of accepted inputs that came of the batch's current record
}

type figure struct {
	wire.Count      // of answered records
	counted    bool // since the last reply, be it 0
}

type increment struct {
	figure int
	n      int64
}

// maxFigures is how many names a tally remembers from one reply to the next.
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
			t.figures = append(t.figures, figure{Count: wire.Count{Name: name}})
		}
	}
	if at := len(t.pending) - 1; at >= 0 && t.pending[at].figure == i && max(n, t.pending[at].n) <= wire.MaxCount {
		t.pending[at].n += n // such as one for each member of a large record
		return
	}
	t.pending = append(t.pending, increment{i, n})
}

// settle keeps what the current input counted if the input was accepted, and else drops it.
func (t *tally) settle(accepted bool) {
	if accepted {
		t.settled = append(t.settled, t.pending...)
	}
	t.pending = jsontext.Reuse(t.pending)
}

// keep adds what has settled, as the record is answered.
func (t *tally) keep() {
	for _, c := range t.settled {
		f := &t.figures[c.figure]
		f.N, f.counted = min(f.N+min(c.n, wire.MaxCount), wire.MaxCount), true
	}
	t.forget()
}

// forget drops what has settled of a record that is not answered.
func (t *tally) forget() { t.settled = jsontext.Reuse(t.settled) }

// drain returns the sums since the last call. What the current record counted stays for the next.
func (t *tally) drain() (counts []wire.Count) {
	for i := range t.figures {
		if f := &t.figures[i]; f.counted {
			counts = append(counts, f.Count)
			f.N, f.counted = 0, false
		}
	}
	if len(t.figures) > maxFigures && len(t.pending)+len(t.settled) == 0 {
		t.figures, t.index = nil, nil
	}
	return counts
}
