package browser

import (
	"path/filepath"
	"testing"
)

// TestWalk goes where people go: from a code to a reject, its row and its way through the steps, through filters, orders and
// searches, to what two runs differ in, by mouse and by keyboard.
func TestWalk(t *testing.T) {
	needs(t)
	f := fixtureOf("ordinary")
	now := f.run(t, "--var", "near=0", "--var", "target=qwen3")
	report := "file://" + filepath.Join(now, "report.html")
	at := view(t, now, "--against", f.run(t))
	node(t, "walk.mjs", object{"allowed": []string{report, at}, "view": at, "report": report})
}
