package recognise

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRandomSecrets holds the share of random values that stay behind the name of a secret, by how they are written beside it.
func TestRandomSecrets(t *testing.T) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	r := rand.New(rand.NewPCG(7, 29))
	s := NewScan(New(Options{}))
	for _, form := range []string{"JWT_SECRET=%s", "api_key: %s", "GET /x?page=2&client_secret=%s HTTP/1.1", "API key: %s", "The API secret is %s and works",
		"API secret — %s", `token = "%s"`, `{"a": {"api_secret": "%s"}`, "use access_token=%s now"} {
		for _, signs := range []int{0, 1, 3} {
			for _, size := range []int{10, 12, 14, 16, 20, 24} {
				const all = 60
				left := 0
				for range all {
					b := make([]byte, size)
					for i := range b {
						b[i] = letters[r.IntN(len(letters))]
					}
					for range signs {
						b[1+r.IntN(size-2)] = "!@#$%^*"[r.IntN(7)]
					}
					if text := fmt.Sprintf(form, b); !gone(text, string(b), s.Find(text, 0, nil)) {
						left++
					}
				}
				if most := all / 4; left > most || left > all/10 && size > 12 {
					t.Errorf("%s with %d bytes and %d signs: want few of %d left, have %d", form, size, signs, all, left)
				}
			}
		}
	}
}

// TestSecretsEnd holds where a secret without quotation marks ends.
func TestSecretsEnd(t *testing.T) {
	s := NewScan(New(Options{}))
	for _, c := range []struct{ reason, text, want string }{
		{"the next parameter", "curl 'https://h.example/?client_secret=Kx9#mT4vqLz8Wp2&page=2'", "Kx9#mT4vqLz8Wp2"},
		{"the fragment of a URL", "https://h.example/?token=Kx9mT4vqLz8Wp2#section-2", "Kx9mT4vqLz8Wp2"},
		{"what only looks like the next parameter", "SECRET_KEY=Ab3&kL9!zQ7w&", "Ab3&kL9!zQ7w"},
		{"the sign of a sentence", "the token is " + drawnToken + "!", drawnToken},
		{"a sign in a sentence", "The API secret is Tz8!qW4#rE2m, I think.", "Tz8!qW4#rE2m"},
		{"a sign at the end of a line", "API_SECRET=Summer2024!\nA=1", "Summer2024!"},
		{"a letter of another script", "api_key=" + drawnToken + "です", drawnToken},
		{"a short token in a list", "- Token — kL9zQ7wXb2\n- Region — eu-west-1", "kL9zQ7wXb2"},
	} {
		var have []string
		for _, m := range s.Find(c.text, 0, nil) {
			have = append(have, c.text[m.Start:m.End])
		}
		if strings.Join(have, "|") != c.want {
			t.Errorf("%s: want %q out of %q, have %q", c.reason, c.want, c.text, have)
		}
	}
}
