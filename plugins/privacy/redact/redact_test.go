package redact

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestKeyClasses holds that every key makes of its value what its class says.
func TestKeyClasses(t *testing.T) {
	forms := map[rules.Class][2]string{ // a record with the key in it, and what comes out
		rules.PasswordKey:    {`{"%s":"hunter2"}`, `{"%s":"<PASSWORD>"}`},
		rules.SecretKey:      {`{"%s":"a8f5f167f44f4964e6c9"}`, `{"%s":"<SECRET>"}`},
		rules.PhoneKey:       {`{"%s":4155550199}`, `{"%s":"<PHONE_NUMBER>"}`},
		rules.CardKey:        {`{"%s":4012888888881881}`, `{"%s":"<CREDIT_CARD>"}`},
		rules.BirthKey:       {`{"%s":"1990-01-02"}`, `{"%s":"<DATE_OF_BIRTH>"}`},
		rules.HandleKey:      {`{"%s":"@alice_smith"}`, `{"%s":"<SOCIAL_HANDLE>"}`},
		rules.LatitudeKey:    {`{"%s":37.7,"lng":1}`, `{"%s":"<GEO_COORDINATES>","lng":"<GEO_COORDINATES>"}`},
		rules.LongitudeKey:   {`{"lat":1,"%s":137.7}`, `{"lat":"<GEO_COORDINATES>","%s":"<GEO_COORDINATES>"}`},
		rules.CoordinatesKey: {`{"%s":[37.77,-122.41]}`, `{"%s":["<GEO_COORDINATES>","<GEO_COORDINATES>"]}`},
		rules.SeedKey:        {`{"%s":"` + seedWords + `"}`, `{"%s":"<SEED_PHRASE>"}`},
		rules.SchemaKey:      {`{"%s":{"a@b.co":{}}}`, `{"%s":{"a@b.co":{}}}`},
	}
	f := &Filter{Engine: recognise.New(recognise.Options{Regions: []string{"US"}})}
	check := func(form [2]string, key string) {
		if in, want := fmt.Sprintf(form[0], key), fmt.Sprintf(form[1], key); edited(t, f, in) != want {
			t.Errorf("want %s, have %s", want, edited(t, f, in))
		}
	}
	keys := rules.Keys()
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		for class, form := range forms {
			if keys[key]&class != 0 {
				check(form, key)
			}
		}
	}
	for _, key := range []string{"ssn", "ssn_number", "socialSecurity", "social_security_number", "tax-id"} {
		check([2]string{`{"%s":780511209}`, `{"%s":"<US_SSN>"}`}, key)
		check([2]string{`{"%s":"912701234"}`, `{"%s":"<US_ITIN>"}`}, key)
	}
	for class, form := range forms {
		if in := fmt.Sprintf(form[0], "zebra"); class != rules.SchemaKey && edited(t, f, in) != in {
			t.Errorf("want %s as it is, have %s", in, edited(t, f, in))
		}
	}
}

// TestAllowedPaths holds each component of a path that the user allows to the one in the record.
func TestAllowedPaths(t *testing.T) {
	for _, c := range []struct {
		reason, pattern, path string
		want                  bool
	}{
		{"the path itself", "a.b", "a.b", true},
		{"what lies below", "a.b", "a.b.c.0", true},
		{"what lies above", "a.b", "a", false},
		{"another first component", "a.b", "x.b", false},
		{"another last one", "a.b", "a.x", false},
		{"any one", "a.*.c", "a.b.c", true},
		{"any element", "a.#.c", "a.7.c", true},
		{"any one is not two", "a.*.c", "a.b.b.c", false},
	} {
		if have := pathMatches(c.pattern, c.path); have != c.want {
			t.Errorf("%s: want %s to match %s %t, have %t", c.reason, c.pattern, c.path, c.want, have)
		}
	}
	f := &Filter{Engine: testEngine, Allowed: Allowed{Paths: []string{"meta.*.owner"}, Patterns: []*regexp.Regexp{regexp.MustCompile(`^x@.*$`)}}}
	in := `{"meta":{"k":{"owner":"a@b.co"}},"other":{"k":{"owner":"a@b.co"}},"z":["x@y.dev"]}`
	if want, have := strings.Replace(in, `"other":{"k":{"owner":"a@b.co"`, `"other":{"k":{"owner":"<EMAIL_ADDRESS>"`, 1), edited(t, f, in); have != want {
		t.Errorf("want %s, have %s", want, have)
	}
}

// TestPieces holds that a cut returns its place in the original, whatever was replaced before it.
func TestPieces(t *testing.T) {
	var p Pieces
	original := "0123456789"
	p.Reset(len(original))
	cut := func(reason string, start, end int, out string, from, to int) {
		t.Helper()
		if a, b := p.Cut(start, end, out); a != from || b != to {
			t.Errorf("%s: want %d to %d, have %d to %d", reason, from, to, a, b)
		}
	}
	cut("of the original", 2, 4, "<AB>", 2, 4)
	cut("behind one in the same pass", 6, 8, "<CD>", 6, 8)
	p.Turn() // 01<AB>45<CD>89
	cut("from before what was replaced into it", 1, 4, "x", 1, 4)
	cut("from within what was replaced to behind it", 10, 13, "y", 8, 9)
	p.Turn() // 0xB>45<Cy9
	text := Decode(original, 0)
	if have, want := string(Apply(original, p.Edits(nil, &text))), "0xB>45<Cy9"; have != want {
		t.Errorf("want %s, have %s", want, have)
	}
}

