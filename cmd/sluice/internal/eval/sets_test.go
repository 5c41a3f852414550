package eval

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTrufflehogSet holds how the script reads the tests of trufflehog's detectors: texts of constants and formats, every
// copy of a secret, a pair that is wanted as one text, and tests that want nothing.
func TestTrufflehogSet(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "pkg", "detectors", "acme", "acme_test.go"), `package acme

var validPattern = "key: abcdefgh12345678"

func TestAcme_Pattern(t *testing.T) {
	id := "user-77-zeta"
	tests := []struct {
		name, input string
		want        []string
	}{
		{name: "whole", input: validPattern, want: []string{"abcdefgh12345678"}},
		{name: "twice", input: fmt.Sprintf("é %s %s", "qwertyuiop99", "qwertyuiop99"), want: []string{"qwertyuiop99"}},
		{name: "pair", input: id + " / 0123456789ab", want: []string{"user-77-zeta:0123456789ab"}},
		{name: "none", input: "acme = x", want: nil},
		{name: "unknown", input: read("file"), want: nil},
	}
}
`)
	have := set(t, "sh", "testdata/trufflehog_set.sh", dir)
	want := []document{
		{Text: "key: abcdefgh12345678", Spans: []span{{Start: 5, End: 21, Entity: "acme"}}},
		{Text: "é qwertyuiop99 qwertyuiop99", Spans: []span{{Start: 2, End: 14, Entity: "acme"}, {Start: 15, End: 27, Entity: "acme"}}},
		{Text: "user-77-zeta / 0123456789ab", Spans: []span{{Start: 0, End: 12, Entity: "acme"}, {Start: 15, End: 27, Entity: "acme"}}},
		{Text: "acme = x"},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
}

// TestOthersSet holds that the labels of presidio-research keep their places, which its rows name in another way.
func TestOthersSet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "source.tar.gz")
	write(t, path, archive(t, "presidio_evaluator-0/data/synth_dataset_v2.json",
		`[{"full_text": "é Ann", "spans": [{"entity_type": "PERSON", "start_position": 2, "end_position": 5}]}]`))
	have := set(t, "python3", "-B", "testdata/others_set.py", "presidio-research", "--source", path)
	want := []document{{Text: "é Ann", Spans: []span{{Start: 2, End: 5, Entity: "PERSON"}}}}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
}

// TestAgentSet holds that what FIGURES.md of the step says does not get worse, in texts that the authors of the rules did not see.
func TestAgentSet(t *testing.T) {
	if exec.Command("python3", "-c", "import faker, phonenumbers, stdnum").Run() != nil {
		t.Skip("want python3 with Faker, phonenumbers and python-stdnum")
	}
	for _, test := range []struct {
		what string
		args []string
		want float64 // of recall, below what was measured, since values are drawn
	}{
		{"templates that the scores were told of", []string{"--each", "2"}, 0.95},
		{"templates that were held back", []string{"--each", "4", "--templates", "testdata/held_templates.txt"}, 0.92},
		{"each kind in each dress", []string{"--each", "2", "--set", "dress"}, 0.97},
	} {
		docs := set(t, append([]string{"python3", "-B", "testdata/agent_set.py"}, test.args...)...)
		step := privacyStep{Attributes: "strict = false"}
		results, err := step.run(t.Context(), docs)
		if err != nil {
			t.Fatal(err)
		}
		all := sumOf(scoresOf(docs, results))
		t.Logf("%s: %d documents, recall %s, precision %s", test.what, len(docs), all.Recall(), all.Precision())
		if all.Recall().Value() < test.want || all.Precision().Value() < 0.99 {
			t.Errorf("%s: want a recall of %.2f and a precision of 0.99, have %s and %s", test.what, test.want, all.Recall(), all.Precision())
		}
	}
}

// set returns the documents that a command writes. Without its program the test is skipped.
func set(t *testing.T, command ...string) []document {
	t.Helper()
	if _, err := exec.LookPath(command[0]); err != nil || runtime.GOOS == "windows" {
		t.Skipf("%s is not here, or this is Windows", command[0])
	}
	var said bytes.Buffer
	run := exec.Command(command[0], command[1:]...)
	run.Stderr = &said
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	docs, err := read(bytes.NewReader(out), command[1])
	if err != nil {
		t.Fatal(err)
	}
	return docs
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// archive returns a compressed archive with one file.
func archive(t *testing.T, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
