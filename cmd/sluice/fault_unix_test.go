//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk"
)

// fault marks records, and fails in the way that one of them asks for, or when it is closed.
var fault = sdk.Plugin{
	Name: "fault",
	Doc:  "marks records and fails as asked",
	Args: faultArgs{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg faultArgs
		return failing{cfg}, a.Decode(&cfg)
	},
}

type faultArgs struct {
	Close string `hcl:"close,optional"` // the error of closing
}

type failing struct{ faultArgs }

// atHand gets the records that are to wait, and neverHangsOn is closed when the tests are over.
var atHand, neverHangsOn = make(chan bool, 1), make(chan struct{})

func (f failing) Process(ctx context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	switch r.Get("do").Str {
	case "hang":
		<-neverHangsOn
	case "panic":
		panic("as asked")
	case "wait":
		atHand <- true
		<-ctx.Done()
		return ctx.Err()
	}
	if err := r.Set("by", "fault"); err != nil {
		return err
	}
	emit(r)
	return nil
}

func (f failing) Close() error {
	if f.faultArgs.Close != "" {
		return errors.New(f.faultArgs.Close)
	}
	return nil
}

const (
	faultRows = 40
	guilty    = 17 // the line of the record that asks for something
)

// TestFaultsInProcess tries what a step can do wrong in the host's own process, where no scenario of TestChaos can have it fail: the run
// says what it was and leaves nothing, or rejects the record alone.
func TestFaultsInProcess(t *testing.T) {
	t.Cleanup(func() { close(neverHangsOn) })
	const silent = "want an answer within 2s, have silence"
	for _, c := range []struct {
		name, do, args, onCrash string
		rejects                 bool
		want                    string // a form, of the message of the reject or of the error
	}{
		{"a panic ends the run", "panic", "", "fail", false, `in\.jsonl:17: step fault\.f: the plugin ended: panic: as asked.*; without on_crash = "fail"`},
		{"a panic rejects the record", "panic", "", "isolate", true, `^the plugin ended: panic: as asked`},
		{"silence ends the run", "hang", "", "fail", false, `in\.jsonl:17: step fault\.f: the plugin ended: ` + silent},
		{"silence rejects the record", "hang", "", "isolate", true, `^the plugin ended: ` + silent},
		{"a step is told that the run is over", "wait", "", "isolate", false, "context canceled"},
		{"an error of closing ends the run", "", `close = "could not flush"`, "isolate", false, `step fault\.f: could not flush`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeText(t, filepath.Join(dir, "p.hcl"), strings.ReplaceAll(fmt.Sprintf(faultPipeline, c.args, c.onCrash), "DIR", dir))
			writeText(t, filepath.Join(dir, "in.jsonl"), faultInput(c.do, ""))
			p, err := host.Load(filepath.Join(dir, "p.hcl"), host.Options{
				Receipt: filepath.Join(dir, "out/receipt.json"), InProcess: true, BuiltIns: []sdk.Plugin{fault},
			})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.do == "wait" {
				go func() {
					<-atHand
					cancel()
				}()
			}
			err = within(t, patience, func() error {
				_, err := p.Run(ctx)
				return err
			})
			if !c.rejects {
				if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) {
					t.Errorf("want an error like %q, have %v", c.want, err)
				}
				nothingIn(t, filepath.Join(dir, "out"))
				return
			}
			if err != nil {
				t.Fatalf("want a run that goes on, have %v", err)
			}
			rejects := readText(t, filepath.Join(dir, "out/rejects.jsonl"))
			if r := gjson.Parse(rejects); strings.Count(rejects, "\n") != 1 || r.Get("line").Int() != guilty || r.Get("code").Str != "plugin_crash" ||
				!regexp.MustCompile(c.want).MatchString(r.Get("message").Str) {
				t.Errorf("want line %d alone rejected, for %q, have %s", guilty, c.want, rejects)
			}
			if diff := cmp.Diff(faultInput("", `,"by":"fault"`), readText(t, filepath.Join(dir, "out/out.jsonl"))); diff != "" {
				t.Errorf("rows:\n%s", diff)
			}
		})
	}
}

const faultPipeline = `
source "jsonl" "in" {
  paths = ["DIR/in.jsonl"]
  batch = "256B"
}
tee "copy" {
  sink "jsonl" "copy" {
    path = "DIR/out/copy.jsonl"
  }
}
step "fault" "f" {
  %s
  host {
    on_crash = %q
    timeout  = "2s"
  }
}
sink "jsonl" "out" {
  path = "DIR/out/out.jsonl"
}
`

// faultInput are the records, one of which asks for something; or, with marks, what becomes of all others.
func faultInput(do, mark string) string {
	var b strings.Builder
	for id := 1; id <= faultRows; id++ {
		switch {
		case id == guilty && mark != "":
		case id == guilty && do != "":
			fmt.Fprintf(&b, "{\"id\":%d,\"do\":%q}\n", id, do)
		default:
			fmt.Fprintf(&b, "{\"id\":%d%s}\n", id, mark)
		}
	}
	return b.String()
}

// patience is how long anything in these tests may take: a hang has no end, and a busy machine is slow.
const patience = 3 * time.Minute

// within fails the test, with the stacks of all goroutines, when do takes too long.
func within(t *testing.T, limit time.Duration, do func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-time.After(limit):
		stacks := make([]byte, 1<<20)
		t.Fatalf("want an end within %v, have it still running:\n%s", limit, stacks[:runtime.Stack(stacks, true)])
		return nil
	}
}

// nothingIn wants no output and no hidden file, only what a failed run says about itself; of one that could not begin it wants no folder.
func nothingIn(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if name := e.Name(); name != "receipt.failed.json" && name != "report.failed.html" {
			t.Errorf("want no output after a failure, have %s", name)
		}
	}
	if _, err := receipt.Find(dir); !errors.As(err, new(*receipt.Unfinished)) {
		t.Errorf("want a run that says that it has not finished, have %v", err)
	}
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}
