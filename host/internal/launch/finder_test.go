package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func script(t *testing.T, dir, name, body string) string {
	t.Helper()
	path := filepath.Join(dir, Prefix+name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProblems(t *testing.T) {
	cases := []struct {
		reason  string
		request Request
		want    string
	}{
		{"a missing attribute is named", Request{Plugin: "mark", Args: []byte("{}")}, `key want a string, have nothing`},
		{"an unknown plugin is reported with where it was looked for", Request{Plugin: "echo2"}, `no plugin "echo2": looked for a built-in plugin, /nowhere/sluice-plugin-echo2, the folders of SLUICE_PLUGIN_PATH`},
		{"what keeps state has one worker", Request{Plugin: "steady", Workers: 3, Asked: 2}, `want 1 worker, since plugin steady keeps state from record to record, have 2`},
	}
	for _, c := range cases {
		for _, here := range []bool{false, true} {
			_, problems, err := tryStart(Options{InProcess: here, Finder: Finder{Dir: "/nowhere"}}, c.request)
			if have := fmt.Sprint(problems); err != nil || !strings.Contains(have, c.want) {
				t.Errorf("%s (in process: %v): want %s, have %s (%v)", c.reason, here, c.want, have, err)
			}
		}
	}
}

// TestNotAPlugin checks that the error about a program that is no plugin says what it is.
func TestNotAPlugin(t *testing.T) {
	dir := t.TempDir()
	for name, body := range map[string]string{
		"chatty": "echo hello; sleep 5", "gone": "echo no license >&2; exit 7", "mute": "exit 0",
		"old": "echo '1|1|unix|/tmp/x|grpc|'; sleep 5", "new": "echo '1|9|unix|/tmp/x|grpc|'; sleep 5",
	} {
		script(t, dir, name, body)
	}
	write := func(name, text string, mode os.FileMode) {
		if err := os.WriteFile(filepath.Join(dir, Prefix+name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("plain", "#!/bin/sh\n", 0o644)
	write("lost", "#!/no/such/python3\n", 0o755)
	write("bare", "#!\n", 0o755)
	write("junk", "\x00\x01\x02\x03", 0o755)
	if err := os.Mkdir(filepath.Join(dir, Prefix+"folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/no/such/file", filepath.Join(dir, Prefix+"dangling")); err != nil {
		t.Fatal(err)
	}
	cases := []struct{ reason, name, want string }{
		{"prints before the handshake", "chatty", `want the handshake on stdout, have "hello": a plugin must print nothing there before sdk.Main`},
		{"exits at once", "gone", `have one that ended (exit status 7) after printing "no license"`},
		{"exits at once without a word", "mute", `have one that ended (exit status 0) without printing anything`},
		{"speaks an older version", "old", "want protocol version 2, have 1: build the plugin anew with the SDK of this sluice"},
		{"speaks a newer version", "new", "want protocol version 2, have 9: the plugin is newer than this sluice"},
		{"may not be executed", "plain", "have a file that may not be executed: chmod +x "},
		{"names an interpreter that is not there", "lost", `want the interpreter that the first line of`},
		{"names no interpreter", "bare", "want the path of an interpreter in the first line of"},
		{"is no program", "junk", "want a program for this system, or a script whose first line begins with #! and names its program"},
		{"is a folder", "folder", "have a folder"},
		{"is a link to nothing", "dangling", "have a link to /no/such/file, which does not exist"},
	}
	for _, c := range cases {
		_, problems, err := tryStart(Options{Finder: Finder{Dir: dir}}, Request{Plugin: c.name})
		if have := fmt.Sprint(problems); err != nil || !strings.Contains(have, c.want) {
			t.Errorf("a plugin that %s: want %q, have %s (%v)", c.reason, c.want, have, err)
		}
	}
}

// TestPin checks that a checksum is verified, whether the path is pinned too or the plugin is looked up.
func TestPin(t *testing.T) {
	dir := t.TempDir()
	path := script(t, dir, "some", "exit 0")
	zeros := strings.Repeat("0", 64)
	cases := []struct {
		reason, name string
		pin          Pin
	}{
		{"by path and checksum", "some", Pin{Path: path, SHA256: zeros}},
		{"by checksum alone", "some", Pin{SHA256: zeros}},
		{"by the checksum of a built-in", "echo", Pin{SHA256: zeros}},
	}
	for _, c := range cases {
		_, problems, err := tryStart(Options{Finder: Finder{Dir: dir, Pins: map[string]Pin{c.name: c.pin}}}, Request{Plugin: c.name})
		if have := fmt.Sprint(problems); err != nil || !strings.Contains(have, "want sha256 "+zeros+", have ") {
			t.Errorf("a plugin pinned %s: want another program refused, have %s (%v)", c.reason, have, err)
		}
	}
}

// TestReplaced checks that a restart runs the program that was hashed, and not another at its path.
func TestReplaced(t *testing.T) {
	dir := t.TempDir()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, Prefix+"trouble2")
	wrapper := "#!/bin/sh\nexec " + own + " " + ServeArg + "\n"
	if err := os.WriteFile(path, []byte(wrapper), 0o755); err != nil {
		t.Fatal(err)
	}
	opts := Options{Finder: Finder{Dir: dir, Pins: map[string]Pin{"trouble2": {Path: path, Name: "trouble"}}}}
	f := start(t, opts, Request{Plugin: "trouble2", Restart: true})
	st := f.Chains[0].Stages()[0]
	if _, err := send(t.Context(), st, records(t, f, `{"do":"exit"}`)); !isCrash(err) {
		t.Fatalf("want a crash, have %v", err)
	}
	// Another file at the path is not run: the first one still is, through its descriptor.
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	script(t, dir, "trouble2", "touch "+filepath.Join(dir, "proof"))
	if _, err := send(t.Context(), st, records(t, f, `{"do":"exit"}`)); !isCrash(err) {
		t.Errorf("want the same program again, have %v", err)
	}
	// Another text in the same file is noticed.
	if err := os.WriteFile(path+".old", []byte(wrapper+"# changed\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := send(t.Context(), st, records(t, f, `{}`)); err == nil || !strings.Contains(err.Error(), "want the program that the run began with") {
		t.Errorf("want a changed program refused, have %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "proof")); err == nil {
		t.Error("want the program at the path left alone, have it run")
	}
}

// TestRelativeFolder checks that a plugin found in a relative folder is the one that runs, whatever PATH has.
func TestRelativeFolder(t *testing.T) {
	here, other := t.TempDir(), t.TempDir()
	script(t, here, "local", "echo here; sleep 5")
	script(t, other, "local", "echo other; sleep 5")
	t.Chdir(here)
	t.Setenv("PATH", other+":"+os.Getenv("PATH"))
	for _, folder := range []string{".", ""} {
		_, problems, err := tryStart(Options{Finder: Finder{Dir: "/nowhere", Path: []string{folder}}}, Request{Plugin: "local"})
		if have := fmt.Sprint(problems); err != nil || !strings.Contains(have, `have "here"`) {
			t.Errorf("want the plugin of folder %q, have %s (%v)", folder, have, err)
		}
	}
}

// TestTwoVersions checks that two programs that serve one plugin name can run together.
func TestTwoVersions(t *testing.T) {
	opts := Options{Finder: Finder{Pins: map[string]Pin{"echo-next": {Name: "echo"}}}}
	f := start(t, opts, Request{Plugin: "echo-next"}, Request{Plugin: "echo"})
	if f.Chains[0].Info.Name != "echo" || f.Chains[1].Info.Name != "echo" {
		t.Errorf("want both, have %+v and %+v", f.Chains[0].Info, f.Chains[1].Info)
	}
	_, problems, err := tryStart(Options{Finder: Finder{Pins: map[string]Pin{"other": {Name: "another"}}}}, Request{Plugin: "other"})
	if have := fmt.Sprint(problems); err != nil || !strings.Contains(have, `no plugin "other"`) {
		t.Errorf("want an unknown plugin, have %s (%v)", have, err)
	}
}

func TestOutputAndEnvironment(t *testing.T) {
	t.Setenv("SECRET", "hidden")
	t.Setenv("NAMED", "shown")
	var mu sync.Mutex
	said := map[string]bool{}
	log := func(step, line string) {
		mu.Lock()
		defer mu.Unlock()
		said[step+": "+line] = true
	}
	f := start(t, Options{Log: log}, Request{Plugin: "trouble", Env: []string{"NAMED"}})
	have, err := send(t.Context(), f.Chains[0].Stages()[0], records(t, f, `{"do":"env"}`, `{"do":"say"}`))
	if err != nil || strings.Contains(have, "hidden") || !strings.Contains(have, "NAMED=shown") {
		t.Errorf("want only the named variable, have %s (%v)", have, err)
	}
	f.Abort() // which waits for the rest of its output
	mu.Lock()
	defer mu.Unlock()
	if !said["trouble.x: on stderr"] || !said["trouble.x: on stdout"] {
		t.Errorf("want what the plugin says under the step's name, have %v", said)
	}
}
