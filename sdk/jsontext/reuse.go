package jsontext

// Reuse gives a buffer back empty for the next record, unless one large record made it grow: that one's size must not
// be held for good.
func Reuse(buf []byte) []byte {
	if cap(buf) > 4<<20 {
		return nil
	}
	return buf[:0]
}
