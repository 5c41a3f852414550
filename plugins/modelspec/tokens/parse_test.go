package tokens

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestContentsKeepTheirMeaning holds that a content in a language that holds special tokens, wherever it may, parses in token
// text to what it was, by Python's own parsers.
func TestContentsKeepTheirMeaning(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import yaml").CombinedOutput(); err != nil {
		t.Skipf("Python with its parser of YAML is absent: %s", out)
	}
	contents := map[string][]string{
		"json":  {`{"a":"TOKEN","TOKEN":["\"TOKEN\\",{"b":"TOKENTOKEN"}]}`, "[\n  \"TOKEN\"\n]", `"\u003cTOKEN"`, `{"n":1e400,"u":"\ud83d TOKEN"}`},
		"jsonl": {"{\"a\":\"TOKEN\"}\n{\"b\":\"TOKEN\"}", "{\"a\":\"TOKEN\"}\n\n"},
		"yaml": {
			"a: TOKEN", "a: 'TOKEN it''s'", "a: \"TOKEN \\u00e9\"", "a: |\n  first\n  TOKEN", "a: >-\n  TOKEN\n  more", "- TOKEN\n- b: TOKEN\n  c: no",
			"TOKEN: 1", "{a: TOKEN, b: [TOKEN]}", "a: 12 # TOKEN", "a: yes it is\nb: 'TOKEN'\nc: 007\nd: ~\ne: 1.50", "a:\n  TOKEN\n  and more",
		},
		"python": {`say("TOKEN", k='TOKEN')`, `say("""TOKEN " '""")`, "say(1)  # TOKEN", `say(f"TOKEN {1}")`, `say(u"TOKEN" 'TOKEN')`, "say({'TOKEN': ['\\'TOKEN']})"},
	}
	var lines strings.Builder
	n := map[string]int{}
	for language, all := range contents {
		for _, token := range []string{"<|role|>", "<|end_turn|>", "<|im-start|>", "<|a b|>"} {
			for _, content := range all {
				before := strings.ReplaceAll(content, "TOKEN", token)
				row := notation.AppendMessages(nil, []notation.Message{{Role: notation.Assistant, Format: "t:" + language, Body: jsontext.BodyOf(before)}})
				results, _ := sdktest.Direct(t, Plugin, `{"segments":false}`, string(row))
				if results[0].Verdict != "emit" {
					continue // what no escape can spell
				}
				text := gjson.Get(results[0].Emitted[0], "text").Str
				_, after, _ := strings.Cut(strings.TrimSuffix(text, notation.RoleToken), notation.ContentToken)
				line, err := json.Marshal(map[string]string{"language": language, "before": before, "after": after})
				if err != nil {
					t.Fatal(err)
				}
				lines.Write(append(line, '\n'))
				n[language]++
			}
		}
		if n[language] < 4*len(all)*3/4 {
			t.Errorf("%s: want most of %d contents, have %d", language, 4*len(all), n[language])
		}
	}
	cmd := exec.Command("python3", "testdata/parse.py")
	cmd.Stdin = strings.NewReader(lines.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	t.Log(n)
}
