// Package lsp is a language server for pipeline files: what an editor has of them goes in, and mistakes, completions,
// documentation, declarations and formatted text come out.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/editor"
)

// errNoShutdown is the error of Serve when the editor leaves without a shutdown request.
var errNoShutdown = errors.New("want a shutdown request before exit")

type server struct {
	opts     host.Options
	trust    func(folder string) error // remembers that the user trusts what lies in a folder
	editor   *editor.Editor
	snippets bool // the editor understands tab stops
	shutdown bool

	mu   sync.Mutex
	open map[string]*opened // by URI
	runs sync.WaitGroup     // checks under way
}

// An opened document. It is replaced whenever its text changes.
type opened struct {
	uri  string
	path string // as messages name it
	text text
	doc  *editor.Document

	found host.Diagnostics // as published last; guarded by the server's mu

	asking context.Context // ends when the text is another
	stop   context.CancelFunc

	unchecked context.CancelFunc // ends the check of the last save; nil before the first
}

// Serve answers an editor until it asks the server to exit, or goes. trust remembers that the user trusts what lies in a folder, from then
// on as opts.Trusted says.
func Serve(ctx context.Context, in io.ReadCloser, out io.Writer, opts host.Options, trust func(folder string) error) error {
	s := &server{opts: opts, trust: trust, editor: editor.New(opts), open: map[string]*opened{}}
	stream := jsonrpc2.NewBufferedStream(pipe{in, out}, jsonrpc2.VSCodeObjectCodec{})
	conn := jsonrpc2.NewConn(ctx, stream, jsonrpc2.HandlerWithError(s.handle).SuppressErrClosed())
	select {
	case <-conn.DisconnectNotify():
	case <-ctx.Done():
		conn.Close()
	}
	s.mu.Lock()
	for _, o := range s.open {
		o.stop()
	}
	s.mu.Unlock()
	s.runs.Wait()
	if !s.shutdown {
		return errNoShutdown
	}
	return nil
}

type pipe struct {
	io.ReadCloser
	io.Writer
}

// handle answers one message. Messages come one after the other.
func (s *server) handle(ctx context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) (any, error) {
	var p params
	var err error
	if req.Params != nil {
		err = json.Unmarshal(*req.Params, &p)
	}
	uri := p.TextDocument.URI
	answers := map[string]func(*opened, int) any{
		"textDocument/completion": s.complete, "textDocument/hover": s.hover, "textDocument/definition": s.define,
		"textDocument/formatting": s.format, "textDocument/documentSymbol": s.symbols,
	}
	answer, asked := answers[req.Method]
	switch {
	case req.Method == "textDocument/codeAction" && err == nil:
		return s.at(p, func(o *opened, _ int) any { return s.fixes(o, p.Range) })
	case req.Method == "textDocument/references" && err == nil:
		return s.at(p, func(o *opened, offset int) any { return references(o, offset, p.Context.IncludeDeclaration) })
	case req.Method == "textDocument/prepareRename" && err == nil:
		return s.at(p, s.prepareRename)
	case req.Method == "textDocument/rename" && err == nil:
		return s.at(p, func(o *opened, offset int) any { return s.rename(o, offset, p.NewName) })
	case asked && err == nil:
		return s.at(p, answer)
	case asked:
		return nil, err
	case req.Method == "workspace/executeCommand" && err == nil:
		return nil, s.execute(ctx, conn, p)
	case req.Method == "initialize":
		s.snippets = p.Capabilities.TextDocument.Completion.CompletionItem.SnippetSupport
		return object{"capabilities": capabilities, "serverInfo": object{"name": "sluice", "version": s.opts.Version}}, err
	case req.Method == "shutdown":
		s.shutdown = true
		return nil, nil
	case req.Method == "exit":
		return nil, conn.Close()
	case req.Method == "textDocument/didOpen":
		return nil, errors.Join(err, s.change(ctx, conn, uri, p.TextDocument.Text))
	case req.Method == "textDocument/didChange":
		if err != nil || len(p.ContentChanges) == 0 {
			return nil, err
		}
		return nil, s.change(ctx, conn, uri, p.ContentChanges[len(p.ContentChanges)-1].Text)
	case req.Method == "textDocument/didSave":
		s.saved(ctx, conn, uri)
		return nil, err
	case req.Method == "textDocument/didClose":
		return nil, errors.Join(err, s.close(ctx, conn, uri))
	case req.Notif:
		return nil, nil // a notification has no answer
	}
	return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "want a method of this server, have " + req.Method}
}

// at answers a question about a document, and a point of it where there is one.
func (s *server) at(p params, answer func(*opened, int) any) (any, error) {
	s.mu.Lock()
	o := s.open[p.TextDocument.URI]
	s.mu.Unlock()
	if o == nil {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "want a document that is open"}
	}
	found := answer(o, o.text.offset(p.Position))
	if err, refused := found.(error); refused {
		return nil, &jsonrpc2.Error{Code: requestFailed, Message: err.Error()}
	}
	return found, nil
}

// change takes the text of a document and publishes the mistakes that show in it.
func (s *server) change(ctx context.Context, conn *jsonrpc2.Conn, uri, src string) error {
	asking, stop := context.WithCancel(ctx)
	o := &opened{uri: uri, path: pathOf(uri), text: newText(src), asking: asking, stop: stop}
	if o.path == "" {
		o.path = "pipeline.hcl" // not saved yet
	}
	o.doc = s.editor.Open(asking, o.path, o.text.src)
	s.mu.Lock()
	before := s.open[uri]
	s.open[uri] = o
	s.mu.Unlock()
	if before != nil {
		before.stop()
	}
	return s.publish(ctx, conn, o, o.doc.Diagnose())
}

