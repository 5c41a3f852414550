package redact

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// TestNamesAsKeys holds that every word for a secret does the same as a key, as a key of JSON in a string, which must not be
// passed by, and in text.
func TestNamesAsKeys(t *testing.T) {
	f := &Filter{Engine: testEngine}
	names := rules.Names()
	for _, name := range slices.Concat(names.Password, names.Secret, []string{"loki_key", "lokiKey", "HEROKU_KEY", "user_auth", "creds"}) {
		value := "q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN"
		inner, _ := json.Marshal(`{"` + name + `":"` + value + `"}`)
		text, _ := json.Marshal(name + ` = "` + value + `"`)
		for _, in := range []string{`{"` + name + `":"` + value + `"}`, `{"a":` + string(inner) + `}`, `{"a":` + string(text) + `}`} {
			if have := edited(t, f, in); strings.Contains(have, value) {
				t.Errorf("%s: want it taken out of %s, have %s", name, in, have)
			}
		}
	}
}

// TestTypedIntoForms holds that what a call types into a field for a password goes, whichever member comes first.
func TestTypedIntoForms(t *testing.T) {
	f := &Filter{Engine: testEngine}
	const value = "Tr0ub4dor&3"
	for _, c := range []struct {
		reason, doc string
		gone        bool
	}{
		{"a selector", `{"action":"type","selector":"#password","text":"` + value + `"}`, true},
		{"the value first", `{"text":"` + value + `","action":"type","selector":"input[name=pwd]"}`, true},
		{"a value", `{"name":"fill","arguments":{"element":"Password field","value":"` + value + `"}}`, true},
		{"a label", `{"element":"Password textbox","ref":"e12","text":"` + value + `","submit":true}`, true},
		{"a list of fields", `{"fields":[{"name":"Password","type":"textbox","ref":"e1","value":"` + value + `"}]}`, true},
		{"JSON in a string", `{"a":"{\"selector\":\"#password\",\"text\":\"` + value + `\"}"}`, true},
		{"JSON in a string, the value first", `{"a":"{\"text\":\"` + value + `\",\"selector\":\"#password\"}"}`, true},
		{"a field for something else", `{"action":"type","selector":"#search","text":"` + value + `"}`, false},
		{"a word", `{"action":"type","selector":"#password","text":"password"}`, false},
		{"a part of a form with more words", `{"selector":"#password-hint","text":"` + value + `"}`, false},
	} {
		if have := edited(t, f, c.doc); c.gone == strings.Contains(have, value) && c.gone || c.gone == (have == c.doc) {
			t.Errorf("%s: want gone %t out of %s, have %s", c.reason, c.gone, c.doc, have)
		}
	}
}

