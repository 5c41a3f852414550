package negatives_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/tidwall/gjson"

	elizarecord "github.com/sluicehq/sluice/plugins/eliza-record"
	"github.com/sluicehq/sluice/plugins/messages"
	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspeccheck "github.com/sluicehq/sluice/plugins/modelspec/check"
	modelspecdocument "github.com/sluicehq/sluice/plugins/modelspec/document"
	modelspecnegatives "github.com/sluicehq/sluice/plugins/modelspec/negatives"
	modelspectokens "github.com/sluicehq/sluice/plugins/modelspec/tokens"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/schema"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestPairs holds, for every thread that stands in the plugins' cases, that the chosen answer of a pair passes all checks, and the
// rejected one fails the one it was made for and no other.
func TestPairs(t *testing.T) {
	var threads []string
	for _, pattern := range []string{"../testdata/*.txtar", "../*/testdata/*.txtar", "../testdata/*.jsonl", "../*/testdata/*.md", "../../../examples/corpus/native.jsonl"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			threads = append(threads, threadsOf(t, file)...)
		}
	}
	counts := pairs(t, threads)
	for _, kind := range []string{"format_not_enabled", "undeclared_tool", "call_as_text", "user_enabled_format"} {
		if counts[kind] == 0 {
			t.Errorf("want pairs of every kind, have none of %s", kind)
		}
	}
}

// TestPairsShared does so with real rows and the threads of the document itself.
func TestPairsShared(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/corpus/*.jsonl")
	files = append(files, "../../../../shared/seeds/modular-model-spec.txt")
	if len(files) == 1 {
		t.Skip("the shared corpus is absent")
	}
	for _, file := range files {
		if counts := pairs(t, threadsOf(t, file)); counts["user_enabled_format"] == 0 {
			t.Errorf("%s: want pairs, have %v", file, counts)
		}
	}
}

// threadsOf gives what stands in a file as threads: threads themselves, canonical rows and older shapes, and documents.
func threadsOf(t *testing.T, file string) (threads []string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	switch text := string(data); filepath.Ext(file) {
	case ".md", ".txt":
		doc := string(jsontext.AppendString([]byte(`{"name":"d.md","text":`), text)) + "}"
		return through(t, modelspecdocument.Plugin, []string{doc})
	case ".txtar":
		data = nil
		for _, f := range txtar.Parse([]byte(text)).Files {
			if f.Name == "in.jsonl" {
				data = append(data, f.Data...)
			}
		}
	}
	records := slices.DeleteFunc(strings.Split(string(data), "\n"), func(line string) bool { return !gjson.Valid(line) })
	threads = append(threads, records...)
	for _, adapter := range []sdk.Plugin{native.Plugin, messages.Plugin, elizarecord.Plugin} {
		threads = append(threads, through(t, modelspec.Plugin, through(t, adapter, records))...)
	}
	return threads
}

// through gives what a plugin emits.
func through(t *testing.T, p sdk.Plugin, records []string) (all []string) {
	t.Helper()
	if len(records) == 0 {
		return nil
	}
	results, _ := sdktest.Run(t, p, "", records...)
	for _, r := range results {
		all = append(all, r.Emitted...)
	}
	return all
}

// mistakes gives the pairs that are made of threads.
func mistakes(t *testing.T, threads []string) []string {
	t.Helper()
	return slices.DeleteFunc(through(t, modelspecnegatives.Plugin, threads), func(row string) bool { return !gjson.Get(row, "negative").Exists() })
}

// pairs makes pairs, checks them and counts them by kind.
func pairs(t *testing.T, threads []string) map[string]int {
	t.Helper()
	made := mistakes(t, threads)
	backward := slices.Clone(threads)
	slices.Reverse(backward)
	again := mistakes(t, backward)
	slices.Sort(again)
	if sorted := slices.Sorted(slices.Values(made)); !slices.Equal(sorted, again) {
		t.Errorf("want the same pairs of threads in another order, have %d and %d", len(made), len(again))
	}
	if len(made) == 0 {
		return nil
	}
	counts := map[string]int{}
	checked, _ := sdktest.Run(t, modelspeccheck.Plugin, "", made...)
	texts, _ := sdktest.Run(t, modelspectokens.Plugin, "", made...)
	s, err := schema.Get("preference-row")
	if err != nil {
		t.Fatal(err)
	}
	for i, pair := range made {
		counts[gjson.Get(pair, "negative.kind").Str]++
		if faults := s.Check(jsontext.JSON(pair)); len(faults) > 0 {
			t.Errorf("want a preference row, have %v in %s", faults, pair)
		}
		if checked[i].Verdict != "emit" {
			t.Errorf("want a chosen answer that passes, have %s: %s in %s", checked[i].Code, checked[i].Message, pair)
			continue
		}
		if want, have := gjson.Get(pair, "negative.check").Str, checked[i].Labels[0]["rejected"]; want != have {
			t.Errorf("want a rejected answer that fails %s alone, have %s in %s", want, have, pair)
		}
		for _, finding := range checked[i].Sides["findings"] {
			if name := gjson.Get(finding, "check").Str; name != "name_case" && strings.HasPrefix(gjson.Get(finding, "path").Str, "chosen") {
				t.Errorf("want a chosen answer that fails nothing, have %s in %s", finding, pair)
			}
		}
		if gjson.Get(pair, "chosen.0").Raw == gjson.Get(pair, "rejected.0").Raw || gjson.Get(pair, "chosen.#").Int() != 1 {
			t.Errorf("want answers that differ from their beginning, have %s", pair)
		}
		row := texts[i].Emitted[0]
		if gjson.Get(row, "segments").Exists() || gjson.Get(row, "prompt_segments").Exists() || gjson.Get(row, "prompt").Str == "" {
			t.Errorf("want nothing of the prompt to train on, have %s", row)
		}
	}
	t.Logf("%d threads: %v", len(threads), counts)
	return counts
}
