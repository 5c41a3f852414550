package privacy

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/redact"
)

// rename adds the suffixes of the Python tooling to keys of an object that became equal. That does not look at a suffixed key again,
// which can so replace a key with the same name.
func (s *sweep) rename(object int32) {
	finals := map[string]string{} // by raw key
	holders := map[string]int32{} // key node by final key
	suffixes := map[string]int{}  // by filtered key
	var added []redact.Edit
	values := map[int32]int32{} // key node to the key node whose value it gets
	for k := object + 1; k < s.tape[object].next; k = s.tape[k+1].next {
		raw := s.decode(k).Decoded
		if _, again := finals[raw]; again {
			continue // a duplicate in the record stays one
		}
		filtered := s.rendered(k)
		final := filtered
		if _, taken := holders[filtered]; taken {
			suffixes[filtered]++
			final += "__" + strconv.Itoa(suffixes[filtered])
			added = append(added, redact.Edit{Start: s.tape[k].end, End: s.tape[k].end, Text: final[len(filtered):]})
		}
		finals[raw] = final
		if holder, taken := holders[final]; taken {
			values[holder] = k
			continue
		}
		holders[final] = k
	}
	s.edits = append(s.edits, added...)
	for holder, k := range values {
		s.move(object, holder, k)
	}
}

// rendered returns key n with its edits, decoded.
func (s *sweep) rendered(n int32) string {
	k := s.tape[n]
	if !s.tape[n].personal {
		return s.decode(n).Decoded
	}
	out := string(redact.Apply(nil, s.doc[k.start:k.end], s.cutOut(k.start, k.end, false)))
	return redact.Decode(out, 0).Decoded
}

// cutOut returns the edits within doc[start:end], relative to start, and removes them when drop is set.
func (s *sweep) cutOut(start, end int, drop bool) []redact.Edit {
	s.sortEdits()
	from, _ := slices.BinarySearchFunc(s.edits, start, func(e redact.Edit, at int) int { return e.Start - at })
	to := from
	var within []redact.Edit
	for ; to < len(s.edits) && s.edits[to].End <= end; to++ {
		e := s.edits[to]
		within = append(within, redact.Edit{Start: e.Start - start, End: e.End - start, Text: e.Text})
	}
	if drop {
		s.edits = slices.Delete(s.edits, from, to)
		s.sorted = len(s.edits)
	}
	return within
}

// move replaces the value of the member to by that of the member from, and removes from.
func (s *sweep) move(object, to, from int32) {
	start, end := s.extent(from + 1)
	value := string(redact.Apply(nil, s.doc[start:end], s.cutOut(start, end, true)))
	memberStart := strings.LastIndexByte(s.doc[:s.tape[from].start-1], ',')
	s.cutOut(memberStart, end, true)
	s.change(memberStart, end, "")
	start, end = s.extent(to + 1)
	s.cutOut(start, end, true)
	s.change(start, end, value)
}

// extent returns where value n is in the document, with its quotes.
func (s *sweep) extent(n int32) (start, end int) {
	if at := &s.tape[n]; at.kind != '"' {
		return at.start, at.end
	}
	return s.tape[n].start - 1, s.tape[n].end + 1
}
