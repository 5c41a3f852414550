package ask_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAsk runs the tests of the example, which are in Python.
func TestAsk(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("want python3, have none")
	}
	if said, err := exec.Command(python, "-c", "import grpc, google.protobuf").CombinedOutput(); err != nil {
		t.Skipf("want grpcio and protobuf for %s: %s", python, bytes.TrimSpace(said))
	}
	sdk, err := filepath.Abs("../../sdk/python")
	if err != nil {
		t.Fatal(err)
	}
	sluice := filepath.Join(t.TempDir(), "sluice")
	if said, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", sluice, "../../cmd/sluice").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	t.Setenv("PYTHONPATH", sdk)
	t.Setenv("SLUICE_PROGRAM", sluice)
	if said, err := exec.Command(python, "-B", "-m", "unittest", "ask_test").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}
