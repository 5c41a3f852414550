//go:build unix

package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sluicehq/sluice/sdk"
)

func init() { builtIns = append(builtIns, frail) }

type frailArgs struct {
	File string `hcl:"file"` // has a line for each time that it was started
	Kill int    `hcl:"kill"` // how often it is killed
}

// frail is killed the first times that it is started.
var frail = sdk.Plugin{
	Name: "frail",
	Doc:  "is killed while it starts",
	Args: frailArgs{},
	New: func(a sdk.Args) (sdk.Processor, error) {
		var cfg frailArgs
		if err := a.Decode(&cfg); err != nil {
			return nil, err
		}
		before, err := os.ReadFile(cfg.File)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(cfg.File, append(before, '\n'), 0o600); err != nil {
			return nil, err
		}
		if len(before) < cfg.Kill {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return sdk.Map(func(*sdk.Record) error { return nil }), nil
	},
}

// TestKilledAtStart holds that a process which someone kills while it starts is started again, a few times, and that this is an
// error of the run and no mistake in the pipeline.
func TestKilledAtStart(t *testing.T) {
	for _, c := range []struct {
		kill   int
		starts int
		want   string
	}{
		{0, 1, ""},
		{startTries - 1, startTries, ""},
		{startTries, startTries, "was killed each of the 3 times that it was started: the plugin ended: signal: killed"},
	} {
		file := filepath.Join(t.TempDir(), "starts")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		f, problems, err := tryStart(Options{}, Request{Plugin: "frail", Args: fmt.Appendf(nil, `{"file":%q,"kill":%d}`, file, c.kill)})
		if problems != nil || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("killed %d times: want %q, have %v and %v", c.kill, c.want, problems, err)
		}
		if f != nil {
			f.Abort()
		}
		if lines, err := os.ReadFile(file); err != nil || len(lines) != c.starts {
			t.Errorf("killed %d times: want %d starts, have %d (%v)", c.kill, c.starts, len(lines), err)
		}
	}
}
