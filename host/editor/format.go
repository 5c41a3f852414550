package editor

import "github.com/sluicehq/sluice/host/internal/config"

// Format returns the text of a pipeline file with standard spacing. The path names it in mistakes. The error is of type
// host.Diagnostics when the syntax is wrong.
func Format(path string, src []byte) ([]byte, error) {
	text, diags := config.Format(path, src)
	if diags.HasErrors() {
		return nil, diags
	}
	return text, nil
}

// Literal returns a JSON value as a pipeline file spells it, on one line.
func Literal(json string) string { return config.Literal(json) }

// Nearest returns the known word that was probably meant, or "" when none is near.
func Nearest(word string, known []string) string { return config.Nearest(word, known) }
