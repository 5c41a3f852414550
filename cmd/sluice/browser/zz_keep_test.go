package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestKeep(t *testing.T) {
	for _, name := range []string{"ordinary", "empty", "rejected", "steps", "languages", "hostile"} {
		out := fixtureOf(name).run(t)
		to := "/tmp/page/runs/" + name
		os.RemoveAll(to)
		os.MkdirAll("/tmp/page/runs", 0o755)
		if said, err := exec.Command("cp", "-r", filepath.Dir(out), to).CombinedOutput(); err != nil {
			t.Fatal(string(said))
		}
	}
}
