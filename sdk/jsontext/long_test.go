package jsontext

import (
	"strings"
	"testing"
)

// TestLongs holds that a short piece is part of the text, and a long one is noted where it belongs and not copied.
func TestLongs(t *testing.T) {
	short, long := strings.Repeat("s", LongPiece-1), strings.Repeat("l", LongPiece)
	var ls Longs
	text := ls.Append([]byte(`"`), short)
	text = append(ls.Append(append(text, `","`...), long), `","`...)
	text = append(ls.Append(text, long), '"')
	if want := `"` + short + `","",""`; string(text) != want {
		t.Errorf("want the short piece alone, have %d bytes, want %d", len(text), len(want))
	}
	if len(ls) != 2 || ls[0].At != LongPiece+3 || ls[1].At != LongPiece+6 {
		t.Errorf("want long pieces at %d and %d, have %d of them", LongPiece+3, LongPiece+6, len(ls))
	}
}
