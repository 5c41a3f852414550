package mask

import "github.com/sluicehq/sluice/cmd/sluice/internal/format"

// Word is a word of a plugin, such as a code or a reason, as people may read it: masked, and obeyed by no terminal.
func Word(word string) string { return format.Printable(Text(word)) }

// Counts are counts by words of plugins. Those whose words look alike once they are masked are one.
func Counts(by map[string]int64) map[string]int64 {
	shown := make(map[string]int64, len(by))
	for word, n := range by {
		shown[Word(word)] += n
	}
	return shown
}
