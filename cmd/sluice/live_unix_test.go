//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
)

const gatedPipeline = `source "jsonl" "in" {
  paths = ["in.jsonl"]
}

first "shape" {
  step "act" "odd" {}
  step "upper" "other" {}
}

step "gate" "held" {
  pipe = "gate"
  host {
    workers = 1
  }
}

sink "jsonl" "out" {
  path = "out/out.jsonl"
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "out/rejects.jsonl"
  }
}
`

// A gated run stands in a terminal, and holds twice: before its last record but one, and before its last.
type gated struct {
	*testTerminal
	dir  string
	gate *os.File
}

func startGated(t *testing.T, columns int, env []string, flags ...string) *gated {
	t.Helper()
	g := &gated{dir: t.TempDir()}
	records := strings.Repeat("{\"do\":\"pass\",\"text\":\"a\"}\n", 500) + strings.Repeat("{\"do\":\"reject bad_luck\"}\n", 20) +
		strings.Repeat("{\"do\":\"decline it\",\"text\":\"b\"}\n", 300) + strings.Repeat("{\"hold\":true}\n", 2)
	for name, text := range map[string]string{"p.hcl": gatedPipeline, "in.jsonl": records} {
		if err := os.WriteFile(filepath.Join(g.dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(g.dir, "gate")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var err error
	if g.gate, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.gate.Close() })
	program, err := exec.LookPath("sluice")
	if err != nil {
		t.Fatal(err)
	}
	env = append(env, "SLUICE_PLUGIN_PATH="+filepath.Dir(program))
	g.testTerminal = startTerminal(t, columns, g.dir, env, append([]string{program, "run", "p.hcl"}, flags...)...)
	return g
}

// open lets one record pass.
func (g *gated) open(word string) {
	g.Helper()
	if _, err := fmt.Fprintln(g.gate, word); err != nil {
		g.Fatal(err)
	}
}

// wellDone holds the end of a run: what it did is told, nothing else stands there, and nothing is on stdout.
func (g *gated) wellDone(screen string) {
	g.Helper()
	if code := g.ends(); code != cli.ExitDone {
		g.Errorf("want exit code %d, have %d", cli.ExitDone, code)
	}
	g.wantScreen(screen)
	if g.stdout.Len() > 0 {
		g.Errorf("want nothing on stdout, have %q", &g.stdout)
	}
}

// TestLive holds what a terminal shows while a run goes on, at three widths: which step holds it, messages above and not
// amid the live lines, and at the end the summary alone.
func TestLive(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		columns int
		held    string
	}{
		{140, "step gate.held holds the run"},
		{80, "step gate.held holds the run"},
		{40, "held by gate.held"},
	} {
		t.Run(fmt.Sprint(c.columns), func(t *testing.T) {
			t.Parallel()
			g := startGated(t, c.columns, nil)
			g.sees(c.held)
			g.wantScreen(fmt.Sprintf("held-%d", c.columns))
			if !g.coloured() {
				t.Errorf("want colours in a terminal")
			}
			g.open("one has passed")
			g.sees("gate.held: one has passed\n")
			g.wantScreen(fmt.Sprintf("said-%d", c.columns))
			g.open("two have passed")
			g.wellDone(fmt.Sprintf("done-%d", c.columns))
		})
	}
}

// TestLiveResized holds that a window of another size leaves nothing behind of the lines that stood there.
func TestLiveResized(t *testing.T) {
	t.Parallel()
	g := startGated(t, 140, nil)
	g.sees("step gate.held holds the run")
	g.resize(40)
	g.sees("held by gate.held")
	g.wantScreen("held-40")
	g.resize(80)
	g.sees("step gate.held holds the run")
	g.wantScreen("held-80")
	g.open("one has passed")
	g.open("two have passed")
	g.wellDone("done-80")
}

// TestLiveWithoutColours holds that NO_COLOR takes the colours only, and that CLICOLOR_FORCE is nothing against it.
func TestLiveWithoutColours(t *testing.T) {
	t.Parallel()
	g := startGated(t, 80, []string{"NO_COLOR=1", "CLICOLOR_FORCE=1"})
	g.sees("step gate.held holds the run")
	g.wantScreen("held-80")
	g.open("one has passed")
	g.open("two have passed")
	g.wellDone("done-80")
	if style := regexp.MustCompile(`\x1b\[[0-9;]*m`).FindString(g.written.String()); style != "" {
		t.Errorf("want no style, have %q", style)
	}
}

// TestLivePlain holds that lines come one after the other where nothing is to be drawn anew, or can be.
func TestLivePlain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		env   []string
		flags []string
	}{
		{"asked for", nil, []string{"--progress", "plain"}},
		{"a dumb terminal", []string{"TERM=dumb"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g := startGated(t, 140, append(c.env, "NO_COLOR=1"), c.flags...)
			g.sees("step gate.held holds the run: no answer for")
			g.wantScreen("plain")
			g.open("one has passed")
			g.open("two have passed")
			g.wellDone("plain-done")
			if strings.Contains(g.written.String(), "\x1b") {
				t.Errorf("want no escapes, have %q", &g.written)
			}
		})
	}
}

// TestLiveOff holds that nothing is told of a run that goes on when nothing is to be. The metrics say when it would have been.
func TestLiveOff(t *testing.T) {
	t.Parallel()
	g := startGated(t, 140, nil, "--progress", "off", "--metrics", "localhost:0")
	g.sees("/metrics")
	url := regexp.MustCompile(`http://\S+`).FindString(g.shown())
	read := regexp.MustCompile(`(?m)^sluice_records_read_total\{.*\} 822$`)
	for until := time.Now().Add(patience); !read.MatchString(get(t, url)); {
		if time.Now().After(until) {
			t.Fatal("want the metrics to tell what is read")
		}
	}
	g.open("one has passed")
	g.sees("one has passed")
	g.open("two have passed")
	g.wellDone("off-done")
	if strings.Contains(g.written.String(), "\r\x1b[J") {
		t.Errorf("want nothing drawn anew, have %q", &g.written)
	}
}

// TestLiveInterrupted holds that Ctrl-C leaves a terminal in order.
func TestLiveInterrupted(t *testing.T) {
	t.Parallel()
	g := startGated(t, 80, nil)
	g.sees("step gate.held holds the run")
	if _, err := g.both.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	if code := g.ends(); code != cli.ExitInterrupted {
		t.Errorf("want exit code %d, have %d", cli.ExitInterrupted, code)
	}
	g.wantScreen("interrupted")
	if at := g.screen.Cursor(); at.X != 0 || !g.screen.CursorVisible() {
		t.Errorf("want the cursor at the beginning of a line and visible, have column %d", at.X)
	}
}
