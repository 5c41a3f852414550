package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
