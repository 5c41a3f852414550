package plugins_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/chatml"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// TestColumns protects people from columns that vanish: of rows of random shapes, with a mark in every column, each mark is in the
// ChatML row, or the column is counted, or the row is not accepted. That a mark is in metadata of the canonical row is not enough.
func TestColumns(t *testing.T) {
	rows, accepted := 600, 0
	if *long {
		rows = 10_000
	}
	bases := baseRows(t)
	for seed := range rows {
		row := randomRow(rand.New(rand.NewPCG(uint64(seed), 1)), bases)
		emitted, counts := trained(t, row.text())
		if len(emitted) == 0 {
			continue
		}
		accepted++
		if missing := row.missing(strings.Join(emitted, "\n"), counts); len(missing) > 0 {
			t.Errorf("seed %d: %s: neither in the row nor counted\n%s\n=> %s\n%v", seed, strings.Join(missing, ", "), row.text(), strings.Join(emitted, "\n"), counts)
		}
	}
	t.Logf("%d of %d rows accepted", accepted, rows)
	if accepted < rows/4 {
		t.Errorf("want a quarter of %d rows accepted or more, have %d", rows, accepted)
	}
}

// trained returns the ChatML rows that a record becomes, none when it is not accepted, and the counts on its way.
func trained(t *testing.T, record string) (rows []string, counts map[string]int64) {
	t.Helper()
	p, ok := takerOf(t, record)
	if !ok {
		return nil, nil
	}
	args := `{"orphan_results":"user"}`
	if p.Name == "native" {
		args = ""
	}
	counts = map[string]int64{}
	run := func(p sdk.Plugin, args string, inputs ...string) (all []string) {
		results, counted := sdktest.Direct(t, p, args, inputs...)
		for name, n := range counted {
			counts[name] += n
		}
		for _, r := range results {
			if r.Verdict == "emit" || r.Verdict == "unchanged" {
				all = append(all, r.Emitted...)
			}
		}
		return all
	}
	if rows = run(p, args, record); len(rows) > 0 {
		rows = run(chatml.Plugin, "", rows...)
	}
	return rows, counts
}

// A marked row has a mark in each column.
type markedRow struct {
	names []string
	value map[string]any
	marks map[string]string // by column
}

func (r *markedRow) set(name, mark string, value any) {
	if _, there := r.value[name]; there {
		return
	}
	r.names, r.value[name], r.marks[name] = append(r.names, name), value, mark
}

func (r *markedRow) text() string {
	var b strings.Builder
	for i, name := range r.names {
		value, err := json.Marshal(r.value[name])
		if err != nil {
			panic(err) // of maps, lists and strings
		}
		fmt.Fprintf(&b, "%s%q:%s", map[bool]string{true: "{", false: ","}[i == 0], name, value)
	}
	return b.String() + "}"
}

// missing returns the columns whose mark is neither in the rows nor counted by name. A loss that has no name of a column
// accounts for as many of them as it counts.
func (r *markedRow) missing(rows string, counts map[string]int64) (columns []string) {
	unnamed := counts["beside.other"]
	for name, n := range counts {
		if strings.HasPrefix(name, "loss.") || strings.HasPrefix(name, "mended.") || name == "orphan_result" {
			unnamed += n
		}
	}
	for _, name := range r.names {
		mark := r.marks[name]
		if mark == "" || strings.Contains(rows, mark) || counts["beside."+name] > 0 {
			continue
		}
		if object, ok := r.value[name].(map[string]any); ok && name == "metadata" && slices.ContainsFunc(slices.Collect(maps.Keys(object)), func(member string) bool { return counts["beside."+member] > 0 }) {
			continue // its members count by their own names
		}
		if strings.HasSuffix(name, "_id") && counts["beside.trajectoryId"] > 0 {
			continue // under its name in the canonical row
		}
		if unnamed--; unnamed < 0 {
			columns = append(columns, name)
		}
	}
	return columns
}

// baseRows returns a record of each kind that is known: testdata of the pipelines has them with what becomes of them.
func baseRows(t *testing.T) (all []map[string]any) {
	t.Helper()
	text, err := os.ReadFile("../pipelines/testdata/kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var row map[string]any
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &row) == nil {
			all = append(all, row)
		}
	}
	return all
}

// known are names of columns that adapters read as texts.
var known = []string{
	"prompt", "question", "query", "instruction", "input", "context", "passage", "article", "document", "background", "problem", "user",
	"response", "answer", "output", "completion", "solution", "assistant", "system", "system_prompt", "text", "chosen", "rejected",
	"output_1", "output_2", "response_0", "response_1", "reasoning", "thought", "rationale", "explanation", "target", "label",
}

// foreign are names of columns that no adapter knows.
var foreign = []string{"note", "extra", "comments", "info", "raw_html", "score_details", "annotator_remarks", "Topic", "data-set", "größe", "a.b", ""}

// randomRow returns the columns of a known kind with foreign ones, or known and foreign columns at random.
func randomRow(r *rand.Rand, bases []map[string]any) *markedRow {
	row := &markedRow{value: map[string]any{}, marks: map[string]string{}}
	mark := func() string { return fmt.Sprintf("mark%dq", 1000+len(row.names)) }
	if r.IntN(3) > 0 {
		base := bases[r.IntN(len(bases))]
		names := make([]string, 0, len(base))
		for name := range base {
			names = append(names, name)
		}
		slices.Sort(names)
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			m := mark()
			value, placed := withMark(base[name], m)
			if !placed {
				m = ""
			}
			row.set(name, m, value)
		}
	}
	for range r.IntN(4) + 2 - min(2, len(row.names)) {
		m := mark()
		row.set(known[r.IntN(len(known))], m, "Some words with "+m+" in them")
	}
	for range r.IntN(3) {
		m := mark()
		values := []any{
			"words " + m, []any{"words", m}, map[string]any{"deep": map[string]any{"er": m}}, map[string]any{m: true},
			[]any{map[string]any{"n": 1.5, "t": m}}, strings.Repeat("a long text of words ", 20) + m,
		}
		row.set(foreign[r.IntN(len(foreign))], m, values[r.IntN(len(values))])
	}
	r.Shuffle(len(row.names), func(i, j int) { row.names[i], row.names[j] = row.names[j], row.names[i] })
	return row
}

// structural are members whose words say what a value is, and not what was said.
var structural = []string{
	"role", "type", "from", "format", "boundary", "schema_version", "source", "action", "observation", "author", "kind", "state", "lc", "id", "status",
	"call_id", "tool_call_id", "toolCallId", "toolUseId", "name", "winner", "answerKey", "finish_reason", "stop_reason", "object", "span_kind", "lang",
}

// withMark returns a copy of a value with a mark at the end of its first text that is said, and whether it has one.
func withMark(v any, mark string) (any, bool) {
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[{") {
			return v, false
		}
		return v + " " + mark, true
	case []any:
		list, placed := slices.Clone(v), false
		for i := range list {
			if list[i], placed = withMark(list[i], mark); placed {
				break
			}
		}
		return list, placed
	case map[string]any:
		names := make([]string, 0, len(v))
		object := map[string]any{}
		for name, value := range v {
			names, object[name] = append(names, name), value
		}
		slices.Sort(names)
		for _, name := range names {
			if slices.Contains(structural, name) {
				continue
			}
			if value, placed := withMark(object[name], mark); placed {
				object[name] = value
				return object, true
			}
		}
		return object, false
	}
	return v, false
}
