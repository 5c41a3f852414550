package prefilter

// A ByteSet is a set of bytes as kernels take it.
type ByteSet [32]byte // for the lower half of all bytes, and for the upper half, by the lower four bits of a byte: a bit for each upper four

// NewByteSet returns the set of some bytes.
func NewByteSet(bytes *[256]bool) *ByteSet {
	var set ByteSet
	for c, is := range bytes {
		if is {
			set[c&15|c>>7<<4] |= 1 << (c >> 4 & 7)
		}
	}
	return &set
}

// Mark sets in dst a bit for each byte of a text that is in the set, the first lowest. The size of the text is BlockSize for each number.
func (s *ByteSet) Mark(dst []uint64, text []byte) { mark(dst, text, (*[32]byte)(s)) }
