package recognise

import "testing"

// TestSignsBeginDress holds that every character that reads as another begins with a byte at which dress is looked for.
func TestSignsBeginDress(t *testing.T) {
	for r := rune(0x80); r <= 0x10ffff; r++ {
		if out, ok := plainRune(r); ok && !signs[string(r)[0]] {
			t.Errorf("want %U, which reads %q, looked for, have it passed", r, out)
		}
	}
}
