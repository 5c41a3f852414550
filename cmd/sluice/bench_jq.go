package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sluicehq/sluice/host"
)

// jqProgram renders rows as step chatml does.
//
//go:embed bench.jq
var jqProgram string

// jq is the program of that name, once it was looked for.
type jq struct {
	path, version string
	leftOut       string // why it is not run
}

// jqFigures are those of jq for the same rendering.
type jqFigures struct {
	LeftOut string  `json:"left_out,omitempty"` // why there are no figures
	Version string  `json:"version,omitempty"`
	Speed   float64 `json:"bytes_per_second,omitempty"`
	CPU     float64 `json:"cpu_seconds_per_gb,omitempty"`
	Ratio   float64 `json:"ratio,omitempty"` // out of process against jq, in throughput
}

// over is how many times as fast as jq a run was, 0 without figures.
func (f jqFigures) over(m measurement) float64 {
	if f.LeftOut != "" {
		return 0
	}
	return m.Speed / f.Speed
}

// run renders the input of a run, unless that is another rendering or jq cannot. The outcome of jq is part of the figures;
// an error is somebody else's.
func (j *jq) run(ctx context.Context, r *host.Result, lined bool, dir string) (jqFigures, error) {
	if j.path == "" && j.leftOut == "" {
		j.find(ctx, r, lined)
	}
	if j.leftOut != "" {
		return jqFigures{LeftOut: j.leftOut}, ctx.Err()
	}
	args := []string{"-c", jqProgram}
	for _, in := range r.Inputs {
		abs, err := filepath.Abs(in.Name)
		if err != nil {
			return jqFigures{}, err
		}
		args = append(args, abs)
	}
	to, err := os.Create(filepath.Join(dir, "jq.jsonl"))
	if err != nil {
		return jqFigures{}, err
	}
	defer to.Close()
	cmd := exec.CommandContext(ctx, j.path, args...)
	cmd.Stdout = to // what it says of an error may hold a part of a record, so it goes nowhere
	began := time.Now()
	if err := cmd.Run(); err != nil {
		j.leftOut = fmt.Sprintf("%s failed on the input: %v", j.version, err)
		return jqFigures{LeftOut: j.leftOut}, ctx.Err()
	}
	took, used := time.Since(began), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	return jqFigures{
		Version: j.version, Speed: float64(r.Totals.BytesRead) / took.Seconds(), CPU: used.Seconds() / gigabytes(r),
	}, nil
}

// find looks for jq, and says in leftOut why it is not to be run.
func (j *jq) find(ctx context.Context, r *host.Result, lined bool) {
	n := len(r.Steps)
	switch {
	case n == 0 || r.Steps[n-1].Plugin != "chatml":
		j.leftOut = "the pipeline does not end in step chatml"
		return
	case !lined:
		j.leftOut = "the input is not plain JSON Lines"
		return
	}
	path, err := exec.LookPath("jq")
	if err != nil {
		j.leftOut = "it is not in PATH"
		return
	}
	version, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		j.leftOut = fmt.Sprintf("jq --version failed: %v", err)
		return
	}
	j.path, j.version = path, strings.TrimSpace(string(version))
}

// medianJQ are the medians, or why there are none.
func medianJQ(turns []turn) jqFigures {
	for _, t := range turns {
		if t.jq.LeftOut != "" {
			return t.jq
		}
	}
	of := func(f func(jqFigures) float64) float64 {
		return medianOf(turns, func(t turn) float64 { return f(t.jq) })
	}
	return jqFigures{
		Version: turns[0].jq.Version,
		Speed:   of(func(f jqFigures) float64 { return f.Speed }),
		CPU:     of(func(f jqFigures) float64 { return f.CPU }),
		Ratio:   of(func(f jqFigures) float64 { return f.Ratio }),
	}
}
