package chatml_test

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestNumbers holds that no row has a number which Python reads as infinity, or does not read.
func TestNumbers(t *testing.T) {
	digits := strings.Repeat("7", 4301)
	for _, c := range []struct {
		reason, number string
		taken          bool
	}{
		{"the largest", "1.7976931348623157e308", true},
		{"one beyond it", "1e309", false},
		{"one below the least", "-2E+400", false},
		{"too close to zero, which is zero", "1e-400", true},
		{"as many digits as Python reads", digits[1:], true},
		{"as many below zero", "-" + digits[1:], true},
		{"one more", digits, false},
		{"one more below zero", "-" + digits, false},
		{"digits behind a point", "0." + digits, true},
		{"digits before it", digits + ".5", false},
		{"in a string", `"1e400 \" 1e400"`, true},
		{"in a list", `["e", -1, [null, true, 3, 1e400]]`, false},
		{"behind a string", `["e",1e400,"e"]`, false},
		{"short ones", `[1,2.5,true,false,1e3]`, true},
	} {
		const row = `{"format":"eliza_native_v1","boundary":"vercel_ai_sdk.generateText","request":{"prompt":"q"`
		object := `{"a":"x","n":` + c.number + `}`
		text := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(object) + `"`
		records := []string{
			row + `},"response":{"toolCalls":[{"toolName":"F","input":` + object + `}]}}`,
			row + `},"response":{"toolCalls":[{"toolName":"F","input":` + text + `}]}}`,
			row + `,"tools":[{"name":"F","parameters":{"type":"object","properties":{"p":{"default":` + c.number + `}}}}]},"response":{"text":"a"}}`,
		}
		for _, args := range []string{`{}`, `{"target":"qwen3.5"}`, `{"tools":"string"}`} {
			results, _ := sdktest.Direct(t, chatml.Plugin, args, records...)
			for i, code := range []string{"bad_arguments", "bad_arguments", "bad_tools"} {
				if c.taken {
					code = ""
				}
				if r := results[i]; r.Code != code {
					t.Errorf("%s, record %d, %s: want code %q, have %q: %s", c.reason, i, args, code, r.Code, r.Message)
				}
			}
		}
	}
}
