package plugins_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// withoutReference is set in the environment of the tests that run without plugins/reference.
const withoutReference = "SLUICE_WITHOUT_REFERENCE"

// TestWithoutReference compiles all plugins without the folder plugins/reference and without the line that imports it, and runs
// TestProfiles there.
func TestWithoutReference(t *testing.T) {
	list, err := os.ReadFile("plugins.go")
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(list)) {
		if !strings.Contains(line, "plugins/reference") {
			kept = append(kept, line)
		}
	}
	if removed := strings.Count(string(list), "\n") - len(kept); removed != 1 {
		t.Fatalf("want one line of plugins.go that names plugins/reference, have %d", removed)
	}
	dir := t.TempDir()
	shortened := filepath.Join(dir, "plugins.go")
	replace := map[string]string{absolute(t, "plugins.go"): shortened}
	err = filepath.WalkDir("reference", func(path string, d fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".go" {
			replace[absolute(t, path)] = "" // which deletes it
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{shortened: strings.Join(kept, ""), filepath.Join(dir, "overlay.json"): string(overlay)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	test := exec.Command("go", "test", "-overlay", filepath.Join(dir, "overlay.json"), "-run", "^TestProfiles$", ".")
	test.Env = append(os.Environ(), withoutReference+"=1")
	if out, err := test.CombinedOutput(); err != nil {
		t.Errorf("want plugins that do without plugins/reference, have %v\n%s", err, out)
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestProfiles holds that each plugin with profile "reference" opens with it, or says at the attribute that the program was built
// without it, and that the standard profile works in any case.
func TestProfiles(t *testing.T) {
	row := canonicalRow("", "")
	records := map[string]string{
		"alias": row, "chatml": row, "native": row, "privacy": row,
		"eliza-record": `{"currentMessage":{"content":"q"},"expectedResponse":"a"}`,
		"messages":     `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}`,
	}
	needed := map[string]string{"alias": `"aliases":{"A":"B"}`}
	want := ""
	if os.Getenv(withoutReference) != "" {
		want = `profile: want standard, have "reference", which this program was built without`
	}
	for _, p := range plugins.All {
		record, ok := records[p.Name]
		if !ok {
			continue
		}
		delete(records, p.Name)
		results, _ := sdktest.Run(t, p, "{"+needed[p.Name]+"}", record)
		if results[0].Verdict != "emit" {
			t.Errorf("%s: want a row of the standard profile, have %s: %s", p.Name, results[0].Verdict, results[0].Message)
		}
		args := strings.Replace(`{"profile":"reference",`+needed[p.Name]+"}", ",}", "}", 1)
		if have := sdktest.BadArgs(p, args); have != want {
			t.Errorf("%s: want %q, have %q", p.Name, want, have)
		}
	}
	if len(records) > 0 {
		t.Errorf("want all of the plugins listed, have %v left", records)
	}
}
