// Package modelspecdocument reads the notation of the Modular Model Spec document: <Thread> elements and quoted
// conversations in Markdown become threads and preference rows.
package modelspecdocument

import (
	"context"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/modelspec"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin turns a document, as the source "text" gives it ({"name", "text"}), into rows: one for each correct branch
// with the label kind=thread, and one for each correct and incorrect pair with the label kind=preference.
var Plugin = sdk.Plugin{
	Name: "modelspec-document",
	Doc:  "reads threads and preference pairs from a document in the Modular Model Spec's own notation",
	New:  func(sdk.Args) (sdk.Processor, error) { return &processor{}, nil },

	Labels:  []string{"kind"},
	Outputs: []string{"findings"},
	Codes:   map[string]string{"bad_document": "every thread of the document has a mistake"},
}

type processor struct {
	buf []byte
}

// Process implements sdk.Processor.
func (p *processor) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	name, text, err := document(r)
	if err != nil {
		return err
	}
	doc := parse(text)
	count(r, "document.conversations", len(doc.found))
	count(r, "document.lone_messages", doc.lone)
	count(r, "document.left_out", doc.left)
	for _, f := range doc.faults {
		p.finding(r, name, f)
	}
	if len(doc.found) == 0 && len(doc.faults) > 0 {
		return sdk.Keep(sdk.Reject("bad_document", "text", "%s", doc.faults[0].Error()))
	}
	for i, c := range doc.found {
		at := place{name: name, thread: i + 1, section: c.section}
		threads, pairs, unpaired := c.branches()
		count(r, "document.unpaired", len(unpaired))
		for _, wrong := range unpaired {
			p.finding(r, name, fault{wrong[0].line, 1, "want a correct answer beside the wrong one, have none"})
		}
		for _, b := range threads {
			at.line = b.line
			p.emit(r, emit, "thread", modelspec.Thread{Shape: modelspec.RowShape, Messages: b.messages.specs()}, c.settings, at)
			count(r, "loss.comment", b.messages.comments())
		}
		for _, pair := range pairs {
			at.line = pair.line
			p.emit(r, emit, "preference", modelspec.Thread{
				Shape: modelspec.PairShape, Messages: pair.prompt.specs(), Chosen: pair.chosen.specs(), Rejected: pair.rejected.specs(),
				Reason: jsontext.BodyOf(pair.reason),
			}, c.settings, at)
		}
	}
	return nil
}

// count adds to a figure that is worth telling.
func count(r *sdk.Record, name string, n int) {
	if n > 0 {
		r.Count(name, n)
	}
}

// finding writes a mistake beside the stream.
func (p *processor) finding(r *sdk.Record, document string, f fault) {
	r.Count("document.findings", 1)
	p.buf = jsontext.AppendString(append(p.buf[:0], `{"document":`...), document)
	p.buf = strconv.AppendInt(append(p.buf, `,"line":`...), int64(f.line), 10)
	p.buf = strconv.AppendInt(append(p.buf, `,"column":`...), int64(f.col), 10)
	p.buf = jsontext.AppendString(append(p.buf, `,"message":`...), f.message)
	r.Side("findings", append(p.buf, '}'))
}

func (p *processor) emit(r *sdk.Record, emit func(*sdk.Record), kind string, t modelspec.Thread, settings string, at place) {
	t.Settings = jsontext.JSON(settings)
	t.Beside = []jsontext.Member{{Key: "metadata", Value: at.json()}}
	p.buf = modelspec.AppendThread(p.buf[:0], &t)
	derived := r.Derive(p.buf)
	derived.SetLabel("kind", kind)
	emit(derived)
}

// document takes the name and the text, decoded, from a record of the source "text". Token text is none.
func document(r *sdk.Record) (name, text string, err error) {
	name, named := unquoted(jsontext.JSON(r.View("name").Raw))
	text, ok := unquoted(jsontext.JSON(r.View("text").Raw))
	if !named || !ok || strings.HasPrefix(text, modelspec.RoleToken) {
		return "", "", sdk.Decline("want an object with a name and a text, have another record")
	}
	return name, text, nil
}

func unquoted(value jsontext.JSON) (string, bool) {
	body, ok := value.Quoted()
	return body.Text(), ok
}

// A place is where in a document a row stands.
type place struct {
	name, section string
	thread, line  int // each counts from 1
}

func (at place) json() jsontext.JSON {
	dst := jsontext.AppendString([]byte(`{"document":`), at.name)
	dst = jsontext.AppendString(append(dst, `,"section":`...), at.section)
	dst = strconv.AppendInt(append(dst, `,"thread":`...), int64(at.thread), 10)
	dst = strconv.AppendInt(append(dst, `,"line":`...), int64(at.line), 10)
	return jsontext.JSON(append(dst, '}'))
}
