// Package jsontext reads, checks and writes JSON text without decoding it into Go values: a cursor walks a document once and
// returns views, a check that does not recurse takes any input, and functions append strings and compact values.
package jsontext

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Codes of an Error.
const (
	InvalidJSON = "invalid_json"
	InvalidUTF8 = "invalid_utf8"
	TooDeep     = "too_deep"
)

// An Error says why a text is not JSON. It holds offsets and kinds of bytes, never bytes of a value.
type Error struct {
	Code    string
	At      int // offset of the first byte that is wrong
	Message string
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Check returns nil if text is one JSON value (RFC 8259, strictly) in valid UTF-8 that nests at most depth arrays and
// objects, and otherwise the first mistake. It takes time in proportion to text, and a byte of memory for each open bracket.
func Check[T ~string | ~[]byte](text T, depth int) *Error {
	data := Bytes(View(text))
	at, bad := scan(data, depth)
	switch bad {
	case "":
		return nil
	case badUTF8:
		return &Error{InvalidUTF8, at, fmt.Sprintf("want UTF-8, have an invalid sequence at byte %d", at)}
	case badDepth:
		return &Error{TooDeep, at, fmt.Sprintf("want at most %d levels, have more at byte %d", depth, at)}
	}
	return &Error{InvalidJSON, at, fmt.Sprintf("want %s, have %s at byte %d", bad, ByteName(data, at), at)}
}

// BodyEnd returns the offset of the quote that ends the body of a string which begins at from. It is not ok when no valid
// body begins there.
func BodyEnd[T ~string | ~[]byte](json T, from int) (end int, ok bool) {
	end, bad := text(Bytes(View(json)), from)
	return end - 1, bad == ""
}

// IsObject reports whether the JSON value data is an object.
func IsObject[T ~string | ~[]byte](data T) bool {
	i := skipSpace(data, 0)
	return i < len(data) && data[i] == '{'
}

// Blanks returns how many blanks of JSON data begins with.
func Blanks[T ~string | ~[]byte](data T) int { return skipSpace(data, 0) }

const (
	badUTF8  = "UTF-8"
	badDepth = "less depth"
)

// scan returns the place of the first mistake and what was wanted there, or "". It does not recurse.
func scan(data []byte, depth int) (int, string) {
	var small [64]byte
	open := small[:0]
	i := 0

value:
	i = skipSpace(data, i)
	if i == len(data) {
		return i, "a value"
	}
	switch c := data[i]; c {
	case '"':
		end, bad := text(data, i+1)
		if bad != "" {
			return end, bad
		}
		i = end
	case '{', '[':
		if len(open) == depth {
			return i, badDepth
		}
		open = append(open, c)
		i = skipSpace(data, i+1)
		if i < len(data) && data[i] == c+2 { // '{'+2 is '}', '['+2 is ']'
			goto closing
		}
		if c == '{' {
			goto key
		}
		goto value
	case 't', 'f', 'n':
		end, bad := literal(data, i)
		if bad != "" {
			return end, bad
		}
		i = end
	default:
		end, bad := number(data, i)
		if bad != "" {
			return end, bad
		}
		i = end
	}

after:
	i = skipSpace(data, i)
	if len(open) == 0 {
		if i < len(data) {
			return i, "the end of the record"
		}
		return i, ""
	}
	if inner := open[len(open)-1]; i == len(data) {
		return i, afterValue(inner)
	} else if data[i] == inner+2 {
		goto closing
	} else if data[i] != ',' {
		return i, afterValue(inner)
	} else if i++; inner == '[' {
		goto value
	}

key:
	i = skipSpace(data, i)
	if i == len(data) || data[i] != '"' {
		return i, "a key"
	}
	if end, bad := text(data, i+1); bad != "" {
		return end, bad
	} else if i = skipSpace(data, end); i == len(data) || data[i] != ':' {
		return i, "':'"
	}
	i++
	goto value

closing:
	open = open[:len(open)-1]
	i++
	goto after
}

func afterValue(inner byte) string {
	if inner == '{' {
		return "',' or '}'"
	}
	return "',' or ']'"
}

const (
	ones  = 0x0101010101010101
	highs = 0x80 * ones
)

// unplain marks the bytes of w that end a run of plain text in a string: quote, backslash, controls and bytes beyond
// ASCII. Only the lowest mark is exact. Flipping bit 1 moves the quote down to 0x20, next to the controls.
func unplain(w uint64) uint64 {
	return (w | ((w ^ 0x02*ones) - 0x21*ones) | ((w ^ '\\'*ones) - ones)) & highs
}

// load returns eight bytes of the text that begins at begin, which must hold them.
func load(begin *byte, i int) uint64 {
	return binary.LittleEndian.Uint64((*[8]byte)(unsafe.Add(unsafe.Pointer(begin), i))[:])
}

// text reads a string from after its opening quote to after its closing one.
func text(data []byte, i int) (int, string) {
	begin := unsafe.SliceData(data)
	for kernel := hasAVX2 && len(data) >= leastForKernel; ; {
		for i <= len(data)-16 {
			a, b := unplain(load(begin, i)), unplain(load(begin, i+8))
			if a|b == 0 {
				if i += 16; kernel {
					break
				}
				continue
			}
			if a == 0 {
				a, i = b, i+8
			}
			i += bits.TrailingZeros64(a) / 8
			break
		}
		if i >= len(data) {
			return i, "the end of a string"
		}
		c := data[i]
		if c == '"' {
			return i + 1, ""
		}
		if kernel && i >= 3 {
			if end := passTextAVX2(data, i); end > 0 {
				return end + 1, ""
			}
			kernel = false // to find the mistake
		}
		switch {
		case c == '\\' && i+1 < len(data) && escapes[data[i+1]]:
			i += 2
		case c == '\\' && isHexEscape(data[i+1:]):
			i += 6
		case c == '\\':
			return i, "a known escape"
		case c < ' ':
			return i, "no raw control character in a string"
		case c < utf8.RuneSelf:
			i++
		// Most sequences, without a call.
		case 0xc2 <= c && c < 0xe0 && i+1 < len(data) && data[i+1]&0xc0 == 0x80:
			i += 2
		case 0xe0 < c && c < 0xed && i+2 < len(data) && data[i+1]&0xc0 == 0x80 && data[i+2]&0xc0 == 0x80:
			i += 3
		default:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				return i, badUTF8
			}
			i += n
		}
	}
}

