package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

// older puts the plugin of testdata/older into a folder of the script.
func older(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, len(args) == 1, "older FOLDER")
	ts.Check(putOlder(ts.MkAbs(args[0])))
}

// putOlder writes the plugin of testdata/older, which is built once, into a folder.
func putOlder(dir string) error {
	program, err := builtOlder()
	if err != nil {
		return err
	}
	name := "sluice-plugin-older"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return os.WriteFile(filepath.Join(dir, name), program, 0o755)
}

var builtOlder = sync.OnceValues(buildOlder)

// buildOlder builds the plugin of testdata/older, with the SDK that is there and the modules of this one.
func buildOlder() ([]byte, error) {
	archive, err := txtar.ParseFile("testdata/older/sdk-2.txtar")
	if err != nil {
		return nil, err
	}
	source, err := os.MkdirTemp("", "older")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(source)
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			return nil, err
		}
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: text})
	}
	for _, f := range archive.Files {
		path := filepath.Join(source, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			return nil, err
		}
	}
	program := filepath.Join(source, "older.exe")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "./older")
	build.Dir = source
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build of the older plugin: %w\n%s", err, out)
	}
	return os.ReadFile(program)
}

// TestOlderSDK holds that a plugin of the first SDK of version 2 does the same whichever way its records travel. The script older
// holds what the commands make of it.
func TestOlderSDK(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/older.txtar")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	dir := t.TempDir()
	if err := putOlder(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, name := range []string{"p.hcl", "in.jsonl"} {
		if err := os.WriteFile(name, []byte(files[name]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, inline := range []bool{false, true} {
		for _, workers := range []string{"1", "3"} {
			p, err := host.Load("p.hcl", host.Options{Inline: inline, Vars: map[string]string{"workers": workers}})
			if err != nil {
				t.Fatal(err)
			}
			result, err := p.Run(t.Context())
			if err != nil {
				t.Fatalf("inline %t, %s workers: %v", inline, workers, err)
			}
			for _, name := range []string{"out", "log", "rejects"} {
				have, err := os.ReadFile(filepath.Join("out", name+".jsonl"))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(files[name+".want"], peakMemory.ReplaceAllString(string(have), "")); diff != "" {
					t.Errorf("inline %t, %s workers, %s.jsonl (-want +have):\n%s", inline, workers, name, diff)
				}
			}
			if s := step(result.Receipt, "older.a"); s.Counts["things"] != 2 || s.Dropped.By["unwanted"] != 1 || s.Restarts == 0 {
				t.Errorf("inline %t, %s workers: want 2 things, 1 dropped and a restart, have %+v", inline, workers, s)
			}
		}
	}
}

func step(r *receipt.Receipt, name string) receipt.StepAccount {
	for _, s := range r.Steps {
		if s.Name == name {
			return s
		}
	}
	return receipt.StepAccount{}
}
