package redact

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
)

// A Finding is one thing that one rule found.
type Finding struct {
	*recognise.Label
	Path       Path
	InKey      bool // in the key that the path ends with
	Start, End int  // code points of the decoded string, or of the number's text
	Value      string
	Out        string // what stands there now
}

// A Path leads to a value, or to the value of a key. Findings in one value share it.
type Path []Step

// A Step is an object key, an array index, or the text of a string read as JSON.
type Step struct {
	Key      string
	Index    int  // -1 for a key
	Parsed   bool // the string here is read as JSON from now on
	Personal bool // the key holds a finding, so it is not shown
}

// maxShown is the size of the longest key that a path shows. The path stands in the row of every finding below it.
const maxShown = 256

// A Hash appends size bytes of the keyed hash of a value for a purpose, in hexadecimal digits.
type Hash func(dst []byte, purpose, value string, size int) []byte

// Append writes a gjson path. A key that is personal or very long stands there as <key>, with its hash if there is one,
// and @fromstr leads into a string that was read as JSON.
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
