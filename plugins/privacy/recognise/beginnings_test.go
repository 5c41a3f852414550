package recognise

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// TestBeginnings holds that no text is passed over that an identifier's pattern matches, and that most others are.
func TestBeginnings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const near = "0123456789ABXYZabxyz.- "
	passed := 0
	for _, rule := range rules.Identifiers() {
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
	for _, pattern := range []string{"a*", "(?i:k)", "[\u00e9e]", "ab|c", "(", "a?b"} {
		if b := beginningsOf(pattern); len(b) > 0 {
			t.Errorf("%q: want no certain beginning, have %d", pattern, len(b))
		}
	}
	if b := beginningsOf("[0-9]{2}-?x"); len(b) != 2 || !b.in("12-x", 0) || b.in("1-", 0) || b.in("1", 0) {
		t.Errorf("want two digits, have %v", b)
	}
}
