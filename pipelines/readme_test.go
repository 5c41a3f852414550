package pipelines_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins"
)

var fence = regexp.MustCompile("(?s)```hcl\n(.*?)```")

// TestREADME loads every pipeline that the page shows, and lets the built-in plugins check their arguments. What shows
// only a part gets a source and a sink. A test that is shown is one of eliza-sft.hcl.
func TestREADME(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	snippets := fence.FindAllStringSubmatch(string(page), -1)
	if len(snippets) == 0 {
		t.Fatal("want pipelines in README.md, have none")
	}
	for i, s := range snippets {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			text := s[1]
			if strings.HasPrefix(text, "test ") {
				tests, err := os.ReadFile("eliza-sft.test.hcl")
				if err != nil || !strings.Contains(string(tests), text) {
					t.Errorf("want a test of eliza-sft.test.hcl, have another (%v):\n%s", err, text)
				}
				return
			}
			if !strings.Contains(text, "\nsource ") {
				text = "source \"jsonl\" \"in\" {\n  paths = [\"in.jsonl\"]\n}\n\n" + text
			}
			if !strings.Contains(text, "\nsink ") {
				text += "\nsink \"jsonl\" \"out\" {\n  path = \"out.jsonl\"\n}\n"
			}
			file := filepath.Join(t.TempDir(), "pipeline.hcl")
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			p, err := host.Load(file, host.Options{BuiltIns: plugins.All, InProcess: true})
			if err == nil && !strings.Contains(text, "\nplugin ") {
				_, err = p.Check(context.Background())
			}
			if err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

// TestREADMENamesEveryPipeline holds the list at the end of the page.
func TestREADMENamesEveryPipeline(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, host.TestEnding) {
			continue
		}
		if !strings.Contains(string(page), "| `"+file+"` |") {
			t.Errorf("want %s in the table of README.md", file)
		}
	}
}
