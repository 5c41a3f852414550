//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"github.com/hinshun/vt10x"
)

// A testTerminal is a program in a pseudo-terminal, with what a person sees of it. Its stdout is no terminal.
type testTerminal struct {
	*testing.T
	program *exec.Cmd
	stdout  bytes.Buffer
	both    *os.File
	screen  vt10x.Terminal
	written bytes.Buffer
	rest    []byte      // of what is written: the beginning of a character
	chunks  chan []byte // closed when the program has ended
}

// startTerminal starts a program in a terminal of so many columns and 24 lines.
func startTerminal(t *testing.T, columns int, dir string, env []string, args ...string) *testTerminal {
	t.Helper()
	x := &testTerminal{T: t, program: exec.Command(args[0], args[1:]...), chunks: make(chan []byte)}
	x.program.Dir = dir
	x.program.Stdout = &x.stdout
	x.program.Env = []string{"TERM=xterm-256color"}
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GOCOVERDIR"} {
		x.program.Env = append(x.program.Env, name+"="+os.Getenv(name))
	}
	x.program.Env = append(x.program.Env, env...)
	x.screen = vt10x.New(vt10x.WithSize(columns, 24))
	var err error
	if x.both, err = pty.StartWithSize(x.program, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(x.chunks)
		for {
			chunk := make([]byte, 1<<16)
			n, err := x.both.Read(chunk)
			if err != nil {
				return
			}
			x.chunks <- chunk[:n]
		}
	}()
	t.Cleanup(func() {
		_ = x.program.Process.Kill() // it has ended if all went well
		for range x.chunks {
		}
		x.both.Close()
	})
	return x
}

// more takes in what the program writes next; false says that there is nothing more, or not in time.
func (x *testTerminal) more(until <-chan time.Time) bool {
	select {
	case chunk, ok := <-x.chunks:
		x.written.Write(chunk)
		x.take(chunk)
		return ok
	case <-until:
		return false
	}
}

// take shows what the program has written. A character that a chunk ends amid waits for the next.
func (x *testTerminal) take(chunk []byte) {
	chunk = append(x.rest, chunk...)
	end := len(chunk)
	for i := max(end-utf8.UTFMax, 0); i < end; i++ {
		if utf8.RuneStart(chunk[i]) && !utf8.FullRune(chunk[i:]) {
			end = i
		}
	}
	_, _ = x.screen.Write(chunk[:end]) // in memory
	x.rest = chunk[end:]
}

// sees waits until the screen shows a text.
func (x *testTerminal) sees(text string) {
	x.Helper()
	until := time.After(patience)
	for !strings.Contains(x.shown(), text) {
		if !x.more(until) {
			x.Fatalf("want %q, the screen is:\n%s", text, x.shown())
		}
	}
}

// ends waits for the end of the program and gives its exit code.
func (x *testTerminal) ends() int {
	x.Helper()
	for until := time.After(patience); x.more(until); {
	}
	_ = x.program.Wait() // the code tells
	return x.program.ProcessState.ExitCode()
}

// shown is what stands on the screen.
func (x *testTerminal) shown() string {
	var b strings.Builder
	for line := range strings.Lines(x.screen.String()) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// coloured tells whether anything on the screen has a colour.
func (x *testTerminal) coloured() bool {
	columns, rows := x.screen.Size()
	for y := range rows {
		for c := range columns {
			if x.screen.Cell(c, y).FG != vt10x.DefaultFG {
				return true
			}
		}
	}
	return false
}

// resize gives the terminal another width.
func (x *testTerminal) resize(columns int) {
	x.Helper()
	x.screen.Resize(columns, 24)
	if err := pty.Setsize(x.both, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
		x.Fatal(err)
	}
}

var (
	figures = regexp.MustCompile(`[<>]?([0-9]+h)?([0-9]+m)?[0-9][0-9.,]*( [kMG]?B\b|ms\b|m?s\b|%)?`)
	bars    = regexp.MustCompile(`[━─]+`)
	gaps    = regexp.MustCompile(` {2,}`)
	holders = regexp.MustCompile(spaced(",held") + `\s*` + spaced("bystep") + `\s*[^,]+,\s*#\s*` + spaced("busy")) // of a whole run: none where the start took longer
)

// spaced matches a text that a terminal breaks anywhere.
func spaced(text string) string { return strings.Join(strings.Split(text, ""), `\s*`) }

// wantScreen waits until what is shown is as a file says, but for figures and what depends on their width.
func (x *testTerminal) wantScreen(name string) {
	x.Helper()
	path := filepath.Join("testdata", "screens", name+".txt")
	if *update {
		for range 3 { // so that nothing is half drawn
			x.more(time.After(patience))
		}
		if err := os.WriteFile(path, []byte(x.masked()), 0o666); err != nil {
			x.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		x.Fatal(err)
	}
	for until := time.After(patience); x.masked() != string(want) && x.more(until); {
	}
	if diff := cmp.Diff(string(want), x.masked()); diff != "" {
		x.Errorf("%s (-want +have):\n%s", path, diff)
	}
}

// masked is what is shown without figures and what depends on their width. Lines that then say the same are one: how often a
// plain line comes depends on the machine.
func (x *testTerminal) masked() string {
	text := gaps.ReplaceAllString(bars.ReplaceAllString(figures.ReplaceAllString(x.shown(), "#"), "━"), "  ")
	return strings.Join(slices.Compact(strings.SplitAfter(holders.ReplaceAllString(text, ""), "\n")), "")
}
