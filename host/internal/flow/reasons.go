package flow

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/host/receipt"
)

// A Reason is why records were rejected: by which step, with which code. Message is what most of those with one of the first messages
// say, of several the first. All may differ, since a message may hold what is there only once, such as a name or the position of a byte.
type Reason struct {
	Code, Step, Message string
	Records             int64
	First               receipt.Position // of the message, in the order of the dead letter
	Said                []Said           `json:",omitempty"` // the first messages that differ; empty: Message alone
}

// Said is a message of rejects.
type Said struct {
	Message string
	Records int64
	First   receipt.Position
}

// maxSaid is how many messages a reason counts.
const maxSaid = 50

// say counts a message that n records have, of which the first is at pos.
func (r *Reason) say(message string, n int64, pos receipt.Position) {
	at := slices.IndexFunc(r.Said, func(s Said) bool { return s.Message == message })
	switch {
	case at >= 0:
		r.Said[at].Records += n
	case len(r.Said) < maxSaid:
		r.Said = append(r.Said, Said{message, n, pos})
	}
}

// common returns the reason with the message that most of its records have.
func (r Reason) common() Reason {
	var most Said
	for _, s := range r.Said {
		if s.Records > most.Records {
			most = s
		}
	}
	r.Message, r.First, r.Said = most.Message, most.First, nil
	return r
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
		r.all[at].say(message, 1, pos)
	case len(r.all) < cmp.Or(r.most, maxReasons):
		if r.at == nil {
			r.at = map[rejectKind]int{}
		}
		r.at[kind] = len(r.all)
		r.all = append(r.all, Reason{Code: kind.code, Step: kind.step, Message: message, Records: 1, First: pos, Said: []Said{{message, 1, pos}}})
	}
}

// clone returns the reasons as they are now.
func (r *reasons) clone() []Reason {
	all := slices.Clone(r.all)
	for i := range all {
		all[i].Said = slices.Clone(all[i].Said)
	}
	return all
}

// CommonReason returns the reason for which most records were rejected so far, of several the first, with the message that most of them have,
// and the zero value when there is none.
func (t *Totals) CommonReason() (most Reason) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, r := range t.reasons.all {
		if r.Records > most.Records {
			most = r
		}
	}
	return most.common()
}
