package host_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocLists holds that the package comment says what each file and each package is for, since nobody looks for one that it leaves out.
func TestDocLists(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	named := func(section, pattern string) (names []string) {
		_, text, found := strings.Cut(string(doc), "// # "+section+"\n")
		if !found {
			t.Fatalf("want a section %s, have a package comment without it", section)
		}
		text, _, _ = strings.Cut(text, "// # ")
		for _, m := range regexp.MustCompile(`(?m)^//\t(`+pattern+`) +\S`).FindAllStringSubmatch(text, -1) {
			names = append(names, m[1])
		}
		slices.Sort(names)
		return names
	}
	there := func(pattern string) (names []string) {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f, "_test.go") && f != "doc.go" {
				names = append(names, filepath.ToSlash(f))
			}
		}
		return names
	}
	var packages []string
	for _, f := range append(there("*/*.go"), there("internal/*/*.go")...) {
		packages = append(packages, filepath.ToSlash(filepath.Dir(f)))
	}
	slices.Sort(packages)
	if diff := cmp.Diff(there("*.go"), named("Files", `[\w]+\.go`)); diff != "" {
		t.Errorf("files (-there +named):\n%s", diff)
	}
	if diff := cmp.Diff(slices.Compact(packages), named("Packages", `[\w/]+`)); diff != "" {
		t.Errorf("packages (-there +named):\n%s", diff)
	}
}
