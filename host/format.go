package host

import "github.com/sluicehq/sluice/host/internal/config"

// Format gives the text of a pipeline file as all of them are spaced. The path names it in mistakes. The error is of type
// Diagnostics when the syntax is wrong.
func Format(path string, src []byte) ([]byte, error) {
	text, diags := config.Format(path, src)
	if diags.HasErrors() {
		return nil, diags
	}
	return text, nil
}
