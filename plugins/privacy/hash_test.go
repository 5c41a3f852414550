package privacy

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/sluicehq/sluice/plugins/internal/profile"
)

// TestRulesHashChangesWithWhatDecides changes each file of the rules and of their code by one byte.
func TestRulesHashChangesWithWhatDecides(t *testing.T) {
	if want, have := hashOfFiles(deciding()), RulesHash(); have != want {
		t.Errorf("want %s, the hash of all folders, have %s", want, have)
	}
	folders, err := filepath.Glob("*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range folders { // backend brings what a program finds, report counts
		if folder := filepath.Dir(name); deciding()[folder] == nil && folder != "backend" && folder != "report" {
			t.Errorf("%s: want its code among what is hashed, have it left out", folder)
		}
	}
	for folder, files := range deciding() {
		copied := fstest.MapFS{}
		folders := map[string]fs.FS{}
		for name, other := range deciding() {
			folders[name] = other
		}
		folders[folder] = copied
		for _, name := range decidingFiles(t, folder) {
			data, err := fs.ReadFile(files, name)
			if err != nil {
				t.Errorf("%s/%s: want it among what is hashed, have it left out", folder, name)
				continue
			}
			copied[name] = &fstest.MapFile{Data: data}
		}
		whole := hashOfFiles(folders)
		if whole != RulesHash() {
			t.Errorf("%s: want its files hashed and no others", folder)
		}
		for name, file := range copied {
			file.Data[len(file.Data)/2] ^= 1
			if hashOfFiles(folders) == whole {
				t.Errorf("%s/%s: want another hash after a change, have the same", folder, name)
			}
			file.Data[len(file.Data)/2] ^= 1
		}
	}
	profile.Register("privacy", Reference{Files: fstest.MapFS{"filter.go": {Data: []byte("package privacy")}}})
	if hashOfFiles(deciding()) == RulesHash() {
		t.Error("want another hash with a filter for profile reference, have the same")
	}
}

// decidingFiles are the data and the code of a folder as they lie on disk.
func decidingFiles(t *testing.T, folder string) (names []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if slices.Contains([]string{".go", ".json", ".s", ".txt"}, filepath.Ext(e.Name())) && !strings.HasSuffix(e.Name(), "_test.go") {
			names = append(names, e.Name())
		}
	}
	if len(names) == 0 {
		t.Fatalf("%s: want files, have none", folder)
	}
	return names
}
