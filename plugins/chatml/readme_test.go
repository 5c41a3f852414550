package chatml

import (
	"os"
	"strings"
	"testing"
)

func TestReadmeNamesTargets(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		if !strings.Contains(string(readme), "`"+target.name+"`") {
			t.Errorf("want %s in README.md", target.name)
		}
		if target.source == "" {
			t.Errorf("%s: want the source of its rules", target.name)
		}
	}
}
