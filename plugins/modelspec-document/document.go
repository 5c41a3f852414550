package modelspecdocument

import (
	"fmt"
	"slices"
	"strings"
)

// A conversation is one <Thread>, or one run of quoted blocks.
type conversation struct {
	settings string // JSON of the system settings, or ""
	section  string // the heading it stands under
	line     int
	nodes    []node
}

// A node is one message, or columns that show how the thread may go on.
type node struct {
	message message
	columns []column
}

type column []message

type message struct {
	role, name, format, content string
	endTurn                     bool
	halted                      bool // the notation says so; the format's settings do in a row
	verdict                     verdict
	comment                     string
	line                        int
}

type verdict uint8

const (
	unmarked verdict = iota
	correct
	incorrect
)

// incorrect tells whether a message of the column is marked as one the assistant should not have written.
func (c column) incorrect() bool {
	for _, m := range c {
		if m.verdict == incorrect {
			return true
		}
	}
	return false
}

// reason joins what the document says about the messages of the column that are wrong.
func (c column) reason() string {
	var all []string
	for _, m := range c {
		if m.verdict == incorrect && m.comment != "" {
			all = append(all, m.comment)
		}
	}
	return strings.Join(all, "\n")
}

// losses counts what a thread cannot carry: remarks, and messages said to have halted.
func (c column) losses() (comments, halted int) {
	for _, m := range c {
		if m.comment != "" {
			comments++
		}
		if m.halted {
			halted++
		}
	}
	return comments, halted
}

// A parser reads conversations from the items of a document.
type parser struct {
	lexer
	section string
	quotes  quotes
	found   []conversation
	depth   int // of columns in columns
	lone    int // messages that stand in no thread: the document shows single messages that way
}

// parse finds every conversation of a document, in order.
func parse(text string) (*parser, error) {
	p := &parser{lexer: lexer{src: text, line: 1}}
	for {
		it, ok, err := p.next()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if err := p.top(it); err != nil {
			return nil, err
		}
	}
	return p, p.endQuotes()
}

func (p *parser) top(it item) error {
	if it.kind == lineItem && strings.HasPrefix(it.text, ">") {
		return p.quotes.add(it)
	}
	if it.kind == lineItem && strings.TrimSpace(it.text) == "" {
		return p.quotes.endBlock()
	}
	if err := p.endQuotes(); err != nil {
		return err
	}
	switch {
	case it.kind == lineItem && strings.HasPrefix(it.text, "#"):
		p.section = strings.TrimSpace(strings.TrimLeft(it.text, "#"))
	case it.kind == openTag && it.name == "Thread":
		c, err := p.thread(it)
		if err != nil {
			return err
		}
		p.found = append(p.found, c)
	case it.kind == openTag && it.name == "Message":
		p.lone++
		_, err := p.message(it)
		return err
	case it.kind != lineItem && it.kind != fenceItem:
		return fmt.Errorf("line %d: want <%s> inside a <Thread>, have it outside", it.line, it.name)
	}
	return nil
}

func (p *parser) endQuotes() error {
	c, err := p.quotes.end()
	if err != nil || len(c.nodes) == 0 {
		return err
	}
	c.section = p.section
	p.found = append(p.found, c)
	return nil
}

func (p *parser) thread(open item) (conversation, error) {
	c := conversation{section: p.section, line: open.line}
	err := p.within(open, func(it item) error {
		switch {
		case it.name == "SystemConfig" && it.kind == closeTag:
		case it.name == "SystemConfig" && c.settings == "":
			settings, err := settingsJSON(it.attr["config"])
			if err != nil {
				return fmt.Errorf("line %d: config: %w", it.line, err)
			}
			c.settings = settings
		case it.name == "Message" && it.kind == openTag:
			m, err := p.message(it)
			if err != nil {
				return err
			}
			c.nodes = append(c.nodes, node{message: m})
		case it.name == "Columns" && it.kind == openTag:
			columns, err := p.columns(it)
			if err != nil {
				return err
			}
			c.nodes = append(c.nodes, node{columns: columns})
		default:
			return fmt.Errorf("line %d: want <Message>, <Columns> or one <SystemConfig/> in <Thread>, have <%s>", it.line, it.name)
		}
		return nil
	})
	return c, err
}

func (p *parser) columns(open item) ([]column, error) {
	var all []column
	if p.depth++; p.depth > maxDepth {
		return nil, fmt.Errorf("line %d: want columns at most %d deep, have more", open.line, maxDepth)
	}
	err := p.within(open, func(it item) error {
		if it.name != "Column" || it.kind != openTag {
			return fmt.Errorf("line %d: want <Column> in <Columns>, have <%s>", it.line, it.name)
		}
		ways, err := p.column(it)
		all = append(all, ways...)
		return err
	})
	p.depth--
	return all, err
}

