package host

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host/internal/launch"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/internal/verify"
)

// A Verified is what came of one check of a plugin.
type Verified = verify.Result

// Outcomes of a check of a plugin.
const (
	CheckPassed  = verify.Passed
	CheckFailed  = verify.Failed
	CheckSkipped = verify.Skipped
)

// A Verification is a plugin's program that is held to the protocol.
type Verification struct {
	Path    string        // of the program
	Name    string        // of the plugin; empty: what the program's file name says
	Args    []byte        // a JSON object, attributes with which it opens
	Env     []string      // names of variables that the process gets
	Rows    [][]byte      // records that it has a use for; none: made-up ones
	Timeout time.Duration // for each thing that it is asked
	Only    []string      // names of checks; none: all
}

// Checks are the names of all checks of a plugin, in the order in which they run.
func Checks() []string { return verify.Names() }

// Verify makes all checks and tells each result as it comes. The error is that of a program that is not there, or of ctx.
func Verify(ctx context.Context, v Verification, opts Options, tell func(Verified)) ([]Verified, error) {
	path, err := filepath.Abs(v.Path)
	if err != nil {
		return nil, err
	}
	if err := launch.CheckExecutable(path); err != nil {
		return nil, err
	}
	if v.Name == "" {
		base := strings.TrimSuffix(filepath.Base(path), ".exe")
		name, ok := strings.CutPrefix(base, launch.Prefix)
		if !ok {
			return nil, fmt.Errorf("want a program named %sNAME, or --name with that of the plugin, have %s", launch.Prefix, base)
		}
		v.Name = name
	}
	lo := opts.WithDefaults().launch(".", plan.CorpusLimit, plan.MinDepth)
	return verify.Run(ctx, verify.Target{
		Name: v.Name, Path: path, Args: v.Args, Env: v.Env, Rows: v.Rows, Launch: lo, Timeout: v.Timeout, Only: v.Only,
	}, tell)
}
