package lsp

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/host/editor"
)

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

func (s *server) define(o *opened, offset int) any {
	span, ok := o.doc.Define(offset)
	if !ok {
		return nil
	}
	return location{o.uri, o.text.rangeOf(span)}
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
