package jsontext

// AppendCompact appends valid JSON without the blanks outside its strings.
func AppendCompact(dst, src []byte) []byte {
	from := 0
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '"':
			end, _ := text(src, i+1)
			i = end - 1
		case ' ', '\n', '\t', '\r':
			dst = append(dst, src[from:i]...)
			from = i + 1
		}
	}
	return append(dst, src[from:]...)
}
