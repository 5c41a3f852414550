package jsontext

import "slices"

// A Member is a decoded key of an object with its value.
type Member struct {
	Key   string
	Value JSON
}

// Unique returns the members of an object, each key once: a duplicate key keeps its first place and its last value.
func (v JSON) Unique() (members []Member) {
	const few = 16 // members that are looked through one by one
	var places map[string]int
	c := v.Cursor()
	for key := range c.Members() {
		value := c.Value()
		at, twice := places[key]
		if places == nil {
			at = slices.IndexFunc(members, func(m Member) bool { return m.Key == key })
			twice = at >= 0
		}
		if twice {
			members[at].Value = value
			continue
		}
		members = append(members, Member{key, value})
		switch n := len(members); {
		case places != nil:
			places[key] = n - 1
		case n == few:
			places = map[string]int{}
			for i, m := range members {
				places[m.Key] = i
			}
		}
	}
	return members
}
