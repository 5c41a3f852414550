package privacy_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/plugins/privacy/redact"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestMask(t *testing.T) {
	many := `"` + strings.Repeat("a@b.co ", redact.MaxFindings+1) + `"`
	if n := len(privacy.Find([]byte(many))); n != redact.MaxFindings+1 {
		t.Errorf("want all %d found, have %d", redact.MaxFindings+1, n)
	}
	if found := privacy.Find([]byte(`{"a":"x a@b.co`)); len(found) != 1 || found[0].Value != "a@b.co" {
		t.Errorf("want what is in the beginning of a record found, have %v", found)
	}
	for _, c := range []struct{ reason, in, want string }{
		{"more than is looked for", many, `null`},
		{"nothing in it", `{"a":1}`, `{"a":1}`},
		{"something in it", `{"a":"x a@b.co"}`, `{"a":"x <EMAIL_ADDRESS>"}`},
		{"what cannot be renamed", `{"properties":{"a@b.co":{}}}`, `null`},
		{"the beginning of a record", `{"a":"x a@b.co`, `null`},
		{"one that ends in a key", `{"a"`, `null`},
		{"no UTF-8", "{\"a\":\"\xff a@b.co\"}", `null`},
		{"nothing", ``, `null`},
	} {
		if have := string(privacy.Mask([]byte(c.in))); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}

// TestRejectsConceal holds that no reject leaves the record to the dead letter as it was.
func TestRejectsConceal(t *testing.T) {
	t.Setenv(backendMode, "exit")
	for _, c := range []struct{ reason, args, in, code, want string }{
		{"an entity that is to be rejected, and what else is in the record", `{"entities":{"US_SSN":"reject"}}`,
			`{"a":"ssn 078-05-1120","b":"x a@b.co"}`, "personal_data", `{"a":"ssn <US_SSN>","b":"x <EMAIL_ADDRESS>"}`},
		{"in JSON in a string", `{"action":"reject"}`,
			`{"a":"{\"to\":\"a@b.co\"}"}`, "personal_data", `{"a":"{\"to\":\"<EMAIL_ADDRESS>\"}"}`},
		{"a rule that only this step has", `{"rules":[{"name":"ticket","entity":"TICKET","pattern":"TCK-[0-9]{6}"}],"entities":{"TICKET":"reject"}}`,
			`{"a":"TCK-123456"}`, "personal_data", `{"a":"<TICKET>"}`},
		{"an entity that is switched off here", `{"entities":{"US_SSN":"reject","EMAIL_ADDRESS":"off"}}`,
			`{"a":"ssn 078-05-1120","b":"x a@b.co"}`, "personal_data", `{"a":"ssn <US_SSN>","b":"x <EMAIL_ADDRESS>"}`},
		{"a residue that cannot be masked", ``, `{"properties":{"a@b.co":{}}}`, "residue", `null`},
		{"more findings than memory is meant for", ``, `"` + strings.Repeat("a@b.co ", redact.MaxFindings+1) + `"`, "too_many_findings", `null`},
		{"what only the backend would know", fmt.Sprintf(`{"backend":{"command":[%q]}}`, os.Args[0]), `{"a":"Alice"}`, "backend", `null`},
	} {
		results, _ := sdktest.Run(t, privacy.Plugin, c.args, c.in)
		if r := results[0]; r.Code != c.code || r.Shown != c.want {
			t.Errorf("%s: want %s with %s, have %s with %s", c.reason, c.code, c.want, r.Code, r.Shown)
		}
	}
}
