package rows

import "fmt"

const longestPath = 1 << 10

// CheckPath returns an error for a gjson path that is too long, or of which a part makes values instead of leading to one,
// since a few of such parts can make more than memory holds. The empty path, which leads to the whole row, is right.
func CheckPath(path string) error {
	if len(path) > longestPath {
		return fmt.Errorf("want a path of at most %d bytes, have %d", longestPath, len(path))
	}
	begins, queried := true, false // a part begins here; it is the path of a query
	for i := range len(path) {
		switch c := path[i]; {
		case c == '.' || c == '|': // escaped ones too: which of them divide depends on the row
			begins, queried = true, false
		case begins && (c == '@' || c == '[' || c == '{' || c == '!' && !queried):
			return fmt.Errorf(`want a path of names, numbers and queries, have %q, where a name is written with \%c`, path[i:], c)
		case c == '(' || c == '[':
			begins, queried = true, true
		case c > ' ':
			begins = false
		}
	}
	return nil
}

// ParsePathIs reads PATH=VALUE, or PATH alone for any value. A '=' in the parentheses of a path belongs to it.
func ParsePathIs(text string) PathIs {
	depth := 0
	for i, c := range text {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == '=' && depth <= 0 && i > 0:
			return PathIs{Path: text[:i], Value: text[i+1:]}
		}
	}
	return PathIs{Path: text, Any: true}
}

// String returns the text that ParsePathIs reads, PATH=VALUE or PATH.
func (p PathIs) String() string {
	if p.Any {
		return p.Path
	}
	return p.Path + "=" + p.Value
}
