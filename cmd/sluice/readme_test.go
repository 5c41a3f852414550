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
	for language, file := range map[string]string{"go": "examples/hello/main.go", "hcl": "pipelines/eliza-sft.hcl"} {
		if len(fences[language]) != 1 || !strings.HasSuffix(read(file), fences[language][0]) {
			t.Errorf("want one %s block that is the end of %s, have %d", language, file, len(fences[language]))
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
