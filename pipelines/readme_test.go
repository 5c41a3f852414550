package pipelines_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/pipetest"
	"github.com/sluicehq/sluice/host/registry"
	"github.com/sluicehq/sluice/plugins"
)

var fence = regexp.MustCompile("(?s)```hcl\n(.*?)```")

var ofTests = regexp.MustCompile("^(test|never|always) ")

// TestREADME loads every pipeline that the page shows, and lets the built-in plugins check their arguments. What shows
// only a part gets a source and a sink. What is shown of a file of tests is in that of eliza-sft.hcl.
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
			if ofTests.MatchString(text) {
				tests, err := os.ReadFile("eliza-sft.test.hcl")
				if err != nil || !strings.Contains(string(tests), text) {
					t.Errorf("want blocks of eliza-sft.test.hcl, have others (%v):\n%s", err, text)
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
		if strings.HasSuffix(file, pipetest.Ending) {
			continue
		}
		if !strings.Contains(string(page), "| `"+file+"` |") {
			t.Errorf("want %s in the table of README.md", file)
		}
	}
}

// TestREADMENamesEverySourceAndSink holds what the page says by hand of the kinds: each has its row or its sentence, and every
// attribute of it is named on the page.
func TestREADMENamesEverySourceAndSink(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := func(text, reason string) {
		if !strings.Contains(string(page), text) {
			t.Errorf("want %q in README.md, %s", text, reason)
		}
	}
	for _, info := range registry.Sources() {
		want("\n| `"+info.Name+"` |", "in the table of sources")
		for _, a := range info.Args {
			want("`"+a.Name+"`", "an attribute of source "+info.Name)
		}
	}
	for _, info := range registry.Sinks() {
		want("The sink `"+info.Name+"` ", "for what the sink writes")
		for _, a := range info.Args {
			want("`"+a.Name+"`", "an attribute of sink "+info.Name)
		}
	}
}

// TestFrontPage holds the pipeline and the two rows that the first page shows: the pipeline loads and its plugins accept
// its arguments, and eliza-sft.hcl makes the second row of the first.
func TestFrontPage(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := fence.FindStringSubmatch(string(page))
	rows := regexp.MustCompile("(?s)```json\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	if shown == nil || len(rows) != 2 {
		t.Fatalf("want a pipeline and two rows, have %d rows", len(rows))
	}
	dir := t.TempDir()
	file, in := filepath.Join(dir, "pipeline.hcl"), filepath.Join(dir, "in.json")
	for path, text := range map[string]string{file: shown[1], in: rows[0][1]} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, err := host.Load(file, host.Options{BuiltIns: plugins.All, InProcess: true})
	if err == nil {
		_, err = p.Check(context.Background())
	}
	if err != nil {
		t.Error(err)
	}
	p, err = host.Load("eliza-sft.hcl", host.Options{BuiltIns: plugins.All, InProcess: true, Vars: map[string]string{"input": in, "out": dir}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join(dir, "train.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := gjson.Get(rows[1][1], "@ugly").Raw
	if strings.TrimSpace(string(have)) != want {
		t.Errorf("want %s\nhave %s", want, have)
	}
}
