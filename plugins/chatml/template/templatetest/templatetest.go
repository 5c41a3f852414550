// Package templatetest skips tests where no chat template can be rendered.
package templatetest

import (
	"os/exec"
	"sync"
	"testing"
)

// Need skips a test where python3 has no Jinja2 that a renderer takes. Where it has one, a renderer that does not start is a fault.
func Need(t testing.TB) {
	t.Helper()
	if err := missing(); err != nil {
		t.Skip("want python3 with jinja2 3.1.6 or later, have", err)
	}
}

var missing = sync.OnceValue(func() error {
	const check = `import jinja2, re; assert [int(n) for n in re.findall("[0-9]+", jinja2.__version__)[:3]] >= [3, 1, 6]`
	return exec.Command("python3", "-c", check).Run()
})
