package rows

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCutter protects the borders of blocks: whatever the size of the buffer, no line is cut or lost.
func TestCutter(t *testing.T) {
	for _, tc := range []struct {
		why, text string
		blocks    []string
	}{
		{"nothing", "", nil},
		{"no end of the last line", "a\nb", []string{"a\nb"}},
		{"lines that fill a block", "1234567\n1234567\n", []string{"1234567\n", "1234567\n"}},
		{"a line of the block's size without its end", "12345678\n1\n", []string{"(9 bytes)", "1\n"}},
		{"a long line", "1\n123456789012345678901234567890\n2\n", []string{"1\n", "(31 bytes)", "2\n"}},
		{"a long line that ends the file", "1\n1234567890123", []string{"1\n", "(13 bytes)"}},
		{"empty lines", "\n\n\n", []string{"\n\n\n"}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			c := cutter{from: strings.NewReader(tc.text)}
			var have []string
			for {
				from := c.at
				block, err := c.next(make([]byte, 8))
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				if block == nil {
					block = fmt.Appendf(nil, "(%d bytes)", c.at-from)
				}
				have = append(have, string(block))
			}
			if diff := cmp.Diff(tc.blocks, have); diff != "" {
				t.Error(diff)
			}
			if c.at != int64(len(tc.text)) {
				t.Errorf("want the end at %d, have %d", len(tc.text), c.at)
			}
		})
	}
}

