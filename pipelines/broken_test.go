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
	"github.com/sluicehq/sluice/plugins"
)

// TestBroken holds the tables of examples/broken/README.md to what eliza-sft.hcl rejects there, line by line.
func TestBroken(t *testing.T) {
	page, err := os.ReadFile("../examples/broken/README.md")
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile("(?m)^\\| ([0-9]+) \\| .* \\| `([a-z0-9_]+)` \\|$|^`([a-z]+\\.jsonl)`").FindAllStringSubmatch(string(page), -1)
	out := t.TempDir()
	p, err := host.Load("eliza-sft.hcl", host.Options{BuiltIns: plugins.All, InProcess: true, Vars: map[string]string{"input": "../examples/broken/*.jsonl", "out": out}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	rejects, err := os.ReadFile(filepath.Join(out, "rejects.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]string{}
	for line := range strings.Lines(string(rejects)) {
		row := gjson.Parse(line)
		have[fmt.Sprintf("%s:%d", filepath.Base(row.Get("file").String()), row.Get("line").Int())] = row.Get("code").String()
	}
	file := ""
	for _, m := range want {
		if m[3] != "" {
			file = m[3]
			continue
		}
		if at := file + ":" + m[1]; have[at] != m[2] {
			t.Errorf("%s: want code %s, have %q", at, m[2], have[at])
		} else {
			delete(have, at)
		}
	}
	for at, code := range have {
		t.Errorf("want %s in the table, rejected with %s", at, code)
	}
}
