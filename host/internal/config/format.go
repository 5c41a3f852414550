package config

import (
	"github.com/hashicorp/hcl/v2/hclwrite"
)

// Format returns src with the spacing that all files of this language have: blocks indented by two blanks, and the = of
// neighbouring attributes below each other. It fails when the syntax is wrong, and looks at nothing but that.
func Format(path string, src []byte) ([]byte, Diagnostics) {
	l, err := newLoader(path, src, Given{})
	if err != nil {
		return nil, Diagnostics{fileError(path, "cannot find the folder of the file", err.Error(), "")}
	}
	if l.parse(); l.diags.HasErrors() {
		for i := range l.diags {
			l.diags[i].Source = l.file.line(l.diags[i].Line)
		}
		l.diags.Sort()
		return nil, l.diags
	}
	return hclwrite.Format(src), nil
}
