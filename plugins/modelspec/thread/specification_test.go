package thread_test

import (
	"os"
	"testing"

	"github.com/tidwall/gjson"

	modelspecdocument "github.com/sluicehq/sluice/plugins/modelspec/document"
	modelspecthread "github.com/sluicehq/sluice/plugins/modelspec/thread"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestSpecification holds that every thread of the document becomes rows that the canonical page accepts: those where
// nobody but a developer asks when no_user says so.
func TestSpecification(t *testing.T) {
	text, err := os.ReadFile("../../../../shared/seeds/modular-model-spec.txt")
	if err != nil {
		t.Skipf("the specification is absent: %v", err)
	}
	withoutUser := map[int64]bool{2: true, 3: true, 8: true, 9: true}
	doc := string(jsontext.AppendString([]byte(`{"name":"spec.md","text":`), string(text))) + "}"
	rows, _ := sdktest.Run(t, modelspecdocument.Plugin, "", doc)
	for i, row := range rows[0].Emitted {
		if rows[0].Labels[i]["kind"] != "thread" {
			continue
		}
		n := gjson.Get(row, "metadata.thread").Int()
		results, _ := sdktest.Run(t, modelspecthread.Plugin, `{}`, row)
		if want := withoutUser[n]; want != (results[0].Code == "no_user_turn") {
			t.Errorf("thread %d: want no_user_turn %v, have %s %s: %s", n, want, results[0].Verdict, results[0].Code, results[0].Message)
		}
		results, _ = sdktest.Run(t, modelspecthread.Plugin, `{"target":"each","no_user":"developer"}`, row)
		if results[0].Verdict != "emit" {
			t.Errorf("thread %d: want rows, have %s %s: %s", n, results[0].Verdict, results[0].Code, results[0].Message)
		}
		for _, canonical := range results[0].Emitted {
			if checked, _ := sdktest.Run(t, native.Plugin, `{}`, canonical); checked[0].Verdict != "emit" {
				t.Errorf("thread %d: want a row that native takes, have %s: %s\n%s", n, checked[0].Code, checked[0].Message, canonical)
			}
		}
	}
}
