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
