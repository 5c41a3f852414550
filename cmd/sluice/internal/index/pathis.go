package index

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

// String gives the text that ParsePathIs reads.
func (p PathIs) String() string {
	if p.Any {
		return p.Path
	}
	return p.Path + "=" + p.Value
}
