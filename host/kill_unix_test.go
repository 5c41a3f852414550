//go:build unix

package host_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/sluicehq/sluice/host"
)

// hostArg makes this binary run p.hcl of a folder.
const hostArg = "run-in"

func hostToKill(folder string) {
	if err := os.Chdir(folder); err != nil {
		panic(err)
	}
	p, err := host.Load("p.hcl", host.Options{BuiltIns: builtIns})
	if err == nil {
		_, err = p.Run(context.Background())
	}
	panic(err)
}

// holdPipe holds a pipe open for as long as the process lives.
func holdPipe(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString("x")
	}
	if err != nil {
		return err
	}
	select {}
}

// TestKilledHost holds that plugins end with a host that had no time to end them.
func TestKilledHost(t *testing.T) {
	inFolder(t, pipeline, `{"do":"hold","pipe":"pipe"}`+"\n")
	if err := syscall.Mkfifo("pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], hostArg, ".")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.Open("pipe") // waits for the plugin
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if _, err := io.ReadFull(pipe, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()                                                            // it was killed, and says so
	if err := pipe.SetReadDeadline(time.Now().Add(time.Minute)); err != nil { // only a failing test waits for it
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, pipe); err != nil { // ends when nobody holds the pipe
		t.Errorf("want the plugin gone with its host, have %v", err)
	}
}
