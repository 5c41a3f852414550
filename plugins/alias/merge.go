package alias

import (
	"cmp"
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
)

// An entry is one item of a list or map in which names should be unique.
type entry struct {
	canonical.Name
	found *rename // nil when the name stays
	dead  bool
}

// name returns the decoded name of the entry after renaming.
func (e *entry) name() string {
	if e.found != nil {
		return e.found.to
	}
	return e.Body.Text()
}

// cuts are the ranges to remove from the record, in order, none inside another.
type cuts []edit

// merge finds entries whose new name another entry of their list has, and returns the cuts that remove them.
func (p *renamer) merge(r *sdk.Record, row *canonical.Row) (all cuts) {
	slices.SortStableFunc(p.entries, func(a, b entry) int { return cmp.Compare(a.List, b.List) })
	for rest := p.entries; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(e entry) bool { return e.List != rest[0].List })
		if n < 0 {
			n = len(rest)
		}
		if dead := p.cover(rest[:n]); dead > 0 {
			r.Count("merged", dead)
			p.unite(r, row, rest[:n])
			all = append(all, remove(rest[:n], row)...)
		}
		rest = rest[n:]
	}
	slices.SortFunc(all, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	end := 0
	return slices.DeleteFunc(all, func(c edit) bool {
		inside := c.end <= end
		end = max(end, c.end)
		return inside
	})
}

// cover marks the entries of a list that duplicate another after renaming, and counts them. The entry that already had the
// name stays, or else the first.
func (p *renamer) cover(es []entry) (dead int) {
	if !slices.ContainsFunc(es, func(e entry) bool { return e.found != nil }) {
		return 0
	}
	clear(p.first)
	for i := range es {
		name := es[i].name()
		if at, ok := p.first[name]; !ok || es[at].found != nil && es[i].found == nil {
			p.first[name] = i
		}
	}
	for i := range es {
		if es[i].found != nil && p.first[es[i].name()] != i {
			es[i].dead = true
			dead++
		}
	}
	return dead
}

// remove returns the cuts of the dead entries of a list, each with one comma.
func remove(es []entry, row *canonical.Row) (all cuts) {
	place := func(i int) canonical.Place {
		at, _ := row.Place(es[i].Entry)
		return at
	}
	lead := slices.IndexFunc(es, func(e entry) bool { return !e.dead })
	if lead > 0 {
		all = append(all, edit{start: place(0).Start, end: place(lead).Start})
	}
	for i := lead + 1; i < len(es); i++ {
		if es[i].dead {
			all = append(all, edit{start: place(i - 1).End, end: place(i).End})
		}
	}
	return all
}

// hold reports whether an edit is inside a cut.
func (cs cuts) hold(e edit) bool {
	at, _ := slices.BinarySearchFunc(cs, e.start, func(c edit, start int) int { return cmp.Compare(c.end, start+1) })
	return at < len(cs) && e.start >= cs[at].start && e.end <= cs[at].end
}
