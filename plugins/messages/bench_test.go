package messages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
)

const benchTurn = `{"role":"user","content":"What is \"it\" about?\nTell me, please, in a few words and then in many."},{"role":"assistant","content":"It is about a < b.\nAnd so on, and so forth."},`

var (
	benchRow   = `{"messages":[{"role":"system","content":"Be brief."},` + strings.Repeat(benchTurn, 20) + `{"role":"user","content":"ok?"},{"role":"assistant","content":"ok"}],"id":"1"}`
	benchShort = `{"messages":[` + benchTurn + `{"role":"user","content":"ok?"},{"role":"assistant","content":"ok"}],"id":"1"}`
	benchOther = `{"text":"` + strings.Repeat(`some \"text\" of a document\n`, 200) + `","list":[` + strings.Repeat(`{"a":"b"},`, 100) + `1]}`
)

var cities = []string{"Oslo", "Rome", "Zürich"}

// benchCalls gives rows with a call in each, and its result.
func benchCalls() (rows []string) {
	for i := range 100 {
		rows = append(rows, fmt.Sprintf(`{"messages":[{"role":"user","content":"How warm is it in %s?"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_%d","type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Oslo\", \"days\": 3}"}}]},{"role":"tool","tool_call_id":"call_%[2]d","content":"{\"celsius\": 3}"},{"role":"assistant","content":"3 degrees."}],"tools":[{"type":"function","function":{"name":"get_weather","description":"Gets the weather of a city","parameters":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}}}]}`, cities[i%len(cities)], i))
	}
	return rows
}

func BenchmarkLong(b *testing.B) {
	canonicaltest.Bench(b, Plugin, ``, "emit", canonicaltest.Copies(benchRow))
}
func BenchmarkShort(b *testing.B) {
	canonicaltest.Bench(b, Plugin, ``, "emit", canonicaltest.Copies(benchShort))
}
func BenchmarkCalls(b *testing.B) { canonicaltest.Bench(b, Plugin, ``, "emit", benchCalls()) }
func BenchmarkEach(b *testing.B) {
	canonicaltest.Bench(b, Plugin, `{"target":"each"}`, "emit", canonicaltest.Copies(benchRow))
}
func BenchmarkEachShort(b *testing.B) {
	canonicaltest.Bench(b, Plugin, `{"target":"each"}`, "emit", canonicaltest.Copies(benchShort))
}
func BenchmarkDecline(b *testing.B) {
	canonicaltest.Bench(b, Plugin, ``, "decline", canonicaltest.Copies(benchOther))
}
