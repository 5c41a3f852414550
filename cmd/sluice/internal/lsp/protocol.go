package lsp

import "encoding/json"

// What follows are the messages of the Language Server Protocol, version 3.17, as far as the server reads or writes them.

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"` // UTF-16 code units
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type document struct {
	URI string `json:"uri"`
}

type initializeParams struct {
	Capabilities struct {
		TextDocument struct {
			Completion struct {
				CompletionItem struct {
					SnippetSupport bool `json:"snippetSupport"`
				} `json:"completionItem"`
			} `json:"completion"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

type initializeResult struct {
	Capabilities capabilities `json:"capabilities"`
	ServerInfo   struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
}

type capabilities struct {
	TextDocumentSync   syncOptions       `json:"textDocumentSync"`
	CompletionProvider completionOptions `json:"completionProvider"`
	Hover              bool              `json:"hoverProvider"`
	Definition         bool              `json:"definitionProvider"`
	Formatting         bool              `json:"documentFormattingProvider"`
	Symbols            bool              `json:"documentSymbolProvider"`
}

type syncOptions struct {
	OpenClose bool     `json:"openClose"`
	Change    int      `json:"change"`
	Save      struct{} `json:"save"`
}

// wholeText is the kind of syncOptions.Change that sends a document whole.
const wholeText = 1

type completionOptions struct {
	TriggerCharacters []string `json:"triggerCharacters"`
}

type openParams struct {
	TextDocument struct {
		document
		Text string `json:"text"`
	} `json:"textDocument"`
}

type changeParams struct {
	TextDocument   document `json:"textDocument"`
	ContentChanges []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
}

type documentParams struct {
	TextDocument document `json:"textDocument"`
}

type pointParams struct {
	TextDocument document `json:"textDocument"`
	Position     position `json:"position"`
}

type diagnosticsParams struct {
	URI         string       `json:"uri"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type diagnostic struct {
	Range    textRange `json:"range"`
	Severity int       `json:"severity"` // 1 error, 2 warning
	Source   string    `json:"source"`
	Message  string    `json:"message"`
}

type completionList struct {
	Incomplete bool             `json:"isIncomplete"`
	Items      []completionItem `json:"items"`
}

type completionItem struct {
	Label            string   `json:"label"`
	Kind             int      `json:"kind"`
	Detail           string   `json:"detail,omitempty"`
	Documentation    *markup  `json:"documentation,omitempty"`
	SortText         string   `json:"sortText"`
	FilterText       string   `json:"filterText"`
	InsertTextFormat int      `json:"insertTextFormat"` // 1 text, 2 snippet
	TextEdit         textEdit `json:"textEdit"`
}

type textEdit struct {
	Range   textRange `json:"range"`
	NewText string    `json:"newText"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

func markdown(text string) *markup {
	if text == "" {
		return nil
	}
	return &markup{"markdown", text}
}

type hover struct {
	Contents *markup   `json:"contents"`
	Range    textRange `json:"range"`
}

type location struct {
	URI   string    `json:"uri"`
	Range textRange `json:"range"`
}

type symbol struct {
	Name           string    `json:"name"`
	Detail         string    `json:"detail,omitempty"`
	Kind           int       `json:"kind"`
	Range          textRange `json:"range"`
	SelectionRange textRange `json:"selectionRange"`
	Children       []symbol  `json:"children,omitempty"`
}

func decode[T any](params *json.RawMessage) (v T, err error) {
	if params != nil {
		err = json.Unmarshal(*params, &v)
	}
	return v, err
}
