package launch

import (
	"os"
	"strings"
	"testing"
)

// TestDescribe checks that a plugin can be described without a pipeline, and that a program that is no plugin gets the same
// error as in a pipeline.
func TestDescribe(t *testing.T) {
	dir := t.TempDir()
	script(t, dir, "chatty", "echo hello; sleep 5")
	far := script(t, dir, "far", "exec "+os.Args[0]+" "+ServeArg)
	finder := Finder{Dir: dir, Pins: map[string]Pin{
		"near": {Path: far, Name: "mark"}, "nobody": {Path: far}, "other": {Path: far, Name: "mark", SHA256: strings.Repeat("0", 64)},
	}}
	cases := []struct{ reason, name, attr, fails string }{
		{"a built-in, which starts nothing", "mark", "key", ""},
		{"a program, which is started for it", "near", "key", ""},
		{"no plugin at all", "echo2", "", `no plugin "echo2": looked for a built-in plugin`},
		{"a program that serves other plugins", "nobody", "", `want plugin "nobody" at ` + far + `, have one that calls itself "`},
		{"a program that is not the pinned one", "other", "", "want sha256 0000"},
		{"a program that is no plugin", "chatty", "", `want the handshake on stdout, have "hello"`},
	}
	for _, c := range cases {
		d, err := Describe(t.Context(), defaults(Options{Finder: finder}), c.name)
		switch {
		case c.fails != "":
			if err == nil || !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%s: want %s, have %v", c.reason, c.fails, err)
			}
		case err != nil || d.Name != "mark" || len(d.Args) == 0 || d.Args[0].Name != c.attr:
			t.Errorf("%s: want attribute %s, have %+v (%v)", c.reason, c.attr, d, err)
		}
	}
}
