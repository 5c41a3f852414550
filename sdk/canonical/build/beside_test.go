package build

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// asking reads "q" and "a" and keeps all other columns.
var asking = Adapter{Name: "asking", Doc: "reads q and a", Codes: map[string]string{}, New: func(sdk.Args) (ReadFunc, error) {
	return func(record jsontext.JSON, row *Builder) error {
		row.KeepOthers(record, "q", "a")
		row.ReadsText("read")
		row.KeepMade("made", record)
		row.Add(canonical.User, 0).Body = record.Get("q").Body()
		row.Add(canonical.Assistant, 1).Body = record.Get("a").Body()
		return nil
	}, nil
}}.Plugin()

// TestBeside protects people from a question or an answer that goes to the metadata and is not missed: every column there is counted,
// and one with a long text is a warning of the run.
func TestBeside(t *testing.T) {
	long := strings.Repeat("the moon is not a cheese, ", 10)
	for _, c := range []struct{ reason, args, in, want string }{
		{"a column of provenance, and empty ones", "", `"id":"7","n":0,"none":null,"blank":"","list":[],"object":{}`, "beside.id 1; beside.n 1"},
		{"members of metadata, by their own names", "", `"metadata":{"topic":"t","id":"7"}`, "beside.id 1; beside.topic 1"},
		{"who made the call", "", `"agentId":"a","stepIndex":3`, "beside.agentId 1; beside.stepIndex 1"},
		{"a name that may be data", "", `"ann@example.org":1,"a b":2,"20261122":3,"name":4,"":5`, "beside.name 1; beside.other 4"},
		{"a long text", "", `"passage":"` + long + `"`, "beside.passage 1; warn.unread_text.passage 1"},
		{"a list of texts", "", `"passages":["` + long[:120] + `","` + long[:120] + `"]`, "beside.passages 1; warn.unread_text.passages 1"},
		{"texts in JSON in a string", "", `"info":"{\"text\":\"` + long + `\"}"`, "beside.info 1; warn.unread_text.info 1"},
		{"a long text without spaces", "", `"passage":"` + strings.Repeat("月亮不是奶酪。", 40) + `"`, "beside.passage 1; warn.unread_text.passage 1"},
		{"a long text under a name that may be data", "", `"a b":"` + long + `"`, "beside.other 1; warn.unread_text.other 1"},
		{"a text that is not long", "", `"passage":"` + long[:180] + `"`, "beside.passage 1"},
		{"hashes, URLs and numbers", "", `"h":"` + strings.Repeat("0123456789abcdef", 40) + `","u":["https://example.org/` + strings.Repeat("a/", 200) + `"],"v":[` + strings.Repeat("1234567,", 99) + `1]`, "beside.h 1; beside.u 1; beside.v 1"},
		{"a list of labels", "", `"labels":["` + strings.Repeat(`science fiction","`, 40) + `x"]`, "beside.labels 1"},
		{"a licence", "", `"license":"` + long + `"`, "beside.license 1"},
		{"a text that the adapter has read", "", `"read":"` + long + `"`, "beside.read 1"},
		{"white space in nothing", "", `"tags":[ ],"info":{ }`, ""},
		{"rejected on request", `{"beside":"reject"}`, `"passage":"` + long + `"`, "reject unread_text at passage: want the question or the answer in every column with a long text, have 260 characters of another"},
		{"no reject for a short text", `{"beside":"reject"}`, `"passage":"short"`, "beside.passage 1"},
		{"counted on request", `{"beside":"count"}`, `"passage":"` + long + `"`, "beside.passage 1"},
	} {
		results, counts := sdktest.Run(t, asking, c.args, `{"q":"q","a":"a",`+c.in+`}`)
		var have []string
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			have = append(have, name+" "+strconv.FormatInt(counts[name], 10))
		}
		if r := results[0]; r.Verdict == "reject" {
			have = []string{"reject " + r.Code + " at " + r.Path + ": " + r.Message}
		}
		if diff := cmp.Diff(c.want, strings.Join(have, "; ")); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// TestManyBeside protects the receipt from a record with any number of columns.
func TestManyBeside(t *testing.T) {
	record := `{"q":"q","a":"a"`
	for i := range 26 * 26 {
		record += `,"column_` + string(rune('a'+i/26)) + string(rune('a'+i%26)) + `":1`
	}
	_, counts := sdktest.Run(t, asking, "", record+"}", record+"}")
	if len(counts) != maxBeside+1 || counts["beside.other"] != 2*(26*26-maxBeside) {
		t.Errorf("want %d columns by name and %d others, have %d and %d", maxBeside, 2*(26*26-maxBeside), len(counts)-1, counts["beside.other"])
	}
}

// TestProseGrows holds that the work for a text is in proportion to its size.
func TestProseGrows(t *testing.T) {
	sdktest.Grows(t, asking, "", func(n int) []byte {
		return []byte(`{"q":"q","a":"a","deep":` + strings.Repeat("[", min(n, 500)) + `"x"` + strings.Repeat("]", min(n, 500)) +
			`,"text":"` + strings.Repeat(`a \"word\" `, n) + `","list":[` + strings.Repeat(`"{\"a\":1}",`, n) + `1]}`)
	})
}