// TestWords protects what a row says for the columns, for each spelling of the shapes that are written and read.
func TestWords(t *testing.T) {
	for _, tc := range []struct {
		why, row     string
		turns, calls uint32
		words        map[string][]string
	}{
		{"a canonical row", `{"format":"eliza_native_v1","model":"m1","request":{"system":"s","messages":[{"role":"user","content":"x"},
			{"role":"assistant","content":[{"type":"tool-call","toolName":"A"},{"type":"text","text":"y"}]}]},
			"response":{"text":"","toolCalls":[{"toolName":"B"},{"toolName":"A"}],"finishReason":"length"},
			"metadata":{"split":"val","source_dataset":"d","task_type":"planner","conversion":{"adapter":"openhands"},
			"quality":{"success":false,"requiresRepair":1,"rating":"gold"}}}`, 4, 3, map[string][]string{
			"shape": {canonicalShape}, "model": {"m1"}, "action": {"A", "B"}, "finish": {"length"}, "split": {"val"}, "source": {"d"},
			"task": {"planner"}, "adapter": {"openhands"}, "quality": {"failure", "repair", "gold"},
		}},
		{"a ChatML row with tags", `{"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"function":{"name":"A"}}]}],
			"task":"t","tags":["a","b",7,["c"]]}`, 2, 1, map[string][]string{"shape": {chatmlShape}, "action": {"A"}, "task": {"t"}, "tag": {"a", "b", "7"}}},
		{"a thread", `{"system_settings":{},"messages":[{"role":"assistant","format":"get_weather:json","content":"{}"},{"role":"assistant","format":"markdown"}]}`,
			2, 1, map[string][]string{"shape": {threadShape}, "action": {"get_weather"}}},
		{"a reject", `{"code":"bad","message":"m","path":"","step":"a.b","plugin":"a","file":"f","line":1,"record":"{}"}`, 0, 0,
			map[string][]string{"shape": {RejectShape}, "code": {"bad"}, "step": {"a.b"}}},
		{"a finding of privacy", `{"file":"f","line":1,"step":"p.r","path":"x","place":"value","entity":"EMAIL","rule":"e"}`, 0, 0,
			map[string][]string{"shape": {FindingShape}, "step": {"p.r"}, "entity": {"EMAIL"}}},
		{"a finding of a check", `{"file":"f","line":1,"step":"m.r","check":"name_case","level":"note","message":"x"}`, 0, 0,
			map[string][]string{"shape": {CheckShape}, "code": {"name_case"}, "step": {"m.r"}}},
		{"a duplicate", `{"file":"f","line":1,"step":"d.d","left_out":"duplicate","kind":"exact"}`, 0, 0,
			map[string][]string{"shape": {PairShape}, "code": {"duplicate"}, "step": {"d.d"}}},
		{"a preference", `{"chosen":[{"role":"assistant","content":"y"}],"rejected":[{"role":"assistant","content":"n"}]}`, 1, 0,
			map[string][]string{"shape": {preferenceShape}}},
		{"parts of other providers", `{"contents":[{"parts":[{"functionCall":{"name":"A"}}]},{"parts":[{"toolUse":{"name":"B"}},7]}]}`, 2, 2,
			map[string][]string{"shape": {"gemini"}, "action": {"A", "B"}}},
		{"a trajectory record", `{"schema":"eliza.eliza1_trajectory_record.v1","messages":[{"role":"user","content":"x"}],"quality":{"success":true,"rating":"gold","score":"0.5"}}`, 1, 0,
			map[string][]string{"shape": {"trajectory"}, "quality": {"success", "gold"}}},
		{"a canonical row that does not say so", `{"request":{"prompt":"q"},"response":{"text":"a"}}`, 2, 0, map[string][]string{"shape": {canonicalShape}}},
		{"a stepwise row", `{"prompt":"q","completions":["a","b"],"labels":[true,false]}`, 0, 0, map[string][]string{"shape": {"stepwise"}}},
		{"quality in the spellings of tables", `{"text":"t","quality":{"success":"False","requiresRepair":"1","rating":"Repair"}}`, 0, 0,
			map[string][]string{"shape": {"text"}, "quality": {"failure", "repair", "Repair"}}},
		{"values that are none", `{"messages":{"a":1},"request":[],"response":7,"metadata":null,"split":{"x":1},"tags":"t","quality":"good"}`, 0, 0,
			map[string][]string{"shape": {chatmlShape}, "tag": {"t"}, "quality": {"good"}}},
		{"free text is not kept", `{"task":"` + strings.Repeat("x", 81) + `","model":"` + strings.Repeat("y", 2000) + `"}`, 0, 0,
			map[string][]string{"shape": {otherShape}, "task": {longWord}, "model": {longWord}}},
		{"no JSON", `{`, 0, 0, map[string][]string{"shape": {noJSON}}},
		{"too many brackets", strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), 0, 0, map[string][]string{"shape": {noJSON}}},
	} {
		t.Run(tc.why, func(t *testing.T) {
			var s rowWords
			s.read([]byte(`{"messages":[],"split":"train","file":"f"}`)) // nothing of an earlier row is left
			s.read([]byte(tc.row))
			have := map[string][]string{}
			for c, said := range s.words {
				if len(said) > 0 {
					have[words[c].Name] = said
				}
			}
			if diff := cmp.Diff(tc.words, have); diff != "" {
				t.Error(diff)
			}
			if s.turns != tc.turns || s.calls != tc.calls {
				t.Errorf("want %d turns and %d calls, have %d and %d", tc.turns, tc.calls, s.turns, s.calls)
			}
		})
	}
}

// TestKinds protects rows whose words are more than can be told apart: they are others, and no earlier row changes.
func TestKinds(t *testing.T) {
	if !*long {
		defer func(most int) { mostKinds = most }(mostKinds)
		mostKinds = 1 << 10
	}
	lines := make([]string, mostKinds+500)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"task":"t%d"}`, i)
	}
	x := open(t, t.TempDir(), writeFile(t, t.TempDir(), "a.jsonl", lines...))
	for i, want := range map[int]string{0: "t0", mostKinds - 1: fmt.Sprint("t", mostKinds-1), mostKinds: otherWord, len(lines) - 1: otherWord} {
		if r, err := x.Row(ID{Row: uint32(i)}); err != nil || !slices.Equal(r.Words("task"), []string{want}) {
			t.Errorf("row %d: want %s, have %v, %v", i, want, r.Words("task"), err)
		}
	}
	if n := len(x.store.kinds); n > mostKinds+3 { // that of others, of rows as they are masked, and none

		t.Errorf("want at most %d kinds, have %d", mostKinds+3, n)
	}
}
