package redact

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
)

// A Finding is what one rule found in one place.
type Finding struct {
	*recognise.Label
	Path       Path
	InKey      bool // in the key that the path ends with
	Start, End int  // code points of the decoded string, or of the number's text
	Value      string
	Out        string // the replacement
}

// A Path leads to a value. Findings in one value share it.
type Path []Step

// A Step is an object key, an array index, or the text of a string read as JSON.
type Step struct {
	Key      string
	Index    int  // -1 for a key
	Parsed   bool // the path goes on in the string as JSON
	Personal bool // the key holds a finding, so it is not shown
}

// maxShown is the size of the longest key that a path shows, since every finding below it repeats the path.
const maxShown = 256

// A Hash appends size bytes of the keyed hash of a value for a purpose, in hexadecimal digits.
type Hash func(dst []byte, purpose, value string, size int) []byte

// Append appends a gjson path. It writes a key that is personal or very long as <key>, with a hash if there is a key for it, and
// @fromstr before the path in a string that is JSON.
func (p Path) Append(dst []byte, hash Hash) []byte {
	for i, s := range p {
		if i > 0 {
			dst = append(dst, '.')
		}
		switch {
		case s.Parsed:
			dst = append(dst, "@fromstr"...)
		case s.Index >= 0:
			dst = strconv.AppendInt(dst, int64(s.Index), 10)
		case s.Personal || len(s.Key) > maxShown:
			dst = append(dst, "<key"...)
			if hash != nil {
				dst = hash(append(dst, ':'), "key", s.Key, 6)
			}
			dst = append(dst, '>')
		default:
			for j := range len(s.Key) {
				if strings.IndexByte(`.*?|#@!{}[]()\`, s.Key[j]) >= 0 {
					dst = append(dst, '\\')
				}
				dst = append(dst, s.Key[j])
			}
		}
	}
	return dst
}
