package redact

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
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
		{"a short password, as a whole word", `{"password":"hunter2!","a":"it is hunter2!, not xhunter2! or hunter2"}`, `{"password":"<PASSWORD>","a":"it is <PASSWORD>, not xhunter2! or hunter2"}`},
		{"the same behind escapes and colours", `{"password":"hunter2!","a":"\\nhunter2! \u001b[1mhunter2!\u001b[0m %20hunter2!"}`, `{"password":"<PASSWORD>","a":"\\n<PASSWORD> \u001b[1m<PASSWORD>\u001b[0m %20<PASSWORD>"}`},
		{"a short password that may be a word", `{"password":"qxzvkwj","a":"a qxzvkwj in"}`, `{"password":"<PASSWORD>","a":"a qxzvkwj in"}`},
		{"a short token", `{"token":"x9Kq2Wp7","a":"x9Kq2Wp7 ax9Kq2Wp7"}`, `{"token":"<SECRET>","a":"<SECRET> ax9Kq2Wp7"}`},
		{"as URLs write it", `{"password":"p@ss&word=9","a":"?q=p%40ss%26word%3D9&x=1"}`, `{"password":"<PASSWORD>","a":"?q=<PASSWORD>&x=1"}`},
		{"as JSON in text writes it", `{"password":"p\"ss\\w9rd","a":"{ p\\\"ss\\\\w9rd"}`, `{"password":"<PASSWORD>","a":"{ <PASSWORD>"}`},
		{"found as a URL writes it", `{"q":"password=Zx9%40kQ2mWw77tR","c":"see Zx9@kQ2mWw77tR."}`, `{"q":"password=<PASSWORD>","c":"see <PASSWORD>."}`},
		{"found in a URL of user and password", `{"url":"https://bob:Zx9%21kQ2mWw77tR@h.corp.io/","c":"the Zx9!kQ2mWw77tR thing"}`, `{"url":"https://<URL_CREDENTIALS>@h.corp.io/","c":"the <URL_CREDENTIALS> thing"}`},
		{"found with its host, by an encoded sign of an address", `{"url":"postgres://bob:Zx9%40kQ2mWw77tR@h.corp.io/","c":"the Zx9@kQ2mWw77tR thing"}`, `{"url":"postgres://<URL_CREDENTIALS>/","c":"the <URL_CREDENTIALS> thing"}`},
		{"found as XML writes it", `{"q":"<password>Zx9&amp;kQ2mWw77tR</password>","c":"the Zx9&kQ2mWw77tR thing"}`, `{"q":"<password><PASSWORD></password>","c":"the <PASSWORD> thing"}`},
		{"found as JSON in text writes it", `{"q":"{\"password\": \"Zx9\\/kQ2mWw77tR\", ...","c":"the Zx9/kQ2mWw77tR thing"}`, `{"q":"{\"password\": \"<PASSWORD>\", ...","c":"the <PASSWORD> thing"}`},
		{"as JSON of Go writes it", `{"password":"Zx9&kQ2mWw77tR","c":"{ \"p\": \"Zx9\\u0026kQ2mWw77tR\""}`, `{"password":"<PASSWORD>","c":"{ \"p\": \"<PASSWORD>\""}`},
		{"as a shell quotes it", `{"password":"Zx9'kQ2mWw77tR","c":"echo 'Zx9'\\''kQ2mWw77tR'"}`, `{"password":"<PASSWORD>","c":"echo '<PASSWORD>'"}`},
		{"as a shell escapes it", `{"password":"Zx9$kQ2m","c":"echo Zx9\\$kQ2m; echo yZx9\\$kQ2m"}`, `{"password":"<PASSWORD>","c":"echo <PASSWORD>; echo yZx9\\$kQ2m"}`},
		{"a letter beyond ASCII", `{"password":"Zx9äkQ2mWw77tR","c":"?p=Zx9%C3%A4kQ2mWw77tR \"Zx9\\u00e4kQ2mWw77tR\""}`, `{"password":"<PASSWORD>","c":"?p=<PASSWORD> \"<PASSWORD>\""}`},
		{"in a key of JSON in a string", `{"password":"Zx9&kQ2mWw77tR","c":"{\"a%20Zx9%26kQ2mWw77tR\":1}"}`, `{"password":"<PASSWORD>","c":"{\"a%20<PASSWORD>\":1}"}`},
		{"another that reads alike in part", `{"password":"Zx9&kQ2mWw77tR","c":"Zx9%26kQ2mWw77tX"}`, `{"password":"<PASSWORD>","c":"Zx9%26kQ2mWw77tX"}`},
		{"the password of a basic header", `{"a":"Authorization: Basic Ym9iOmh1bnRlcjIh","b":"so hunter2!"}`, `{"a":"Authorization: Basic <AUTH_HEADER>","b":"so <AUTH_HEADER>"}`},
		{"a number that its word named", `{"a":"ssn: 219-09-9999","b":"219099999, 219 09 9999 or 12190999991","c":219099999}`, `{"a":"ssn: <US_SSN>","b":"<US_SSN>, <US_SSN> or 12190999991","c":"<US_SSN>"}`},
		{"a telephone number in other forms", `{"a":"+49 30 90182012","b":"03090182012 0049 (0)30 90182012 49.30.90182012"}`, `{"a":"<PHONE_NUMBER>","b":"<PHONE_NUMBER> <PHONE_NUMBER> <PHONE_NUMBER>"}`},
		{"another that begins alike", `{"token":"` + secret + `","a":"` + secret[:15] + `"}`, `{"token":"<SECRET>","a":"` + secret[:15] + `"}`},
	} {
		if have := edited(t, f, c.in); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
		among, masked := "", "" // of more secrets than are looked for one by one
		for i := range 2 * mostProbes {
			among, masked = among+fmt.Sprintf(`{"token":"v3Lk9QxZ%dbT7pW2c"},`, i), masked+`{"token":"<SECRET>"},`
		}
		if have := edited(t, f, "["+among+c.in+"]"); have != "["+masked+c.want+"]" {
			t.Errorf("%s, among many: want %s, have %s", c.reason, c.want, have)
		}
	}
	found, _ := f.Find(`{"token":"`+secret+`","a":"`+secret+`"}`, nil)
	if len(found.Findings) != 2 || found.Findings[1].Rule != "copy" || found.Findings[1].Entity != "SECRET" {
		t.Errorf("want a second finding that is a copy, have %d", len(found.Findings))
	}
}

