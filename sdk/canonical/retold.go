package canonical

import (
	"slices"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Retold returns the row with other parts in place of texts of the assistant, its calls and results paired anew. read returns what
// stands for a text, nil for the text itself; its error ends the reading. A row of which nothing changes is returned itself. Texts of
// planners, which were read into parts, and texts in results are not asked for.
func (r *Row) Retold(read func(t Turn, text jsontext.Body) ([]Part, error)) (*Row, error) {
	var told *Row
	parts := r.Parts
	retell := func(t Turn, shift int) (Turn, error) {
		own := t
		t.From, t.To, t.Unfolded = t.From+shift, t.To+shift, t.Unfolded+shift
		for i := t.From; i < t.To && t.Role == Assistant && t.Envelope == ""; i++ {
			if parts[i].Kind == ResultPart {
				i += parts[i].Sub
			}
			if parts[i].Kind != TextPart {
				continue
			}
			said, err := read(own, parts[i].Body)
			if err != nil {
				return t, err
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
		new, err := retell(t, shift)
		if err != nil {
			return nil, err
		}
		if told != nil {
			told.Turns[n] = new
		}
		shift += new.To - new.From - (t.To - t.From)
	}
	response, err := retell(r.Response, shift)
	if err != nil || told == nil {
		return r, err
	}
	told.Response, told.Parts = response, parts
	for i := range parts {
		parts[i].Mate = -1
	}
	told.folded, told.denials = false, false // settled already
	told.pair()
	return told, nil
}
