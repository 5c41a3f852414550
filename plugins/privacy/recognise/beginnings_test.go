package recognise

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// TestBeginnings holds that no text is passed over that the pattern of an identifier or a number matches, and that most others are.
func TestBeginnings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const near = "0123456789ABXYZabxyz.- "
	passed := 0
	for _, rule := range slices.Concat(rules.Identifiers(), rules.Numbers()) {
		re, b := regexp.MustCompile("^(?:"+rule.Pattern+")"), beginningsOf(rule.Pattern)
		for _, c := range []string{"K\u212A", rule.Example} {
			if re.MatchString(c) && !b.in(c, 0) {
				t.Errorf("%s: want %q let through, have it passed over", rule.Name, c)
			}
		}
		for range 20_000 {
			value := []byte(rule.Example)
			for range r.IntN(4) {
				value[r.IntN(len(value))] = near[r.IntN(len(near))]
			}
			for at := range value {
				if text := string(value[at:]); re.MatchString(text) && !b.in(text, 0) {
					t.Fatalf("%s: want %q let through, have it passed over", rule.Name, text)
				} else if !b.in(text, 0) {
					passed++
				}
			}
		}
	}
	if passed == 0 {
		t.Errorf("want texts passed over, have %d", passed)
	}
	for _, pattern := range []string{"a*", "(?i:k)", "[\u00e9e]", "(", "a{0,3}b", ""} {
		if b := beginningsOf(pattern); !b.in("", 0) {
			t.Errorf("%q: want no certain beginning, have %v", pattern, b)
		}
	}
	forms := []struct {
		pattern   string
		may, none []string
	}{
		{"[0-9]{2}-?x", []string{"12-x", "12x"}, []string{"1-", "1", "12", "12-"}},
		{"ab|c", []string{"ab", "c"}, []string{"a", "b"}},
		{"a?b+c", []string{"ab", "b", "bd"}, []string{"aa", "c"}},
		{"[0-9]{3}|[0-9] (?:1[0-2]|0[1-9])", []string{"123", "1 10", "1 09"}, []string{"12", "1 20", "1 1"}},
	}
	for _, tt := range forms {
		b := beginningsOf(tt.pattern)
		for _, text := range tt.may {
			if !b.in(text, 0) {
				t.Errorf("%q: want %q let through, have it passed over", tt.pattern, text)
			}
		}
		for _, text := range tt.none {
			if b.in(text, 0) {
				t.Errorf("%q: want %q passed over, have it let through", tt.pattern, text)
			}
		}
	}
}

// TestLayouts holds that no number is passed over that its pattern matches, and that most others are.
func TestLayouts(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const signs = " -./:"
	passed, matched, texts := 0, 0, 12_500
	if *long {
		texts = 50_000
	}
	for _, rule := range rules.Numbers() {
		re := regexp.MustCompile("^(?:" + rule.Pattern + ")$")
		f := &format{layouts: layoutsOf(beginningsOf(rule.Pattern))}
		for range texts {
			digits := []byte(digitsOf(rule.Sample()))
			for range r.IntN(3) {
				digits[r.IntN(len(digits))] = ascii.DigitBytes[r.IntN(10)]
			}
			text, mask := rule.Sample(), uint64(0)
			if r.IntN(4) > 0 {
				text = ""
				for i, d := range digits {
					if i > 0 && ascii.IsDigit(text[len(text)-1]) && r.IntN(3) == 0 {
						text += string(signs[r.IntN(len(signs))])
					}
					text += string(d)
				}
			}
			for i := range text {
				if !ascii.IsDigit(text[i]) {
					mask |= 1 << i
				}
			}
			switch is, laid := re.MatchString(text), f.isLaid(len(text), mask); {
			case is && !laid:
				t.Fatalf("%s: want %q let through, have it passed over", rule.Name, text)
			case is:
				matched++
			case !laid:
				passed++
			}
		}
	}
	if passed < matched || matched == 0 {
		t.Errorf("want numbers passed over, and some that are not, have %d and %d", passed, matched)
	}
}
