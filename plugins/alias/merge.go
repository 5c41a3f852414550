package alias

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
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

// unite adds the parameters of removed tools to the definitions that stay, so that every call fits the tool of its new name.
// It counts what it cannot add as "loss.tool_schema" and "loss.tool_description".
func (p *renamer) unite(r *sdk.Record, row *canonical.Row, es []entry) {
	groups := map[string][]int{} // the dead entries by their new name
	for i := range es {
		if es[i].Use != canonical.ToolUse {
			return
		}
		if es[i].dead {
			groups[es[i].name()] = append(groups[es[i].name()], i)
		}
	}
	for i := range es {
		name := es[i].name()
		if gone := groups[name]; gone != nil && p.first[name] == i {
			p.adopt(r, row, &es[i], es, gone)
		}
	}
}

// adopt edits the definition that stays.
func (p *renamer) adopt(r *sdk.Record, row *canonical.Row, stays *entry, es []entry, gone []int) {
	f := p.family(stays, es, gone)
	if f.united != "" {
		if at, ok := row.Place(f.schema.of(stays.Entry)); ok {
			p.replace(r, at, f.united)
			r.Count("merged_schema", 1)
		} else {
			r.Count("loss.tool_schema", len(gone))
		}
	}
	if f.others > 0 {
		if at, ok := row.Place(f.description.of(stays.Entry)); ok && stays.found != nil { // a tool that already had the name keeps its description
			p.replace(r, at, f.descriptions)
		} else {
			r.Count("loss.tool_description", f.others)
		}
	}
}

// replace replaces a part of a definition, and counts the retired names in what replaces it.
func (p *renamer) replace(r *sdk.Record, at canonical.Place, text string) {
	text = at.Raise(text)
	p.edits = append(p.edits, edit{at.Start, at.End, text})
	p.countLeft(r, text, nil)
}

// A family holds the merged parts of definitions with one name.
type family struct {
	schema, description part   // of the definition that stays
	united              string // the merged schema; "" when its own covers all
	descriptions        string // of all
	others              int    // descriptions that differ from its own
}

// A part is a range of an entry, empty for text that is elsewhere.
type part struct{ start, end int }

func (p part) of(entry string) string { return entry[p.start:p.end] }

// partOf returns an empty part for decoded text, which is not in the entry's memory.
func partOf(entry, piece string) part {
	at, ok := jsontext.Within(entry, piece)
	if !ok {
		return part{}
	}
	return part{at, at + len(piece)}
}

// Families are cached while they are few and short: many rows of a corpus offer the same tools.
const (
	maxFamilies = 64
	maxFamily   = 16 << 10
)

// family merges the definition that stays with the removed ones.
func (p *renamer) family(stays *entry, es []entry, gone []int) family {
	p.key = append(p.key[:0], stays.Entry...)
	for _, i := range gone {
		p.key = append(append(p.key, 0), es[i].Entry...)
	}
	if f, ok := p.families[string(p.key)]; ok {
		return f
	}
	own := canonical.ReadTool(stays.definition())
	ownSchema, _, _ := own.Schema()
	schemas, descriptions := []jsontext.JSON{ownSchema}, []string{string(own.Description)}
	known := map[jsontext.Body]bool{"": true, own.Description: true}
	for _, i := range gone {
		t := canonical.ReadTool(es[i].definition())
		schema, _, _ := t.Schema()
		schemas = append(schemas, schema)
		if !known[t.Description] {
			known[t.Description] = true
			descriptions = append(descriptions, string(t.Description))
		}
	}
	f := family{
		schema: partOf(stays.Entry, string(own.Parameters)), description: partOf(stays.Entry, string(own.Description)),
		descriptions: strings.Join(descriptions, `\n`), others: len(descriptions) - 1,
	}
	if united := uniteSchemas(schemas); united != ownSchema {
		f.united = string(united)
	}
	if len(p.key) > maxFamily {
		p.key = nil
		return f
	}
	if len(p.families) == maxFamilies {
		clear(p.families)
	}
	f.descriptions, f.united = strings.Clone(f.descriptions), strings.Clone(f.united) // the definitions are views
	p.families[string(p.key)] = f
	return f
}