// maxDepth is how deep columns may stand in columns.
const maxDepth = 32

// column reads one column. Where it has columns itself there is one for each way to go on; what follows those goes on
// from the first correct one.
func (p *parser) column(open item) (ways []column, err error) {
	ways = []column{nil}
	at := 0 // the way that goes on
	err = p.within(open, func(it item) error {
		switch {
		case it.name == "Message" && it.kind == openTag:
			m, err := p.message(it)
			ways[at] = append(ways[at], m)
			return err
		case it.name == "Columns" && it.kind == openTag:
			inner, err := p.columns(it)
			if err != nil || len(inner) == 0 {
				return err
			}
			before := ways[at]
			for i, c := range inner {
				inner[i] = slices.Concat(before, c)
			}
			ways = slices.Replace(ways, at, at+1, inner...)
			at += max(0, slices.IndexFunc(inner, func(c column) bool { return !c.incorrect() }))
			return nil
		}
		return fmt.Errorf("line %d: want <Message> or <Columns> in <Column>, have <%s>", it.line, it.name)
	})
	if err == nil && len(ways[0]) == 0 {
		err = fmt.Errorf("line %d: want messages in <Column>, have none", open.line)
	}
	return ways, err
}

// within gives the tags between open and its end to each. Text and fenced blocks there are remarks of the author.
func (p *parser) within(open item, each func(item) error) error {
	for {
		it, ok, err := p.next()
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("line %d: want </%s>, have the end of the document", open.line, open.name)
		case it.kind == closeTag && it.name == open.name:
			return nil
		case it.kind == lineItem || it.kind == fenceItem:
			continue
		}
		if err := each(it); err != nil {
			return err
		}
	}
}

// roles are those of the document, and the name its authors gave "tool" later.
var roles = []string{"platform", "developer", "user", "assistant", "tool", "context"}

func (p *parser) message(open item) (message, error) {
	m := message{line: open.line, name: open.attr["name"]}
	for _, role := range roles {
		if open.attr["role"] == role {
			m.role = role
		}
	}
	if m.role == "" {
		return m, fmt.Errorf("line %d: want a role of %s, have %q", open.line, strings.Join(roles, ", "), open.attr["role"])
	}
	var err error
	if m.endTurn, err = boolean(open, "end_turn"); err != nil {
		return m, err
	}
	if m.halted, err = boolean(open, "halted_on_completion"); err != nil {
		return m, err
	}
	if _, marked := open.attr["correct"]; marked {
		ok, err := boolean(open, "correct")
		if err != nil {
			return m, err
		}
		m.verdict = incorrect
		if ok {
			m.verdict = correct
		}
	}
	var items []item
	for {
		it, ok, err := p.next()
		switch {
		case err != nil:
			return m, err
		case !ok:
			return m, fmt.Errorf("line %d: want </Message>, have the end of the document", open.line)
		case it.kind == closeTag && it.name == "Message":
			return m, m.fill(items, open.attr["format"])
		case it.kind != lineItem && it.kind != fenceItem:
			return m, fmt.Errorf("line %d: want </Message>, have <%s>", it.line, it.name)
		}
		items = append(items, it)
	}
}

// boolean reads attr={true} or {false}; a missing one is false.
func boolean(open item, attr string) (bool, error) {
	switch value := open.attr[attr]; value {
	case "true":
		return true, nil
	case "false", "":
		return false, nil
	default:
		return false, fmt.Errorf("line %d: want true or false as %s, have %q", open.line, attr, value)
	}
}

// fill takes content, format and comment from what stands in a message: the fenced block is the content and its
// info string the format, unless format says it; text around it is a comment. A message without a fenced block has
// its text as content.
func (m *message) fill(items []item, format string) error {
	var text []string
	var fence *item
	for i, it := range items {
		switch {
		case it.kind == lineItem:
			text = append(text, it.text)
		case fence != nil:
			return fmt.Errorf("line %d: want one fenced block in a message, have a second", it.line)
		default:
			fence = &items[i]
		}
	}
	if fence == nil {
		m.content = strings.TrimSpace(strings.Join(text, "\n"))
	} else {
		m.content, m.comment = fence.text, comment(text)
	}
	if m.role != "assistant" {
		return nil
	}
	switch m.format = "markdown"; {
	case format != "":
		m.format = format
	case fence != nil && fence.info != "":
		m.format = strings.Fields(fence.info)[0]
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