// TestPairsOfMembers holds that a value which another member of its object names is found wherever that stands, and that no other is
// searched as if it were named.
func TestPairsOfMembers(t *testing.T) {
	r, found, passed := rand.New(rand.NewPCG(5, 6)), 0, 0
	keys := []string{"api_keys", "prod", "card", "number", "mnemonic", "type", "value", "val", "name", "key", "label", "selector", "kind", "text", "kty", "output", "q", "password", "phones"}
	values := []string{`"text"`, `"password"`, `"api_key"`, `4242424242424242`, `"sunshine!day"`, `"legal winner thank year wave sausage worth useful legal winner thank yellow"`, `"hunter2Abc"`, `"q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN"`, `"#password"`, `"oct"`, `7`, `[]`, `"dateOfBirth"`, `"12 May 1970"`, `"hunter2Abc, or 4155552671"`, `"\"hunter2Abc\""`,
		`"{\"value\":\"hunter2Abc\"}"`, `"[\"4155552671\"]"`}
	var object func(depth int) string
	object = func(depth int) string {
		blank := func() string { return strings.Repeat(" ", r.IntN(4)/3) }
		members := make([]string, r.IntN(4))
		for i := range members {
			value := values[r.IntN(len(values))]
			if depth > 0 && r.IntN(3) == 0 {
				value = object(depth - 1)
			}
			members[i] = blank() + `"` + keys[r.IntN(len(keys))] + `"` + blank() + ":" + blank() + value + blank()
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	objects := 5_000
	if *long {
		objects = 20_000
	}
	for range objects {
		doc := object(2)
		want := edited(t, &Filter{Engine: testEngine, Eager: true}, doc)
		f := &Filter{Engine: testEngine}
		if have := edited(t, f, doc); have != want {
			t.Fatalf("%s: want %s, have %s", doc, want, have)
		}
		if want != doc {
			found++
		} else if strings.Contains(doc, `"value"`) && f.skim(f.read(doc, 0), 0) == len(doc) {
			passed++
		}
	}
	if found < 100 || passed < objects/40 {
		t.Errorf("want values found in many objects and many passed over, have %d and %d", found, passed)
	}
	f := &Filter{Engine: testEngine}
	for _, doc := range []string{`{"type":"text","value":"hunter2Abc"}`, `[{"a":1,"output": {"value": "hunter2Abc"}}]`, "{\n\"kind\": \"text\",\n\"value\" : \"hunter2Abc\"\n}"} {
		if have := edited(t, f, doc); have != doc {
			t.Errorf("%s: want it as it is, have %s", doc, have)
		}
		if at := f.skim(f.read(doc, 0), 0); at != len(doc) {
			t.Errorf("%s: want it passed over, have a look at %d", doc, at)
		}
	}
}

// TestMarkersName holds that a marker names the value beside it, as the name would that it looks like, and that a filter which puts one there
// does not say that nothing is left.
func TestMarkersName(t *testing.T) {
	f := &Filter{Engine: testEngine}
	if have := edited(t, f, `{"name":"<PASSWORD>","val":"q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN"}`); have != `{"name":"<PASSWORD>","val":"<PASSWORD>"}` {
		t.Errorf("want the value taken out, have %s", have)
	}
	const doc = `{"value":"hunter2Abc","label":"password","q":{"name":"hunter2Abc","val":"q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN"}}`
	found, err := f.Find(doc, nil)
	if err != nil {
		t.Fatal(err)
	}
	out := string(Apply(doc, found.Edits))
	left, err := f.Find(out, nil)
	if err != nil {
		t.Fatal(err)
	}
	if found.Settled || len(left.Findings) == 0 {
		t.Errorf("want more found in %s than settles it, have %d findings, settled %t", out, len(left.Findings), found.Settled)
	}
}

const seedWords = "legal winner thank year wave sausage worth useful legal winner thank yellow"

// TestKeyed holds what is found of a value whose key says what it is, with words and signs around it, in an object or in JSON of its own.
func TestKeyed(t *testing.T) {
	for _, c := range []struct{ reason, doc, want string }{
		{"words behind a password", `{"password": "hunter2X9!k and 12 more"}`, `{"password": "<PASSWORD> and 12 more"}`},
		{"brackets", `{"password": "(hunter2X9!k)"}`, `{"password": "(<PASSWORD>)"}`},
		{"a string of its own", `{"password": "\"hunter2X9!k\""}`, `{"password": "\"<PASSWORD>\""}`},
		{"a line behind a key", `{"api_key": "Zk39dkXq0fLmPp27\nnext"}`, `{"api_key": "<SECRET>\nnext"}`},
		{"a list of keys", `{"api_key": "Zk39dkXq0fLmPp27,34"}`, `{"api_key": "<SECRET>,34"}`},
		{"an object, as outputs of Terraform have", `{"db_password": {"sensitive": true, "type": "string", "value": "hunter2X9!k"}}`,
			`{"db_password": {"sensitive": true, "type": "string", "value": "<PASSWORD>"}}`},
		{"an object in JSON of its own", `{"ssn": "{\"value\": \"219099999\"}"}`, `{"ssn": "{\"value\": \"<US_SSN>\"}"}`},
		{"objects in a list", `{"phones": [{"type": "home", "value": "4155552671"}]}`, `{"phones": [{"type": "home", "value": "<PHONE_NUMBER>"}]}`},
		{"telephone numbers in a list", `{"phone": "4155552671, 4155552672"}`, `{"phone": "<PHONE_NUMBER>, <PHONE_NUMBER>"}`},
		{"secrets by their names", `{"api_keys": {"prod": "7kvmlP7HVDctQUy1xvCkgafrfwA94hJ9Wnyw"}}`, `{"api_keys": {"prod": "<SECRET>"}}`},
		{"passwords of users", `{"passwords": {"bob": "hunter2!xQ9", "amy": "tr4pd00r!Z"}}`, `{"passwords": {"bob": "<PASSWORD>", "amy": "<PASSWORD>"}}`},
		{"a secret's part", `{"secret": {"key": "Zx9u8jzPde0IgxLd6GncfBA"}}`, `{"secret": {"key": "<SECRET>"}}`},
		{"secrets in JSON of its own", `{"tokens": "{\"prod\": \"Zx9u8jzPde0IgxLd6GncfBA\"}"}`, `{"tokens": "{\"prod\": \"<SECRET>\"}"}`},
		{"words of a wallet in an object", `{"mnemonic": {"phrase": "` + seedWords + `"}}`, `{"mnemonic": {"phrase": "<SEED_PHRASE>"}}`},
		{"a card's number", `{"card": {"number": 4242424242424242}}`, `{"card": {"number": "<CREDIT_CARD>"}}`},
		{"a telephone's number", `{"phones": [{"type": "home", "number": "4155552671"}]}`, `{"phones": [{"type": "home", "number": "<PHONE_NUMBER>"}]}`},
		{"counts of tokens", `{"tokens": {"prompt": 12, "completion": 34}}`, `{"tokens": {"prompt": 12, "completion": 34}}`},
		{"a token's kind and end", `{"token": {"type": "bearer", "expires": "2026-01-01T00:00:00Z"}}`, `{"token": {"type": "bearer", "expires": "2026-01-01T00:00:00Z"}}`},
		{"what a password has to be", `{"password": {"type": "string", "pattern": "^[A-Za-z0-9!@#$]{8,32}$", "description": "The user's password"}}`,
			`{"password": {"type": "string", "pattern": "^[A-Za-z0-9!@#$]{8,32}$", "description": "The user's password"}}`},
		{"a secret's name and digest", `{"secret": {"name": "db", "sha256": "3fa9c07e1b5d82f46ae3fa9c07e1b5d8"}}`, `{"secret": {"name": "db", "sha256": "3fa9c07e1b5d82f46ae3fa9c07e1b5d8"}}`},
		{"a package whose name is one", `{"node_modules/js-tokens": {"integrity": "sha512-RdJUflcE3cUzKiMqQgsCu06FPu9UdIJO0beYbPhHN4k6apgJtifcoCtT"}}`,
			`{"node_modules/js-tokens": {"integrity": "sha512-RdJUflcE3cUzKiMqQgsCu06FPu9UdIJO0beYbPhHN4k6apgJtifcoCtT"}}`},
		{"a token of a currency", `{"token": {"symbol": "ABC2", "at": "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984"}}`,
			`{"token": {"symbol": "ABC2", "at": "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984"}}`},
		{"the number of another thing", `{"issue": {"number": 4242424242424242}}`, `{"issue": {"number": 4242424242424242}}`},
		{"coordinates of several things", `{"pickup_latitude": 48.137154, "pickup_longitude": 11.576124}`,
			`{"pickup_latitude": "<GEO_COORDINATES>", "pickup_longitude": "<GEO_COORDINATES>"}`},
		{"cookies of a browser", `{"cookies": [{"name": "JSESSIONID", "value": "A1B2C3D4E5F60718293A4B5C6D7E8F90"}, {"name": "lang", "value": "en-US"}]}`,
			`{"cookies": [{"name": "JSESSIONID", "value": "<SECRET>"}, {"name": "lang", "value": "en-US"}]}`},
		{"cookies by their names", `{"cookies": {"theme": "dark", "sessionid": "h3k9x2m7q4w8z1c5v6b0"}}`, `{"cookies": {"theme": "dark", "sessionid": "<SECRET>"}}`},
		{"coordinates with a plus", `{"lat": "+1.5123", "lng": "2.7123"}`, `{"lat": "<GEO_COORDINATES>", "lng": "<GEO_COORDINATES>"}`},
		{"a place in strings", `{"Current_Location": ["45.5", " -120.5 "]}`, `{"Current_Location": ["<GEO_COORDINATES>", "<GEO_COORDINATES>"]}`},
		{"a point of a drawing", `{"position": [0.5, 0.5], "center": ["512.5", "300.5"]}`, `{"position": [0.5, 0.5], "center": ["512.5", "300.5"]}`},
		{"rows of a table", `{"location": ["A-12", "1.5"], "coords": ["1", "2"]}`, `{"location": ["A-12", "1.5"], "coords": ["1", "2"]}`},
		{"latencies", `{"avg_lat": 48.1, "max_lat": 50.1}`, `{"avg_lat": 48.1, "max_lat": 50.1}`},
		{"the words of a wallet", `{"seedPhrase": "` + seedWords + `"}`, `{"seedPhrase": "<SEED_PHRASE>"}`},
		{"the words of a wallet, each alone", `{"mnemonic": ["` + strings.Join(strings.Fields(seedWords), `","`) + `"]}`,
			`{"mnemonic": ["` + strings.Repeat(`<SEED_PHRASE>","`, 11) + `<SEED_PHRASE>"]}`},
		{"other words", `{"mnemonic": ["mov", "add"]}`, `{"mnemonic": ["mov", "add"]}`},
		{"a word more than a wallet has", `{"seed_phrase": ["` + strings.Join(strings.Fields(seedWords), `","`) + `","extra"]}`,
			`{"seed_phrase": ["` + strings.Join(strings.Fields(seedWords), `","`) + `","extra"]}`},
		{"a seed of another kind", `{"seed": "` + seedWords + `", "mnemonic": 42}`, `{"seed": "` + seedWords + `", "mnemonic": 42}`},
		{"a sentence", `{"password": "Enter a password with at least 8 characters"}`, `{"password": "Enter a password with at least 8 characters"}`},
		{"the description of a key", `{"api_key": "Your API key (32 characters)"}`, `{"api_key": "Your API key (32 characters)"}`},
		{"a schema", `{"inputSchema": {"type": "object", "properties": {"password": {"type": "string", "value": "hunter2X9!k"}}}}`,
			`{"inputSchema": {"type": "object", "properties": {"password": {"type": "string", "value": "hunter2X9!k"}}}}`},
	} {
		for _, eager := range []bool{false, true} {
			if have := edited(t, &Filter{Engine: testEngine, Eager: eager}, c.doc); have != c.want {
				t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
			}
		}
	}
}
