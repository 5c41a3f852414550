package flow

import (
	"cmp"

	"github.com/sluicehq/sluice/host/receipt"
)

// A Reason is why records were rejected. Their messages may all differ, since a message may hold what is there only once, such as a name or
// the position of a byte, so Message is that of the first.
type Reason struct {
	Code, Step, Message string
	Records             int64
	First               receipt.Position // in the order of the dead letter
}

// rejectKind is what the rejects of one reason have in common.
type rejectKind struct{ code, step string }

// reasons counts the reasons that came first, of which there are at most maxReasons: codes that no plugin declares may be many.
type reasons struct {
	all  []Reason
	at   map[rejectKind]int
	most int // instead of maxReasons; 0: these
}

func (r *reasons) add(kind rejectKind, message string, pos receipt.Position) {
	at, known := r.at[kind]
	switch {
	case known:
		r.all[at].Records++
	case len(r.all) < cmp.Or(r.most, maxReasons):
		if r.at == nil {
			r.at = map[rejectKind]int{}
		}
		r.at[kind] = len(r.all)
		r.all = append(r.all, Reason{kind.code, kind.step, message, 1, pos})
	}
}

// CommonReason returns the reason for which most records were rejected so far, of several the first, and the zero value when there is none.
func (t *Totals) CommonReason() (most Reason) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.reasons.all {
		if r.Records > most.Records {
			most = r
		}
	}
	return most
}
