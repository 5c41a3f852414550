package notation

import (
	"math"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Paragraphs returns the number of paragraphs in a body, between which there are blank lines, and how many line breaks end it.
func Paragraphs(body jsontext.Body) (n, breaks int) {
	if body == "" {
		return 0, 0
	}
	end := 0 // of the last that is no line break
	for at := 0; at < len(body); {
		size, isBreak := unit(body, at)
		if at += size; isBreak {
			breaks++
		} else {
			end, breaks = at, 0
		}
	}
	n, _ = paragraphs(body[:end], math.MaxInt)
	return n, breaks
}

// CutParagraphs takes a text of n paragraphs, which line breaks end, off a body of texts with blank lines between them; ok is false where it
// has fewer paragraphs.
func CutParagraphs(body jsontext.Body, n, breaks int) (first, rest jsontext.Body, ok bool) {
	have, end := paragraphs(body, n)
	if have < n {
		return "", "", false
	}
	run, behind := 0, end // the line breaks behind the paragraphs
	for behind < len(body) {
		size, isBreak := unit(body, behind)
		if !isBreak {
			break
		}
		run, behind = run+1, behind+size
	}
	own := min(breaks, run)
	if behind < len(body) {
		own = min(own, run-2)
	}
	at := end
	for i := range run {
		size, _ := unit(body, at)
		switch at += size; {
		case i < own:
			end = at
		case i == own+1:
			return body[:end], body[at:], true
		}
	}
	return body[:end], "", true
}

// paragraphs returns how many paragraphs a body has, at most most, and where the last of them ends.
func paragraphs(body jsontext.Body, most int) (n, end int) {
	n = 1
	for at := 0; at < len(body); {
		size, isBreak := unit(body, at)
		if isBreak && at+size < len(body) {
			if next, blank := unit(body, at+size); blank {
				if n == most {
					return n, at
				}
				n, at = n+1, at+size+next
				continue
			}
		}
		at += size
	}
	return n, len(body)
}

// unit returns the length of an escape at an offset of a body, or of what is before the next one, and whether it is a line break.
func unit(body jsontext.Body, at int) (size int, isBreak bool) {
	if body[at] != '\\' {
		if n := strings.IndexByte(string(body[at:]), '\\'); n > 0 {
			return n, false
		}
		return len(body) - at, false
	}
	r, size := jsontext.Unescape(body[at:])
	return size, r == '\n'
}
