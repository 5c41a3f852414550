package source

import (
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// isUTF16 reports whether a stretch of a text looks like UTF-16: it begins with a byte-order mark, or every other byte of the first is a
// zero, as in the texts of most languages from the end of a line on. No record has a zero byte.
func isUTF16(b []byte) bool {
	if len(b) < 3 {
		return false
	}
	marked := b[0] == 0xFF && b[1] == 0xFE || b[0] == 0xFE && b[1] == 0xFF
	return marked || (b[0] == 0) != (b[1] == 0) && (b[0] == 0) == (b[2] == 0) && (len(b) == 3 || (b[1] == 0) == (b[3] == 0))
}

// encoded returns the fault of a stretch of text: the one that was found, unless its encoding explains that.
func encoded(text []byte, found *wire.Fault) *wire.Fault {
	if isUTF16(text) {
		return &wire.Fault{Code: jsontext.InvalidUTF8, Message: "want UTF-8, have UTF-16 by its first bytes"}
	}
	return found
}
