package privacy_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// canaries are values by entity, with the words that some need before them.
var canaries = []struct{ entity, before, value string }{
	{"API_KEY", "", "sk-proj-Zx81mQ0vLk3Jh7Gf5Dd2Sa9Po4Iu6Yt"},
	{"ACCESS_TOKEN", "", "ghp_Zx81mQ0vLk3Jh7Gf5Dd2Sa9Po4Iu6YtQw1E"},
	{"AUTH_HEADER", "Bearer ", "Zx81mQ0vLk3Jh7Gf5Dd2Sa"},
	{"JWT", "", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.Zx81mQ0vLk3Jh7Gf5Dd2Sa9Po4"},
	{"PRIVATE_KEY", "", "-----BEGIN PRIVATE KEY-----\nZx81mQ0vLk3Jh7Gf5Dd2Sa9Po4Iu6Yt\n-----END PRIVATE KEY-----"},
	{"URL_CREDENTIALS", "https://", "canary:Zx81mQ0vLk@"},
	{"WEBHOOK_URL", "", "https://hooks.slack.com/services/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"},
	{"PASSWORD", "password: ", "Zx81mQ0v!"},
	{"SECRET", "client_secret = ", "Zx81mQ0vLk3Jh7Gf5Dd2Sa9Po4"},
	{"EMAIL_ADDRESS", "", "canary.bird@example.net"},
	{"PHONE_NUMBER", "", "+14155550173"},
	{"CREDIT_CARD", "", "4012888888881881"},
	{"IBAN_CODE", "", "DE75512108001245126199"},
	{"CRYPTO", "", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT"},
	{"US_SSN", "", "219-09-9999"},
	{"IP_ADDRESS", "", "93.184.216.34"},
	{"MAC_ADDRESS", "", "3c:22:fb:9a:41:0e"},
	{"GEO_COORDINATES", "", "48.85837, 2.29448"},
	{"DATE_OF_BIRTH", "born ", "1987-06-05"},
	{"SOCIAL_HANDLE", "follow ", "@canary_bird"},
	{"PERSON", "", "Canary Birdsong"},
	{"STREET_ADDRESS", "", "4711 Canary Street, Springfield, IL 62704"},
}

// positions are the places of a text in a record.
var positions = map[string]func(text string) any{
	"value":       func(s string) any { return map[string]any{"a": "see " + s + " now"} },
	"whole value": func(s string) any { return s },
	"element":     func(s string) any { return map[string]any{"a": []any{1, s}} },
	"nested JSON": func(s string) any { return map[string]any{"a": text(map[string]any{"b": []any{s}})} },
	"doubly":      func(s string) any { return map[string]any{"a": text(map[string]any{"b": text([]any{s})})} },
	"arguments": func(s string) any {
		return map[string]any{"function": map[string]any{"arguments": text(map[string]any{"q": s})}}
	},
	"description": func(s string) any {
		return map[string]any{"parameters": map[string]any{"properties": map[string]any{"p": map[string]any{"description": s, "enum": []any{s}}}}}
	},
	"broken JSON": func(s string) any { return map[string]any{"a": `{"b": "` + s + `", "c`} },
	"key":         func(s string) any { return map[string]any{s: 1} },
	"nested key": func(s string) any {
		return map[string]any{"a": text(map[string]any{s: map[string]any{"x": "mail " + s}})}
	},
	"schema's key": func(s string) any {
		return map[string]any{"properties": map[string]any{s: map[string]any{"type": "string"}}}
	},
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// TestCanaries plants a value of every entity in every place and searches all that the step writes for it.
func TestCanaries(t *testing.T) {
	names := filepath.Join(t.TempDir(), "names")
	if err := os.WriteFile(names, []byte("Canary Birdsong\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, action := range []string{"mask", "pseudonym", "hash", "reject"} {
		args := fmt.Sprintf(`{"action": %q, "hash_key": "0123456789abcdef", "names_file": %q, "entities": {"STREET_ADDRESS": %q}}`, action, names, action)
		var records []string
		var planted []plant
		for _, c := range canaries {
			for _, position := range slices.Sorted(maps.Keys(positions)) {
				if strings.Contains(position, "key") && c.before != "" {
					continue // what only its words tell is not looked for inside a key
				}
				after := map[bool]string{true: "host.example"}[c.entity == "URL_CREDENTIALS"]
				records = append(records, text(positions[position](c.before+c.value+after)))
				planted = append(planted, plant{c.entity, position, c.value})
			}
		}
		results, counts := sdktest.Run(t, privacy.Plugin, args, records...)
		for i, r := range results {
			p := planted[i]
			given := strings.Join(append(append(r.Emitted, r.Sides["ledger"]...), r.Message, r.Path, fmt.Sprint(counts)), "\n")
			for _, spelling := range []string{p.value, strings.Trim(text(p.value), `"`), strings.Trim(text(text(p.value)), `\"`)} {
				if strings.Contains(given, spelling) {
					t.Errorf("%s, %s in %s: want it gone, have it in %s", action, p.entity, p.position, given)
				}
			}
			if want := action == "reject" || p.position == "schema's key"; (r.Verdict == "reject") != want {
				t.Errorf("%s, %s in %s: want rejected %t, have %s %s", action, p.entity, p.position, want, r.Verdict, r.Message)
			}
		}
	}
}

// A plant is a value in a place.
type plant struct{ entity, position, value string }