// leastForKernel is the size of the smallest data that the kernel looks at, which reads three bytes before each block of 64.
const leastForKernel = 64 + 3

var escapes = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

// isHexEscape reports whether b, which follows a backslash, begins with a u and four digits.
func isHexEscape(b []byte) bool {
	return len(b) >= 5 && b[0] == 'u' && isHex(b[1]) && isHex(b[2]) && isHex(b[3]) && isHex(b[4])
}

func isHex(c byte) bool { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func digit(c byte) bool { return '0' <= c && c <= '9' }

func literal(data []byte, i int) (int, string) {
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(View(data[i:]), word) {
			return i + len(word), ""
		}
	}
	return i, "a value"
}

func number(data []byte, i int) (int, string) {
	start := i
	if data[i] == '-' {
		i++
	}
	from := i
	switch i = digits(data, from); {
	case i == from && from > start:
		return i, "a digit"
	case i == from:
		return i, "a value"
	case data[from] == '0':
		i = from + 1
	}
	if i < len(data) && data[i] == '.' {
		from = i + 1
		if i = digits(data, from); i == from {
			return i, "a digit"
		}
	}
	if i < len(data) && data[i]|0x20 == 'e' {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		from = i
		if i = digits(data, from); i == from {
			return i, "a digit"
		}
	}
	return i, ""
}

func digits(data []byte, i int) int {
	for i < len(data) && digit(data[i]) {
		i++
	}
	return i
}

// ByteName names the byte at a place for messages, without revealing a value: punctuation as it is, other bytes by their sort.
// KindName names the type of a whole value.
func ByteName(data []byte, at int) string {
	if at >= len(data) {
		return "the end"
	}
	switch c := data[at]; {
	case c < ' ' || c == 0x7f:
		return fmt.Sprintf("control character 0x%02x", c)
	case c >= utf8.RuneSelf:
		return "a byte that is not ASCII"
	case digit(c):
		return "a digit"
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		return "a letter"
	default:
		return fmt.Sprintf("'%c'", c)
	}
}
