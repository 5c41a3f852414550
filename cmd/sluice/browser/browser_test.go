// Package browser holds report and viewer against a real browser: Debian's Chromium, driven by playwright-core, with
// axe-core for what people with a screen reader, a keyboard or weak eyes need. npm ci in this folder installs both.
package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluicehq/sluice/sdk"
)

var (
	long   = flag.Bool("long", false, "look at all pages of all runs in all widths, and not at one page of each kind of an ordinary and a hostile run")
	update = flag.Bool("update", false, "take the screenshots of the README anew")
	shots  = flag.String("shots", "", "a folder for pictures of all pages, of all runs, in both themes and three widths")
)

// work is the folder of the program and of all runs, which tests share.
var work string

// TestMain makes this binary the plugin of the hostile run too, by the name it is started under.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "sluice-plugin-") {
		sdk.Main(hostile)
	}
	flag.Parse()
	os.Exit(func() int {
		var err error
		if work, err = os.MkdirTemp("", "sluice-browser"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(work)
		defer func() { endBrowser() }()
		return m.Run()
	}())
}

// needs skips a test where there is no browser to test with.
func needs(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("node_modules/playwright-core"); err != nil {
		t.Skip("no node_modules: run npm ci in cmd/sluice/browser")
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node")
	}
	if chromium() == "" {
		t.Skip("no chromium")
	}
}

func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// endBrowser ends the browser, when there is one.
var endBrowser = func() {}

// browser starts the browser of all tests, and gives the address that scripts reach it by.
var browser = sync.OnceValues(func() (string, error) {
	c := exec.Command("node", "serve.mjs")
	c.Env = append(os.Environ(), "CHROMIUM="+chromium())
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return "", err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := c.Start(); err != nil {
		return "", err
	}
	endBrowser = func() {
		_ = in.Close()
		_ = c.Wait()
	}
	at, err := bufio.NewReader(out).ReadString('\n')
	return strings.TrimSpace(at), err
})

// node runs a script with what it is to look at. The test fails with what the script has found.
func node(t *testing.T, name string, task object) {
	t.Helper()
	if said, err := script(t, name, task); err != nil {
		t.Errorf("%s: %v\n%s", name, err, said)
	}
}

// script runs a script with its task as JSON on standard input, and gives what it says: its findings, a line each, for which
// it ends with 1.
func script(t *testing.T, name string, task object) (string, error) {
	t.Helper()
	text, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	at, err := browser()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), "node", name)
	c.Stdin = bytes.NewReader(text)
	c.Env = append(os.Environ(), "BROWSER="+at)
	said, err := c.CombinedOutput()
	return string(said), err
}

// built is the path of the program. The plugin of the hostile run stands beside it.
var built = sync.OnceValues(func() (string, error) {
	path := filepath.Join(work, "sluice")
	said, err := exec.Command("go", "build", "-o", path, "..").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, said)
	}
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	return path, os.Symlink(exe, filepath.Join(work, "sluice-plugin-hostile"))
})

// sluice gives a command of the program whose caches are the test's own.
func sluice(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), path, args...)
	c.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(work, "cache"), "XDG_CONFIG_HOME="+filepath.Join(work, "config"), "SLUICE_PLUGIN_PATH="+work)
	return c
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\S*`)

// view serves a run, from where that was started, until the test ends, and gives the address.
func view(t *testing.T, run string, args ...string) string {
	t.Helper()
	c := sluice(t, append([]string{"view", "--open=false", "--addr", "127.0.0.1:0", run}, args...)...)
	c.Dir = filepath.Dir(run)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	said, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Wait() }) // t.Context ends before
	found := make(chan string, 1)
	go func() {
		defer close(found)
		lines := bufio.NewScanner(said)
		for lines.Scan() {
			if at := address.FindString(lines.Text()); at != "" {
				found <- at
			}
		}
	}()
	select {
	case at, ok := <-found:
		if ok {
			return at
		}
	case <-ctx.Done():
	}
	t.Fatalf("%s: want an address on standard error", c)
	return ""
}
