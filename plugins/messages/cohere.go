package messages

import (
	"cmp"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
)

// planned makes the plan of Cohere, which says before the calls what they are for, the content of an assistant's message without one.
func (m *message) planned() {
	switch {
	case m.plan == m.content || !m.plan.Truthy():
	case m.role == canonical.Assistant && m.plan.Kind() == '"' && (!m.content.Truthy() || m.content.Kind() == '"' && m.content.Body().Blank()):
		m.content = m.plan
	default:
		m.left++
	}
}

// documents adds a result that is a list of Cohere's documents, which hold JSON or a text and no file, and reports whether it is one.
func (a *adapter) documents(m *message) (ok bool) {
	var text build.Joiner
	by := cmp.Or(a.row.Joiner(), `\n`)
	for _, part := range m.content.Elements() {
		data := part.Get("document").Get("data")
		switch part.Get("type").Body() {
		case "document":
			if data.Kind() != '"' && data.Kind() != '{' {
				return false
			}
			text.Add(by, build.AsText(data))
			ok = true
		case "text":
			text.Add(by, part.Get("text").Body())
		default:
			return false
		}
	}
	if !ok {
		return false
	}
	for _, part := range m.content.Elements() {
		a.row.Leave("loss.part_member", part, "type", "text", "document")
		a.row.Leave("loss.part_member", part.Get("document"), "data")
	}
	m.misplaced()
	a.left(m)
	a.result(m, text.Body())
	return true
}
