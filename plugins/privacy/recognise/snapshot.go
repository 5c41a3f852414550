package recognise

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// pastAttribute returns the end of the mark at at that a snapshot of a page has behind the name of an element, [ref=e12] or [active], or at.
func (s *Scan) pastAttribute(at int) int {
	if c := s.before(at); s.after(at) != '[' || c != ' ' && c != ']' {
		return at
	}
	if end := ascii.Forward(s.s, at+1, 32, attributeSet); end > at+1 && s.after(end) == ']' && s.s[at+1]-'a' < 26 {
		return end + 1
	}
	return at
}

var attributeSet = ascii.Set(ascii.Bytes("a-z0-9=_-"))

// pastAttributes returns the end of all such marks behind the name that ends at at, and whether there are any.
func (s *Scan) pastAttributes(at int) (int, bool) {
	marked := false
	for range 8 {
		next := s.spaces(at)
		end := s.pastAttribute(next)
		if end == next {
			break
		}
		at, marked = end, true
	}
	return at, marked
}

// shownRoles are the roles of elements that show or hold a value.
var shownRoles = []string{"textbox", "cell", "gridcell", "statictext", "text", "generic", "definition", "searchbox", "inlinetextbox"}

// nextElement returns the start of the name of the element in the line behind at, which a snapshot of a page has in quotation marks, or -1.
func (s *Scan) nextElement(at int) int {
	if s.after(at) != '\n' {
		return -1
	}
	at = ascii.Forward(s.s, at+1, 40, ascii.SpaceSet)
	if strings.HasPrefix(s.s[at:], "- ") {
		at += len("- ")
	}
	if end := ascii.Forward(s.s, at+1, 8, ascii.DigitSet); s.after(at) == '[' && strings.HasPrefix(s.s[end:], "] ") {
		at = end + len("] ")
	}
	end := ascii.Forward(s.s, at, 16, letterSet)
	if s.after(end) != ' ' || s.quote(end+1) < 0 || !slices.Contains(shownRoles, strings.ToLower(s.s[at:end])) {
		return -1
	}
	return end + 1
}
