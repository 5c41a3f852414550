//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/bucket"
)

// BenchmarkBucket runs the shipped pipeline on the rows of SLUICE_ROWS, in turn from a file of this machine and from a bucket on the loopback
// interface whose server has the same cores, and says how much of the speed of files the bucket reaches, and how much more CPU time of the program
// it takes. The second file that both read has the same rows.
func BenchmarkBucket(b *testing.B) {
	rows := os.Getenv("SLUICE_ROWS")
	if rows == "" {
		b.Skip("SLUICE_ROWS names no file of rows")
	}
	data, err := os.ReadFile(rows)
	if err != nil {
		b.Fatal(err)
	}
	server, err := bucket.Start()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.Close)
	if err := server.Put("rows.jsonl", data); err != nil {
		b.Fatal(err)
	}
	pipeline, err := filepath.Abs("../../pipelines/eliza-sft.hcl")
	if err != nil {
		b.Fatal(err)
	}
	if rows, err = filepath.Abs(rows); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(data)))
	dir := b.TempDir()
	run := func(input string) (wall, cpu time.Duration) {
		cmd := exec.Command("sluice", "run", pipeline, "--progress", "off", "--report=false", "--var", "input="+input, "--var", "out="+filepath.Join(dir, "out"))
		cmd.Env = append(os.Environ(), server.Env()...)
		began := time.Now()
		if said, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, said)
		}
		used := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		return time.Since(began), time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	var wall, cpu [2]time.Duration
	for b.Loop() {
		for i, input := range []string{rows, "s3://corpus/rows.jsonl"} {
			w, c := run(input)
			wall[i], cpu[i] = wall[i]+w, cpu[i]+c
		}
	}
	b.ReportMetric(wall[0].Seconds()/wall[1].Seconds(), "of-files")
	b.ReportMetric(cpu[1].Seconds()/cpu[0].Seconds(), "cpu-ratio")
}
