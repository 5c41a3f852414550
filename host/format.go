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

// Literal writes a JSON value as a pipeline file has it, on one line.
func Literal(json string) string { return config.Literal(json) }

// Nearest is the known word that was probably meant, or "" when none is near.
func Nearest(word string, known []string) string { return config.Nearest(word, known) }
