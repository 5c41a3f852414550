package coarse

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// followsKey reports whether the quotation mark at at of a JSON text, or of JSON in its strings, follows the colon of a key.
func followsKey(s string, at int) bool {
	before := strings.TrimRight(s[:at], `\`)
	before = strings.TrimRight(before, " ")
	return strings.HasSuffix(before, ":") && strings.HasSuffix(strings.TrimRight(before[:len(before)-1], " "), `"`)
}

// deepest is the most strings around JSON that memberStart looks into.
const deepest = 4

// memberStart returns where the member with the value that doc[at] is in begins, or start when it begins before that: what other members
// say is not about the value. It looks into JSON in strings too, but a text with JSON in it is one value.
func memberStart(doc string, start, at int) int {
	for slashes := 0; slashes < 1<<deepest; slashes = 2*slashes + 1 { // before the quotation marks of each level
		open := quoteBefore(doc, start, at, slashes)
		if open < 0 {
			return start
		}
		inner := open + 1
		if isKeyEnd(doc[inner:at]) { // of a number
			return max(start, quoteBefore(doc, start, open-slashes, slashes)+1)
		}
		if key := open - slashes; followsKey(doc, open) {
			if key = quoteBefore(doc, start, key, slashes); key >= 0 {
				key = quoteBefore(doc, start, key-slashes, slashes)
			}
			if start = max(start, key+1); key < 0 {
				return start
			}
		} else {
			start = inner
		}
		if text := doc[inner:at]; !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[{") {
			return start
		}
		start = inner
	}
	return start
}

// isKeyEnd reports whether a text behind a quotation mark is the colon of a key, with blanks around it.
func isKeyEnd(text string) bool { return strings.Trim(text, " ") == ":" }

// quoteBefore returns the offset of the last quotation mark of doc[start:at] behind so many backslashes, or -1.
func quoteBefore(doc string, start, at, slashes int) int {
	for at > start {
		if at = strings.LastIndexByte(doc[start:at], '"'); at < 0 {
			return -1
		}
		at += start
		if at-ascii.Back(doc, at, at-start, ascii.Backslashes) == slashes {
			return at
		}
	}
	return -1
}
