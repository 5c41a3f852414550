package lsp

// What follows are the messages of the Language Server Protocol, version 3.17, as far as the server reads or writes them.

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"` // UTF-16 code units
}

type textRange struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

// params holds what the server reads of the parameters of any message.
type params struct {
	TextDocument struct {
		URI  string `json:"uri"`
		Text string `json:"text"` // of one that is opened
	} `json:"textDocument"`
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"` // among references
	} `json:"context"`
	Position       position  `json:"position"`
	NewName        string    `json:"newName"`
	Command        string    `json:"command"`
	Arguments      []string  `json:"arguments"` // of the command
	Range          textRange `json:"range"`
	ContentChanges []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
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

type object = map[string]any

// wholeText is the kind of synchronisation that sends a document whole.
const wholeText = 1

// capabilities are what the server can do.
var capabilities = object{
	"textDocumentSync":           object{"openClose": true, "change": wholeText, "save": object{}},
	"completionProvider":         object{"triggerCharacters": []string{".", `"`, "{", "@"}},
	"hoverProvider":              true,
	"definitionProvider":         true,
	"documentFormattingProvider": true,
	"documentSymbolProvider":     true,
	"referencesProvider":         true,
	"renameProvider":             object{"prepareProvider": true},
	"codeActionProvider":         object{"codeActionKinds": []string{quickFix}},
	"executeCommandProvider":     object{"commands": []string{trustFolder}},
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

const quickFix = "quickfix"

// trustFolder is the command that remembers that the user trusts the folder of a document, which is its argument.
const trustFolder = "sluice.trustFolder"

// A command is one of the server that the editor offers.
type command struct {
	Title     string   `json:"title"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// A codeAction is a change or a command that the editor offers.
type codeAction struct {
	Title       string               `json:"title"`
	Kind        string               `json:"kind"`
	Diagnostics []diagnostic         `json:"diagnostics"`
	Preferred   bool                 `json:"isPreferred"`
	Edit        map[string]fileEdits `json:"edit,omitempty"`
	Command     *command             `json:"command,omitempty"`
}

type fileEdits map[string][]textEdit // by URI

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

// A renameable is what the editor asks about before it renames.
type renameable struct {
	Range       textRange `json:"range"`
	Placeholder string    `json:"placeholder"`
}

// A workspaceEdit changes files, open or not.
type workspaceEdit struct {
	Changes fileEdits `json:"changes"`
}

type symbol struct {
	Name           string    `json:"name"`
	Detail         string    `json:"detail,omitempty"`
	Kind           int       `json:"kind"`
	Range          textRange `json:"range"`
	SelectionRange textRange `json:"selectionRange"`
	Children       []symbol  `json:"children,omitempty"`
}
