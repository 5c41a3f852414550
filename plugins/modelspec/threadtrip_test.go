package modelspec_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspecdocument "github.com/sluicehq/sluice/plugins/modelspec/document"
	modelspecthread "github.com/sluicehq/sluice/plugins/modelspec/thread"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestThreadsComeBack holds that a thread comes back from the row it became, contents, formats and settings.
func TestThreadsComeBack(t *testing.T) {
	data, err := os.ReadFile("testdata/threads.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for thread := range strings.Lines(string(data)) {
		back, counts := comeBack(t, strings.TrimSpace(thread))
		for name := range counts {
			if strings.HasPrefix(name, "loss.") && name != "loss.authority" && name != "loss.name" {
				t.Errorf("want no loss, have %s for %s", name, thread)
			}
		}
		if diff := cmp.Diff(strings.TrimSpace(thread), back); diff != "" {
			t.Errorf("(-want +have):\n%s", diff)
		}
	}
}

// TestSpecificationComesBack does so with the document's own 20 threads and 16 pairs.
func TestSpecificationComesBack(t *testing.T) {
	text, err := os.ReadFile("../../../shared/seeds/modular-model-spec.txt")
	if err != nil {
		t.Skipf("the specification is absent: %v", err)
	}
	if rows, same := documentComesBack(t, string(text)); rows != 36 || same < 35 {
		t.Errorf("want 36 rows, of which at least 35 come back unchanged, have %d and %d", rows, same)
	}
}

// TestDocumentsComeBack does so with documents of every notation.
func TestDocumentsComeBack(t *testing.T) {
	files, err := filepath.Glob("document/testdata/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("want documents, have none (%v)", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rows, same := documentComesBack(t, string(text))
		t.Logf("%s: %d of %d rows come back unchanged", filepath.Base(file), same, rows)
	}
}

// documentComesBack holds that each row of a document comes back, or its loss is counted by name.
func documentComesBack(t *testing.T, text string) (rows, same int) {
	t.Helper()
	doc := string(jsontext.AppendString([]byte(`{"name":"spec.md","text":`), text)) + "}"
	results, _ := sdktest.Direct(t, modelspecdocument.Plugin, "", doc)
	for _, row := range results[0].Emitted {
		back, counts := comeBack(t, row)
		lost := false
		for _, member := range []string{"system_settings", "messages", "prompt", "chosen", "rejected", "reason"} {
			want, have := gjson.Get(row, member).Raw, gjson.Get(back, member).Raw
			if want == have {
				continue
			}
			lost = true
			if counts["loss.spacing"]+counts["loss.trailing_turn"] == 0 {
				t.Errorf("want a count for what is lost of %s, have %v (-want +have):\n%s", member, counts, cmp.Diff(want, have))
			}
		}
		if rows++; !lost {
			same++
		}
	}
	return rows, same
}

// comeBack makes a thread a row and the row a thread of the same shape.
func comeBack(t *testing.T, thread string) (back string, counts map[string]int64) {
	t.Helper()
	rows, counts := sdktest.Direct(t, modelspecthread.Plugin, `{"no_user":"developer"}`, thread)
	if rows[0].Verdict != "emit" {
		t.Fatalf("want a row, have %s %s: %s for %s", rows[0].Verdict, rows[0].Code, rows[0].Message, thread)
	}
	args := `{}`
	if thread[0] == '[' {
		args = `{"shape":"thread"}`
	}
	threads, more := sdktest.Direct(t, modelspec.Plugin, args, rows[0].Emitted[0])
	if threads[0].Verdict != "emit" {
		t.Fatalf("want a thread, have %s %s: %s for %s", threads[0].Verdict, threads[0].Code, threads[0].Message, rows[0].Emitted[0])
	}
	for name, n := range more {
		counts[name] += n
	}
	return threads[0].Emitted[0], counts
}

// TestStaleOutline holds that a row that was changed since it was a thread is converted like any other.
func TestStaleOutline(t *testing.T) {
	row := `{"format":"eliza_native_v1","request":{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]},"response":{"text":"d"},"metadata":{"modelspec":{"messages":[{"role":"user"},{"role":"assistant","format":"html","end_turn":true}]}}}`
	threads, counts := sdktest.Direct(t, modelspec.Plugin, `{}`, row)
	if counts["outline.stale"] != 1 || gjson.Get(threads[0].Emitted[0], "messages.#").Int() != 4 {
		t.Errorf("want four messages and a count, have %v and %s", counts, threads[0].Emitted[0])
	}
}
