//go:build unix

package output

import (
	"strings"
	"syscall"
	"testing"
)

// Who asks about a pipe is answered at once, though nobody writes into it.
func TestMayReplacePipe(t *testing.T) {
	inFolder(t, map[string]string{"x": ""}, nil)
	must(t, syscall.Mkfifo("page.html", 0o600))
	if err := MayReplace("page.html", "mark\n"); err == nil || !strings.Contains(err.Error(), "pipe or device") {
		t.Errorf("want a pipe refused, have %v", err)
	}
}
