//go:build unix

package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/sluicehq/sluice/host/receipt"
)

// A bounded is an input of which the main pipeline makes rows and rejects within bounds of memory.
type bounded struct {
	reason   string
	write    func(w *bufio.Writer)
	record   int    // bytes of the largest record
	rows     int64  // that are written
	rejected string // the code of each record that is not
	long     bool   // only with -long
	packed   bool   // a disk may have no room for gigabytes that only repeat themselves
}

// spread writes n pieces with their numbers.
func spread(w *bufio.Writer, n int, format string) {
	for i := range n {
		if i > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(w, format, i)
	}
}

// saying writes one record with a text of n bytes and more.
func saying(piece string, n int) func(*bufio.Writer) {
	return func(w *bufio.Writer) {
		w.WriteString(`{"instruction":"`)
		for at := 0; at < n; at += len(piece) {
			w.WriteString(piece)
		}
		w.WriteString(`","output":"yes"}` + "\n")
	}
}

const story = "once upon a time there was a fox who ran through the wood and "

var boundedInputs = []bounded{
	{reason: "one text", record: 66e6, rows: 1, write: saying(story, 66e6)},
	{reason: "a million members at the top", record: 18e6, rows: 1, write: func(w *bufio.Writer) {
		w.WriteString(`{"instruction":"hi","output":"yes",`)
		spread(w, 1e6, `"k%07[1]d":%[1]d`)
		w.WriteString("}\n")
	}},
	{reason: "600,000 messages", record: 26e6, rejected: "too_many_parts", write: func(w *bufio.Writer) {
		w.WriteString(`{"messages":[`)
		spread(w, 6e5, `{"role":"user","content":"hello %d"}`)
		w.WriteString("]}\n")
	}},
	{reason: "a million findings", record: 14e6, rejected: "too_many_findings", write: func(w *bufio.Writer) {
		w.WriteString(`{"instruction":"`)
		spread(w, 1e6, `a%06d@b.co `)
		w.WriteString(`","output":"yes"}` + "\n")
	}},
	{reason: "tiny records", record: 2, rejected: "declined", write: func(w *bufio.Writer) { fmt.Fprint(w, strings.Repeat("{}\n", 2e5)) }},

	{reason: "a million members in the metadata", record: 18e6, rows: 1, long: true, write: func(w *bufio.Writer) {
		w.WriteString(`{"instruction":"hi","output":"yes","metadata":{`)
		spread(w, 1e6, `"k%07[1]d":%[1]d`)
		w.WriteString("}}\n")
	}},
	{reason: "57 MB of addresses", record: 57e6, rejected: "too_many_findings", long: true, write: saying("bob.smith@example.com ", 57e6)},
	{reason: "10 records of 64 MiB", record: 64 << 20, rows: 10, long: true, packed: true, write: func(w *bufio.Writer) {
		for range 10 {
			saying(story, 64<<20-200)(w)
		}
	}},
	{reason: "a line of 1 GB", record: 64 << 20, rejected: "too_large", long: true, packed: true, write: saying(story, 1e9)},
	{reason: "4 million tiny records", record: 2, rejected: "declined", long: true, write: func(w *bufio.Writer) {
		for range 40 {
			fmt.Fprint(w, strings.Repeat("{}\n", 1e5))
		}
	}},
}

// TestBounded holds that host and plugins together take at most 300 MB, or six times the largest record, whatever a record holds. In one
// process the memory of both is the peak of that process. The race detector multiplies it, so that the peak says nothing then.
func TestBounded(t *testing.T) {
	for _, c := range boundedInputs {
		if c.long && !*long {
			continue
		}
		t.Run(c.reason, func(t *testing.T) {
			dir := t.TempDir()
			input := filepath.Join(dir, "in.jsonl")
			if c.packed {
				input += ".zst"
			}
			totals, peak := runBounded(t, input, c.write, "../../pipelines/eliza-sft.hcl", "--in-process", "--var", "out="+filepath.Join(dir, "out"))
			if most := max(300e6, 6*c.record); peak > most && !isRace() {
				t.Errorf("want a peak of at most %d MB, have %d", most/1e6, peak/1e6)
			}
			if rejected := totals.Rejected; totals.Written != c.rows || rejected.By[c.rejected] != rejected.Total || (rejected.Total == 0) != (c.rejected == "") {
				t.Errorf("want %d rows and rejects %q, have %d and %v", c.rows, c.rejected, totals.Written, rejected.By)
			}
		})
	}
}

