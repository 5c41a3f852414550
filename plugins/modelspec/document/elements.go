package document

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

func (p *parser) thread(open item) (conversation, error) {
	c := conversation{section: p.section, line: open.line}
	err := p.within(open, func(it item) error {
		n, ok, err := p.child(it)
		switch {
		case err != nil:
			return err
		case ok && n.columns != nil:
			c.nodes = append(c.nodes, nodes(n.columns)...)
		case ok:
			c.nodes = append(c.nodes, n)
		case it.name == "SystemConfig" && it.kind == closeTag:
		case it.name == "SystemConfig" && c.settings == "":
			settings, err := settingsJSON(it.attr["config"])
			if err != nil {
				return it.fault("config: %s", err)
			}
			c.settings = settings
		default:
			return it.fault("want <Message>, <Columns> or one <SystemConfig/> in <Thread>, have <%s>", it.name)
		}
		return nil
	})
	return c, err
}

// child reads a message or columns; ok is false for other items.
func (p *parser) child(it item) (n node, ok bool, err error) {
	switch {
	case it.kind != openTag:
	case it.name == "Message":
		n.message, err = p.message(it)
		return n, true, err
	case it.name == "Columns":
		n.columns, err = p.columns(it)
		return n, true, err
	}
	return n, false, nil
}

// nodes returns the nodes of columns. The messages of a single column belong to the thread itself, unless it is incorrect.
func nodes(columns []column) (all []node) {
	if len(columns) != 1 || columns[0].incorrect() {
		return []node{{columns: columns}}
	}
	for _, m := range columns[0] {
		all = append(all, node{message: m})
	}
	return all
}

// columns reads <Columns>: a <Column> each, or a message each that is directly in the columns.
func (p *parser) columns(open item) ([]column, error) {
	var all []column
	if p.depth++; p.depth > maxDepth {
		return nil, open.fault("want columns at most %d deep, have %d", maxDepth, p.depth)
	}
	err := p.within(open, func(it item) error {
		switch {
		case it.name == "Column" && it.kind == openTag:
			branches, err := p.column(it)
			all = append(all, branches...)
			return err
		case it.name == "Message" && it.kind == openTag:
			m, err := p.message(it)
			all = append(all, column{m})
			return err
		}
		return it.fault("want <Column> or <Message> in <Columns>, have <%s>", it.name)
	})
	if err == nil && len(all) == 0 {
		err = open.fault("want at least one <Column> in <Columns>")
	}
	if err == nil && len(all) > maxColumns {
		err = open.fault(tooMany, maxColumns, len(all))
	}
	p.depth--
	return all, err
}

const (
	maxDepth   = 32 // of columns in columns
	maxColumns = 64 // at one place, since each correct one is paired with each incorrect one
	tooMany    = "want at most %d branches, have %d"
	tooLarge   = "want branches whose rows take at most %d times the size of the thread"
)

func (p *parser) column(open item) ([]column, error) {
	var all []node
	err := p.within(open, func(it item) error {
		n, ok, err := p.child(it)
		if all = append(all, n); !ok {
			return it.fault("want <Message> or <Columns> in <Column>, have <%s>", it.name)
		}
		return err
	})
	if err == nil && len(all) == 0 {
		err = open.fault("want messages in <Column>")
	}
	return paths(all), err
}

// within calls each with the items between open and its end. Outside of messages, text and fenced blocks are remarks of the
// author, and left out.
func (p *parser) within(open item, each func(item) error) error {
	for {
		it, ok, err := p.next()
		switch {
		case err != nil:
			return err
		case !ok:
			return open.fault("want </%s>, have the end of the document", open.name)
		case it.kind == closeTag && it.name == open.name:
			return nil
		case p.strange && (it.kind == lineItem || it.kind == fenceItem):
			continue
		}
		if err := each(it); err != nil {
			return err
		}
	}
}

// attributes lists the attributes of a <Message>.
var attributes = []string{"role", "name", "format", "end_turn", "halted_on_completion", "correct"}

func (p *parser) message(open item) (message, error) {
	m := message{line: open.line}
	var ok bool
	if m.Role, m.Later, ok = notation.RoleOf(open.attr["role"]); !ok {
		return m, open.fault("want a role of platform, developer, user, assistant or tool, have %q", open.attr["role"])
	}
	for name := range open.attr {
		if !slices.Contains(attributes, name) {
			return m, open.fault("want the attributes %s of <Message>, have %s", strings.Join(attributes, ", "), name)
		}
	}
	if m.Role == notation.Tool {
		m.Name = open.attr["name"]
	}
	if err := m.mark(open); err != nil {
		return m, err
	}
	p.strange = false // a content without a fence may hold any tags
	defer func() { p.strange = true }()
	var items []item
	err := p.within(open, func(it item) error {
		if it.kind != lineItem && it.kind != fenceItem {
			return it.fault("want </Message>, have <%s>", it.name)
		}
		items = append(items, it)
		return nil
	})
	if err == nil {
		err = m.fill(items, open.attr["format"])
	}
	return m, err
}

// mark reads the attributes of a message that are booleans.
func (m *message) mark(open item) error {
	end, err := boolean(open, "end_turn")
	m.EndTurn, m.openEnds = end == notation.Yes, end == notation.Unmarked
	if err == nil {
		m.Halted, err = boolean(open, "halted_on_completion")
	}
	if err == nil {
		m.Correct, err = boolean(open, "correct")
	}
	return err
}

// boolean reads attr={true} or {false}.
func boolean(open item, attr string) (notation.Mark, error) {
	value, set := open.attr[attr]
	marks := map[string]notation.Mark{"true": notation.Yes, "false": notation.No}
	if mark, ok := marks[value]; ok || !set {
		return mark, nil
	}
	return notation.Unmarked, open.fault("want true or false as %s, have %q", attr, value)
}

// fill sets content, format and comment of a message: the fenced block is the content and its info string the format, unless
// the message has the attribute format; text around the block is a comment. Without a fenced block the text is the content.
func (m *message) fill(items []item, format string) error {
	var text []string
	var fence *item
	for i, it := range items {
		switch {
		case it.kind == lineItem:
			text = append(text, it.text)
		case fence != nil:
			return it.fault("want one fenced block in a message, have a second")
		default:
			fence = &items[i]
		}
	}
	if fence == nil {
		m.Body = jsontext.BodyOf(strings.TrimSpace(strings.Join(text, "\n")))
	} else {
		m.Body, m.comment = jsontext.BodyOf(fence.text), comment(text)
	}
	if m.Role != notation.Assistant {
		return nil
	}
	switch m.Format = "markdown"; {
	case format != "":
		m.Format = format
	case fence != nil && fence.info != "":
		m.Format = strings.Fields(fence.info)[0]
	}
	return nil
}

// comment joins lines of text without their emphasis.
func comment(lines []string) string {
	var all []string
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if i := strings.IndexByte(line, '*'); i >= 0 && len(line) > i+1 && strings.HasSuffix(line, "*") {
			line = line[:i] + line[i+1:len(line)-1]
		}
		if line != "" {
			all = append(all, line)
		}
	}
	return strings.Join(all, "\n")
}
