package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/filehash"
)

// A serialShare is work that more cores do not speed up. Its jobs run at the same time, so CPU is that of the longest.
type serialShare struct {
	CPU  float64     `json:"cpu_seconds_per_gb"`
	Jobs []serialJob `json:"jobs"`
}

type serialJob struct {
	Job string  `json:"job"`
	CPU float64 `json:"cpu_seconds_per_gb"`
}

// serialJobs are the jobs for which a run has one goroutine each.
var serialJobs = [...]string{"read and split the input", "hash the input", "write the output", "read the output back and hash it"}

// serialTimes are the times of serialJobs, 0 for one that could not be repeated since the file has not one record per line.
type serialTimes [len(serialJobs)]time.Duration

// timeSerial repeats those jobs on the files of a run, on one thread, and times each.
func timeSerial(ctx context.Context, r *host.Result, dir string) (t serialTimes, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var in, out lines
	hash := filehash.New(hashOf(r))
	for _, file := range r.Inputs {
		took, err := timeBlocks(ctx, file.Name, in.count, func(block []byte) { hash.Write(block) })
		if err != nil {
			return t, err
		}
		in.end()
		t[0] += took[0] + took[1]
		t[1] += took[2]
	}
	if in.n != r.Totals.Read {
		t[0] = 0
	}
	path, records := largestOutput(r)
	if path == "" {
		return t, nil
	}
	to, err := os.Create(filepath.Join(dir, "serial.jsonl"))
	if err != nil {
		return t, err
	}
	defer to.Close()
	sink := bufio.NewWriterSize(to, 64<<10)
	took, err := timeBlocks(ctx, path, out.count, func(block []byte) { hash.Write(block) }, func(block []byte) {
		for line := range bytes.Lines(block) {
			_, _ = sink.Write(line) // an error stays in the sink
		}
	})
	out.end()
	t[3] = took[0] + took[1] + took[2] // lines are counted
	if out.n == records {
		t[2] = took[1] + took[3] // a sink looks for line ends in a record
	}
	return t, errors.Join(err, sink.Flush())
}

// hashOf returns the algorithm that the run hashed its inputs by.
func hashOf(r *host.Result) string {
	for _, in := range r.Inputs {
		return in.Algorithm()
	}
	return filehash.Default
}

func largestOutput(r *host.Result) (path string, records int64) {
	most := int64(-1)
	for _, o := range r.Outputs {
		info, err := os.Stat(o.Path)
		if err == nil && info.Mode().IsRegular() && o.Bytes > most {
			path, records, most = o.Path, o.Records, o.Bytes
		}
	}
	return path, records
}

// timeBlocks reads a file block by block, as a run does, and returns what reading and each job took of this thread's time.
func timeBlocks(ctx context.Context, name string, jobs ...func(block []byte)) ([]time.Duration, error) {
	took := make([]time.Duration, 1+len(jobs))
	f, err := os.Open(name)
	if err != nil {
		return took, err
	}
	defer f.Close()
	buffer := make([]byte, 256<<10)
	for err == nil && ctx.Err() == nil {
		n, at := 0, threadTime()
		lap := func(i int) {
			now := threadTime()
			took[i] += now - at
			at = now
		}
		n, err = f.Read(buffer)
		lap(0)
		for i, job := range jobs {
			job(buffer[:n])
			lap(i + 1)
		}
	}
	if err == io.EOF {
		return took, nil
	}
	return took, errors.Join(err, ctx.Err())
}

// lines counts lines that are not empty.
type lines struct {
	n    int64
	open bool // there are bytes after the last line end
}

func (l *lines) count(block []byte) {
	for len(block) > 0 {
		line, rest, ended := bytes.Cut(block, []byte("\n"))
		l.open = l.open || len(line) > 0
		if ended {
			l.end()
		}
		block = rest
	}
}

func (l *lines) end() {
	if l.open {
		l.n, l.open = l.n+1, false
	}
}

func medianSerial(turns []turn, gigabytes float64) serialShare {
	share := serialShare{Jobs: []serialJob{}}
	for i, job := range serialJobs {
		if took := medianOf(turns, func(t turn) time.Duration { return t.serial[i] }); took > 0 {
			share.Jobs = append(share.Jobs, serialJob{job, took.Seconds() / gigabytes})
			share.CPU = max(share.CPU, took.Seconds()/gigabytes)
		}
	}
	return share
}
