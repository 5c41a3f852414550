// Package document reads the notation of the Modular Model Spec document: <Thread> elements and quoted
// conversations in Markdown become threads and preference rows.
package document

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "modelspec-document". It turns a document from the source "text", {"name", "text"}, into rows: one for
// each correct branch with the label kind=thread, and one for each correct and incorrect pair with the label kind=preference. It
// expands a thread in JSON that holds lists of branches in the same way.
var Plugin = sdk.Plugin{
	Name: "modelspec-document",
	Doc:  "reads threads and preference pairs from documents in the Modular Model Spec's own notation, and from threads with branches",
	New:  func(sdk.Args) (sdk.Processor, error) { return &processor{}, nil },

	Labels:      []string{"kind"},
	LabelValues: map[string][]string{"kind": {"thread", "preference"}},
	Outputs:     []string{"findings"},
	Codes: notation.Codes(map[string]string{
		"bad_document": "every thread of the document has a mistake",
		"left_out":     "what has a mistake is left out; the side output findings says where it is",
	}),
}

type processor struct {
	buf   []byte
	found bool // a mistake in the record
}

// Process implements sdk.Processor.
func (p *processor) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	p.found = false
	err := p.read(r, emit)
	if p.found && err == nil {
		r.Warn("left_out", "")
	}
	return err
}

func (p *processor) read(r *sdk.Record, emit func(*sdk.Record)) error {
	json := jsontext.Of(r.JSON())
	var messages, name, text jsontext.JSON
	json.Fill([]string{"messages", "name", "text"}, []*jsontext.JSON{&messages, &name, &text}, nil)
	if json.Kind() == '[' || messages != "" {
		if t, nodes := notation.ReadBranches(json); nodes != nil {
			return p.thread(r, emit, &t, nodes)
		}
	}
	decoded := text.Text()
	if name.Kind() != '"' || text.Kind() != '"' || strings.HasPrefix(decoded, notation.RoleToken) { // token text is no document
		return sdk.Decline("want an object with a name and the text of a document")
	}
	return p.document(r, emit, name.Text(), decoded)
}

// document emits the rows of a document.
func (p *processor) document(r *sdk.Record, emit func(*sdk.Record), name, text string) error {
	doc := parse(text)
	notation.Count(r, "document.conversations", len(doc.found))
	notation.Count(r, "document.lone_messages", doc.lone)
	notation.Count(r, "document.left_out", doc.left)
	for _, f := range doc.faults {
		p.finding(r, name, f)
	}
	if len(doc.found) == 0 && len(doc.faults) > 0 {
		return sdk.Keep(sdk.Reject("bad_document", "text", "%s", doc.faults[0].Error()))
	}
	if len(doc.found) == 0 && doc.fenced != nil {
		return sdk.Keep(sdk.Reject("bad_document", "text", "%s", doc.fenced.Error()))
	}
	for i, c := range doc.found {
		p.conversation(r, emit, c, name, func(line int, messages ...column) []jsontext.Member {
			return []jsontext.Member{{Key: "metadata", Value: place(name, c.section, i+1, line, messages)}}
		})
	}
	return nil
}

// thread expands a thread that has branches. Each row keeps the other members of the thread's row.
func (p *processor) thread(r *sdk.Record, emit func(*sdk.Record), t *notation.Thread, nodes []notation.Node) error {
	unknown, err := t.Accept()
	if err != nil {
		return err
	}
	notation.Count(r, "loss.member", unknown)
	notation.Count(r, "document.conversations", 1)
	c := conversation{settings: string(t.Settings), nodes: nodesOf(nodes)}
	for _, n := range c.nodes {
		if len(n.columns) > maxColumns {
			return sdk.Reject("bad_document", "messages", tooMany, maxColumns, len(n.columns))
		}
	}
	switch {
	case !c.speaks():
		return sdk.Reject("bad_document", "messages", "want a message of the assistant")
	case c.tooLong():
		return sdk.Reject("bad_document", "messages", tooLarge, mostOutput)
	}
	p.conversation(r, emit, c, "", func(int, ...column) []jsontext.Member { return t.Extra })
	return nil
}

