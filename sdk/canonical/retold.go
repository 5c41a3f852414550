package canonical

import (
	"slices"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Retold returns the row with other parts in place of texts of the assistant, its calls and results paired anew. read returns what
// takes the place of a text, nil to leave it as it is; a fault ends the reading. A row of which nothing changes is returned itself. Texts
// of planners, which were read into parts, and texts in results are not asked for.
func (r *Row) Retold(read func(t Turn, text jsontext.Body) ([]Part, *Fault)) (*Row, *Fault) {
	var told *Row
	parts := r.Parts
	retell := func(t Turn, shift int) (Turn, *Fault) {
		own := t
		t.From, t.To, t.Unfolded = t.From+shift, t.To+shift, t.Unfolded+shift
		for i := t.From; i < t.To && t.Role == Assistant && t.Envelope == ""; i++ {
			if parts[i].Kind == ResultPart {
				i += parts[i].Sub
			}
			if parts[i].Kind != TextPart {
				continue
			}
			said, fault := read(own, parts[i].Body)
			if fault != nil {
				return t, fault
			}
			if said == nil {
				continue
			}
			if told == nil {
				copied := *r
				told, parts = &copied, slices.Clone(parts)
				told.Turns = slices.Clone(r.Turns)
			}
			parts = slices.Replace(parts, i, i+1, said...)
			t.To += len(said) - 1
			i += len(said) - 1
		}
		return t, nil
	}
	shift := 0
	for n, t := range r.Turns {
		new, fault := retell(t, shift)
		if fault != nil {
			return nil, fault
		}
		if told != nil {
			told.Turns[n] = new
		}
		shift += new.To - new.From - (t.To - t.From)
	}
	response, fault := retell(r.Response, shift)
	if fault != nil {
		return nil, fault
	}
	if told == nil {
		return r, nil
	}
	told.Response, told.Parts = response, parts
	for i := range parts {
		parts[i].Mate = -1
	}
	told.folded, told.denials = false, false // settled already
	told.pair()
	return told, nil
}
