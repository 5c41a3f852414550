package plaintext

import "testing"

// TestSignsBeginDress holds that every character that reads as another begins with a byte at which dress is looked for.
func TestSignsBeginDress(t *testing.T) {
	for r := rune(0x80); r <= 0x10ffff; r++ {
		if out, ok := plainRune(r); ok && !signs[string(r)[0]] {
			t.Errorf("want %U, which reads %q, looked for, have it passed", r, out)
		}
	}
}

// TestLookalikes holds that every character of the first plane that reads as another is looked for.
func TestLookalikes(t *testing.T) {
	for r := rune(0x80); r <= 0xffff; r++ {
		if _, ok := plainRune(r); (ok || isDash(string(r))) && !lookalikes.Has(r) {
			t.Errorf("want %U looked for, have it passed over", r)
		}
		if want := Hides(r); Hidden().Has(r) != want {
			t.Errorf("%U: want hidden = %t, have %t", r, want, !want)
		}
	}
	last := rune(0)
	for r := range lookalikes.Each {
		if r <= last || !lookalikes.Has(r) {
			t.Errorf("want those of the set in order, have %U behind %U", r, last)
		}
		last = r
	}
}

// TestMayReadAs holds that no character is passed over that reads as another one.
func TestMayReadAs(t *testing.T) {
	passed := 0
	for r := rune(0x80); r <= 0x1ffff; r++ {
		s := string(r)
		if mayReadAs(s + "..") {
			continue
		}
		passed++
		if _, ok := plainRune(r); ok || isDash(s) || r >= 0x2500 && r <= 0x257f {
			t.Errorf("want %q read, which reads as another character", s)
		}
	}
	if passed < 60_000 {
		t.Errorf("want letters passed over, have %d", passed)
	}
}
