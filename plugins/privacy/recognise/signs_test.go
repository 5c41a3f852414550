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

// TestHanAndHangulHideNothing holds that the characters that foreignAnchors passes over read as themselves.
func TestHanAndHangulHideNothing(t *testing.T) {
	for r := rune(0x80); r <= 0xffff; r++ {
		if isHanOrHangul(r) && hides(r) {
			t.Errorf("want %U among the anchors, have it passed over", r)
		}
	}
}

// TestMayReadAs holds that no character is passed over that reads as another one.
func TestMayReadAs(t *testing.T) {
	passed := 0
	for r := rune(0x3000); r <= 0x1ffff; r++ {
		s := string(r)
		if c := s[0]; c != 0xe3 && c != 0xea && c != 0xf0 || mayReadAs(s) {
			continue
		}
		passed++
		if _, ok := plainRune(r); ok || isDash(s) {
			t.Errorf("want %q read, which reads as another character", s)
		}
	}
	if passed < 4000 {
		t.Errorf("want letters passed over, have %d", passed)
	}
}
