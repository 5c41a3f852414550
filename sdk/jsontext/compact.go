package jsontext

// AppendCompact appends valid JSON without the blanks outside its strings.
func AppendCompact[T ~string | ~[]byte](dst []byte, json T) []byte {
	text, from := JSON(View(json)), 0
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			i = skipString(text, i)
		case ' ', '\t', '\n', '\r':
			dst = append(dst, text[from:i]...)
			i = skipSpace(text, i)
			from = i
		default:
			i++
		}
	}
	return append(dst, text[from:]...)
}
