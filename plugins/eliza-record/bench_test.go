package elizarecord

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
)

var (
	benchTurn = `{"role":"user","content":"What is \"it\" about?\nTell me, please, in a few words."},{"role":"assistant","content":"It is about a < b.\nAnd so on."},`
	benchRow  = `{"roomName":"r","agentId":"Ada","memoryEntries":[` + strings.TrimSuffix(strings.Repeat(benchTurn, 20), ",") + `],"currentMessage":{"role":"user","content":"do it"},` +
		`"expectedResponse":"{\"thought\":\"t\",\"actions\":[{\"name\":\"TASKS\",\"params\":{\"tool\":\"f\",\"arguments\":{\"a\":1}}}],\"text\":\"\"}","availableActions":["TASKS","REPLY"],"metadata":{"task_type":"tool_call","toolSpecs":[{"name":"f","parameters":{}}]}}`
	benchShort = strings.Replace(benchRow, strings.Repeat(benchTurn, 19), "", 1)
	benchOther = `{"text":"` + strings.Repeat(`some \"text\" of a document\n`, 200) + `","list":[` + strings.Repeat(`{"a":"b"},`, 100) + `1]}`
)

func BenchmarkLong(b *testing.B) {
	canonicaltest.Bench(b, Plugin, ``, "emit", canonicaltest.Copies(benchRow))
}
func BenchmarkShort(b *testing.B) {
	canonicaltest.Bench(b, Plugin, ``, "emit", canonicaltest.Copies(benchShort))
}
func BenchmarkDecline(b *testing.B) {
	canonicaltest.Bench(b, Plugin, ``, "decline", canonicaltest.Copies(benchOther))
}
