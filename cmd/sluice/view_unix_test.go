//go:build unix

package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

func init() {
	scriptCommands["viewer"] = startViewer
	scriptCommands["fetch"] = getPage
	scriptCommands["leave"] = leave
}

// startViewer starts sluice view and waits for its address, which is $VIEW then.
func startViewer(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) > 0, "viewer ARG...")
	b := ts.Value(backgroundKey{}).(*background)
	b.view = exec.Command("sluice", append([]string{"view"}, args...)...)
	b.view.Dir = ts.MkAbs(".")
	b.view.Env = append(os.Environ(), "XDG_CACHE_HOME="+ts.MkAbs("cache"), "SLUICE_VIEW_TOKEN="+ts.Getenv("SLUICE_VIEW_TOKEN"),
		"XDG_CONFIG_HOME="+ts.Getenv("XDG_CONFIG_HOME"), "SLUICE_PLUGIN_PATH="+ts.Getenv("SLUICE_PLUGIN_PATH"))
	for _, name := range []string{"AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} { // of a bucket
		b.view.Env = append(b.view.Env, name+"="+ts.Getenv(name))
	}
	stderr, err := b.view.StderrPipe()
	ts.Check(err)
	ts.Check(b.view.Start())
	ts.Defer(func() {
		if b.view.ProcessState == nil {
			_ = b.view.Process.Kill()
			_ = b.view.Wait()
		}
	})
	said := bufio.NewReader(stderr)
	line, err := said.ReadString('\n')
	for strings.HasPrefix(line, "copied ") {
		line, err = said.ReadString('\n')
	}
	ts.Check(err)
	if !strings.HasPrefix(line, "http://127.0.0.1:") && !strings.HasPrefix(line, "http://[::1]:") {
		ts.Fatalf("want an address of this machine on stderr, have %q", line)
	}
	ts.Setenv("VIEW", strings.TrimSpace(line))
}

// getPage writes a page of the viewer into a file once it is complete, and wants its status.
func getPage(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 3, "fetch STATUS PAGE FILE")
	for {
		answer, err := http.Get(ts.Getenv("VIEW") + args[1])
		ts.Check(err)
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		ts.Check(err)
		if strings.Contains(string(body), " data-live=") {
			continue
		}
		if have := strconv.Itoa(answer.StatusCode); have != args[0] {
			ts.Fatalf("%s: want status %s, have %s:\n%s", args[1], args[0], have, body)
		}
		ts.Check(os.WriteFile(ts.MkAbs(args[2]), body, 0o600))
		return
	}
}

// leave interrupts the viewer, which ends well then.
func leave(ts *testscript.TestScript, neg bool, args []string) {
	b := ts.Value(backgroundKey{}).(*background)
	want(ts, neg, len(args) == 0 && b.view != nil, "leave, after viewer")
	ts.Check(b.view.Process.Signal(os.Interrupt))
	if err := b.view.Wait(); err != nil {
		ts.Fatalf("want exit code 0, have %v", err)
	}
}
