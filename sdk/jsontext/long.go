package jsontext

// A Long is a long piece that stands before the byte of a text at an offset, and is no part of the text until it is copied there.
type Long struct {
	At    int
	Piece string
}

// Longs are the long pieces of a text that is being written, in order: noted where they belong, they are copied once, to where the
// whole text is needed.
type Longs []Long

// Append appends a piece to the text, or notes it when it is long.
func (ls *Longs) Append(text []byte, piece string) []byte {
	if len(piece) < LongPiece {
		return append(text, piece...)
	}
	*ls = append(*ls, Long{len(text), piece})
	return text
}

// LongPiece is the size in bytes from which on a piece is long.
const LongPiece = 256 << 10
