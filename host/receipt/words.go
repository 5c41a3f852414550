package receipt

import (
	"cmp"
	"maps"
	"slices"
)

// Reword puts other words into the account for the reasons of its plugin and the names of its counts, which a plugin may take from a record. What
// has one name then is added up. Codes are no such words: the rows of a dead letter have them too. The inputs are in the order in which they
// were read.
func (s *StepAccount) Reword(reason, count func(string) string, inputs []Input) {
	s.Dropped, s.Declined = s.Dropped.Reword(reason), s.Declined.Reword(reason)
	s.Counts, s.Unwanted = reworded(s.Counts, count), reworded(s.Unwanted, count)
	if len(s.Drops) == 0 {
		return
	}
	drops := map[string][]Position{}
	for name, places := range s.Drops {
		drops[reason(name)] = append(drops[reason(name)], places...)
	}
	if len(drops) < len(s.Drops) { // otherwise they are in order
		order := map[string]int{}
		for i := range inputs {
			order[inputs[i].Name] = i
		}
		for name, places := range drops {
			slices.SortFunc(places, func(a, b Position) int {
				return cmp.Or(cmp.Compare(order[a.File], order[b.File]), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
			})
			places = slices.Compact(places)
			drops[name] = places[:min(len(places), mostDrops)]
		}
	}
	s.Drops = drops
}

// Reword returns the breakdown by other words. Parts that have one name then are added up.
func (b Breakdown) Reword(word func(string) string) Breakdown {
	b.By = reworded(b.By, word)
	if len(b.Means) > 0 {
		means := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(b.Means)) {
			means[word(name)] = b.Means[name]
		}
		b.Means = means
	}
	return b
}

// Reword puts other words into the report for the values of records that no case took.
func (r *RouteReport) Reword(word func(string) string) {
	r.Others = reworded(r.Others, word)
	for i := range r.Unmet {
		if u := &r.Unmet[i]; u.Value != "" {
			u.Value = word(u.Value)
		}
	}
}

func reworded(by map[string]int64, word func(string) string) map[string]int64 {
	if len(by) == 0 {
		return by
	}
	all := make(map[string]int64, len(by))
	for name, n := range by {
		all[word(name)] += n
	}
	return all
}
