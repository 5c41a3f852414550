package lsp

import "github.com/sluicehq/sluice/host/editor"

// requestFailed is the code of a request that is well formed and cannot be fulfilled.
const requestFailed = -32803

// files returns the texts of the open documents, by path.
func (s *server) files() editor.Files {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := editor.Files{Open: map[string][]byte{}}
	for uri, o := range s.open {
		if pathOf(uri) != "" {
			f.Open[o.path] = o.text.src
		}
	}
	return f
}

// prepareRename returns the name at a point, or why it is none that can be renamed.
func (s *server) prepareRename(o *opened, offset int) any {
	span, name, err := o.doc.Renameable(offset, s.files())
	if err != nil {
		return err
	}
	return renameable{o.text.rangeOf(span), name}
}

// rename returns the edits of all files that have a name.
func (s *server) rename(o *opened, offset int, to string) any {
	changes, err := o.doc.Rename(offset, to, s.files())
	if err != nil {
		return err
	}
	edit := workspaceEdit{Changes: fileEdits{}}
	for _, c := range changes {
		uri, t := s.uriOf(c.Path), newText(string(c.Text))
		for _, span := range c.Spans {
			edit.Changes[uri] = append(edit.Changes[uri], textEdit{t.rangeOf(span), to})
		}
	}
	return edit
}

// uriOf returns the URI of a file, as the editor spells it if the file is open.
func (s *server) uriOf(path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uri, o := range s.open {
		if o.path == path {
			return uri
		}
	}
	return uriOf(path)
}
