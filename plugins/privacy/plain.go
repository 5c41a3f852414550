package privacy

import "bytes"

// Bounds of plain texts, so that none is as long as a token, a number or an identifier of any rule.
const (
	longestPlainWord = 12 // letters and digits in a row
	longestPlainName = 28 // between slashes
	longestPlainPair = 13 // a name with a dash, which may be the beginning of a token and its rest
	longestPlainText = 256
	mostPlainDigits  = 4
)

// isPlain reports whether a JSON text is a string, such as the name of a file, in which no default rule finds anything: short names
// of small letters between slashes, with few digits and with at most one word that could be hexadecimal. A short run has nothing else
// to mask, and takes less time than the recognisers take to be made.
func isPlain(json []byte) bool {
	if len(json) < 2 || len(json) > longestPlainText || json[0] != '"' || json[len(json)-1] != '"' {
		return false
	}
	if n := bytes.Count(json, []byte("_")); n > 1 || n == 1 && bytes.IndexByte(json, '/') >= 0 {
		return false
	}
	text := json[1 : len(json)-1]
	digits, hexadecimal := 0, 0
	for name := range bytes.SplitSeq(text, []byte("/")) {
		if len(name) > longestPlainName || len(name) > longestPlainPair && bytes.IndexByte(name, '-') >= 0 {
			return false
		}
		for word := range bytes.FieldsFuncSeq(name, func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
			letters := false // behind f
			for _, c := range word {
				switch {
				case '0' <= c && c <= '9':
					digits++
				case c < 'a' || c > 'z':
					return false
				case c > 'f':
					letters = true
				}
			}
			if !letters {
				hexadecimal++
			}
			if len(word) > longestPlainWord {
				return false
			}
		}
	}
	return digits <= mostPlainDigits && hexadecimal <= 1
}
