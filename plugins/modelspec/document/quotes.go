package document

import (
	"cmp"
	"errors"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// quotes reads the notation of the document's later examples: one block of quoted lines a message, a heading such as
// "✅ **Assistant** ->> `browser:json`" in each, and columns written one after another.
type quotes struct {
	block   []string
	line    int // of the block's first line
	found   conversation
	column  column
	group   []column
	unknown []fault // headings of speakers that the notation does not have
	faults  []fault
}

func (q *quotes) add(it item) {
	if len(q.block) == 0 {
		q.line = it.line
	}
	text := strings.TrimPrefix(it.text, ">")
	q.block = append(q.block, strings.TrimPrefix(text, " "))
}

// The document has a no-break space behind its marks.
var heading = notation.Pattern("(?i)^(✅|❌)?[\\s\u00a0\ufe0f]*\\*\\*(System Settings|Platform|Developer|User|Assistant|Model|Tool|Context):?\\*\\*:?(?:\\s*(?:->>?|→)\\s*`([^`]+)`)?$")

// bold matches a line that could be a heading.
var bold = notation.Pattern("^(?:✅|❌)?[\\s\u00a0\ufe0f]*\\*\\*[^*]+\\*\\*:?\\s*(?:(?:->>?|→).*)?$")

// speakers matches words in the heading of a speaker.
var speakers = notation.Pattern("(?i)platform|developer|user|assistant|model|tool|context|system")

// endBlock reads the block that ends. It skips a block that is no message, such as a remark.
func (q *quotes) endBlock() {
	block := q.block
	q.block = nil
	for len(block) > 0 && strings.TrimSpace(block[0]) == "" {
		block = block[1:]
		q.line++
	}
	if len(block) == 0 {
		return
	}
	first := strings.TrimSpace(block[0])
	head := heading().FindStringSubmatch(first)
	if head == nil {
		if bold().MatchString(first) {
			q.unknown = append(q.unknown, fault{q.line, 3, "want a heading of system settings, platform, developer, user, assistant or tool, have an unknown speaker"})
			if speakers().MatchString(first) {
				q.faults = append(q.faults, q.unknown[len(q.unknown)-1])
			}
		}
		return
	}
	if err := q.read(head, block[1:]); err != nil {
		q.faults = append(q.faults, faultOf(err, q.line, 1))
	}
}

func (q *quotes) read(head, block []string) error {
	m := message{line: q.line}
	settings := strings.EqualFold(head[2], "system settings")
	if !settings {
		m.Role, m.Later, _ = notation.RoleOf(strings.ToLower(head[2]))
	}
	switch head[1] {
	case "✅":
		m.Correct = notation.Yes
	case "❌":
		m.Correct = notation.No
	}
	items, err := q.items(&m, block)
	if err == nil {
		err = m.fill(items, head[3])
	}
	if err != nil {
		return err
	}
	q.found.line = cmp.Or(q.found.line, m.line)
	if settings {
		return q.settings(m)
	}
	q.message(m)
	return nil
}

func (q *quotes) settings(m message) error {
	if q.found.settings != "" || len(q.found.nodes)+len(q.column) > 0 {
		return errors.New("want system settings before the messages, have them after")
	}
	settings, err := settingsJSON(m.Text())
	q.found.settings = settings
	return err
}

// items splits a block, and takes the mark `end_turn` out.
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
			m.EndTurn = true
			continue
		case it.kind != lineItem && it.kind != fenceItem:
			return nil, it.fault("want no tags in a quotation, have <%s>", it.name)
		}
		items = append(items, it)
	}
}

// message adds a message behind the others, or to a column. A new column begins when the assistant speaks again after its turn
// has ended, or with a correct message after an incorrect one.
func (q *quotes) message(m message) {
	n := len(q.column)
	switch {
	case m.Role == notation.Assistant:
		if n > 0 && (q.column[n-1].EndTurn || q.column[n-1].Correct == notation.No && m.Correct == notation.Yes) {
			q.endColumn()
		}
		q.column = append(q.column, m)
	case m.Role == notation.Tool && n > 0:
		q.column = append(q.column, m)
	default:
		q.endGroup()
		q.found.nodes = append(q.found.nodes, node{message: m})
	}
}

func (q *quotes) endColumn() {
	if len(q.column) > 0 {
		q.group = append(q.group, q.column)
		q.column = nil
	}
}

func (q *quotes) endGroup() {
	q.endColumn()
	if len(q.group) > 0 {
		q.found.nodes = append(q.found.nodes, nodes(q.group)...)
	}
	q.group = nil
}

// end returns the conversation of the quoted blocks, without nodes when there was none, and its mistakes. A heading with an
// unknown speaker is a mistake where other headings have known ones.
func (q *quotes) end() (conversation, []fault) {
	q.endBlock()
	q.endGroup()
	found, faults := q.found, q.faults
	if len(found.nodes) > 0 && len(faults) == 0 {
		faults = q.unknown
	}
	*q = quotes{}
	return found, faults
}
