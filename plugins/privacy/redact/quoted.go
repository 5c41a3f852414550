package redact

import (
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// A quoter finds out which numbers of a text are values of JSON in it: behind a prefix, in a block of code, or escaped once more. What
// replaces one is put into the quotation marks that the JSON around it has, so that it can still be read. Calls go from left to right.
type quoter struct {
	text string
	end  int // of the last number
	mark string
}

// mostJSONBefore are the most bytes before a number that are read for the beginning of its array or its key.
const mostJSONBefore = 512

// markAround returns the quotation mark for text[start:end], with the backslashes before it, or "" for what is no value of JSON.
func (q *quoter) markAround(start, end int) (mark string) {
	if !areNumbers(q.text[start:end]) {
		return ""
	}
	rest := trimGaps(q.text[end:min(len(q.text), end+mostJSONBefore)])
	if rest != "" && strings.IndexByte(",]}", rest[0]) < 0 {
		return ""
	}
	low := max(0, start-mostJSONBefore)
	before := trimGapsBefore(q.text[low:start])
	switch {
	case strings.HasSuffix(before, ":"):
		mark = markOfKey(before)
	case strings.HasSuffix(before, "["), strings.HasSuffix(before, ","):
		mark = q.markOfArray(low, start)
	}
	if mark != "" {
		q.end, q.mark = end, mark
	}
	return mark
}

// areNumbers reports whether a text is a number as JSON has it, or several with commas between them.
func areNumbers(text string) bool {
	for element := range strings.SplitSeq(text, ",") {
		digits := strings.TrimPrefix(strings.Trim(element, " \t\r\n"), "-")
		if digits == "" || !ascii.IsDigit(digits[0]) || strings.Trim(digits, "0123456789.eE+-") != "" {
			return false
		}
	}
	return true
}

// trimGaps takes the blanks from the beginning of a text, also those that an escape writes.
func trimGaps(text string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		rest := strings.TrimLeft(text, `\`)
		if len(rest) == len(text) || rest == "" || strings.IndexByte("nrt", rest[0]) < 0 {
			return text
		}
		text = rest[1:]
	}
}

// trimGapsBefore takes them from the end.
func trimGapsBefore(text string) string {
	for {
		text = strings.TrimRight(text, " \t\r\n")
		last := len(text) - 1
		if last < 1 || strings.IndexByte("nrt", text[last]) < 0 || text[last-1] != '\\' {
			return text
		}
		text = strings.TrimRight(text[:last], `\`)
	}
}

// markOfKey returns the quotation mark around the key whose colon ends a text, or "" for none.
func markOfKey(before string) string {
	key := trimGapsBefore(strings.TrimSuffix(before, ":"))
	key = key[strings.LastIndexByte(key, '\n')+1:]
	if mark := markAtEnd(key); mark != "" && openingOf(key, mark) >= 0 {
		return mark
	}
	return ""
}

// markAtEnd returns the quotation mark that ends a text, with the backslashes before it, or "".
func markAtEnd(text string) string {
	last := len(text) - 1
	if last < 0 || text[last] != '"' && text[last] != '\'' {
		return ""
	}
	return text[len(strings.TrimRight(text[:last], `\`)):]
}

// openingOf returns where the string begins that a quotation mark at the end of a text ends, or -1.
func openingOf(text, mark string) int {
	for at := len(text) - len(mark); at > 0; {
		if at = strings.LastIndex(text[:at], mark); at < 0 || at == 0 || text[at-1] != '\\' {
			return at
		}
	}
	return -1
}

// markOfArray returns the quotation mark in the array whose elements precede text[at], or "" when they are not those of JSON.
func (q *quoter) markOfArray(low, at int) (mark string) {
	depth := 0
	for at > low {
		if at == q.end && depth == 0 {
			return q.mark
		}
		text := q.text[low:at]
		c := text[len(text)-1]
		switch {
		case strings.IndexByte("0123456789.eE+-, \t\r\n", c) >= 0:
			at--
		case strings.IndexByte("nrt", c) >= 0:
			trimmed := trimGapsBefore(text)
			if len(trimmed) == len(text) {
				return ""
			}
			at = low + len(trimmed)
		case c == ']':
			depth++
			at--
		case c == '[' && depth > 0:
			depth--
			at--
		case c == '[':
			before := trimGapsBefore(text[:len(text)-1])
			switch {
			case strings.HasSuffix(before, ":"):
				return markOfKey(before)
			case strings.HasSuffix(before, "["), strings.HasSuffix(before, ","):
				at = low + len(before)
				continue
			}
			return markOfLine(text[len(before):len(text)-1], before == "" && low == 0, mark)
		default:
			own := markAtEnd(text)
			open := -1
			if own != "" {
				open = openingOf(text, own)
			}
			if open < 0 {
				return ""
			}
			mark, at = own, low+open
		}
	}
	return ""
}

// markOfLine returns the quotation mark in an array that begins a line, which is behind a gap or first in the text: that of an element, or
// one with the backslashes that write the end of the line before.
func markOfLine(gap string, first bool, element string) string {
	escape := strings.LastIndex(gap, `\n`)
	switch {
	case element != "" && (first || escape >= 0 || strings.IndexByte(gap, '\n') >= 0):
		return element
	case escape >= 0:
		from := len(strings.TrimRight(gap[:escape], `\`))
		return gap[from:escape+1] + `"`
	case first || strings.IndexByte(gap, '\n') >= 0:
		return `"`
	}
	return ""
}
