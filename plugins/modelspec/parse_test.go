package modelspec_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/modelspec"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestContentsParse holds that every content in token text parses by the parser of its own language, whatever special
// tokens it names.
func TestContentsParse(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "").CombinedOutput(); err != nil {
		t.Skipf("Python is absent: %v %s", err, out)
	}
	odd := `{"format":"eliza_native_v1","request":{"prompt":"go"},"response":{"text":"","toolCalls":[{"toolName":"run","input":{"class":"<|role|> <\\|x|>","a b":[null,true,1e5,-0.5,{"é":"\u2028\u0085\u007f\ufeff"}],"s":"a: b # c\n- d\t'\"","yes":"no","e":"","n":"12","o":{},"l":[[],[{}]],"u":"😀 \ud83d"}}]}}`
	for calls, language := range map[string]string{"consecutive": "json", "array": "json", "jsonl": "jsonl", "python": "python", "yaml": "yaml"} {
		notations := []string{"document"}
		if *long {
			notations = append(notations, "end_message")
		}
		for _, notation := range notations {
			results, _ := sdktest.Direct(t, modelspec.Plugin, `{"shape":"tokens","calls":"`+calls+`","notation":"`+notation+`"}`, append(several(20), odd)...)
			var lines []string
			for _, r := range results {
				if r.Verdict != "emit" {
					t.Fatalf("want token text, have %s: %s", r.Code, r.Message)
				}
				lines = append(lines, r.Emitted[0])
			}
			cmd := exec.Command("python3", "-W", "error", "testdata/parse.py")
			cmd.Stdin = strings.NewReader(strings.Join(lines, "\n"))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %s", calls, out)
				continue
			}
			if n := gjson.GetBytes(out, language).Int(); n == 0 && language != "yaml" { // for which Python has no parser of its own
				t.Errorf("%s: want contents in %s, have %s", calls, language, out)
			}
			t.Logf("%s, %s: %s", calls, notation, out)
		}
	}
}
