package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestREADME holds what the README shows to the files that it shows.
func TestREADME(t *testing.T) {
	read := func(path string) string {
		data, err := os.ReadFile(filepath.Join("../..", path))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	readme := read("README.md")
	fences := map[string][]string{}
	for _, m := range regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```").FindAllStringSubmatch(readme, -1) {
		fences[m[1]] = append(fences[m[1]], m[2])
	}
	shown := map[string][]string{
		"go": {"examples/hello/main.go", "examples/unique/unique.go"}, "hcl": {"pipelines/eliza-sft.hcl"},
	}
	for language, files := range shown {
		if len(fences[language]) != len(files) {
			t.Fatalf("want %d blocks of %s, have %d", len(files), language, len(fences[language]))
		}
		for i, file := range files {
			if !strings.HasSuffix(read(file), fences[language][i]) {
				t.Errorf("want %s block %d to be the end of %s", language, i+1, file)
			}
		}
	}
	if n := strings.Count(fences["go"][0], "\n"); n > 20 {
		t.Errorf("want a plugin of at most 20 lines, have %d", n)
	}
	for _, m := range regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(readme, -1) {
		if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
			t.Errorf("want every link to lead somewhere: %v", err)
		}
	}
}
