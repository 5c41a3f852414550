package mask

import "github.com/sluicehq/sluice/cmd/sluice/internal/format"

// Word returns a word of a plugin, such as a code or a reason, masked and without control characters.
func Word(word string) string { return format.Printable(Text(word)) }

// Counts masks the words of plugins that counts are by. Those that look alike once masked are added up.
func Counts(by map[string]int64) map[string]int64 {
	shown := make(map[string]int64, len(by))
	for word, n := range by {
		shown[Word(word)] += n
	}
	return shown
}
