package backend

import "strings"

// A memory caches what was found in recent texts, since records repeat prompts and descriptions of tools. It holds between one
// and two times maxKnown bytes of text.
type memory struct {
	young, old map[string][]Span
	size       int // of the texts in young
}

const (
	maxKnown = 4 << 20
	overhead = 64 // of an entry, at least
)

func (m *memory) get(text string) ([]Span, bool) {
	found, ok := m.young[text]
	if ok {
		return found, true
	}
	if found, ok = m.old[text]; ok {
		m.put(text, found)
	}
	return found, ok
}

// put adds a copy of a text, which may be a view that ends with the record.
func (m *memory) put(text string, found []Span) {
	size := len(text) + overhead*(1+len(found))
	if size > maxKnown/16 {
		return
	}
	if m.young == nil || m.size+size > maxKnown {
		m.old, m.young, m.size = m.young, map[string][]Span{}, 0
	}
	m.young[strings.Clone(text)] = found
	m.size += size
}
