package flow

import "strings"

// Others counts the records that no case of a route took, by their values. The route's goroutine writes it; it may be read when the
// flow has ended.
type Others struct {
	By   map[string]*int64 // pointers, since counting in place would make the map keep the last view as its key
	More int64             // records with further values, or with ones too long to be such a word
}

// What Others keeps, so that a route on free text stays small.
const (
	maxOthers     = 32 // values, the first that came
	maxOtherValue = 64 // bytes
)

// add counts a record. The value may be a view of its bytes.
func (o *Others) add(value string) {
	if n := o.By[value]; n != nil {
		*n++
		return
	}
	if len(o.By) == maxOthers || len(value) > maxOtherValue {
		o.More++
		return
	}
	if o.By == nil {
		o.By = map[string]*int64{}
	}
	o.By[strings.Clone(value)] = new(int64(1))
}
