package launch

import (
	"os"
	"slices"
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

// TestScriptIsNamed checks that what a script says of itself has its path, and not the descriptor that it was started through.
func TestScriptIsNamed(t *testing.T) {
	dir := t.TempDir()
	said := script(t, dir, "said", `echo "as $0" >&2; echo "at $0" >&2; exit 3`)
	shook := script(t, dir, "shook", `echo "at $0"; sleep 5`)
	cases := []struct{ reason, name, want string }{
		{"on stderr, quoted when it does not start", "said", `after printing "at ` + said + `"`},
		{"in place of the handshake", "shook", `have "at ` + shook + `"`},
	}
	for _, c := range cases {
		var shown []string
		opts := Options{Finder: Finder{Dir: dir}, Log: func(_, line string) { shown = append(shown, line) }}
		if _, err := Describe(t.Context(), defaults(opts), c.name); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want %s, have %v", c.reason, c.want, err)
		}
		if want := []string{"as " + said}; c.name == "said" && !slices.Equal(shown, want) {
			t.Errorf("%s: want %q shown, and nothing twice, have %q", c.reason, want, shown)
		}
	}
	tail := logTail{runs: "/proc/self/fd/7", path: "/p/desk.py"}
	for text, want := range map[string]string{
		`File "/proc/self/fd/7", line 8, in /proc/self/fd/7`: `File "/p/desk.py", line 8, in /p/desk.py`,
		"/proc/self/fd/70 and /proc/self/fd/7":               "/proc/self/fd/70 and /p/desk.py",
		"/proc/self/fd/":                                     "/proc/self/fd/",
	} {
		if have := tail.named(text); have != want {
			t.Errorf("want %s, have %s", want, have)
		}
	}
}
