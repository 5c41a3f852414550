package lsp

import (
	"fmt"
	"path/filepath"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/editor"
)

// shown returns a mistake as the editor shows it in a document. One in a file that the document includes is at the include block.
func shown(t text, d host.Diagnostic) diagnostic {
	severity := 1
	if d.Severity != "error" {
		severity = 2
	}
	message := d.Message()
	if by := d.IncludedBy; by != nil {
		message = d.String()
		d.Line, d.Column, d.EndLine, d.EndColumn = by.Line, by.Column, by.Line, len(t.line(by.Line-1))+1
	}
	return diagnostic{t.place(d), severity, "sluice", message}
}

// fixes returns what "did you mean" of the mistakes in a range would change, and offers to trust what was not checked there.
func (s *server) fixes(o *opened, in textRange) any {
	s.mu.Lock()
	found := o.found
	s.mu.Unlock()
	actions := []codeAction{}
	for _, d := range found {
		at := o.text.place(d)
		if d.IncludedBy != nil || d.Line == 0 || before(at.End, in.Start) || before(in.End, at.Start) {
			continue
		}
		if d.Untrusted {
			title := "trust the pipelines in " + filepath.Dir(o.path) + " and the programs that they name"
			actions = append(actions, codeAction{
				Title: title, Kind: quickFix, Diagnostics: []diagnostic{shown(o.text, d)}, Command: &command{title, trustFolder, []string{o.uri}},
			})
			continue
		}
		from := o.text.offset(at.Start)
		span, ok := editor.Fix(string(o.text.src[from:o.text.offset(at.End)]), d)
		if !ok {
			continue
		}
		edit := textEdit{o.text.rangeOf(editor.Span{Start: from + span.Start, End: from + span.End}), d.Suggestion}
		actions = append(actions, codeAction{
			Title: fmt.Sprintf("replace by %q", d.Suggestion), Kind: quickFix, Diagnostics: []diagnostic{shown(o.text, d)}, Preferred: true,
			Edit: map[string]fileEdits{"changes": {o.uri: {edit}}},
		})
	}
	return actions
}

func before(a, b position) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
}
