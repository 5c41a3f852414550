package sdk

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// appendValue appends a Go value as JSON.
func appendValue(dst []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case string:
		return appendString(dst, v), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case nil:
		return append(dst, "null"...), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return dst, fmt.Errorf("want a number that JSON has, have %v", v)
		}
		if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
			return strconv.AppendFloat(dst, v, 'e', -1, 64), nil
		}
		return strconv.AppendFloat(dst, v, 'f', -1, 64), nil
	case gjson.Result:
		switch {
		case !v.Exists():
			return dst, fmt.Errorf("want a value, have the result of a path that does not exist")
		case v.Raw == "": // such as a count
			return appendValue(dst, v.Value())
		case !gjson.Valid(v.Raw):
			return dst, fmt.Errorf("want a value, have %d bytes that are not JSON", len(v.Raw))
		}
		return append(dst, v.Raw...), nil
	}
	return dst, fmt.Errorf("want a string, boolean, number, nil or gjson.Result, have %T: use SetRaw", value)
}

// appendString appends s as a JSON string. It escapes only what JSON demands; bytes that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += n
			continue
		}
		if c < 0x20 || c == '"' || c == '\\' {
			dst = appendEscape(append(dst, s[from:i]...), c)
			from = i + 1
		}
		i++
	}
	return append(append(dst, s[from:]...), '"')
}

func appendEscape(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// kindOf names the type of a JSON text, for messages.
func kindOf(raw string) string {
	switch v := gjson.Parse(raw); v.Type {
	case gjson.String:
		return "a string"
	case gjson.Number:
		return "a number"
	case gjson.True, gjson.False:
		return "a boolean"
	case gjson.Null:
		return "null"
	}
	if raw != "" && raw[0] == '[' {
		return "an array"
	}
	return "an object"
}
