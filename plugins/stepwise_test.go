package plugins_test

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk"
)

// TestStepwise protects what process reward models learn: TRL's row comes out as it went in, and a filter between finds in the steps what
// it finds in the answer.
func TestStepwise(t *testing.T) {
	for _, c := range []struct{ reason, record, want string }{
		{"nothing to filter", `{"prompt":"Q","completions":["one","two"],"labels":[true,false]}`, `{"prompt":"Q","completions":["one","two"],"labels":[true,false]}`},
		{"an address in a step", `{"prompt":"Q","completions":["Write to ann.lee@gmail.com now.","two"],"labels":[true,false]}`, `,"two"],"labels":[true,false]}`},
		{"an address in the question", `{"prompt":"Who is ann.lee@gmail.com?","completions":["one","two"],"labels":[true,false]}`, `"completions":["one","two"],"labels":[true,false]}`},
	} {
		rows := []string{c.record}
		for _, step := range []struct {
			plugin sdk.Plugin
			args   string
		}{{messages.Plugin, ""}, {privacy.Plugin, ""}, {chatml.Plugin, `{"form":"stepwise"}`}} {
			rows = rowsOf(t, step.plugin, step.args, rows)
			if step.plugin.Name != "messages" && strings.Contains(strings.Join(rows, ""), "ann.lee") {
				t.Errorf("%s: want no address behind %s, have %s", c.reason, step.plugin.Name, rows)
			}
		}
		if len(rows) != 1 || !strings.HasSuffix(rows[0], c.want) {
			t.Errorf("%s: want a row that ends with %s, have %s", c.reason, c.want, rows)
		}
	}
}