func nodesOf(all []notation.Node) (out []node) {
	for _, n := range all {
		if n.Branches == nil {
			out = append(out, node{message: message{Message: n.Message}})
			continue
		}
		var columns []column
		for _, branch := range n.Branches {
			columns = append(columns, paths(nodesOf(branch))...)
		}
		out = append(out, nodes(columns)...)
	}
	return out
}

// conversation emits the rows of a conversation. extra returns the other members of the row for a line of the document and the messages.
func (p *processor) conversation(r *sdk.Record, emit func(*sdk.Record), c conversation, name string, extra func(int, ...column) []jsontext.Member) {
	if c.tooLong() {
		notation.Count(r, "document.left_out", 1)
		p.finding(r, name, fault{c.line, 1, fmt.Sprintf(tooLarge, mostOutput)})
		return
	}
	threads, pairs, unpaired := c.branches()
	notation.Count(r, "document.unpaired", len(unpaired))
	for _, wrong := range unpaired {
		p.finding(r, name, fault{wrong[0].line, 1, "want a correct answer next to the wrong one"})
	}
	settings := jsontext.JSON(c.settings)
	for _, b := range threads {
		p.emit(r, emit, "thread", &notation.Thread{Shape: notation.RowShape, Settings: settings, Messages: b.messages.specs(), Extra: extra(b.line, b.messages)})
		comments, ends := 0, 0 // ends: of turns, where the notation does not say
		for _, m := range b.messages {
			if m.comment != "" {
				comments++
			}
			if m.openEnds && m.EndTurn {
				ends++
			}
		}
		notation.Count(r, "loss.comment", comments)
		notation.Count(r, "mended.end_turn", ends)
	}
	for _, pair := range pairs {
		t := &notation.Thread{
			Shape: notation.PairShape, Settings: settings, Messages: pair.prompt.specs(), Chosen: pair.chosen.specs(),
			Rejected: pair.rejected.specs(), Reason: jsontext.BodyOf(pair.reason), Extra: extra(pair.line, pair.prompt, pair.chosen, pair.rejected),
		}
		if notation.Same(t.Chosen, t.Rejected) {
			p.finding(r, name, fault{pair.line, 1, "want an incorrect answer that differs from the correct one, have the same"})
			continue
		}
		p.emit(r, emit, "preference", t)
	}
}

// finding writes a mistake to the side output.
func (p *processor) finding(r *sdk.Record, document string, f fault) {
	p.found = true
	r.Count("document.findings", 1)
	p.buf = append(p.buf[:0], '{')
	if f.line > 0 {
		p.buf = jsontext.AppendMember(p.buf, "document", document)
		p.buf = fmt.Appendf(p.buf, `,"line":%d,"column":%d,`, f.line, f.col)
	}
	p.buf = jsontext.AppendMember(p.buf, "message", f.message)
	r.Side("findings", append(p.buf, '}'))
}

func (p *processor) emit(r *sdk.Record, emit func(*sdk.Record), kind string, t *notation.Thread) {
	p.buf = notation.AppendThread(p.buf[:0], t)
	derived := r.Derive(p.buf)
	derived.SetLabel("kind", kind)
	emit(derived)
}

// place returns the origin of a row in a document as JSON, with the line of each of its messages. Its numbers count from 1.
func place(document, section string, thread, line int, messages []column) jsontext.JSON {
	dst := jsontext.AppendMember([]byte("{"), "document", document)
	dst = jsontext.AppendMember(append(dst, ','), "section", section)
	dst = fmt.Appendf(dst, `,"thread":%d,"line":%d,"lines":`, thread, line)
	dst = notation.AppendList(dst, slices.Concat(messages...), func(dst []byte, m *message) []byte { return strconv.AppendInt(dst, int64(m.line), 10) })
	return jsontext.JSON(append(dst, '}'))
}
