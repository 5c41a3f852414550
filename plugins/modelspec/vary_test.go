package modelspec_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/modelspec"
	modelspeccheck "github.com/sluicehq/sluice/plugins/modelspec/check"
	modelspecthread "github.com/sluicehq/sluice/plugins/modelspec/thread"
	"github.com/sluicehq/sluice/plugins/native"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// variations are arguments under which developer texts differ from row to row.
var variations = []string{
	`{"vary":["order","wording","schema"]}`, `{"vary":["order","wording","schema"],"calls":"array","seed":"b"}`, `{"vary":["wording","schema"],"calls":"python","tool_role":"context"}`,
	`{"vary":["order"],"calls":"yaml","system_role":"platform"}`, `{"vary":["order","schema"],"calls":"jsonl","reasoning":"format"}`, `{"tool_schema":"python"}`, `{"tool_schema":"prose","calls":"array"}`,
}

// TestVariations holds that threads with varied developer texts keep every rule, and come back: the row with all that a thread
// can express, and the thread itself.
func TestVariations(t *testing.T) {
	for _, args := range variations {
		vary(t, args, several(30))
	}
}

// TestVariationsCorpus does so with the rows of the shared corpus.
func TestVariationsCorpus(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/corpus/*.jsonl")
	if len(files) == 0 {
		t.Skip("the shared corpus is absent")
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var canonical []string
		results, _ := sdktest.Direct(t, native.Plugin, `{}`, strings.Split(strings.TrimSpace(string(data)), "\n")...)
		for _, result := range results {
			canonical = append(canonical, result.Emitted...)
		}
		if len(canonical) > 0 {
			vary(t, variations[0], canonical)
		}
	}
}

func vary(t *testing.T, args string, rows []string) {
	t.Helper()
	plain := emitted(t, modelspec.Plugin, `{}`, rows)
	threads := emitted(t, modelspec.Plugin, args, rows)
	back := emitted(t, modelspecthread.Plugin, `{"no_user":"developer"}`, threads)
	again := emitted(t, modelspec.Plugin, `{}`, back)
	wanted, found := findings(t, plain), findings(t, threads)
	for i, thread := range threads {
		if wanted[i] != found[i] {
			t.Fatalf("%s: want the findings of the row without variation, %s, have %s for\n%s", args, wanted[i], found[i], thread)
		}
		want, have := meaning(t, rows[i]), meaning(t, back[i])
		declare(&want)
		answer(&want)
		want.Turns, have.Turns = oneByOne(want.Turns), oneByOne(have.Turns)
		for _, c := range []*conversation{&want, &have} {
			slices.SortFunc(c.Tools, func(a, b function) int { return strings.Compare(a.Name, b.Name) })
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Fatalf("%s: (-want +have):\n%s\nfrom\n%s", args, diff, thread)
		}
		if diff := cmp.Diff(value(t, thread), value(t, again[i])); diff != "" {
			t.Fatalf("%s: want the thread again (-want +have):\n%s", args, diff)
		}
	}
}

// emitted runs records through a plugin that emits one for each.
func emitted(t *testing.T, p sdk.Plugin, args string, records []string) (all []string) {
	t.Helper()
	results, _ := sdktest.Direct(t, p, args, records...)
	for i, r := range results {
		if r.Verdict != "emit" || len(r.Emitted) != 1 {
			t.Fatalf("%s %s: want a record, have %s %s at %s: %s for\n%s", p.Name, args, r.Verdict, r.Code, r.Path, r.Message, records[i])
		}
		all = append(all, r.Emitted[0])
	}
	return all
}

// value decodes JSON.
func value(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// findings gives the checks that threads fail.
func findings(t *testing.T, threads []string) (all []string) {
	t.Helper()
	results, _ := sdktest.Direct(t, modelspeccheck.Plugin, `{"checks":{"leak":"off"}}`, threads...)
	for _, r := range results {
		if r.Verdict == "emit" {
			r.Code = r.Labels[0]["check"]
		}
		all = append(all, r.Code)
	}
	return all
}

// TestVariety holds that a row's variation depends on the seed and on what the row says alone, and that all the languages, orders
// and wordings come up.
func TestVariety(t *testing.T) {
	const args = `{"vary":["order","wording","schema"],"reasoning":"format"}`
	all := rows(300)
	one := emitted(t, modelspec.Plugin, args, all)
	slices.Reverse(all)
	other := emitted(t, modelspec.Plugin, args, all)
	slices.Reverse(other)
	reseeded := emitted(t, modelspec.Plugin, strings.Replace(args, "{", `{"seed":"other",`, 1), all)
	slices.Reverse(reseeded)
	differ := 0
	var texts strings.Builder
	for i := range one {
		if one[i] != other[i] {
			t.Errorf("want the same thread at another place, have\n%s\nand\n%s", one[i], other[i])
		}
		if one[i] != reseeded[i] {
			differ++
		}
		for _, m := range gjson.Get(one[i], `messages.#(role=="developer")#.content`).Array() {
			texts.WriteString(m.Str + "\n\n")
		}
	}
	if differ < 150 {
		t.Errorf("want another seed to make other threads, have %d of %d that differ", differ, len(one))
	}
	for _, want := range []string{
		"```typescript\n", "```json\n", "```python\n", ". It takes an object", "## tool_", "### tool_", "\n# tool_", "**tool_0**", "## Tool: tool_",
		"Respond only in the `json`", "You must answer in the `json`", "Always write the answer in the `json`", "`markdown` format",
	} {
		if !strings.Contains(texts.String(), want) {
			t.Errorf("want %q among the developer texts, have none", want)
		}
	}
	var indented strings.Builder
	encoder := json.NewEncoder(&indented)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(json.RawMessage(rows(1)[0])); err != nil {
		t.Fatal(err)
	}
	if spaced := emitted(t, modelspec.Plugin, args, []string{strings.ReplaceAll(indented.String(), "\n", " ")}); spaced[0] != one[0] {
		t.Errorf("want the same thread of a row with other blanks, have\n%s\nand\n%s", spaced[0], one[0])
	}
}
