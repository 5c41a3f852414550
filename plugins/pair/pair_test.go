package pair

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestPair(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

func FuzzPair(f *testing.F) {
	canonicaltest.Fuzz(f, Plugin, "", canonicaltest.Records(f, "testdata/*.txtar")...)
}

func BenchmarkAlpaca(b *testing.B) {
	var rows []string
	for i := range 200 {
		rows = append(rows, object("instruction", canonicaltest.Words(i, 20), "input", canonicaltest.Words(i, 150), "output", canonicaltest.Words(i+1, 300), "id", "x"))
	}
	canonicaltest.Bench(b, Plugin, "", "emit", rows)
}

func BenchmarkXLAM(b *testing.B) {
	var rows []string
	var tools []string
	for i := range 4 {
		parameters := `{"a": {"type": "str", "description": "` + strings.ReplaceAll(canonicaltest.Words(i, 20), `"`, "") + `"}, "b": {"type": "int, optional", "description": "how many", "default": 10}}`
		tools = append(tools, `{"name": "f`+strconv.Itoa(i)+`", "description": "what it does and what it gives", "parameters": `+parameters+`}`)
	}
	list := "[" + strings.Join(tools, ", ") + "]"
	for i := range 200 {
		rows = append(rows, object("query", canonicaltest.Words(i, 60), "tools", list, "answers", `[{"name": "f", "arguments": {"a": "x"}}, {"name": "f", "arguments": {"a": "y"}}]`))
	}
	canonicaltest.Bench(b, Plugin, "", "emit", rows)
}

func BenchmarkXLAMShort(b *testing.B) {
	var rows []string
	for i := range 200 {
		tools := `[{"name": "live_giveaways_by_type", "description": "Retrieve live giveaways from the API", "parameters": {"type": {"description": "The type of giveaways ` + strconv.Itoa(i) + `", "type": "str", "default": "game"}}}]`
		rows = append(rows, object("id", strconv.Itoa(i), "query", canonicaltest.Words(i, 20), "tools", tools, "answers", `[{"name": "live_giveaways_by_type", "arguments": {"type": "beta"}}, {"name": "live_giveaways_by_type", "arguments": {"type": "game"}}]`))
	}
	canonicaltest.Bench(b, Plugin, "", "emit", rows)
}

func BenchmarkDecline(b *testing.B) {
	var rows []string
	for i := range 200 {
		rows = append(rows, object("title", canonicaltest.Words(i, 20), "body", canonicaltest.Words(i, 400)))
	}
	canonicaltest.Bench(b, Plugin, "", "decline", rows)
}

func object(pairs ...string) string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = pairs[i+1]
	}
	text, _ := json.Marshal(m)
	return string(text)
}
