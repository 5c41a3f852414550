package recognisers_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestRecognisers runs the tests of the programs, which are in Python. What needs packages that are not installed is
// skipped there and told in the log.
func TestRecognisers(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("want python3, have none")
	}
	said, err := exec.Command(python, "-B", "-W", "ignore", "-m", "unittest", "-v", "recognisers_test").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, said)
	}
	for line := range strings.Lines(string(said)) {
		if strings.Contains(line, "skipped") {
			t.Log(strings.TrimSpace(line))
		}
	}
}