// runBounded runs a pipeline with a variable input, whose folder it writes to, and returns its account and the peak of its memory in bytes.
func runBounded(t *testing.T, input string, write func(*bufio.Writer), args ...string) (receipt.Totals, int) {
	t.Helper()
	file, err := os.Create(input)
	if err != nil {
		t.Fatal(err)
	}
	var to io.WriteCloser = file
	if strings.HasSuffix(input, ".zst") {
		if to, err = zstd.NewWriter(file, zstd.WithEncoderLevel(zstd.SpeedFastest)); err != nil {
			t.Fatal(err)
		}
	}
	w := bufio.NewWriter(to)
	write(w)
	if err := cmp.Or(w.Flush(), to.Close()); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	cmd, peak := measured(t, append([]string{"sluice", "run", "--var", "input=" + input}, args...)...)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	r, err := receipt.Read(filepath.Join(filepath.Dir(input), "out", "receipt.json"))
	if err != nil {
		t.Fatal(err)
	}
	return r.Totals, peak()
}

func init() { testPrograms["measure"] = measure }

// measured returns a command, and how many bytes of memory it has had at most once it has ended. What starts a program passes its own peak
// on to it, which is large for a test, so a small process stands between the two.
func measured(t *testing.T, args ...string) (cmd *exec.Cmd, peak func() int) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "peak")
	return exec.CommandContext(t.Context(), "measure", append([]string{to}, args...)...), func() int {
		n, err := strconv.Atoi(readText(t, to))
		if err != nil {
			t.Error(err)
		}
		return n
	}
}

// measure runs a program, ends as it does, and writes how many bytes of memory it has had at most.
func measure() {
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		log.Fatal(err)
	}
	peak := int(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS != "darwin" && runtime.GOOS != "ios" {
		peak *= 1024 // there it is in kilobytes
	}
	if err := os.WriteFile(os.Args[1], []byte(strconv.Itoa(peak)), 0o666); err != nil {
		log.Fatal(err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// TestFan holds that each of 100,000 records that a plugin makes of one is delivered once, in order.
func TestFan(t *testing.T) {
	dir := t.TempDir()
	plugin, err := exec.LookPath("sluice-plugin-fan")
	if err != nil {
		t.Fatal(err)
	}
	const n = 100_000
	pipeline := filepath.Join(dir, "p.hcl")
	text := fmt.Sprintf(`variable "input" {}
plugin "fan" {
  path = %q
}
source "jsonl" "in" {
  paths = [var.input]
}
step "fan" "out" {}
step "noop" "on" {}
sink "jsonl" "out" {
  path = "%s/out/out.jsonl"
}
`, plugin, dir)
	if err := os.WriteFile(pipeline, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	write := func(w *bufio.Writer) { fmt.Fprintf(w, "{\"n\":1}\n{\"n\":%d}\n{\"n\":1}\n", n) }
	totals, peak := runBounded(t, filepath.Join(dir, "in.jsonl"), write, pipeline)
	if totals.Written != n+2 || peak > 300e6 && !isRace() {
		t.Errorf("want %d rows and at most 300 MB, have %d and %d", n+2, totals.Written, peak/1e6)
	}
	want := []byte("{\"i\":0}\n")
	for i := range n {
		want = fmt.Appendf(want, "{\"i\":%d}\n", i)
	}
	want = append(want, "{\"i\":0}\n"...)
	if have := fileText(t, filepath.Join(dir, "out", "out.jsonl")); have != string(want) {
		t.Errorf("want each of %d rows once and in order, have %d bytes that differ", n+2, len(have))
	}
}
