package redact

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

var testEngine = func() *recognise.Engine {
	e := recognise.New(recognise.Options{Regions: []string{"US", "GB", "DE", "FR", "ES", "IT", "NL", "IN", "AU", "BR", "JP"}})
	e.AddNames([]string{"Li", "Maria Lopez", "Jörg"})
	return e
}()

// TestFirstLookFindsWhatACloseOneFinds holds that passing strings by changes nothing, that what comes out is JSON still,
// and that nothing is left in it.
func TestFirstLookFindsWhatACloseOneFinds(t *testing.T) {
	// Found by itself, but not as the value of a key that says later what it is.
	checkText(t, "dXNlcjpwYXNzd29yZDEyMw==-<API_KEY:0123456789abcdef>\"sk-, alice:pw12345 \n→, bob:pw12345@-")
	r := rand.New(rand.NewPCG(1, 2))
	texts := 150
	if *long {
		texts = 500
	}
	for range texts {
		checkText(t, randomText(r, 1+r.IntN(8)))
	}
}

func FuzzFilter(f *testing.F) {
	for _, p := range fragments {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, text string) { checkText(t, strings.ToValidUTF8(text, "\uFFFD")) })
}

func checkText(t *testing.T, text string) {
	t.Helper()
	for _, doc := range spellings(text) {
		lazy, eager := &Filter{Engine: testEngine}, &Filter{Engine: testEngine, Eager: true}
		out := edited(t, eager, doc)
		if have := edited(t, lazy, doc); have != out {
			t.Fatalf("%s: want %s, have %s", doc, out, have)
		}
		if !gjson.Valid(out) {
			t.Fatalf("%s: want JSON, have %s", doc, out)
		}
		if isEmbedded(gjson.Get(doc, "text").Str) && !isEmbedded(gjson.Get(out, "text").Str) {
			t.Fatalf("%s: want JSON in the string still, have %s", doc, out)
		}
		for _, suspect := range lazy.Look(out, nil).Sure {
			if lazy.PathOf(suspect, out, nil) == "" && out[0] != '"' {
				t.Fatalf("%s: want the place of a suspect, have %d", out, suspect.At)
			}
		}
		if again := edited(t, lazy, out); again != out {
			t.Fatalf("%s: want nothing left in %s, have %s", doc, out, again)
		}
	}
}

// edited returns what a filter makes of a text, and holds it to its word that nothing is left.
func edited(t *testing.T, f *Filter, doc string) string {
	t.Helper()
	found, err := f.Find(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := string(Apply(doc, found.Edits))
	if len(found.Findings) > 0 && found.Settled {
		if left, _ := f.Find(out, nil); len(left.Findings) > 0 {
			t.Fatalf("%s: want it settled, have %s left in %s", doc, left.Findings[0].Rule, out)
		}
	}
	return out
}

// spellings puts a text into records: as it is, with escapes, and as a member of JSON in a string.
func spellings(text string) []string {
	plain, _ := json.Marshal(text)
	var escaped strings.Builder
	for i, c := range text {
		if i%5 == 0 && c < 0x10000 {
			fmt.Fprintf(&escaped, `\u%04x`, c)
			continue
		}
		body, _ := json.Marshal(string(c))
		escaped.Write(body[1 : len(body)-1])
	}
	inner, _ := json.Marshal(map[string]any{"password": text, "coords": []float64{37.774, -122.41}, text: 1})
	embedded, _ := json.Marshal(string(inner))
	return []string{
		`{"text":` + string(plain) + `,"lat":37.1,"lng":"-122.5"}`,
		`{"text":"` + escaped.String() + `","phone":` + string(plain) + `}`,
		`{"text":` + inASCII(plain) + `,"phone":` + inASCII(plain) + `}`,
		`{"text":` + string(embedded) + `,` + string(plain) + `:[1]}`,
		`{"note":` + string(plain) + `,"api_token":[` + string(plain) + `], "x" : {"handle": ` + string(plain) + `}}`,
		`{"value":` + string(plain) + `,"name":"password","d":` + string(plain) + `,"h":[["X-Api-Key", ` + string(plain) + `]],"kty":"oct"}`,
		`{"api_keys":{"prod":` + string(plain) + `},"mnemonic":[` + string(plain) + `],"card":{"number":4111111111111111},"home_lat":48.1,"home_lon":` + string(plain) + `}`,
		string(plain),
	}
}

// inASCII returns JSON with an escape for each character that is not ASCII.
func inASCII(doc []byte) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(string(doc))) {
		if unit < utf8.RuneSelf {
			b.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		switch r.IntN(5) {
		case 0:
			b.WriteString(rules.Secrets()[r.IntN(len(rules.Secrets()))].Sample())
		default:
			b.WriteString(fragments[r.IntN(len(fragments))])
		}
		b.WriteString([]string{"", " ", ", ", "\n", "-", ".", ":", "\"", "é"}[r.IntN(9)])
	}
	return b.String()
}