// execute does what the user has chosen among the actions of a document.
func (s *server) execute(ctx context.Context, conn *jsonrpc2.Conn, p params) error {
	if p.Command != trustFolder || len(p.Arguments) != 1 {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "want a command of this server, have " + p.Command}
	}
	uri := p.Arguments[0]
	s.mu.Lock()
	o := s.open[uri]
	s.mu.Unlock()
	if o == nil {
		return &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: "want a document that is open"}
	}
	if err := s.trust(filepath.Dir(o.path)); err != nil {
		return &jsonrpc2.Error{Code: requestFailed, Message: err.Error()}
	}
	s.editor.Forget()
	if err := s.change(ctx, conn, uri, string(o.text.src)); err != nil {
		return err
	}
	s.saved(ctx, conn, uri)
	return nil
}

// saved has the plugins of a document check their arguments.
func (s *server) saved(ctx context.Context, conn *jsonrpc2.Conn, uri string) {
	s.mu.Lock()
	o := s.open[uri]
	s.mu.Unlock()
	if o == nil || pathOf(uri) == "" {
		return
	}
	s.editor.Forget()
	if !o.doc.Runs() {
		return // what is known was published when the text changed
	}
	if o.unchecked != nil {
		o.unchecked()
	}
	checking, stop := context.WithCancel(o.asking)
	o.unchecked = stop
	s.runs.Go(func() {
		defer stop()
		var found host.Diagnostics
		p, err := host.Load(o.path, s.opts)
		if err == nil {
			found, err = p.Check(checking)
		}
		if diags, ok := errors.AsType[host.Diagnostics](err); ok {
			found = diags
		} else if err != nil && checking.Err() == nil {
			found = host.Diagnostics{{Severity: "error", Summary: err.Error()}}
		}
		s.mu.Lock()
		current := s.open[uri] == o
		s.mu.Unlock()
		if current && checking.Err() == nil {
			_ = s.publish(ctx, conn, o, found) // an editor that is gone hears nothing
		}
	})
}

func (s *server) close(ctx context.Context, conn *jsonrpc2.Conn, uri string) error {
	s.mu.Lock()
	if o := s.open[uri]; o != nil {
		o.stop()
	}
	delete(s.open, uri)
	s.mu.Unlock()
	return conn.Notify(ctx, "textDocument/publishDiagnostics", diagnosticsParams{uri, []diagnostic{}})
}

func (s *server) publish(ctx context.Context, conn *jsonrpc2.Conn, o *opened, diags host.Diagnostics) error {
	p := diagnosticsParams{URI: o.uri, Diagnostics: []diagnostic{}}
	for _, d := range diags {
		p.Diagnostics = append(p.Diagnostics, shown(o.text, d))
	}
	s.mu.Lock()
	o.found = diags
	s.mu.Unlock()
	return conn.Notify(ctx, "textDocument/publishDiagnostics", p)
}

// itemKinds are the kinds that the protocol has for ours.
var itemKinds = map[string]int{"attribute": 5, "variable": 6, "plugin": 9, "value": 12, "function": 3, "block": 22}

func (s *server) complete(o *opened, offset int) any {
	all, span := o.doc.Complete(offset)
	list := completionList{Items: []completionItem{}}
	for i, c := range all {
		item := completionItem{
			Label: c.Name, Kind: itemKinds[c.Kind], Detail: c.Detail, Documentation: markdown(c.Doc),
			SortText: fmt.Sprintf("%04d", i), FilterText: c.Name, InsertTextFormat: 1,
			TextEdit: textEdit{o.text.rangeOf(span), c.Text},
		}
		if s.snippets && c.Snippet != "" {
			item.InsertTextFormat, item.TextEdit.NewText = 2, c.Snippet
		}
		list.Items = append(list.Items, item)
	}
	return list
}

func (s *server) hover(o *opened, offset int) any {
	doc, span := o.doc.Explain(offset)
	if doc == "" {
		return nil
	}
	return hover{markdown(doc), o.text.rangeOf(span)}
}

func references(o *opened, offset int, declared bool) any {
	all := []location{}
	for _, span := range o.doc.References(offset, declared) {
		all = append(all, location{o.uri, o.text.rangeOf(span)})
	}
	return all
}

func (s *server) define(o *opened, offset int) any {
	at, ok := o.doc.Define(offset)
	switch {
	case !ok:
		return nil
	case at.Path != "":
		return location{uriOf(at.Path), newText(string(at.Text)).rangeOf(at.Span)}
	}
	return location{o.uri, o.text.rangeOf(at.Span)}
}

// format returns one edit, or none when nothing changes. A text whose syntax is wrong stays as it is.
func (s *server) format(o *opened, _ int) any {
	after, err := editor.Format(o.path, o.text.src)
	if err != nil || string(after) == string(o.text.src) {
		return []textEdit{}
	}
	return []textEdit{{o.text.rangeOf(editor.Span{End: len(o.text.src)}), string(after)}}
}

func (s *server) symbols(o *opened, _ int) any { return symbolsOf(o.text, o.doc.Symbols()) }

const objectSymbol = 19

func symbolsOf(t text, all []editor.Symbol) []symbol {
	symbols := []symbol{}
	for _, b := range all {
		if b.Kind == "" {
			continue
		}
		symbols = append(symbols, symbol{
			Name: strings.TrimSpace(b.Kind + " " + b.Name), Kind: objectSymbol,
			Range: t.rangeOf(b.Whole), SelectionRange: t.rangeOf(b.Head), Children: symbolsOf(t, b.Inside),
		})
	}
	return symbols
}
