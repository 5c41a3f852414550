package privacy

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

// plain calls every recogniser at every place of its anchor, by looking for it there.
func (e *engine) plain(s *scan) {
	var anchors []*anchor
	for _, bucket := range e.buckets {
		for _, p := range bucket.anchors {
			if !slices.Contains(anchors, p.anchor) {
				anchors = append(anchors, p.anchor)
			}
		}
	}
	for at := range len(s.s) {
		for _, a := range anchors {
			if a.stands(s.s, at) {
				a.try(s, at)
			}
		}
	}
	for at := range len(s.s) {
		e.byteAt(s, at)
	}
	e.wholes(s)
}

var fuzzEngine = func() *engine {
	e := newEngine(options{regions: defaultRegions, addresses: false})
	e.addNames([]string{"Li", "Maria Lopez", "Jörg"})
	return e
}()

// TestFastPathFindsWhatPlainRulesFind holds the index and the first look at a string to what the rules alone find.
func TestFastPathFindsWhatPlainRulesFind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		checkFastPath(t, randomText(r, 1+r.IntN(8)))
	}
}

func FuzzFastPath(f *testing.F) {
	for _, p := range fragments {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, text string) { checkFastPath(t, strings.ToValidUTF8(text, "�")) })
}

func checkFastPath(t *testing.T, text string) {
	t.Helper()
	fast, plain := scan{engine: fuzzEngine, s: text}, scan{engine: fuzzEngine, s: text}
	fuzzEngine.run(&fast)
	fuzzEngine.plain(&plain)
	want, have := spans(plain.choose()), spans(fast.choose())
	if diff := cmp.Diff(want, have); diff != "" {
		t.Fatalf("%q (-plain +fast):\n%s", text, diff)
	}
	for _, doc := range spellings(text) {
		lazy := &standard{engine: fuzzEngine, actions: actions{hasher: newHasher(nil)}}
		eager := &standard{engine: fuzzEngine, actions: actions{hasher: newHasher(nil)}, eager: true}
		out := apply(nil, doc, edits(t, eager, doc))
		if have := apply(nil, doc, edits(t, lazy, doc)); string(have) != string(out) {
			t.Fatalf("%s: want %s, have %s", doc, out, have)
		}
		if !gjson.ValidBytes(out) {
			t.Fatalf("%s: want JSON, have %s", doc, out)
		}
		if isEmbedded(gjson.Get(doc, "text").Str) && !isEmbedded(gjson.GetBytes(out, "text").Str) {
			t.Fatalf("%s: want JSON in the string still, have %s", doc, out)
		}
		if again := edits(t, lazy, string(out)); len(again) > 0 {
			t.Fatalf("%s: want nothing left, have %v in %s", doc, again, out)
		}
	}
}

// edits gives what a filter changes in a text, and holds it to its word that nothing is left.
func edits(t *testing.T, f *standard, doc string) []edit {
	t.Helper()
	found, err := f.residue(doc)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.findings) > 0 && found.settled {
		out := string(apply(nil, doc, found.edits))
		if left, _ := f.residue(out); len(left.findings) > 0 {
			t.Fatalf("%s: want it settled, have %s left in %s", doc, left.findings[0].rule.name, out)
		}
	}
	return found.edits
}

func spans(matches []match) (all []string) {
	for _, m := range matches {
		all = append(all, fmt.Sprintf("%d-%d %s", m.start, m.end, m.rule.name))
	}
	return all
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
		`{"text":` + string(embedded) + `,` + string(plain) + `:[1]}`,
		string(plain),
	}
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		switch r.IntN(5) {
		case 0:
			b.WriteString(secretRules()[r.IntN(len(secretRules()))].example)
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
	"seed phrase: ", "abandon ability able about above absent absorb abstract absurd abuse access accident"}
