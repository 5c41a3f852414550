package output

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sluicehq/sluice/sdk/wire"
)

// No goroutine outlives Finish or Abort.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testRun = "TESTRUN1"

// inFolder makes a folder with files, links (name to target) and hard links, and goes there.
func inFolder(t *testing.T, files, links map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, data := range files {
		must(t, os.MkdirAll(filepath.Dir(name), 0o777))
		must(t, os.WriteFile(name, []byte(data), 0o666))
	}
	for name, target := range links {
		must(t, os.MkdirAll(filepath.Dir(name), 0o777))
		must(t, os.Symlink(target, name))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newSet(t *testing.T) *Set {
	t.Helper()
	s := New(Options{Run: testRun})
	t.Cleanup(func() {
		if err := s.Abort(); err != nil {
			t.Errorf("abort: %v", err)
		}
	})
	return s
}

func addSink(t *testing.T, s *Set, what, path string) *Sink {
	t.Helper()
	sink, err := s.Sink("jsonl", Claim{What: what, Path: path})
	must(t, err)
	return sink
}

func addReport(t *testing.T, s *Set, what, path string) *Report {
	t.Helper()
	r, err := s.Report(Claim{What: what, Path: path, KeepFailed: true})
	must(t, err)
	return r
}

func addReceipt(t *testing.T, s *Set, path string) *Report {
	t.Helper()
	r, err := s.Receipt(Claim{What: "receipt", Path: path, Failed: true})
	must(t, err)
	return r
}

func prepare(t *testing.T, s *Set) {
	t.Helper()
	must(t, s.Prepare(t.Context()))
}

func finish(t *testing.T, s *Set) []File {
	t.Helper()
	files, err := s.Finish()
	must(t, err)
	return files
}

func records(lines ...string) []wire.Record {
	var rs []wire.Record
	for _, line := range lines {
		rs = append(rs, wire.Record{Data: []byte(line)})
	}
	return rs
}

func split(value, line string) wire.Record {
	return wire.Record{Data: []byte(line), File: "in", Line: 3, Labels: []wire.Label{{Name: "a", Value: "x"}, {Name: "split", Value: value}}}
}

// tree lists what is in the folder: files with their contents, links with their targets, empty folders.
func tree(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	must(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		name := filepath.ToSlash(path)
		switch {
		case err != nil || name == ".":
			return err
		case d.IsDir():
			entries, err := os.ReadDir(path)
			if len(entries) == 0 {
				found[name] = "empty folder"
			}
			return err
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			found[name] = "link to " + target
			return err
		}
		data, err := os.ReadFile(path)
		found[name] = string(data)
		return err
	}))
	return found
}

func wantTree(t *testing.T, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, tree(t)); diff != "" {
		t.Error(diff)
	}
}
