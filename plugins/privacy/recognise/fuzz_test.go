package recognise

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// plain calls every recogniser at every place of its anchor, by looking for it there.
func (e *Engine) plain(s *Scan) {
	small := smallASCII(s.s)
	for at := range len(s.s) {
		for number, a := range e.index.Anchors() {
			text := s.s
			if a.Fold {
				text = small
			}
			if strings.HasPrefix(text[at:], a.Text) {
				e.handlers[number].try(s, at)
			}
		}
	}
	for at := range len(s.s) {
		e.byteAt(s, at)
	}
	e.wholes(s)
}

// smallASCII returns a text with its capitals of ASCII in small letters.
func smallASCII(text string) string {
	small := []byte(text)
	for i, c := range small {
		if ascii.IsUpper(c) {
			small[i] |= 0x20
		}
	}
	return string(small)
}

var fuzzEngine = func() *Engine {
	e := New(Options{Regions: []string{"US", "GB", "DE"}})
	e.AddNames([]string{"Li", "Maria Lopez", "Jörg"})
	return e
}()

// TestIndexFindsWhatPlainRulesFind holds the index to what the rules alone find.
func TestIndexFindsWhatPlainRulesFind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		checkIndex(t, randomText(r, 1+r.IntN(8)))
	}
}

func FuzzIndex(f *testing.F) {
	for _, p := range fragments {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, text string) { checkIndex(t, strings.ToValidUTF8(text, "\uFFFD")) })
}

func checkIndex(t *testing.T, text string) {
	t.Helper()
	plain := Scan{Engine: fuzzEngine}
	plain.begin(text, 0)
	fuzzEngine.plain(&plain)
	plain.choose()
	plain.keepParts()
	var want []string
	for _, m := range plain.kept {
		want = append(want, fmt.Sprintf("%d-%d %s", m.start, m.end, m.label.Rule))
	}
	s, have := NewScan(fuzzEngine), []string(nil)
	s.asItIs(text, 0, nil)
	for _, m := range s.kept {
		have = append(have, fmt.Sprintf("%d-%d %s", m.start, m.end, m.label.Rule))
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Fatalf("%q (-plain +index):\n%s", text, diff)
	}
	have = spans(s.Find(text, 0, nil))
	if len(have) > 0 && !fuzzEngine.mayHold(text, 0, len(text)) {
		t.Fatalf("%q: want it looked at, have it passed by with %v in it", text, have)
	}
	if doc := `{"a":"` + text + `","b":["`; len(have) > 0 && !fuzzEngine.mayHold(doc, 6, 6+len(text)) {
		t.Fatalf("%q: want it looked at within a record, have it passed by with %v in it", text, have)
	}
}

// TestClassesAreLookedAt holds that what a key makes of the digits in its value is looked at, also where underscores join them.
func TestClassesAreLookedAt(t *testing.T) {
	classes := slices.Sorted(maps.Values(fuzzEngine.keys))
	r, found, seen := rand.New(rand.NewPCG(3, 4)), 0, NewScan(fuzzEngine)
	for range 100_000 {
		text := fragments[r.IntN(len(fragments))]
		if r.IntN(2) == 0 {
			text = strings.NewReplacer(" ", "_", "-", "_", ".", "_", ":", "_", "/", "_").Replace(text)
		}
		for range r.IntN(3) {
			text += []string{"_", "__", "-", " "}[r.IntN(4)] + strconv.Itoa(r.IntN(100_000))
		}
		class := classes[r.IntN(len(classes))]
		have := spans(seen.Find(text, class, nil))
		if found += min(len(have), 1); len(have) > 0 && !Keyed(class) && !fuzzEngine.mayHold(text, 0, len(text)) {
			t.Fatalf("%q under a key of class %b: want it looked at, have it passed by with %v in it", text, class, have)
		}
	}
	if found < 1000 {
		t.Errorf("want many texts with a value, have %d", found)
	}
}

func spans(matches []Match) (all []string) {
	for _, m := range matches {
		all = append(all, fmt.Sprintf("%d-%d %s", m.Start, m.End, m.Rule))
	}
	return all
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
		b.WriteString([]string{"", " ", ", ", "\n", "-", ".", ":", "\"", "é", "_", "__"}[r.IntN(11)])
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
	"４１５", "ｐａｓｓ", "٤١٥", "－", "→", " — ", "pw", "login", "mdp", "\" + \"", "\\\n", "+", "&a=",
	"seed phrase: ", "abandon ability able about above absent absorb abstract absurd abuse access accident", "MNEMONIC=\"", "fromMnemonic('",
	"1. abandon\n2. ability\n3. able", "lat: 48.137154\n", "  lng: 11.576124", "HOME_LON=11.576124", "<lat>48.137154</lat>", "version 14 at ", "build@",
	"opencv-python", "==4.9.0.80", "OpenAI key is ", "/bot", "PASS: ", "tests/case-2", "this@Main.finish(", "q@k.mean()"}

// mayHold reports whether the first look at a text takes a part of it for one that may hold a finding.
func (e *Engine) mayHold(text string, start, end int) bool {
	return mapOf(e, text).MayHold(start, end)
}

func mapOf(e *Engine, text string) *Map {
	var m Map
	m.Read(e, text)
	return &m
}

// foundIn returns what is found in a text.
func foundIn(s *Scan, text string) (all []string) {
	for _, m := range s.Find(text, 0, nil) {
		all = append(all, text[m.Start:m.End])
	}
	return all
}