// TestOneValueHasOnePlaceholder holds that case and separators change neither pseudonyms nor hashes, and other values do.
func TestOneValueHasOnePlaceholder(t *testing.T) {
	pseudonyms := &Filter{Engine: testEngine, Actions: Actions{Usual: Pseudonym}}
	hashes := &Filter{Engine: testEngine, Actions: Actions{Usual: WithHash}, Hash: func(dst []byte, _, value string, size int) []byte {
		return fmt.Appendf(dst, "%0*x", 2*size, crc32.ChecksumIEEE([]byte(value)))
	}}
	for _, c := range []struct {
		reason, in string
		want       string // the numbers of the pseudonyms
	}{
		{"addresses by case", `Ann@Example.com ann@example.com bob@example.com`, "[1 1 2]"},
		{"a telephone number with and without its country", `+49 89 2180 3601, Tel. 089 2180 3601, Tel. 089/21803602`, "[1 1 2]"},
		{"a telephone number as others dial it", `+1 415-555-2671, (415) 555-2671, +1.415.555.2672`, "[1 1 2]"},
		{"accounts of a bank", `DE89 3704 0044 0532 0130 00 DE89370400440532013000 GB82WEST12345698765432`, "[1 1 2]"},
		{"cards", `card 4111-1111-1111-1111 card 4111111111111111 card 4012 8888 8888 1881`, "[1 1 2]"},
		{"social security numbers", `ssn 219-09-9999, ssn 219099999, ssn 219-09-9998`, "[1 1 2]"},
		{"hosts", `host 2001:db8::8a2e:370:7334 host 2001:DB8:0:0:0:8A2E:0370:7334 host 2001:db8::8a2e:370:7335`, "[1 1 2]"},
		{"network cards", `00:1b:44:11:3a:b7 00-1B-44-11-3A-B7 00:1b:44:11:3a:b8`, "[1 1 2]"},
		{"passwords, whose case counts", `password: hunter2!x password: Hunter2!x`, "[1 2]"},
	} {
		doc, _ := json.Marshal(c.in)
		var numbers, sums []string
		for _, m := range regexp.MustCompile(`<[A-Z_]+_([0-9]+)>`).FindAllStringSubmatch(edited(t, pseudonyms, string(doc)), -1) {
			numbers = append(numbers, m[1])
		}
		for _, m := range regexp.MustCompile(`:([0-9a-f]+)>`).FindAllStringSubmatch(edited(t, hashes, string(doc)), -1) {
			sums = append(sums, m[1])
		}
		if have := fmt.Sprint(numbers); have != c.want {
			t.Errorf("%s: want pseudonyms %s, have %s", c.reason, c.want, have)
		}
		slices.Sort(sums)
		if have := len(slices.Compact(sums)); have != 2 {
			t.Errorf("%s: want 2 hashes, have %d", c.reason, have)
		}
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
	for range 100 {
		c := &copies{}
		var secrets []string
		for range 1 + r.IntN(5) {
			secrets = append(secrets, some(leastLoose+r.IntN(4)))
			c.add(secrets[len(secrets)-1], nil)
		}
		c.link()
		text := some(3000)
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

// TestCopiesOfMany holds that the table for the first bytes of many secrets changes nothing.
func TestCopiesOfMany(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const letters = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	findings := make([]Finding, 600)
	var text strings.Builder
	for i := range findings {
		value := make([]byte, 8+r.IntN(8))
		for k := range value {
			value[k] = letters[r.IntN(len(letters))]
		}
		findings[i] = Finding{Label: &recognise.Label{Entity: rules.GenericSecret}, Value: string(value)}
		fmt.Fprintf(&text, "%s %s%s x%s", value, value[:r.IntN(len(value))], value, value)
	}
	c := newCopies(findings, testEngine, true)
	if c.second == nil {
		t.Fatalf("want a table for %d nodes, have none", len(c.nodes))
	}
	have := c.find(text.String())
	c.second = nil
	if want := c.find(text.String()); len(want) < len(findings) || !slices.Equal(have, want) {
		t.Errorf("want the %d copies that are found without the table, have %d", len(want), len(have))
	}
}
