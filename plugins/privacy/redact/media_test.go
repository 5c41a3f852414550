package redact

import (
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestMediaIsNeverMissed holds that a row with media says so, whether its strings hold findings or not, and that one without mostly
// does not, so that few rows are read for it.
func TestMediaIsNeverMissed(t *testing.T) {
	message := func(content string) string {
		return `{"request":{"messages":[{"role":"user","content":` + content + `}]},"response":{"text":"a"}}`
	}
	for _, c := range []struct {
		row string
		may bool
	}{
		{message(`[{"type":"image","image":"x"}]`), true},
		{message(`[{"type" : "image","image":"x"}]`), true},
		{message(`[{"type":"\u0069mage_url"}]`), true},
		{message(`[{"\u0074ype":"file-id"}]`), true},
		{message(`[{"type":"tool-result","output":{"type":"content","value":[{"type":"media","data":"x"}]}}]`), true},
		{`{"request":{"messages":[{"role":"user","content":"a","experimental_attachments":[{"url":"x"}]}]},"response":{"text":"a"}}`, true},
		{`{"request":{"prompt":"a"},"response":{"text":"a","files":[{}]}}`, true},
		{`{"request":{"prompt":"a"},"response":{"text":"a","files":3}}`, false},
		{message(`[{"type":"text","text":"image"}]`), false},
		{`{"request":{"prompt":"a","tools":[{"type":"function","parameters":{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"array"}}}}]},"response":{"text":"a"}}`, false},
	} {
		for _, row := range []string{c.row, strings.ReplaceAll(c.row, `"a"`, `"to alice@example.com"`)} {
			found, err := (&Filter{Engine: testEngine}).Find(row, nil)
			if err != nil {
				t.Fatal(err)
			}
			var read canonical.Row
			read.Read(jsontext.JSON(row))
			has := slices.ContainsFunc(read.Parts, func(p canonical.Part) bool { return p.Kind == canonical.MediaPart })
			if found.Media != c.may || has != c.may {
				t.Errorf("%s: want media %v, have %v, and by the reading %v", row, c.may, found.Media, has)
			}
		}
	}
}
