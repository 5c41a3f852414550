package host_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk"
)

// TestMain makes this binary the program that serves the plugins of these tests too, and a host for another to kill.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == host.ServeArg:
		sdk.Main(builtIns...)
	case len(os.Args) > 2 && os.Args[1] == hostArg:
		hostToKill(os.Args[2])
	}
	// A race ends a process that a test starts, so that it is seen; and none waits a second for others at its end.
	os.Setenv("GORACE", "halt_on_error=1 atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// builtIns are the plugins of these tests.
var builtIns = append([]sdk.Plugin{
	{
		Name: "act", Doc: "does what a record says", Args: actArgs{}, Labels: []string{"split"},
		New: func(a sdk.Args) (sdk.Processor, error) {
			var cfg actArgs
			return sdk.Map(func(r *sdk.Record) error { return cfg.act(r) }), a.Decode(&cfg)
		},
	},
	{
		Name: "patient", Doc: "waits for the end of the run",
		New: func(sdk.Args) (sdk.Processor, error) {
			return sdk.Func(func(ctx context.Context, _ *sdk.Record, _ func(*sdk.Record)) error {
				<-ctx.Done()
				return context.Cause(ctx)
			}), nil
		},
	},
	{
		Name: "total", Doc: "counts, from record to record", Ordered: true,
		New: func(sdk.Args) (sdk.Processor, error) {
			n := 0
			return sdk.Map(func(r *sdk.Record) error { n++; return r.Set("n", n) }), nil
		},
	},
}, append(chance, keeping...)...)

type actArgs struct {
	Token string `hcl:"token,optional"`
}

func (c actArgs) act(r *sdk.Record) error {
	switch do := r.Get("do").Str; do {
	case "edit":
		return r.Set("edited", true)
	case "label":
		r.SetLabel("split", r.Get("to").Str)
	case "reject":
		return sdk.Reject("bad", "do", "as asked")
	case "drop":
		return sdk.Drop("as asked")
	case "panic":
		panic("as asked")
	case "fatal":
		return sdk.Fatal("cannot go on with %s", c.Token)
	case "say":
		_, err := os.Stderr.WriteString("token " + c.Token + "\n")
		return err
	case "wait":
		select {}
	case "hold":
		return holdPipe(r.Get("pipe").Str)
	}
	return nil
}

// modes are the ways in which records can reach a plugin.
var modes = map[string]host.Options{
	"shared memory": {},
	"inline":        {Inline: true},
	"in process":    {InProcess: true},
}

// inFolder makes a new folder with p.hcl and in.jsonl the one at hand.
func inFolder(t *testing.T, pipeline, in string) {
	t.Helper()
	t.Chdir(t.TempDir())
	put(t, "p.hcl", pipeline)
	put(t, "in.jsonl", in)
}

func put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// load reads p.hcl.
func load(t *testing.T, opts host.Options) *host.Pipeline {
	t.Helper()
	opts.BuiltIns = builtIns
	p, err := host.Load("p.hcl", opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// files returns all files below the working directory, by name.
func files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[filepath.ToSlash(path)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

const pipeline = `
source "jsonl" "in" { paths = ["in.jsonl"] }
step "act" "a" {}
step "total" "t" {}
sink "jsonl" "out" { path = "out/{split}.jsonl" }
`

// TestRunSame holds that a run gives the same bytes and the same account in each mode.
func TestRunSame(t *testing.T) {
	inFolder(t, pipeline, `{"do":"label","to":"train"}
{"do":"label", "to":"test", "kept as it is": 1.50}
{"do":"reject","to":"x"}
none
{"do":"drop"}
{"do":"edit"}
{"do":"label","to":"train"}
`)
	want := map[string]string{
		"out/train.jsonl": `{"do":"label","to":"train","n":1}` + "\n" + `{"do":"label","to":"train","n":4}` + "\n",
		"out/test.jsonl":  `{"do":"label", "to":"test", "kept as it is": 1.50,"n":2}` + "\n",
		"out/rejects.jsonl": `{"code":"bad","message":"as asked","path":"do","step":"act.a","plugin":"act","file":"in.jsonl","line":3,"record":{"do":"reject","to":"x"}}` + "\n" +
			`{"code":"invalid_json","message":"want a value, have a letter at byte 0","path":"","step":"jsonl.in","plugin":"","file":"in.jsonl","line":4,"record":"none"}` + "\n" +
			`{"code":"no_label","message":"want label \"split\", which the sink's path names, have a record without it","path":"","step":"jsonl.out","plugin":"","file":"in.jsonl","line":6,"record":{"do":"edit","edited":true,"n":3}}` + "\n",
	}
	for name, runs := range map[string]string{"train": "[1,1]\n[7,1]\n", "test": "[2,1]\n", "rejects": "[3,2]\n[6,1]\n"} {
		rows := want["out/"+name+".jsonl"]
		want["out/.sluice/"+name+".jsonl.origins"] = fmt.Sprintf("{\"schema\":\"sluice.origins.v1\",\"hash\":\"blake3\"}\n\"in.jsonl\"\n%s{\"rows\":%d,\"bytes\":%d,\"blake3\":%q}\n",
			runs, strings.Count(rows, "\n"), len(rows), hashOf([]byte(rows)).BLAKE3)
	}
	var account *receipt.Receipt
	for mode, opts := range modes {
		result, err := load(t, opts).Run(t.Context())
		if err != nil {
			t.Fatalf("%s: %v", mode, err)
		}
		have := files(t)
		for _, name := range []string{"p.hcl", "in.jsonl", "out/receipt.json", "out/.sluice/receipt.json.timeline.jsonl"} {
			delete(have, name)
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s: %s", mode, diff)
		}
		x := result.Comparable()
		if account == nil {
			account = &x
		} else if diff := cmp.Diff(*account, x); diff != "" {
			t.Errorf("%s: %s", mode, diff)
		}
		if err := os.RemoveAll("out"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFailures holds that a run which fails says why, with its place, and leaves nothing but a receipt that says so: no output, no process.
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		reason, in, want string
		line             int64
	}{
		{"a plugin that ends the run", `{"do":"fatal"}`, "step act.a: cannot go on", 1},
		{"a plugin that ends", `{}` + "\n" + `{"do":"panic"}`, "step act.a: the plugin ended: panic: as asked", 2},
	} {
		for mode, opts := range modes {
			t.Run(c.reason+"/"+mode, func(t *testing.T) {
				defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
				inFolder(t, strings.Replace(pipeline, `"a" {}`, "\"a\" {\nhost {\non_crash = \"fail\"\n}\n}", 1), c.in+"\n")
				result, err := load(t, opts).Run(t.Context())
				if err == nil || !strings.Contains(err.Error(), c.want) || result != nil {
					t.Errorf("want %q and no result, have %v and %v", c.want, err, result)
				}
				if have := files(t); len(have) != 3 || have["out/receipt.failed.json"] == "" {
					t.Errorf("want nothing but p.hcl, in.jsonl and a receipt of the failed run, have %v", have)
				}
				_, err = receipt.Find("out")
				u, ok := errors.AsType[*receipt.Unfinished](err)
				if !ok || u.Receipt == nil {
					t.Fatalf("want the receipt of the failed run, have %v", err)
				}
				f := u.Receipt.Failure
				if f.Interrupted || f.Step != "act.a" || f.Record == nil || f.Record.Line > c.line || !strings.Contains(f.Error, c.want) || f.Resume != nil {
					t.Errorf("want that act.a ended it at line %d or one before, have %+v", c.line, f)
				}
			})
		}
	}
}

// TestManyLabels holds that a label may take more values than files can be open.
func TestManyLabels(t *testing.T) {
	var in strings.Builder
	for i := range 2 * 520 {
		fmt.Fprintf(&in, `{"do":"label","to":"s%d"}`+"\n", i%520)
	}
	inFolder(t, pipeline, in.String())
	result, err := load(t, modes["in process"]).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if have := files(t)["out/s519.jsonl"]; len(result.Outputs) != 521 || have != `{"do":"label","to":"s519","n":520}`+"\n"+`{"do":"label","to":"s519","n":1040}`+"\n" {
		t.Errorf("have %d outputs and %q", len(result.Outputs), have)
	}
}

// TestCancel holds that a run which is cancelled while a plugin holds a record ends with the cause, and leaves nothing but a receipt that
// says that it was interrupted.
func TestCancel(t *testing.T) {
	for mode, opts := range modes {
		if opts.InProcess {
			continue // nothing can end a goroutine that never returns
		}
		t.Run(mode, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			inFolder(t, pipeline, `{"do":"wait"}`+"\n")
			why := errors.New("enough")
			ctx, cancel := context.WithCancelCause(t.Context())
			opts.Progress = func(p host.Progress) {
				if p.Step == "act.a" {
					cancel(why)
				}
			}
			if _, err := load(t, opts).Run(ctx); !errors.Is(err, why) {
				t.Errorf("want the cause, have %v", err)
			}
			if have := files(t); len(have) != 3 || !strings.Contains(have["out/receipt.failed.json"], `"interrupted": true`) {
				t.Errorf("want nothing but p.hcl, in.jsonl and a receipt of the interrupted run, have %v", have)
			}
		})
	}
}

// TestProgressEnds holds that Run does not return while Progress is being called, and does not call it afterwards.
func TestProgressEnds(t *testing.T) {
	inFolder(t, strings.NewReplacer(`"act"`, `"patient"`, "{split}", "all").Replace(pipeline), "{}\n")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		called, release, returned := make(chan bool), make(chan bool), make(chan error, 1)
		p := load(t, host.Options{InProcess: true, Progress: func(host.Progress) {
			cancel()
			called <- true
			<-release
		}})
		go func() {
			_, err := p.Run(ctx)
			returned <- err
		}()
		<-called
		synctest.Wait()
		if len(returned) > 0 {
			t.Error("want Run to wait for the call of Progress, have it returned")
		}
		close(release)
		if err := <-returned; !errors.Is(err, context.Canceled) {
			t.Errorf("want the cancellation, have %v", err)
		}
	})
}

// hashOf returns the hash of data by the default algorithm.
func hashOf(data []byte) filehash.Sum {
	hash := filehash.New("")
	hash.Write(data)
	return hash.Result()
}
