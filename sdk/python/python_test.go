// Package python_test runs the tests of the package in Python, and holds it against the protocol.
package python_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

var long = flag.Bool("long", false, "hand rows to the libraries that train on them, run on Ray, and verify every plugin with every check")

// python returns an interpreter that has what the package needs.
func python(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("want python3 on PATH")
	}
	if said, err := exec.Command(path, "-c", "import sys; assert sys.version_info >= (3, 10); import grpc, google.protobuf").CombinedOutput(); err != nil {
		t.Skipf("want Python 3.10 with grpcio and protobuf: %s", bytes.TrimSpace(said))
	}
	return path
}

var folder string // of what the tests build

func TestMain(m *testing.M) {
	var err error
	if folder, err = os.MkdirTemp("", "sluice-python-"); err != nil {
		panic(err)
	}
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(folder, "config")) // what the test runs is trusted nowhere else
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// program returns the path of sluice, built once.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder, "sluice")
	if said, err := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", path, "../../cmd/sluice").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, said)
	}
	return path, nil
})

// TestPython runs the package's own tests; with -long also those that hand rows to datasets, transformers and TRL, and run on Ray, as far as these are
// installed.
func TestPython(t *testing.T) {
	t.Parallel() // each test here has one process at work
	interpreter := python(t)
	sluice, err := program()
	if err != nil {
		t.Fatal(err)
	}
	folders := []string{"tests"}
	if *long {
		folders = append(folders, "tests/long")
	}
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			c := exec.Command(interpreter, "-m", "unittest", "discover", "-s", folder)
			c.Env = append(os.Environ(), "SLUICE_PROGRAM="+sluice)
			if said, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

// TestMessages holds the messages that the package carries against wire.proto, which its types are of too.
func TestMessages(t *testing.T) {
	path, dir := python(t), t.TempDir()
	if exec.Command(path, "-c", "import grpc_tools").Run() != nil {
		t.Skip("want grpcio-tools")
	}
	compiled := filepath.Join(dir, "wire.binpb")
	if said, err := exec.Command(path, "-m", "grpc_tools.protoc", "-I", "../wire", "--descriptor_set_out="+compiled, "../wire/wire.proto").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	want, err := os.ReadFile(compiled)
	if err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadFile("sluice/wire.binpb"); err != nil || !bytes.Equal(want, have) {
		t.Errorf("want in wire.binpb and wire.pyi what wire.proto compiles to; see README.md (%v)", err)
	}
}

// TestVerify holds a plugin against the rules of the protocol, started as a program; with -long two, and with large batches.
func TestVerify(t *testing.T) {
	t.Parallel()
	path, dir := python(t), t.TempDir()
	sluice, err := program()
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{"greet": nil, "first": {"--arg", "key=id"}} {
		if !*long {
			if args == nil {
				continue
			}
			args = append(args, "--quick")
		}
		script, err := os.ReadFile("tests/plugins/" + name + ".py")
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, "sluice-plugin-"+name)
		if err := os.WriteFile(to, append([]byte("#!"+path+"\n"), script...), 0o700); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(sluice, append([]string{"plugin", "verify", to, "--env", "PYTHONPATH"}, args...)...)
		c.Env = append(os.Environ(), "PYTHONPATH="+here)
		if said, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, said)
		}
	}
}
