package redact

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// leaks are places of a secret. In each it has to go as a whole, however long it is.
var leaks = []struct {
	reason, form string
	least        int // bytes of a value
	alphabet     string
}{
	{"an assignment in quotes", `x token = "%s" y`, 16, base64URL},
	{"an assignment", "a\nAPI_TOKEN=%s\nb", 16, base64URL},
	{"a member of YAML", "auth:\n  client_secret: %s\n  n: 1", 16, base64URL},
	{"a comma behind it", "f(secret='%s', n=1)", 16, base64URL},
	{"a type between", `var apiToken string = "%s"`, 16, base64URL},
	{"an operator of make", `X_TOKEN :::= "%s"`, 16, base64URL},
	{"a query", "GET https://h.example/p?a=1&access_token=%s&z=2 HTTP/1.1", 16, base64URL},
	{"a cookie", "Set-Cookie: session_token=%s; Path=/", 16, base64URL},
	{"a header of its own", "X-Auth-Token: %s\r\nHost: h", 16, base64URL},
	{"a bearer", "Authorization: Bearer %s\n", 20, base64URL + "+/"},
	{"an element of XML", "<apiToken>\n  %s\n</apiToken>", 16, base64URL},
	{"an option of a command", "tool --api-token %s --verbose", 16, base64URL},
	{"a password with signs", `password: "%s"`, 6, "ABCDEFGHabcdefgh23456789!#%*+"},
	{"a line of an environment", "export DATABASE_PASSWORD=%s\n", 8, "ABCDEFGHabcdefgh23456789!#%*+"},
	{"a user of a database", "CREATE USER a IDENTIFIED BY '%s';", 8, "ABCDEFGHabcdefgh23456789!#%*+"},
	{"a provider's prefix", "use sk-proj-%s now", 20, base64URL},
	{"a web token", "jwt eyJhbGciOiJIUzI1NiJ9.eyJ%s.c2lnbmF0dXJl end", 20, base64URL},
}

const base64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// TestNothingIsLeft holds that no six bytes of a secret stay, at random lengths up to 100,000, as text, in JSON in a
// string, and with copies of it elsewhere in the record, in a key too.
func TestNothingIsLeft(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	f := &Filter{Engine: testEngine}
	for _, c := range leaks {
		for range tries() {
			secret := drawn(r, c.alphabet, int(float64(c.least)*math.Pow(100_000/float64(c.least), r.Float64())))
			switch c.reason {
			case "a provider's prefix":
				secret = "sk-proj-" + secret
			case "a web token":
				secret = "eyJhbGciOiJIUzI1NiJ9.eyJ" + secret + ".c2lnbmF0dXJl"
			}
			text, _ := json.Marshal(fmt.Sprintf(c.form, secret))
			embedded, _ := json.Marshal(`{"n":1,"t":` + string(text) + `}`)
			doc := `{"a":` + string(text) + `}`
			switch r.IntN(3) {
			case 1:
				doc = `{"a":` + string(embedded) + `}`
			case 2:
				if len(secret) >= leastCopied {
					copied, _ := json.Marshal("again: " + secret + "|" + secret)
					doc = `{"b":` + string(copied) + `,"a":` + string(text) + `,` + string(copied) + `:1}`
				}
			}
			holdNothing(t, f, c.reason, doc, secret)
		}
	}
}

// TestNothingIsLeftUnderKeys holds the same of values of keys that name a secret.
func TestNothingIsLeftUnderKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	f := &Filter{Engine: testEngine}
	for _, key := range []string{"token", "GITHUB_TOKEN", "jiraToken", "azure_client_secret", "x-api-key", "openaiApiKey", "session_secret", "private_token"} {
		for range tries() {
			secret := drawn(r, base64URL, int(16*math.Pow(100_000/16, r.Float64())))
			holdNothing(t, f, key, `{"`+key+`":"`+secret+`","other":"see `+secret+`"}`, secret)
		}
	}
}

// long is set by .ci/run.
var long = flag.Bool("long", false, "try 60 secrets of each kind, and not 12")

func tries() int {
	if *long {
		return 60
	}
	return 12
}

func holdNothing(t *testing.T, f *Filter, reason, doc, secret string) {
	t.Helper()
	out := edited(t, f, doc)
	if !strings.Contains(doc, secret) || len(secret) < 6 {
		t.Fatalf("%s: want a record with the secret in it", reason)
	}
	for at := 0; at+6 <= len(secret); at += 1 + len(secret)/500 {
		if strings.Contains(out, secret[at:at+6]) {
			t.Errorf("%s: want nothing left of %d bytes, have those from %d on, in %.200s", reason, len(secret), at, out)
			return
		}
	}
}

// drawn returns random bytes, of which one is a digit, one a letter, and the last one a letter.
func drawn(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	b[0], b[1], b[n/2], b[n-1] = 'k', "BCDEFGH"[r.IntN(7)], "23456789"[r.IntN(8)], 'q'
	return string(b)
}
