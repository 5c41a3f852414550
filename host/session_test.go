package host_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSession holds that runs of one session know nothing of each other, also when a step keeps state from record to
// record or the run before has failed, and that a process which keeps none goes on.
func TestSession(t *testing.T) {
	const act = "step \"act\" \"s\" {}"
	for mode, opts := range modes {
		for _, test := range []struct {
			reason, step string
			inputs       []string
			want         []string // what the sink holds, or what the error says
		}{
			{"a step without state", act, []string{`{"do":"edit"}`, `{"n":1}`}, []string{`{"do":"edit","edited":true}`, `{"n":1}`}},
			{"a step with state", "step \"total\" \"s\" {}", []string{`{}`, `{}`}, []string{`{"n":1}`, `{"n":1}`}},
			{"a run that fails", act, []string{`{"do":"fatal"}`, `{"n":1}`}, []string{"cannot go on with", `{"n":1}`}},
			{"a crash", act, []string{`{"do":"panic"}` + "\n" + `{"n":0}`, `{"n":1}`}, []string{`{"n":0}`, `{"n":1}`}},
			{"a crash that ends a run", "step \"act\" \"s\" {\n  host {\n    on_crash = \"fail\"\n  }\n}",
				[]string{`{"do":"panic"}`, `{"n":1}`}, []string{"the plugin ended", `{"n":1}`}},
		} {
			t.Run(mode+"/"+test.reason, func(t *testing.T) {
				inFolder(t, fmt.Sprintf("source \"jsonl\" \"in\" {\n  paths = [\"none\"]\n}\n%s\nsink \"jsonl\" \"out\" {\n  path = \"out.jsonl\"\n}\n", test.step), "")
				opts.Inputs = map[string][]string{}
				h := load(t, opts).Session()
				root := t.TempDir()
				for i, input := range test.inputs {
					put(t, "in.jsonl", input+"\n")
					result, err := h.Run(context.Background(), map[string][]string{"in": {"in.jsonl"}}, filepath.Join(root, fmt.Sprint(i)))
					have := fmt.Sprint(err)
					if err == nil {
						text, err := os.ReadFile(result.Outputs[0].Path)
						if err != nil {
							t.Fatal(err)
						}
						have = string(text)
					}
					if !strings.Contains(have, test.want[i]) {
						t.Errorf("run %d: want %s, have %s", i, test.want[i], have)
					}
				}
				if err := h.Close(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