// definition returns the value of an entry, which is a member with its key where the tools are a map.
func (e *entry) definition() jsontext.JSON {
	c := jsontext.JSON(e.Entry).Cursor()
	value := c.Value()
	if value.Kind() == '"' && c.Kind() == ':' {
		c.At++
		return c.Value()
	}
	return value
}

// uniteSchemas returns a schema for every value that fits one of the schemas. It has the properties of all, requires those
// that all require, and lists different descriptions of a property as alternatives. Equal schemas are returned as the first.
func uniteSchemas(schemas []jsontext.JSON) jsontext.JSON {
	first := schemas[0]
	if !slices.ContainsFunc(schemas, func(s jsontext.JSON) bool { return s != first }) {
		return first
	}
	var u union
	for _, s := range schemas {
		u.add(s)
	}
	return u.write(len(schemas))
}

// A union collects the properties of object schemas, in the order in which they come.
type union struct {
	names    []string          // of properties
	at       map[string]int    // where in names
	schemas  [][]jsontext.JSON // of each name, the different ones
	required map[string]int    // how many schemas require a name
	others   []jsontext.Member // other than properties and required
}

// add adds the members of one schema.
func (u *union) add(schema jsontext.JSON) {
	if u.at == nil {
		u.at, u.required = map[string]int{}, map[string]int{}
	}
	for _, m := range schema.Unique() {
		switch {
		case m.Key == "properties" && m.Value.Kind() == '{':
			for _, p := range m.Value.Unique() {
				i, ok := u.at[p.Key]
				if !ok {
					i = len(u.names)
					u.at[p.Key], u.names, u.schemas = i, append(u.names, p.Key), append(u.schemas, nil)
				}
				compact := jsontext.Of(jsontext.AppendPlain(nil, p.Value))
				if len(u.schemas[i]) < maxSchemas && !slices.Contains(u.schemas[i], compact) {
					u.schemas[i] = append(u.schemas[i], compact)
				}
			}
		case m.Key == "required" && m.Value.Kind() == '[':
			for _, v := range m.Value.Elements() {
				u.required[v.Text()]++
			}
		case m.Key == "additionalProperties" && m.Value == "false": // it holds for one schema only
		case !slices.ContainsFunc(u.others, func(o jsontext.Member) bool { return o.Key == m.Key }):
			u.others = append(u.others, m)
		}
	}
}

// maxSchemas bounds the alternatives of one property. With that many, any value is allowed.
const maxSchemas = 8

// write returns the union of n schemas.
func (u *union) write(n int) jsontext.JSON {
	b := []byte("{")
	for _, m := range u.others {
		b = append(jsontext.AppendKey(b, m.Key), m.Value...)
	}
	if !slices.ContainsFunc(u.others, func(o jsontext.Member) bool { return o.Key == "type" }) {
		b = jsontext.AppendMember(b, "type", "object")
	}
	b = append(jsontext.AppendKey(b, "properties"), '{')
	var required []byte
	for i, name := range u.names {
		b = jsontext.AppendKey(b, name)
		switch schemas := u.schemas[i]; len(schemas) {
		case 1:
			b = append(b, schemas[0]...)
		case maxSchemas:
			b = append(b, '{', '}')
		default:
			b = append(b, `{"anyOf":[`...)
			for _, schema := range schemas {
				b = append(jsontext.AppendComma(b), schema...)
			}
			b = append(b, "]}"...)
		}
		if u.required[name] >= n {
			required = jsontext.AppendString(jsontext.AppendComma(required), name)
		}
	}
	b = append(b, '}')
	if required != nil {
		b = append(append(append(b, `,"required":[`...), required...), ']')
	}
	return jsontext.Of(append(b, '}'))
}
