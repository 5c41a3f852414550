package rows

import (
	"database/sql"
	"fmt"
	"strings"
)

// A Bin counts the numbers from one to another, both included.
type Bin struct {
	From, To float64
	N        int64
}

const (
	exactTo   = 64  // from which number on a bin of whole numbers has several
	scoreBins = 100 // of equal width
)

// Numbers counts the numbers of a column in bins, the lowest first. Small whole numbers have a bin each. Rows without a number are in none.
func (f *Found) Numbers(name string) (all []Bin, err error) {
	of := f.query.number(name)
	by := leading(of)
	if name == scoreColumn {
		var from, to sql.NullFloat64
		err := each(f.store.Query("SELECT MIN(r.score), MAX(r.score) FROM "+f.from, f.args...))(func(scan func(...any) error) error { return scan(&from, &to) })
		if err != nil || !from.Valid {
			return nil, err
		}
		by = fmt.Sprintf("CAST((r.score - %g) * %d / %g AS INT)", from.Float64, scoreBins, max(to.Float64-from.Float64, 1e-300))
	}
	query := fmt.Sprintf("SELECT MIN(%[1]s), MAX(%[1]s), COUNT(*) FROM %[2]s AND %[1]s IS NOT NULL GROUP BY %[3]s ORDER BY 1", of, f.from, by)
	err = each(f.store.Query(query, f.args...))(func(scan func(...any) error) error {
		var b Bin
		err := scan(&b.From, &b.To, &b.N)
		all = append(all, b)
		return err
	})
	return all, err
}

// leading returns a whole number in SQL with its six leading bits alone.
func leading(number string) string {
	var b strings.Builder
	b.WriteString("CASE")
	for bits := range 57 {
		fmt.Fprintf(&b, " WHEN %s < %d THEN %s >> %d << %d", number, int64(exactTo)<<bits, number, bits, bits)
	}
	return b.String() + " END"
}

// Between counts the numbers of a column from each edge, included, to the next, which is not. A bin has the least and the largest of them;
// where there are none it counts 0.
func (f *Found) Between(name string, edges []float64) (all []Bin, err error) {
	all = make([]Bin, len(edges)-1)
	of := f.query.number(name)
	var by strings.Builder
	for i, edge := range edges[1:] {
		fmt.Fprintf(&by, " WHEN %s < %v THEN %d", of, edge, i)
	}
	query := fmt.Sprintf("SELECT CASE%[1]s END AS at, MIN(%[2]s), MAX(%[2]s), COUNT(*) FROM %[3]s AND %[2]s >= %[4]v GROUP BY at HAVING at IS NOT NULL",
		by.String(), of, f.from, edges[0])
	err = each(f.store.Query(query, f.args...))(func(scan func(...any) error) error {
		var at int
		var b Bin
		err := scan(&at, &b.From, &b.To, &b.N)
		all[at] = b
		return err
	})
	return all, err
}
