package alias

import (
	"strings"

	"github.com/sluicehq/sluice/sdk"
)

// countLeft counts the retired names that the text of a record mentions where nobody looks for a name, in prose, in schemas, in
// arguments, and no edit takes them out. Only those with an underscore count, in capitals, since a single word may mean
// something else; what an action was named before does not.
func (p *renamer) countLeft(record *sdk.Record, text string) {
	edits := p.edits
	for at := 0; ; {
		next := strings.IndexByte(text[at:], '_')
		if next < 0 {
			return
		}
		start, end := at+next, at+next+1
		for start > at && isWord(text[start-1]) {
			start--
		}
		start += escape(text, start)
		for end < len(text) && isWord(text[end]) {
			end++
		}
		if at = end; text[start] < 'A' || text[start] > 'Z' {
			continue
		}
		_, rule, ok := p.names.rules.step(text[start:end])
		if !ok || strings.HasSuffix(strings.TrimRight(text[:start], ` :"\`), "originalName") {
			continue
		}
		for len(edits) > 0 && edits[0].end <= start {
			edits = edits[1:]
		}
		if len(edits) == 0 || edits[0].start > start {
			record.Count("left."+strings.TrimPrefix(rule, "rule."), 1)
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// escape is how many letters of a word belong to the escape that stands before it, as in "\nNAME".
func escape(text string, start int) int {
	switch {
	case start == 0 || text[start-1] != '\\':
		return 0
	case text[start] == 'u':
		return min(len("u0000"), len(text)-1-start)
	case strings.IndexByte("bfnrt", text[start]) >= 0:
		return 1
	}
	return 0
}
