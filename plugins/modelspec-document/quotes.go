package modelspecdocument

import (
	"fmt"
	"regexp"
	"strings"
)

// quotes reads the notation of the document's later examples: one block of quoted lines a message, a heading such as
// "✅ **Assistant** ->> `browser:json`" in each, and columns written one after another.
type quotes struct {
	block  []string
	line   int // of the block's first line
	found  conversation
	column column
	group  []column
}

// add takes one quoted line in.
func (q *quotes) add(it item) error {
	if len(q.block) == 0 {
		q.line = it.line
	}
	text := strings.TrimPrefix(it.text, ">")
	q.block = append(q.block, strings.TrimPrefix(text, " "))
	return nil
}

// The document has a no-break space behind its marks.
var heading = regexp.MustCompile("(?i)^(✅|❌)?[\\s\u00a0\ufe0f]*\\*\\*(System Settings|Platform|Developer|User|Assistant|Tool|Context):?\\*\\*:?(?:\\s*(?:->>?|→)\\s*`([^`]+)`)?$")

// endBlock reads the block that ends. A block that is no message, such as a remark, is passed over.
func (q *quotes) endBlock() error {
	block := q.block
	q.block = nil
	for len(block) > 0 && strings.TrimSpace(block[0]) == "" {
		block = block[1:]
	}
	if len(block) == 0 {
		return nil
	}
	head := heading.FindStringSubmatch(strings.TrimSpace(block[0]))
	if head == nil {
		return nil
	}
	m := message{role: strings.ToLower(head[2]), line: q.line}
	switch head[1] {
	case "✅":
		m.verdict = correct
	case "❌":
		m.verdict = incorrect
	}
	items, err := q.items(&m, block[1:])
	if err != nil {
		return err
	}
	if err := m.fill(items, head[3]); err != nil {
		return err
	}
	return q.message(m)
}

// items splits a block, taking the mark `end_turn` out.
func (q *quotes) items(m *message, block []string) ([]item, error) {
	l := lexer{src: strings.Join(block, "\n"), line: q.line + 1}
	var items []item
	for {
		it, ok, err := l.next()
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return items, nil
		case it.kind == lineItem && strings.TrimSpace(it.text) == "`end_turn`":
			m.endTurn = true
			continue
		case it.kind != lineItem && it.kind != fenceItem:
			return nil, fmt.Errorf("line %d: want no tags in a quotation, have <%s>", it.line, it.name)
		}
		items = append(items, it)
	}
}

// message puts a message where it belongs: after the others, or into a column. A new column begins when the
// assistant speaks again after its turn has ended, or after a message that was wrong and one that is right.
func (q *quotes) message(m message) error {
	if q.found.line == 0 {
		q.found.line = m.line
	}
	switch m.role {
	case "system settings":
		if q.found.settings != "" || len(q.found.nodes)+len(q.column) > 0 {
			return fmt.Errorf("line %d: want system settings before the messages, have them after", m.line)
		}
		settings, err := settingsJSON(m.content)
		if err != nil {
			return fmt.Errorf("line %d: %w", m.line, err)
		}
		q.found.settings = settings
	case "assistant":
		if n := len(q.column); n > 0 && (q.column[n-1].endTurn || q.column[n-1].verdict == incorrect && m.verdict == correct) {
			q.endColumn()
		}
		q.column = append(q.column, m)
	case "tool", "context":
		if len(q.column) > 0 {
			q.column = append(q.column, m)
			return nil
		}
		fallthrough
	default:
		q.endGroup()
		q.found.nodes = append(q.found.nodes, node{message: m})
	}
	return nil
}

func (q *quotes) endColumn() {
	if len(q.column) > 0 {
		q.group = append(q.group, q.column)
		q.column = nil
	}
}

// endGroup closes the columns that stand open. A single one is no choice: its messages belong to the thread.
func (q *quotes) endGroup() {
	q.endColumn()
	group := q.group
	q.group = nil
	switch len(group) {
	case 0:
	case 1:
		for _, m := range group[0] {
			q.found.nodes = append(q.found.nodes, node{message: m})
		}
	default:
		q.found.nodes = append(q.found.nodes, node{columns: group})
	}
}

// end gives the conversation that the quoted blocks made, which has no nodes when there was none.
func (q *quotes) end() (conversation, error) {
	if err := q.endBlock(); err != nil {
		return conversation{}, err
	}
	q.endGroup()
	found := q.found
	*q = quotes{}
	return found, nil
}
