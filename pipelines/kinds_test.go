package pipelines_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/plugins"
)

var update = flag.Bool("update", false, "print the outcomes of kinds that differ as testdata/kinds.txt has them")

// A kind is a case of testdata/kinds.txt.
type kind struct {
	name        string
	lines, want []string
}

// kinds reads the cases.
func kinds(t *testing.T) (all []kind) {
	t.Helper()
	text, err := os.ReadFile("testdata/kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		lines := strings.Split(strings.TrimSpace(section), "\n")
		k := kind{name: lines[0]}
		for _, line := range lines[1:] {
			if strings.HasPrefix(line, "=> ") || strings.HasPrefix(line, "!! ") {
				k.want = append(k.want, line)
			} else {
				k.lines = append(k.lines, line)
			}
		}
		all = append(all, k)
	}
	return all
}

// TestKinds protects those who train on what other teams recorded: of every kind of record that is known, a row is trained on the
// right question and the right answer in the right order, or is rejected by name, and no column is left out uncounted.
func TestKinds(t *testing.T) {
	all := kinds(t)
	if len(all) < 110 {
		t.Fatalf("want the kinds of testdata/kinds.txt, have %d", len(all))
	}
	for _, k := range all {
		t.Run(k.name, func(t *testing.T) {
			rows, rejects, counts := sft(t, strings.Join(k.lines, "\n"))
			have := []string{}
			for _, row := range rows {
				have = append(have, "=> "+spoken(gjson.Parse(row)))
			}
			for _, code := range rejects {
				have = append(have, "!! "+code)
			}
			if diff := cmp.Diff(k.want, have); diff != "" {
				t.Errorf("(-want +have):\n%s", diff)
				if *update {
					fmt.Printf("## %s\n%s\n", k.name, strings.Join(have, "\n"))
				}
			}
			if len(rejects) == 0 && strings.HasPrefix(k.lines[0], "{") && len(k.lines) == 1 {
				for _, column := range uncounted(k.lines[0], strings.Join(rows, "\n"), counts) {
					t.Errorf("column %s is neither in the row nor counted: %v", column, counts)
				}
			}
		})
	}
}

// sft runs eliza-sft.hcl on the text of a file. It returns the rows, the codes of rejects and the counts of all steps.
func sft(t *testing.T, text string) (rows, rejects []string, counts map[string]int64) {
	t.Helper()
	in, out := filepath.Join(t.TempDir(), "in.jsonl"), t.TempDir()
	if err := os.WriteFile(in, []byte(text+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := host.Load("eliza-sft.hcl", host.Options{BuiltIns: plugins.All, InProcess: true, Vars: map[string]string{"input": in, "out": out}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"train", "val", "test"} {
		rows = append(rows, linesOf(t, filepath.Join(out, name+".jsonl"))...)
	}
	for _, line := range linesOf(t, filepath.Join(out, "rejects.jsonl")) {
		rejects = append(rejects, gjson.Get(line, "code").Str)
	}
	return rows, rejects, countsOf(result.Receipt)
}

func linesOf(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

func countsOf(r *receipt.Receipt) map[string]int64 {
	counts := map[string]int64{}
	for _, s := range r.Steps {
		for name, n := range s.Counts {
			counts[name] += n
		}
	}
	return counts
}

// spoken returns the messages of a row as testdata/kinds.txt has them.
func spoken(row gjson.Result) string {
	var all []string
	for _, m := range row.Get("messages").Array() {
		parts := []string{m.Get("role").Str + ":"}
		if r := m.Get("reasoning_content"); r.Exists() {
			parts = append(parts, "("+r.Str+")")
		}
		if content := m.Get("content").Str; content != "" {
			parts = append(parts, strings.ReplaceAll(content, "\n", `\n`))
		}
		for _, c := range m.Get("tool_calls").Array() {
			parts = append(parts, "["+c.Get("function.name").Str+" "+c.Get("function.arguments").String()+"]")
		}
		all = append(all, strings.Join(parts, " "))
	}
	return strings.Join(all, " | ")
}

var wordForm = regexp.MustCompile(`[\pL\pN_]{4,}`)

// uncounted returns the columns of a record of whose texts no word is in the rows, and that no count names. What identifies a
// canonical row is not counted.
func uncounted(record, rows string, counts map[string]int64) (columns []string) {
	rejected := counts["loss.rejected"] // the answer that was not preferred is one column
	gjson.Parse(record).ForEach(func(key, value gjson.Result) bool {
		words := wordForm.FindAllString(strings.Join(texts(value), " "), -1)
		if len(words) == 0 || counts["beside."+key.Str]+counts["beside.other"] > 0 || gjson.Get(record, "format").Exists() {
			return true
		}
		if !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(rows, word) }) {
			if rejected--; rejected < 0 {
				columns = append(columns, key.Str)
			}
		}
		return true
	})
	return columns
}

// texts returns the strings in a value.
func texts(v gjson.Result) (all []string) {
	if v.Type == gjson.String {
		return []string{v.Str}
	}
	if v.IsArray() || v.IsObject() {
		v.ForEach(func(_, inner gjson.Result) bool {
			all = append(all, texts(inner)...)
			return true
		})
	}
	return all
}
