// Package modelspecdocument reads the notation of the Modular Model Spec document: <Thread> elements and quoted
// conversations in Markdown become threads and preference rows.
package modelspecdocument

import (
	"context"
	"strconv"

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

	Labels: []string{"kind"},
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
	doc, err := parse(text)
	if err != nil {
		return sdk.Reject("bad_document", "text", "%s", err)
	}
	r.Count("document.conversations", len(doc.found))
	r.Count("document.lone_messages", doc.lone)
	unpaired := 0
	for i, c := range doc.found {
		at := place{name: name, thread: i + 1, section: c.section}
		threads, pairs, alone := c.branches()
		unpaired += alone
		for _, b := range threads {
			at.line = b.line
			p.emit(r, emit, "thread", func(dst []byte) []byte { return appendThread(dst, c.settings, b, at) })
			comments, halted := b.messages.losses()
			r.Count("loss.comment", comments)
			r.Count("loss.halted_on_completion", halted)
		}
		for _, pair := range pairs {
			at.line = pair.line
			p.emit(r, emit, "preference", func(dst []byte) []byte { return appendPreference(dst, c.settings, pair, at) })
		}
	}
	r.Count("document.unpaired", unpaired)
	return nil
}

func (p *processor) emit(r *sdk.Record, emit func(*sdk.Record), kind string, row func([]byte) []byte) {
	p.buf = row(p.buf[:0])
	derived := r.Derive(p.buf)
	derived.SetLabel("kind", kind)
	emit(derived)
}

// document takes the name and the text, decoded, from a record of the source "text".
func document(r *sdk.Record) (name, text string, err error) {
	name, _ = unquoted(jsontext.JSON(r.View("name").Raw))
	text, ok := unquoted(jsontext.JSON(r.View("text").Raw))
	if !ok {
		return "", "", sdk.Decline("want an object with a text, have another record")
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

func appendThread(dst []byte, settings string, b branch, at place) []byte {
	dst = appendSettings(append(dst, '{'), settings)
	dst = append(dst, `"messages":`...)
	dst = appendMessages(dst, b.messages)
	return append(appendPlace(dst, at), '}')
}

func appendPreference(dst []byte, settings string, p preference, at place) []byte {
	dst = appendSettings(append(dst, '{'), settings)
	dst = append(dst, `"prompt":`...)
	dst = appendMessages(dst, p.prompt)
	dst = append(dst, `,"chosen":`...)
	dst = appendMessages(dst, p.chosen)
	dst = append(dst, `,"rejected":`...)
	dst = appendMessages(dst, p.rejected)
	dst = append(dst, `,"reason":`...)
	dst = jsontext.AppendString(dst, p.reason)
	return append(appendPlace(dst, at), '}')
}

func appendSettings(dst []byte, settings string) []byte {
	if settings == "" {
		return dst
	}
	dst = append(append(dst, `"system_settings":`...), settings...)
	return append(dst, ',')
}

func appendMessages(dst []byte, messages column) []byte {
	specs := make([]modelspec.Message, len(messages))
	for i, m := range messages {
		specs[i] = m.spec()
	}
	return modelspec.AppendMessages(dst, specs)
}

func appendPlace(dst []byte, at place) []byte {
	dst = append(dst, `,"metadata":{"document":`...)
	dst = jsontext.AppendString(dst, at.name)
	dst = append(dst, `,"section":`...)
	dst = jsontext.AppendString(dst, at.section)
	dst = append(dst, `,"thread":`...)
	dst = strconv.AppendInt(dst, int64(at.thread), 10)
	dst = append(dst, `,"line":`...)
	dst = strconv.AppendInt(dst, int64(at.line), 10)
	return append(dst, '}')
}