var fragments = []string{"alice@example.com", "josé@例子.中国", "@", "@alice_smith", "follow", "415-555-0199", "(415) 555-0199", "+44 20 7946 0958",
	"call", "phone:", "4111 1111 1111 1111", "4111111111111111", "DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "ssn", "078-05-1120",
	"203.0.113.9", "2001:db8::8a2e:370:7334", "::ffff:1.2.3.4", "00:1b:44:11:3a:b7", "aa:bb:cc:dd:ee:ff", "00-1B-44-11-3A-B7", "12:34:56",
	"37.7749", "-122.4194", "37.7749, -122.4194", "lat: 40", "lng: -74", "latitude", "location:", "37°46'29.6\"N 122°25'09.8\"W", "1.25, 3.50",
	"password=", "hunter2!", "DB_PASSWORD=\"", "api_key: ", "token", "Bearer ", "curl -u ", "alice:pw12345 ", "Basic ", "dXNlcjpwYXNzd29yZDEyMw==", "https://", "bob:pw12345@", "host.example",
	"1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", "0x52908400098527886E0F7030069857D2E4169EE7", "wallet",
	"born", "1990-01-02", "nhs 943 476 5919", "aadhaar 2341 2341 2346", "AB 12 34 56 C", "nino", "passport 123456789", "<EMAIL_ADDRESS>", "<API_KEY:0123456789abcdef>",
	"Li", "Maria Lopez", "Jörg", "sk-", "ghp_", "eyJ", "-----BEGIN PRIVATE KEY-----\n", "1", "22", "333", "4444", "\u00a0", "\u202f", "{\"a\":", "[1,2]", "}", "中", "😀", "\\", "/",
	"\x1b[36m", "\x1b[0m", `\x1b[1m`, `\n`, `\t`, `\u0040`, `\x40`, "%40", "%3D", "&#64;", "&nbsp;", "&equals;", "**", "<b>", "</b>", "<td>", "</td><td>", "| ", " | ", "\u200b", "\u00ad",
	"contraseña: ", "né le 3 mai 1990", "Née à ", "ма 12", "пароль: ", "密码：", "密码 ", "出生日期", "1990年5月3日", "café", "naïve", "12 °", "48° 51′ N, 2° 21′ E", "«hunter2»", "№ 5", "é1234567", "東4155550199", "RSSMRA45C12F2LRI", "٠", "²",
	"４１５", "ｐａｓｓ", "٤١٥", "－", "→", " — ", "pw", "login", "mdp", "\" + \"", "\\\n", "+", "&a=",
	"seed phrase: ", "abandon ability able about above absent absorb abstract absurd abuse access accident", "MNEMONIC=\"", "fromMnemonic('",
	"1. abandon\n2. ability\n3. able", "lat: 48.137154\n", "  lng: 11.576124", "HOME_LON=11.576124", "<lat>48.137154</lat>", "version 14 at ", "build@",
	"opencv-python", "==4.9.0.80", "OpenAI key is ", "/bot", "PASS: ", "tests/case-2", "this@Main.finish(", "q@k.mean()"}
