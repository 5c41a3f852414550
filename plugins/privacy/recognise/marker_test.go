package recognise

import "testing"

// TestGoesOnBehind holds which texts behind a marker are the rest of a secret.
func TestGoesOnBehind(t *testing.T) {
	for _, c := range []struct {
		marker, behind string
		want           bool
	}{
		{"<SECRET>", drawnToken + `"}`, true}, {`see <API_KEY_2>`, drawnToken, true}, {"<SECRET>", ` then"}`, false},
		{"<SECRET>", "", false}, {"<EMAIL_ADDRESS>", `x9Kq7TzP2"`, false}, {"", drawnToken, false},
	} {
		if have := GoesOnBehind(c.marker, c.behind); have != c.want {
			t.Errorf("%q before %q: want %t, have %t", c.marker, c.behind, c.want, have)
		}
	}
}
