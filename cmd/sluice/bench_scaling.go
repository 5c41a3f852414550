package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
)

func scalingCommand(out *report) *cobra.Command {
	var megabytes float64
	var runs int
	c := &cobra.Command{
		Use:   "scaling",
		Short: "measure how throughput and memory follow the corpus, its records, steps and cores",
		Long: `scaling makes corpora of records of one size and runs them through steps that do nothing, as programs of their own that
see a part of the cores only. It prints tables in Markdown, of medians: throughput by size of the records, steps and cores,
and throughput and memory by size of the corpus, a fifth of --megabytes to ten times as much. Everything counts, from the
start of the program to its end. Records of which fewer than four make the corpus are left out. It takes 21 times
--megabytes of the temporary folder.`,
		Example: `  sluice bench scaling --megabytes 340 --runs 5`,
		Args:    noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			switch {
			case runs < 1:
				return &usageError{command: c, err: fmt.Errorf("--runs: want 1 or more, have %d", runs)}
			case megabytes < 0.01:
				return &usageError{command: c, err: fmt.Errorf("--megabytes: want 0.01 or more, have %v", megabytes)}
			}
			self, err := os.Executable()
			if err != nil {
				return err
			}
			dir, err := os.MkdirTemp("", "sluice-bench-")
			if err != nil {
				return err
			}
			defer os.RemoveAll(dir)
			s := scaling{program: self, dir: dir, runs: runs, corpus: int64(megabytes * 1e6), out: out}
			return errors.Join(s.byRecord(c.Context()), s.byCorpus(c.Context()))
		},
	}
	c.Flags().Float64Var(&megabytes, "megabytes", 340, "size of a corpus")
	c.Flags().IntVar(&runs, "runs", 3, "how often each is measured")
	return c
}

// A scaling measures made corpora.
type scaling struct {
	program, dir string
	runs         int
	corpus       int64 // bytes
	out          *report
}

var (
	recordSizes = []int{200, 1_000, 8_000, 64_000, 1_000_000, 64 << 20}
	stepCounts  = []int{1, 4, 12}
)

// usualRecord is the size of records where another thing varies.
const usualRecord = 8_000

// byRecord varies the size of the records, the number of steps and the cores.
func (s *scaling) byRecord(ctx context.Context) error {
	cores := coreCounts()
	head := ""
	for _, n := range cores {
		head += " " + format.Plural(n, "core") + " |"
	}
	fmt.Fprintf(s.out.out, "| record | steps |%s CPU s/GB | switches/MB | memory |\n|---|---|%s\n", head, strings.Repeat("---|", len(cores)+3))
	for _, record := range recordSizes {
		if int64(record)*4 > s.corpus {
			continue
		}
		if err := s.makeCorpus(s.corpus, record); err != nil {
			return err
		}
		for _, steps := range stepCounts {
			ways, err := s.measure(ctx, steps, cores)
			if err != nil {
				return err
			}
			fmt.Fprintf(s.out.out, "| %s | %d |", format.Size(int64(record)), steps)
			for _, m := range ways {
				fmt.Fprintf(s.out.out, " %s/s |", format.Size(int64(m.Speed)))
			}
			all := ways[len(ways)-1]
			fmt.Fprintf(s.out.out, " %.2f | %s | %s |\n", all.CPU, all.switches(), format.Size(all.Peak))
		}
	}
	return nil
}

// byCorpus varies the size of the corpus.
func (s *scaling) byCorpus(ctx context.Context) error {
	fmt.Fprintf(s.out.out, "\n| corpus | throughput | CPU s/GB | switches/MB | memory |\n|---|---|---|---|---|\n")
	for _, bytes := range []int64{s.corpus / 5, s.corpus, 10 * s.corpus} {
		if err := s.makeCorpus(bytes, usualRecord); err != nil {
			return err
		}
		ways, err := s.measure(ctx, stepCounts[1], []int{runtime.NumCPU()})
		if err != nil {
			return err
		}
		m := ways[0]
		fmt.Fprintf(s.out.out, "| %s | %s/s | %.2f | %s | %s |\n", format.Size(bytes), format.Size(int64(m.Speed)), m.CPU, m.switches(), format.Size(m.Peak))
	}
	return nil
}

// coreCounts are one core, and twice as many up to all, where a program can be held to some.
func coreCounts() []int {
	all, counts := runtime.NumCPU(), []int(nil)
	for n := 1; n < all && canPin; n *= 2 {
		counts = append(counts, n)
	}
	return append(counts, all)
}

// measure runs the corpus through so many steps, on each number of cores in turn.
func (s *scaling) measure(ctx context.Context, steps int, cores []int) ([]measurement, error) {
	file := filepath.Join(s.dir, "scaling.hcl")
	if err := writeSteps(file, []string{s.path("in")}, steps, s.path("out")); err != nil {
		return nil, err
	}
	turns := make([][]measurement, s.runs)
	for i := range turns {
		s.out.say("run %d of %d: %s", i+1, s.runs, format.Plural(steps, "step"))
		for _, n := range cores {
			m, err := s.once(ctx, file, n)
			if err != nil {
				return nil, err
			}
			turns[i] = append(turns[i], m)
		}
	}
	var ways []measurement
	for k := range cores {
		ways = append(ways, medianRun(turns, func(t []measurement) measurement { return t[k] }))
	}
	return ways, nil
}

// once runs the pipeline on so many cores, in a program of its own.
func (s *scaling) once(ctx context.Context, file string, cores int) (measurement, error) {
	in, err := os.Stat(s.path("in"))
	if err != nil {
		return measurement{}, err
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, s.program, "run", file, "--progress", "off")
	cmd.Stderr = &said
	before, began := used(), time.Now()
	if err := startOn(cores, cmd); err != nil {
		return measurement{}, err
	}
	peak := watchMemory(cmd.Process.Pid)
	err = cmd.Wait()
	took, top := time.Since(began), peak()
	if err != nil {
		return measurement{}, fmt.Errorf("%w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	m := measurement{Speed: float64(in.Size()) / took.Seconds(), Peak: top}
	m.spend(before, float64(in.Size()))
	return m, nil
}

func (s *scaling) path(name string) string { return filepath.Join(s.dir, name+".jsonl") }

// makeCorpus writes a corpus of about so many bytes, of records of one size with their line ends.
func (s *scaling) makeCorpus(total int64, record int) error {
	f, err := os.Create(s.path("in"))
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	const words = "the north wind and the sun disputed who was the stronger when a traveller came along "
	text := strings.Repeat(words, record/len(words)+2)
	for n := range max(total/int64(record), 1) {
		head := fmt.Sprintf(`{"id":%d,"text":"`, n)
		from := int(n) % len(words)
		fmt.Fprint(w, head, text[from:from+record-len(head)-len("\"}\n")], "\"}\n") // Flush tells of errors
	}
	return errors.Join(w.Flush(), f.Close())
}
