package mask_test

import (
	"bytes"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host/trace"
)

// TestRowSaysNoPlace holds that the message about a record that is not JSON says nothing of how long its masked values are.
func TestRowSaysNoPlace(t *testing.T) {
	reject := func(code, message, record string) string {
		return `{"code":"` + code + `","message":"` + message + `","path":"","record":"` + record + `"}`
	}
	for _, c := range []struct{ reason, row, want string }{
		{"masked", reject("invalid_json", "want a value, have the end at byte 27", `{\"a\":\"ann@corp-mail.io`),
			reject("invalid_json", "want a value, have the end at a byte", `{\"a\":\"<EMAIL_ADDRESS>`)},
		{"nothing to mask", reject("invalid_json", "have the end at byte 9", `{\"a\":`), reject("invalid_json", "have the end at byte 9", `{\"a\":`)},
		{"another code", reject("odd", "it stands at byte 9", "ann@corp-mail.io"), reject("odd", "it stands at byte 9", "<EMAIL_ADDRESS>")},
		{"no place", reject("too_deep", "want less", "ann@corp-mail.io at byte 9"), reject("too_deep", "want less", "<EMAIL_ADDRESS> at byte 9")},
	} {
		if have := string(mask.Row([]byte(c.row))); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}

// TestValues holds that what a private step took out shows nowhere, whatever it says about the place, and that a change from one
// value to another still shows.
func TestValues(t *testing.T) {
	state := func(text string) trace.State { return trace.State{JSON: []byte(text), Size: len(text)} }
	step := func(in, out string, rows ...string) *trace.Trace {
		p := trace.Visit{Kind: "step", Private: true, In: state(in), Out: []trace.State{state(out)}}
		for _, row := range rows {
			p.Rows = append(p.Rows, trace.SideRow{Output: "ledger", JSON: []byte(row)})
		}
		return &trace.Trace{Records: []*trace.Record{{Read: state(in), Visits: []trace.Visit{p}}}}
	}
	for _, c := range []struct {
		reason string
		x      *trace.Trace
		text   string
		want   string
	}{
		{"by place", step(`{"a":"I am Ann Lee"}`, `{"a":"I am X"}`, `{"path":"a","place":"value","start":5,"end":12,"entity":"PERSON"}`),
			`{"a":"Ann Lee, Ann"}`, `{"a":"(PERSON 1), Ann"}`},
		{"written with escapes", step(`{"a":"\u0041nn \"Lee\""}`, `{"a":"X"}`, `{"path":"a","place":"value","start":0,"end":9,"entity":"PERSON"}`),
			`{"b":"{\"who\":\"Ann \\\"Lee\\\"\"}","c":"Ann \"Lee\""}`, `{"b":"{\"who\":\"(PERSON 1)\"}","c":"(PERSON 1)"}`},
		{"a number", step(`{"zip":90210}`, `{"zip":"X"}`, `{"path":"zip","place":"value","start":0,"end":5,"entity":"ZIP"}`),
			`{"zip":90210}`, `{"zip":"(ZIP 1)"}`},
		{"a key", step(`{"m":{"Ann Lee":1,"b":2}}`, `{"m":{"X":1,"b":2}}`, `{"path":"m.<key>","place":"key","start":0,"end":7,"entity":"PERSON"}`),
			`{"m":{"Ann Lee":1,"b":2}}`, `{"m":{"(PERSON 1)":1,"b":2}}`},
		{"a place that leads nowhere", step(`{"a":"Ann","b":"Bob"}`, `{"a":"X","b":"Bob"}`, `{"path":"z","place":"value","start":0,"end":3}`),
			`{"a":"Ann","b":"Bob"}`, `{"a":"(PRIVATE 1)","b":"Bob"}`},
		{"a step that says nothing", step(`{"a":"Ann","b":"Bob"}`, `{"a":"X","b":"Bob"}`), `{"a":"Ann"}`, `{"a":"(PRIVATE 1)"}`},
		{"what nobody found before", step(`{"a":"x"}`, `{"a":"x"}`), `{"a":"ann@corp-mail.io","b":"bob@corp-mail.io"}`, `{"a":"<EMAIL_ADDRESS>","b":"<EMAIL_ADDRESS>"}`},
		{"what only the rules find", step(`{"a":"ann@corp-mail.io or bob@corp-mail.io"}`, `{"a":"ann@corp-mail.io or bob@corp-mail.io"}`),
			`{"a":"bob@corp-mail.io"}`, `{"a":"(EMAIL_ADDRESS 2)"}`},
	} {
		if have := string(mask.NewValues(c.x).JSON([]byte(c.text))); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
	if have := (*mask.Values)(nil).JSON([]byte(`{"a":"ann@corp-mail.io"}`)); !bytes.Contains(have, []byte("ann@")) {
		t.Errorf("want everything shown when that is asked for, have %s", have)
	}
}

// TestNames holds that the names of files and plain texts are masked with their endings kept.
func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"out/train.jsonl":                   "out/train.jsonl",
		"ann@corp-mail.io.jsonl.gz":         "<EMAIL_ADDRESS>.jsonl.gz",
		"of/ann@corp-mail.io/rejects.jsonl": "of/<EMAIL_ADDRESS>/rejects.jsonl",
	} {
		if have := mask.Name(in); have != want {
			t.Errorf("%s: want %s, have %s", in, want, have)
		}
	}
	if want, have := "mail to <EMAIL_ADDRESS>", mask.Text("mail to ann@corp-mail.io"); have != want {
		t.Errorf("want %s, have %s", want, have)
	}
}

// TestNamesInMessages holds that the name of a file is masked without its ending, by itself and wherever an error names it.
func TestNamesInMessages(t *testing.T) {
	for _, c := range []struct{ reason, name, want string }{
		{"an address", "jane.doe77@priv-corp.example.json", "<EMAIL_ADDRESS>.json"},
		{"a number and two endings", "in/415-555-0199.jsonl.gz", "in/<PHONE_NUMBER>.jsonl.gz"},
		{"an international number", "+14155550199.json", "<PHONE_NUMBER>.json"},
		{"a card", "4111111111111111.zip", "<CREDIT_CARD>.zip"},
		{"a table", "4111111111111111.parquet", "<CREDIT_CARD>.parquet"},
		{"an ending in no list", "4111111111111111.xlsx", "<CREDIT_CARD>.xlsx"},
		{"a folder", "415-555-0199/rows.csv", "<PHONE_NUMBER>/rows.csv"},
		{"a name with spaces", "of 4111 1111 1111 1111.tsv", "of <CREDIT_CARD>.tsv"},
		{"an ordinary name", "out/receipt-00001-of-00016.failed.json", "out/receipt-00001-of-00016.failed.json"},
	} {
		if have := mask.Name(c.name); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
		for _, around := range [][2]string{{"sluice: ", ":1: want a value, have the end"}, {`open "`, `", which is gone`}, {"a.jsonl and ", " are one file"}, {"see ", ""}} {
			if have := mask.Message(around[0] + c.name + around[1]); have != around[0]+c.want+around[1] {
				t.Errorf("%s: want %q, have %q", c.reason, around[0]+c.want+around[1], have)
			}
		}
	}
}
