package messages

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/internal/rowbench"
)

var (
	benchTurn  = `{"role":"user","content":"What is \"it\" about?\nTell me, please, in a few words and then in many."},{"role":"assistant","content":"It is about a < b.\nAnd so on, and so forth."},`
	benchRow   = `{"messages":[{"role":"system","content":"Be brief."},` + strings.Repeat(benchTurn, 20) + `{"role":"user","content":"ok?"},{"role":"assistant","content":"ok"}],"id":"1"}`
	benchOther = `{"text":"` + strings.Repeat(`some \"text\" of a document\n`, 200) + `","list":[` + strings.Repeat(`{"a":"b"},`, 100) + `1]}`
)

func BenchmarkRow(b *testing.B)  { rowbench.Run(b, Plugin, `{}`, benchRow, true) }
func BenchmarkEach(b *testing.B) { rowbench.Run(b, Plugin, `{"target":"each"}`, benchRow, true) }
func BenchmarkReference(b *testing.B) {
	rowbench.Run(b, Plugin, `{"profile":"reference"}`, benchRow, true)
}
func BenchmarkDecline(b *testing.B) { rowbench.Run(b, Plugin, `{}`, benchOther, false) }