// TestJSONInStringsOfAnyDepth holds that no nesting can exhaust the stack, and that what is in it is found.
func TestJSONInStringsOfAnyDepth(t *testing.T) {
	f := &Filter{Engine: testEngine}
	const deep = 2_000_000
	for _, c := range []struct{ reason, text string }{
		{"arrays that end", strings.Repeat("[", deep) + `\"bob@example.com\"` + strings.Repeat("]", deep)},
		{"arrays that do not", strings.Repeat("[", deep) + " bob@example.com"},
		{"objects", strings.Repeat(`{\"a\":`, deep/8) + " bob@example.com"},
		{"as deep as records", strings.Repeat("[", jsontext.EmbeddedDepth) + `\"bob@example.com\"` + strings.Repeat("]", jsontext.EmbeddedDepth)},
	} {
		in := `{"b":"` + c.text + `"}`
		if want, have := strings.Replace(in, "bob@example.com", "<EMAIL_ADDRESS>", 1), edited(t, f, in); have != want {
			t.Errorf("%s: want the address taken out, have %d bytes of %d", c.reason, len(have), len(want))
		}
	}
}

// TestLongKeysInPaths holds that a path does not repeat a key of any size in every row below it.
func TestLongKeysInPaths(t *testing.T) {
	found, _ := (&Filter{Engine: testEngine}).Find(`{"`+strings.Repeat("k", maxShown+1)+`":{"`+strings.Repeat("k", maxShown)+`":"a@b.co"}}`, nil)
	if have, want := string(found.Findings[0].Path.Append(nil, nil)), "<key>."+strings.Repeat("k", maxShown); have != want {
		t.Errorf("want %s, have %s", want, have)
	}
}

// TestHints holds that hints count where no rule finds more, and do not count in keys.
func TestHints(t *testing.T) {
	f := &Filter{Engine: testEngine}
	hints := map[string][]recognise.Hint{"Alice a@b.co": {{Start: 0, End: 5, Entity: "PERSON"}, {Start: 4, End: 12, Entity: "PERSON"}}}
	for range 2 { // a key that is remembered is no other
		found, err := f.Find(`{"Alice a@b.co":"Alice a@b.co","Alice":"Alice"}`, hints)
		if err != nil {
			t.Fatal(err)
		}
		have := string(Apply(`{"Alice a@b.co":"Alice a@b.co","Alice":"Alice"}`, found.Edits))
		if want := `{"Alice <EMAIL_ADDRESS>":"<PERSON> <EMAIL_ADDRESS>","Alice":"Alice"}`; have != want {
			t.Errorf("want %s, have %s", want, have)
		}
	}
}

// TestNamesInSchemas holds that no key below a JSON Schema is renamed, however deep, and that one is never settled.
func TestNamesInSchemas(t *testing.T) {
	f := &Filter{Engine: testEngine}
	for _, in := range []string{`{"properties":{"a@b.co":{}}}`, `{"parameters":{"x":[{"items":{"a@b.co":1}}]}}`} {
		found, _ := f.Find(in, nil)
		if len(found.Findings) != 1 || len(found.Edits) != 0 || found.Settled {
			t.Errorf("%s: want it found, left, and not settled, have %d edits, settled %t", in, len(found.Edits), found.Settled)
		}
	}
}

// TestRenamedKeysAreLookedAtAgain holds that a record is not settled when a key has a new name, which may say what its
// value is.
func TestRenamedKeysAreLookedAtAgain(t *testing.T) {
	e := recognise.New(recognise.Options{})
	e.AddRule(rules.Rule{Name: "own", Entity: "OWN", Pattern: "[0-9]{9}", Key: []string{"email_address"}})
	f := &Filter{Engine: e}
	in := `{"a@b.co":"123456782"}`
	found, _ := f.Find(in, nil)
	if out := string(Apply(in, found.Edits)); found.Settled || out != `{"<EMAIL_ADDRESS>":"123456782"}` {
		t.Errorf("want a new name that is looked at again, have %s, settled %t", out, found.Settled)
	}
}

// TestBirthsInParts holds dates of birth in objects, and that an example in a JSON Schema is none.
func TestBirthsInParts(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"numbers", `{"dob":{"year":1987,"month":3,"day":12},"x":{"year":1987}}`, `{"dob":{"year":"<DATE_OF_BIRTH>","month":"<DATE_OF_BIRTH>","day":"<DATE_OF_BIRTH>"},"x":{"year":1987}}`},
		{"a month's name", `{"birthDate":{"month":"March","day":"12"}}`, `{"birthDate":{"month":"<DATE_OF_BIRTH>","day":"<DATE_OF_BIRTH>"}}`},
		{"the whole", `{"birth":{"date":"1987-03-12","place":"Bonn"}}`, `{"birth":{"date":"<DATE_OF_BIRTH>","place":"Bonn"}}`},
		{"seconds", `{"fecha_nacimiento":-542505600,"born":15}`, `{"fecha_nacimiento":"<DATE_OF_BIRTH>","born":15}`},
		{"an example in a schema", `{"properties":{"p":{"example":{"dob":"1990-01-01"}}}}`, `{"properties":{"p":{"example":{"dob":"1990-01-01"}}}}`},
		{"examples in a record", `{"examples":[{"dob":"1990-01-01"}]}`, `{"examples":[{"dob":"<DATE_OF_BIRTH>"}]}`},
	} {
		f := &Filter{Engine: testEngine}
		if have := edited(t, f, c.in); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}
