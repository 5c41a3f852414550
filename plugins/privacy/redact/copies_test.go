package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestCopies holds where a secret that was taken once goes again, and that the ledger says so.
func TestCopies(t *testing.T) {
	const secret = "q7Rk2ZpX9mWc4TbY"
	f := &Filter{Engine: testEngine}
	for _, c := range []struct{ reason, in, want string }{
		{"in prose, and within a word", `{"token":"` + secret + `","a":"it is ` + secret + ` or x` + secret + `x"}`, `{"token":"<SECRET>","a":"it is <SECRET> or x<SECRET>x"}`},
		{"before it was taken", `{"a":"` + secret + `","token":"` + secret + `"}`, `{"a":"<SECRET>","token":"<SECRET>"}`},
		{"in a key", `{"token":"` + secret + `","of ` + secret + `":1}`, `{"token":"<SECRET>","of <SECRET>":1}`},
		{"in JSON in a string", `{"token":"` + secret + `","a":"{\"b\":\"` + secret + `\"}"}`, `{"token":"<SECRET>","a":"{\"b\":\"<SECRET>\"}"}`},
		{"written with escapes", `{"token":"` + secret + `","a":"q7Rk2ZpX\u0039mWc4TbY"}`, `{"token":"<SECRET>","a":"<SECRET>"}`},
		{"a password out of user and password", `{"a":"https://bob:` + secret + `@h.example","b":"` + secret + `"}`, `{"a":"https://<URL_CREDENTIALS>@h.example","b":"<URL_CREDENTIALS>"}`},
		{"what is shorter stays", `{"password":"hunter2!","a":"hunter2!"}`, `{"password":"<PASSWORD>","a":"hunter2!"}`},
		{"another that begins alike", `{"token":"` + secret + `","a":"` + secret[:15] + `"}`, `{"token":"<SECRET>","a":"` + secret[:15] + `"}`},
	} {
		if have := edited(t, f, c.in); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
	found, _ := f.Find(`{"token":"`+secret+`","a":"`+secret+`"}`, nil)
	if len(found.Findings) != 2 || found.Findings[1].Rule != "copy" || found.Findings[1].Entity != "SECRET" {
		t.Errorf("want a second finding that is a copy, have %d", len(found.Findings))
	}
}

// TestCopiesFindsWhatSearchesFind holds the automaton to a search for each secret.
func TestCopiesFindsWhatSearchesFind(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	some := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "ab"[r.IntN(2)]
		}
		return string(b)
	}
	for range 300 {
		c := &copies{nodes: make([]copyNode, 1)}
		var secrets []string
		for range 1 + r.IntN(5) {
			secrets = append(secrets, some(2+r.IntN(5)))
			c.add(secrets[len(secrets)-1], 0)
		}
		c.labels = append(c.labels, nil)
		c.link()
		text := some(30)
		covered := make([]bool, len(text))
		for _, secret := range secrets {
			for at := range len(text) {
				for i := 0; strings.HasPrefix(text[at:], secret) && i < len(secret); i++ {
					covered[at+i] = true
				}
			}
		}
		have := make([]bool, len(text))
		for _, m := range c.find(text) {
			for i := m.Start; i < m.End; i++ {
				have[i] = true
			}
		}
		if fmt.Sprint(covered) != fmt.Sprint(have) {
			t.Fatalf("%q in %q: want %v, have %v", secrets, text, covered, have)
		}
	}
}
