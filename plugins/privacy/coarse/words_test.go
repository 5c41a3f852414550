package coarse

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestClauseStart holds that what clauseStart passes over changes nothing of what the words before a value say.
func TestClauseStart(t *testing.T) {
	e, r := &Detector{IsOff: func(string) bool { return false }}, rand.New(rand.NewPCG(3, 5))
	parts := []string{`"`, `":"`, `","`, `{"`, `"}`, ", ", "; ", ") ", "\\n", `\"`, `\\\"`, `\":\"`, " ", "%3D", "\x1b[36m", "é", "密码", "token", "password", "value", "text", "id", "heroku", "api", "key",
		"name", "is", "public", "content", ": ", "=", "5", "traceId", "cookie", "phone", "...", ". "}
	cut := 0
	for range 200_000 {
		doc := ""
		for range 1 + r.IntN(9) {
			doc += parts[r.IntN(len(parts))]
		}
		from, at := 0, len(doc)
		doc += "q7Rk2ZpX9mWc4TbY8nVf"
		start := max(from, at-windowBytes)
		kinds := suspectPassword | suspectToken | suspectVendor | suspectPhone
		if clauseStart(doc, start, at) > start {
			cut++
		}
		wantOf, wantWord, wantBetween, wantDenied := e.nearBehind(doc, from, start, at, kinds)
		of, word, between, denied := e.near(doc, from, at, kinds)
		if of != wantOf || word != wantWord || between != wantBetween || denied != wantDenied {
			t.Fatalf("%q: want %v %q %q %t, have %v %q %q %t", doc, wantOf, wantWord, wantBetween, wantDenied, of, word, between, denied)
		}
	}
	if cut < 1000 {
		t.Errorf("want clauses in many texts, have them in %d", cut)
	}
}

// TestAnnouncements holds that a reading of the whole text misses no word that a look at the bytes before a value sees.
func TestAnnouncements(t *testing.T) {
	r, seen := rand.New(rand.NewPCG(1, 2)), 0
	words := strings.Fields(`password pw "pwd": p.w tok.en token= github_ IBAN iban: born né \u00e9 \u001b[31m \u0070w passe heroku herokuApiKey 12 345 abc x . , " \ \n secret api key card`)
	for range 20_000 {
		doc := ""
		for range 1 + r.IntN(12) {
			doc += words[r.IntN(len(words))] + []string{" ", "", "\"", "."}[r.IntN(4)]
		}
		var a announcements
		for at := 1; at < len(doc); at += 1 + r.IntN(9) {
			if letterCode(doc[at-1]) != 0 && letterCode(doc[at]) != 0 {
				continue // no value begins within a word
			}
			start := clauseStart(doc, max(0, at-windowBytes), at) // where near begins to look
			start += r.IntN(max(1, at-start))
			for kinds := 1; kinds < 1<<len(suspects().kinds); kinds <<= 1 {
				if !mayAnnounce(doc[start:at], kinds) {
					continue
				}
				if seen++; !a.mayPrecede(doc, 0, at) {
					t.Fatalf("%q before %d, kind %d from %d on: want a word seen", doc, at, kinds, start)
				}
			}
		}
	}
	if seen < 1000 {
		t.Fatalf("want many words, have %d", seen)
	}
}

// TestMayAnnounce holds that no word of a suspicion is passed over, however it is written, and that its beginning alone is.
func TestMayAnnounce(t *testing.T) {
	for of, s := range suspects().kinds {
		for _, word := range s.words {
			word = strings.ReplaceAll(word, "|", "")
			cut := min(len(word), 3)
			for _, text := range []string{word, strings.ToUpper(word), word + " = ", `{"` + word + `": "`, "x " + word[:1] + "." + word[1:] + ":", word[:cut] + " " + word[cut:] + " is ",
				word[:cut] + "-5_" + word[cut:] + ":", `\u001b` + word + ":", `\u001b[1m` + word + `\u001b[0m`} {
				if !mayAnnounce(text, 1<<of) {
					t.Errorf("%q: want %q seen", text, word)
				}
			}
		}
	}
	for _, text := range []string{"handled", "what is", "paste: ", "they has been ", "seconds: ", "4passw0rd", `\u001b[31m`} {
		if mayAnnounce(text, -1) {
			t.Errorf("%q: want no word seen", text)
		}
	}
}
