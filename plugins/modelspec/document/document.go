package document

import (
	"errors"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// A conversation is one <Thread>, or one run of quoted blocks.
type conversation struct {
	settings string // JSON of the system settings, or ""
	section  string // the heading above it
	line     int
	nodes    []node
}

// A node is one message, or columns in which the thread goes on.
type node struct {
	message message
	columns []column
}

type column []message

type message struct {
	notation.Message
	comment  string
	line     int
	openEnds bool // the notation does not say whether the message ends its turn
}

// same reports whether two messages are equal but for marks and comments.
func (m message) same(other message) bool {
	a, b := m.Message, other.Message
	if !a.Body.Is(b.Body) {
		return false
	}
	a.Body, b.Body = "", ""
	a.Correct, b.Correct = notation.Unmarked, notation.Unmarked
	return a == b
}

func (c column) incorrect() bool {
	return slices.ContainsFunc(c, func(m message) bool { return m.Correct == notation.No })
}

func (c column) speaks() bool {
	return slices.ContainsFunc(c, func(m message) bool { return m.Role == notation.Assistant })
}

// reason joins the comments on the incorrect messages of the column.
func (c column) reason() string {
	var all []string
	for _, m := range c {
		if m.Correct == notation.No && m.comment != "" {
			all = append(all, m.comment)
		}
	}
	return strings.Join(all, "\n")
}

func (c column) specs() []notation.Message {
	specs := make([]notation.Message, len(c))
	for i, m := range c {
		specs[i] = m.Message
	}
	return specs
}

// A parser reads conversations from the items of a document.
type parser struct {
	lexer
	section string
	quotes  quotes
	around  [][]conversation // threads in <Columns> around them, from the outside in
	found   []conversation
	faults  []fault // of threads that are left out, and outside of threads
	fenced  error   // at the first fence with a thread in it, nil when there is none
	left    int     // threads that were left out
	depth   int     // of columns in columns
	lone    int     // messages and settings outside of threads, which the document has as illustrations
}

// parse finds every conversation of a document, in order. A mistake leaves its own thread out.
func parse(text string) *parser {
	p := &parser{lexer: lexer{src: text, line: 1, strange: true}}
	for {
		start := p.lexer
		it, ok, err := p.next()
		if err == nil && !ok {
			break
		}
		if err == nil {
			err = p.top(it)
		}
		if err != nil {
			p.faults = append(p.faults, faultOf(err, 0, 0))
			p.skip(start)
		}
	}
	p.endQuotes()
	p.endAround(0)
	return p
}

// faultOf returns an error as a fault, at the given place unless it has one.
func faultOf(err error, line, col int) fault {
	if known, ok := errors.AsType[*fault](err); ok {
		return *known
	}
	return fault{line, col, err.Error()}
}

// skip goes behind the thread that begins at start, or to the next thread, whichever comes first.
func (p *parser) skip(start lexer) {
	p.strange, p.depth = true, 0
	from := start.at + 1
	to := len(p.src)
	if tagName(strings.TrimLeft(p.src[start.at:], " \t")) == "Thread" {
		p.left++
		if i := strings.Index(p.src[from:], "</Thread>"); i >= 0 {
			to = from + i + len("</Thread>")
		}
	} else if p.at > start.at {
		to = p.at
	}
	if i := strings.Index(p.src[from:to], "<Thread"); i > 0 && from+i > start.at+len("<Thread") {
		to = from + i
	}
	p.line = start.line + strings.Count(p.src[start.at:to], "\n")
	p.at = to
}

func (p *parser) top(it item) error {
	if it.kind == lineItem && strings.HasPrefix(it.text, ">") {
		p.quotes.add(it)
		return nil
	}
	if it.kind == lineItem && strings.TrimSpace(it.text) == "" {
		p.quotes.endBlock()
		return nil
	}
	p.endQuotes()
	switch {
	case it.kind == lineItem && strings.HasPrefix(it.text, "#"):
		p.section = strings.TrimSpace(strings.TrimLeft(it.text, "#"))
	case it.kind == openTag && it.name == "Thread":
		c, err := p.thread(it)
		if err != nil {
			return err
		}
		p.add(c)
	case it.kind == openTag && it.name == "Message":
		p.lone++
		_, err := p.message(it)
		return err
	case it.name == "SystemConfig":
		if it.kind != closeTag {
			p.lone++
		}
	case it.name == "Columns" && it.kind == openTag:
		p.around = append(p.around, nil)
	case it.name == "Columns" && it.kind == closeTag && len(p.around) > 0:
		p.endAround(len(p.around) - 1)
	case it.name == "Column" && len(p.around) > 0:
	case it.kind == strangeTag && slices.ContainsFunc(tags, func(name string) bool { return levenshtein.Distance(it.name, name, nil) <= 2 }):
		return it.fault("want an element of the notation, have <%s>", it.name)
	case it.kind == fenceItem && p.fenced == nil && strings.Contains(it.text, "<Thread>"):
		p.fenced = it.fault("want a <Thread> outside of code fences, have one only in the fence that begins here")
	case it.kind == lineItem || it.kind == fenceItem || it.kind == strangeTag || it.kind == emptyTag:
	default:
		return it.fault("want <%s> inside a <Thread>, have it outside", it.name)
	}
	return nil
}

// add adds a whole conversation, if the assistant speaks in it.
func (p *parser) add(c conversation) {
	if !c.speaks() {
		p.left++
		p.faults = append(p.faults, fault{c.line, 1, "want a message of the assistant"})
		return
	}
	if n := len(p.around); n > 0 {
		p.around[n-1] = append(p.around[n-1], c)
		return
	}
	p.found = append(p.found, c)
}

func (c conversation) speaks() bool {
	return slices.ContainsFunc(c.nodes, func(n node) bool {
		return n.columns == nil && n.message.Role == notation.Assistant || slices.ContainsFunc(n.columns, column.speaks)
	})
}

// endAround closes the columns around threads, down to a depth. Threads with a common beginning, some of them incorrect, are one
// conversation with columns; others are conversations of their own.
func (p *parser) endAround(depth int) {
	for len(p.around) > depth {
		n := len(p.around) - 1
		threads := p.around[n]
		p.around = p.around[:n]
		if one, ok := asColumns(threads); ok {
			threads = []conversation{one}
		}
		if n > 0 {
			p.around[n-1] = append(p.around[n-1], threads...)
		} else {
			p.found = append(p.found, threads...)
		}
	}
}

// asColumns makes columns of threads with the same settings and the same messages before the assistant speaks.
func asColumns(threads []conversation) (conversation, bool) {
	var columns []column
	wrong := false
	for _, c := range threads {
		if slices.ContainsFunc(c.nodes, func(n node) bool { return n.columns != nil }) {
			return conversation{}, false
		}
		col := paths(c.nodes)[0]
		wrong = wrong || col.incorrect()
		if c.settings != threads[0].settings || len(columns) > 0 && !slices.EqualFunc(col.asked(), columns[0].asked(), message.same) {
			return conversation{}, false
		}
		columns = append(columns, col)
	}
	if len(columns) < 2 || len(columns) > maxColumns || !wrong {
		return conversation{}, false
	}
	one := threads[0]
	one.nodes = []node{{columns: columns}}
	return one, true
}

// asked returns the messages before the first of the assistant.
func (c column) asked() column {
	i := slices.IndexFunc(c, func(m message) bool { return m.Role == notation.Assistant })
	return c[:max(i, 0)]
}

func (p *parser) endQuotes() {
	c, faults := p.quotes.end()
	p.faults = append(p.faults, faults...)
	if len(c.nodes) == 0 {
		return
	}
	if len(faults) > 0 {
		p.left++
		return
	}
	c.section = p.section
	p.add(c)
}
