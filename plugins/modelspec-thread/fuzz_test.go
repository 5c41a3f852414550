package modelspecthread_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	modelspecthread "github.com/sluicehq/sluice/plugins/modelspec-thread"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// FuzzThread holds that any record ends as rows, a reject or a decline, and that every row is one line.
func FuzzThread(f *testing.F) {
	f.Add(`{"messages":[{"role":"developer","content":"`+"`x:json`"+`"},{"role":"user","content":"a"},{"role":"assistant","format":"x:json","content":"{}","end_turn":false},{"role":"tool","content":"b"},{"role":"assistant","format":"markdown","content":"c","end_turn":true}]}`, true)
	f.Add(`{"text":"<|role|>user<|content|>a<|role|>assistant<|format|>tools:python<|content|>f(a=1)<|end_turn|>"}`, false)
	f.Fuzz(func(t *testing.T, record string, each bool) {
		if !gjson.Valid(record) {
			t.Skip("not JSON")
		}
		args := `{}`
		if each {
			args = `{"target":"each","no_user":"developer"}`
		}
		results, _ := sdktest.Run(t, modelspecthread.Plugin, args, record)
		for _, row := range results[0].Emitted {
			if strings.Contains(row, "\n") && !strings.Contains(record, "\n") {
				t.Errorf("want a row on one line, have %q", row)
			}
		}
	})
}
