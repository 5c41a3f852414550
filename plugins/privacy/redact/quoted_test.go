package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// members are values of most kinds with a key for each, as they stand in JSON.
var members = []struct{ key, value string }{
	{"card", `4111111111111111`}, {"card", `"4111 1111 1111 1111"`}, {"phone", `4155550199`}, {"phone", `"+1 415 555 0199"`}, {"ssn", `219099998`},
	{"ssn", `"219-09-9998"`}, {"latitude", `48.137154`}, {"email", `"alice@example.com"`}, {"iban", `"DE89370400440532013000"`},
	{"password", `"hunter2!Xy7"`}, {"api_key", `"q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN"`}, {"token", `"ghp_q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN1234"`},
	{"url", `"https://bob:pw12345@host.example/x"`}, {"ip", `"203.0.113.9"`}, {"mac", `"3c:22:fb:01:9a:7e"`}, {"birthday", `"1990-01-02"`},
	{"nhs", `9434765919`}, {"passport", `"A12803456"`}, {"Authorization", `"Bearer q7Rk2ZpX9mWc4TbY8nVf3LsH"`}, {"header", `"Authorization: Basic dXNlcjpwYXNzd29yZDEyMw=="`},
	{"note", `"wallet 0x52908400098527886E0F7030069857D2E4169EE7"`}, {"key", `"-----BEGIN PRIVATE KEY-----\nq7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN\n-----END PRIVATE KEY-----\n"`},
	{"cookie", `"sid=q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN; Path=/"`}, {"seed_phrase", `"abandon ability able about above absent absorb abstract absurd abuse access accident"`},
	{"handle", `"thanks @alice_smith"`}, {"cpf", `"529.982.247-25"`}, {"cpf", `52998224725`}, {"location", `[48.137154, 11.576124]`}, {"card", `[4111111111111111, 4012888888881881]`},
	{"dsn", `"postgres://u:q7Rk2ZpX@db.example:5432/x"`}, {"cmd", `"curl -u alice:pw12345 https://h.example"`}, {"env", `"DB_PASSWORD=q7Rk2ZpX9m\nX=1\n"`},
}

// wrappings are texts with JSON in them. Each is the text around it, and how often it is escaped.
var wrappings = []struct {
	reason, before, behind string
	escaped                int
}{
	{"JSON in a string", "", "", 0},
	{"JSON in a string, escaped once more", "", "", 1},
	{"behind a word", "result: ", "", 0},
	{"in prose", "It said ", ", so I went on.", 0},
	{"in a block of code", "Here:\n```json\n", "\n```\nDone.", 0},
	{"in a line of a log", `2026-01-02T03:04:05Z INFO call args=`, ` took=3ms`, 0},
	{"escaped, behind a word", "result: ", "", 1},
	{"escaped twice, behind a word", "result: ", "", 2},
	{"in a string of code", `x = json.loads("`, `")`, 1},
	{"in a literal of Python", `{'result': '`, `'}`, 0},
	{"in an event of a stream", "event: m\ndata: ", "\n\n", 0},
	{"in an element of HTML", "<pre>", "</pre>", 0},
}

// TestJSONInTextStaysJSON holds that JSON within a text can be read after the filter, and that its values are gone.
func TestJSONInTextStaysJSON(t *testing.T) {
	f := &Filter{Engine: testEngine}
	for _, m := range members {
		inner := `{"n":1,"` + m.key + `":` + m.value + `,"last":[true]}`
		if m.key == "latitude" {
			inner = `{"n":1,"latitude":48.137154,"longitude":-11.576124}`
		}
		indented, _ := json.MarshalIndent(json.RawMessage(inner), "", "  ")
		for _, inner := range []string{inner, string(indented)} {
			for _, w := range wrappings {
				text := inner
				for range w.escaped {
					text = string(jsontext.AppendBody(nil, text))
				}
				doc := `{"messages":[{"content":` + string(jsontext.Quote(w.before+text+w.behind)) + `}]}`
				out := edited(t, f, doc)
				have, ok := strings.CutPrefix(gjson.Get(out, "messages.0.content").String(), w.before)
				have, ends := strings.CutSuffix(have, w.behind)
				for range w.escaped {
					have = gjson.Parse(`"` + have + `"`).String()
				}
				switch {
				case !ok || !ends:
					t.Errorf("%s: want the text around it in %s", w.reason, out)
				case !gjson.Valid(have):
					t.Errorf("%s: %s: want JSON, have %s", w.reason, inner, have)
				case strings.Contains(have, m.value):
					t.Errorf("%s: %s: want its value replaced, have %s", w.reason, inner, have)
				case edited(t, f, out) != out:
					t.Errorf("%s: want nothing found again in %s", w.reason, out)
				}
			}
		}
	}
}
