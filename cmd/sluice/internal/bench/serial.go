package bench

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/sluicehq/sluice/host"
)

// serialTimes are the times of the jobs for which a run has one goroutine each. A job that could not be repeated, because
// the file does not hold one record per line, takes none.
type serialTimes struct {
	split, hash     time.Duration // of the input
	write, readBack time.Duration // of the largest output
	lined           bool          // the input has one record a line
}

// timeSerial repeats those jobs on the files of a run, on one thread, and times each.
func timeSerial(ctx context.Context, r *host.Result, dir string) (t serialTimes, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	in := newPass()
	for _, file := range r.Inputs {
		if err := in.over(ctx, file.Name); err != nil {
			return t, err
		}
	}
	t.hash, t.lined = in.hashing, in.lines == r.Totals.Read
	if t.lined {
		t.split = in.reading + in.splitting
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
	out := newPass()
	out.to = bufio.NewWriterSize(to, passBuffer)
	if err := out.over(ctx, path); err != nil {
		return t, err
	}
	t.readBack = out.reading + out.splitting + out.hashing // lines are counted
	if out.lines == records {
		t.write = out.splitting + out.writing // a sink looks for line ends in a record
	}
	return t, nil
}

// largestOutput returns the path of the largest output that is a regular file, "" when there is none, and its records.
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

// A pass reads files block by block, as a run does, and adds up the time of each kind of work.
type pass struct {
	buf   []byte
	lines int64 // that are not empty
	ends  []int // of the lines in buf, for reuse
	open  bool  // there are bytes before the next line end
	hash  hash.Hash
	to    *bufio.Writer // nil: the lines are not written

	reading, splitting, hashing, writing time.Duration
}

const (
	passBlock  = 256 << 10
	passBuffer = 64 << 10
)

func newPass() *pass { return &pass{buf: make([]byte, passBlock), hash: sha256.New()} }

// over reads one file.
func (p *pass) over(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for err == nil {
		n := 0
		spend(&p.reading, func() { n, err = f.Read(p.buf) })
		block := p.buf[:n]
		spend(&p.splitting, func() { p.split(block) })
		spend(&p.hashing, func() { p.hash.Write(block) })
		if p.to != nil {
			spend(&p.writing, func() { p.write(block) })
		}
		if err == nil {
			err = ctx.Err()
		}
	}
	if err != io.EOF {
		return err
	}
	err = nil
	if p.open { // the last line has no end
		p.lines, p.open = p.lines+1, false
	}
	if p.to != nil {
		spend(&p.writing, func() { err = p.to.Flush() })
	}
	return err
}

// spend adds what work takes of this thread's time to t.
func spend(t *time.Duration, work func()) {
	before := threadTime()
	work()
	*t += threadTime() - before
}

// split finds the lines of a block.
func (p *pass) split(block []byte) {
	p.ends = p.ends[:0]
	for at := 0; at < len(block); {
		n := bytes.IndexByte(block[at:], '\n')
		if n < 0 {
			p.open = true
			return
		}
		if n > 0 || p.open {
			p.lines++
		}
		p.open = false
		at += n + 1
		p.ends = append(p.ends, at)
	}
}

// write writes a block line by line. An error stays in the writer.
func (p *pass) write(block []byte) {
	at := 0
	for _, end := range p.ends {
		_, _ = p.to.Write(block[at : end-1])
		_ = p.to.WriteByte('\n')
		at = end
	}
	_, _ = p.to.Write(block[at:])
}

// medianSerial returns the medians per GB of input.
func medianSerial(turns []turn, gigabytes float64) serialShare {
	x := serialShare{Jobs: []serialJob{}}
	for _, job := range []struct {
		name string
		time func(serialTimes) time.Duration
	}{
		{"read and split the input", func(t serialTimes) time.Duration { return t.split }},
		{"hash the input", func(t serialTimes) time.Duration { return t.hash }},
		{"write the output", func(t serialTimes) time.Duration { return t.write }},
		{"read the output back and hash it", func(t serialTimes) time.Duration { return t.readBack }},
	} {
		took := medianOf(turns, func(t turn) time.Duration { return job.time(t.serial) })
		if took > 0 {
			x.Jobs = append(x.Jobs, serialJob{job.name, took.Seconds() / gigabytes})
			x.CPU = max(x.CPU, took.Seconds()/gigabytes)
		}
	}
	return x
}
