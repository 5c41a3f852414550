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
		if GoesOnBehind(c.marker, c.behind) != c.want {
			t.Errorf("%q before %q: want a rest %t, have another", c.marker, c.behind, c.want)
		}
	}
}
