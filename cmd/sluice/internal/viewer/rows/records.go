package rows

import (
	"strconv"
	"strings"
)

// A share is how many records have rows of some kinds, and of no other.
type share struct {
	kinds []int64
	n     int
}

// recordShares counts the records that the rows found come of by the kinds of these rows. A row whose record is unknown is one by itself.
func (f *Found) recordShares(kind string) (all []share, err error) {
	whole := f.Done && len(f.args) == 0 // nothing but words is asked for, so the answer stays the same
	if whole {
		if all = f.store.sharesOf(kind); all != nil {
			return all, nil
		}
	}
	all = []share{}
	const record = "CASE WHEN r.origin IS NULL OR r.input IN (SELECT id FROM index_input WHERE shared) THEN r.id END, r.input, r.origin, coalesce(r.of_line, 0)"
	query := "SELECT kinds, COUNT(*) FROM (SELECT group_concat(DISTINCT " + kind + ") AS kinds FROM " + f.from + " GROUP BY " + record + ") GROUP BY kinds"
	err = each(f.store.Query(query, f.args...))(func(scan func(...any) error) error {
		var s share
		var kinds string
		if err := scan(&kinds, &s.n); err != nil {
			return err
		}
		for text := range strings.SplitSeq(kinds, ",") {
			kind, err := strconv.ParseInt(text, 10, 64)
			if err != nil {
				return err
			}
			s.kinds = append(s.kinds, kind)
		}
		all = append(all, s)
		return nil
	})
	if err == nil && whole {
		f.store.keepShares(kind, all)
	}
	return all, err
}

// sharesOf returns the shares of all rows as they were counted before, by their kinds or by those that they have when they are masked.
func (s *store) sharesOf(kind string) []share {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shares[kind]
}

func (s *store) keepShares(kind string, all []share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shares == nil {
		s.shares = map[string][]share{}
	}
	s.shares[kind] = all
}

// Records returns how many records the rows come of, when the query asks for that.
func (f *Found) Records() (n int) {
	for _, s := range f.shares {
		for _, kind := range s.kinds {
			if f.wants(kind, columns) {
				n += s.n
				break
			}
		}
	}
	return n
}

// countRecords counts the records that have a word of a column in one of their rows.
func (f *Found) countRecords(of column) map[string]int {
	counts := map[string]int{}
	wanted := map[int64]bool{}
	for kind := range f.counts {
		wanted[kind] = f.wants(kind, of)
	}
	for _, s := range f.shares {
		seen := map[string]bool{}
		for _, kind := range s.kinds {
			if !wanted[kind] {
				continue
			}
			f.eachWord(kind, of, func(word string) {
				if !seen[word] {
					seen[word] = true
					counts[word] += s.n
				}
			})
		}
	}
	return counts
}
