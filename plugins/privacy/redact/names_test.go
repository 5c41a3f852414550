package redact

import (
	"encoding/json"
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
