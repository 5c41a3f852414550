package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestREADME holds the plugin that the front page shows to the example that is built and tested, and the page to its length.
func TestREADME(t *testing.T) {
	read := func(path string) string {
		data, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	readme := read("README.md")
	if n := strings.Count(readme, "\n"); n > 150 {
		t.Errorf("want a front page of at most 150 lines, have %d", n)
	}
	fences := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(readme, -1)
	if len(fences) != 1 {
		t.Fatalf("want one block of go, have %d", len(fences))
	}
	plugin := fences[0][1]
	if n := strings.Count(plugin, "\n"); n > 20 {
		t.Errorf("want a plugin of at most 20 lines, have %d", n)
	}
	if plugin != read("examples/hello/main.go") {
		t.Errorf("want examples/hello/main.go, have\n%s", plugin)
	}
}

// TestFrontPage holds that the commands of the front page and its pipeline, one after the other, leave the runs of all of them whole, and
// that the first says what the page shows.
func TestFrontPage(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, part := range []string{"pipelines", "examples/corpus", "examples/hello"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(root, part))); err != nil {
			t.Fatal(err)
		}
	}
	do := func(in string, words ...string) string {
		c := exec.Command(words[0], words[1:]...)
		c.Dir = in
		said, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(words, " "), err, said)
		}
		return string(said)
	}
	page, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?s)```text\n(done: .*?)```").FindSubmatch(page)
	if shown == nil {
		t.Fatal("want the front page to show what a run says, have no block that does")
	}
	timeOrWarning := regexp.MustCompile(`(?m)^(took |warning: ).*\n`)
	ran := 0
	for _, fence := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		for command := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(fence[1]), "\n", " && "), " && ") {
			words := strings.Fields(command)
			switch {
			case strings.HasPrefix(command, "go run ./cmd/sluice "):
				said := do(dir, append([]string{"sluice"}, words[3:]...)...)
				if ran++; ran > 1 {
					continue
				}
				if diff := cmp.Diff(string(shown[1]), timeOrWarning.ReplaceAllString(said, "")); diff != "" {
					t.Errorf("%s (-shown +said):\n%s", command, diff)
				}
			case strings.HasPrefix(command, "go build -o "):
				words[3] = filepath.Join(dir, words[3])
				do(root, words...)
			case command != "go test ./...": // which this is a part of
				t.Errorf("want a command that this test knows, have %q", command)
			}
		}
	}
	if ran != 2 {
		t.Errorf("want the front page to run 2 pipelines, have %d", ran)
	}
	file := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindSubmatch(page)
	if file == nil {
		t.Fatal("want the front page to show a pipeline, have no block that does")
	}
	if err := os.WriteFile(filepath.Join(dir, "readme.hcl"), file[1], 0o600); err != nil {
		t.Fatal(err)
	}
	do(dir, "sluice", "run", "readme.hcl")
	for _, out := range []string{"out", "out/hello", "out/readme"} {
		do(dir, "sluice", "verify", out)
	}
}

// TestLinks holds that every relative link of every page leads to a file.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)|(?:src|srcset)="([^":]+)"`)
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		page, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range link.FindAllStringSubmatch(string(page), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1]+m[2])); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
