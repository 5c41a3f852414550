package chaos

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
)

// Kinds of failures that a tally counts.
var (
	errLost    = errors.New("lost")
	errDoubled = errors.New("doubled")
	errOrder   = errors.New("out of order")
)

// described wants the files beside a receipt to be those that it is about.
func described(dir string) error {
	r, err := receipt.Read(filepath.Join(dir, "out", "receipt.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := r.Recheck(); err != nil {
		return fmt.Errorf("receipt: %w", err)
	}
	for _, o := range r.Outputs {
		path := filepath.Join(dir, o.Path)
		if info, err := os.Stat(path); o.Path == "" || o.Path == "-" || err == nil && !info.Mode().IsRegular() {
			continue
		}
		sum, err := filehash.File(path, o.Algorithm())
		if err != nil || sum.Hex() != o.Hex() {
			return fmt.Errorf("receipt: want %s of it, %s, have %s (%v)", o.Path, o.Hex(), sum.Hex(), err)
		}
	}
	return nil
}

// A row of an output or of the dead letter.
type row struct {
	id   int64
	text string
}

// whole wants every line of the input in exactly one place, in order, and nothing else. Records with ids among these may be rejected
// for what a fault did to them.
func (w *world) whole(dir string, faulty map[int64]bool) error {
	if err := described(dir); err != nil {
		return err
	}
	r, err := receipt.Read(filepath.Join(dir, "out", "receipt.json"))
	if err != nil {
		return err
	}
	if want := int64(len(w.lines)); !r.Balanced || r.Totals.Read != want {
		return fmt.Errorf("want a balanced receipt of %d records, have %d, balanced %v", want, r.Totals.Read, r.Balanced)
	}
	written, err := w.written(dir, r)
	if err != nil {
		return err
	}
	rejected, err := w.rejected(dir, faulty)
	if err != nil {
		return err
	}
	return w.accounted(r, written, rejected)
}

// written returns how often each record is in the outputs of the stream, by its id. Each series of files has its rows in the order of the input.
func (w *world) written(dir string, r *receipt.Receipt) (map[int64]int, error) {
	written, streams := map[int64]int{}, map[string][]row{}
	for _, o := range r.Outputs {
		if !slices.Contains(w.sinks, o.Sink) {
			continue
		}
		rows, err := readRows(filepath.Join(dir, o.Path))
		if err != nil {
			return nil, err
		}
		series := o.Sink + shard.ReplaceAllString(o.Path, "")
		streams[series] = append(streams[series], rows...)
	}
	for series, rows := range streams {
		if err := w.inOrder(series, rows); err != nil {
			return nil, err
		}
		copies := map[string]int{}
		for _, row := range rows {
			copies[fmt.Sprint(row.id, copyOf.FindAllString(row.text, -1))]++
		}
		seen := map[int64]bool{}
		for _, row := range rows {
			n := copies[fmt.Sprint(row.id, copyOf.FindAllString(row.text, -1))]
			if n > w.times[row.id] {
				return nil, fmt.Errorf("%w: record %d is %d times in %s, want at most %d", errDoubled, row.id, n, series, w.times[row.id])
			}
			if !seen[row.id] {
				seen[row.id] = true
				written[row.id] += n
			}
		}
	}
	return written, nil
}

// rejected returns how often each record is in the dead letter, by its id. That has each line that is no record once, and all in the order of
// the input; of the others only faulty records may have crashed, see whole.
func (w *world) rejected(dir string, faulty map[int64]bool) (map[int64]int, error) {
	text, err := readText(rejectsIn(dir))
	if err != nil {
		return nil, err
	}
	rejected, brokenLines, last := map[int64]int{}, map[place]int{}, place{}
	for line := range strings.Lines(text) {
		o := gjson.Parse(line)
		at := place{o.Get("file").Str, o.Get("line").Int()}
		l, ok := w.lines[at]
		if !ok {
			return nil, fmt.Errorf("want rejects of lines of the input, have %s:%d", at.file, at.line)
		}
		if before := slices.Index(w.files, at.file) - slices.Index(w.files, last.file); last.file != "" && (before < 0 || before == 0 && at.line < last.line) {
			return nil, fmt.Errorf("%w: reject of %v behind %v", errOrder, at, last)
		}
		last = at
		if l.id == 0 {
			brokenLines[at]++
			continue
		}
		if w.beside[step(o.Get("step").Str)] {
			continue
		}
		if code := o.Get("code").Str; strings.Contains(code, "crash") && faulty != nil && !faulty[l.id] && !faulty[0] {
			return nil, fmt.Errorf("%w: record %d rejected as %s, which no fault hit: %s", errLost, l.id, code, o.Get("message").Str)
		}
		rejected[l.id]++
	}
	for at, l := range w.lines {
		if l.id == 0 && brokenLines[at] != 1 {
			return nil, fmt.Errorf("%w: want the broken line %v rejected once, have %d times", errLost, at, brokenLines[at])
		}
	}
	return rejected, nil
}

// accounted wants each record written or rejected as often as it was made, and the others dropped.
func (w *world) accounted(r *receipt.Receipt, written, rejected map[int64]int) error {
	var missing, copies int64 // copies: of a record that many were made of, each may be dropped as a repetition
	for id, times := range w.times {
		have := written[id] + rejected[id]
		fan := line{id, w.deeds[id]}.made()
		droppable := strings.Contains(w.deeds[id], "drop") || w.dedups && times > 1
		switch {
		case have > times && fan == 1:
			return fmt.Errorf("%w: record %d is written %d times and rejected %d times, want %d together", errDoubled, id, written[id], rejected[id], times)
		case have < times && !droppable:
			return fmt.Errorf("%w: record %d is written %d times and rejected %d times, want %d together", errLost, id, written[id], rejected[id], times)
		case have < times:
			missing += int64(times - have)
		}
		if droppable && fan > 1 {
			copies += int64(fan * times)
		}
	}
	if dropped := r.Totals.Dropped.Total; dropped < missing || dropped > missing+copies {
		return fmt.Errorf("%w: %d records are in no file, %d were dropped: %v", errLost, missing, dropped, r.Totals.Dropped.By)
	}
	return nil
}

var (
	shard  = regexp.MustCompile(`-\d{5}`)
	copyOf = regexp.MustCompile(`"copy_\w+":\d+`)
)

// step is the name of a step without that of its plugin.
func step(full string) string { return full[strings.LastIndexByte(full, '.')+1:] }

// inOrder wants rows in the order of the input. Those that are repeated there may be anywhere.
func (w *world) inOrder(series string, rows []row) error {
	last := int64(0)
	for _, r := range rows {
		if w.times[r.id] != 1 {
			continue
		}
		if r.id < last {
			return fmt.Errorf("%w: record %d behind %d in %s", errOrder, r.id, last, series)
		}
		last = r.id
	}
	return nil
}

func rejectsIn(dir string) string {
	found, _ := filepath.Glob(filepath.Join(dir, "out", "rejects.jsonl*"))
	if len(found) == 0 {
		return filepath.Join(dir, "out", "rejects.jsonl")
	}
	return found[0]
}

func readRows(path string) ([]row, error) {
	text, err := readText(path)
	if err != nil {
		return nil, err
	}
	var rows []row
	for line := range strings.Lines(text) {
		if !gjson.Valid(line) {
			return nil, fmt.Errorf("%s: want JSON, have %.100q", path, line)
		}
		rows = append(rows, row{gjson.Get(line, "id").Int(), line})
	}
	return rows, nil
}

func readText(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var from io.Reader = f
	switch filepath.Ext(path) {
	case ".gz":
		if from, err = gzip.NewReader(f); errors.Is(err, io.EOF) {
			return "", nil
		} else if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
	case ".zst":
		d, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return "", err
		}
		defer d.Close()
		from = d
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(from); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return b.String(), nil
}

// asCalm wants the files of the calm run, byte for byte but for times and ids.
func (w *world) asCalm(dir string) error {
	have, err := readTree(filepath.Join(dir, "out"))
	if err != nil {
		return err
	}
	if d := have.differs(w.calm, tellsTime); d != "" {
		return fmt.Errorf("want the files of the calm run: %s", d)
	}
	r, err := receipt.Read(filepath.Join(dir, "out", "receipt.json"))
	if err != nil {
		return err
	}
	if diff := cmp.Diff(comparable(w.account), comparable(r)); diff != "" {
		return fmt.Errorf("want the receipt of the calm run: %s", diff)
	}
	return nil
}

// comparable is a receipt without what differs from folder to folder.
func comparable(r *receipt.Receipt) receipt.Receipt {
	c := r.Comparable()
	c.Plugins = slices.Clone(c.Plugins)
	for i := range c.Plugins {
		c.Plugins[i].Path = filepath.Base(c.Plugins[i].Path)
	}
	return c
}

// tellsTime reports whether a file is about times and ids too.
func tellsTime(name string) bool {
	base := filepath.Base(name)
	return base == "receipt.json" || base == "report.html" || strings.Contains(base, "timeline")
}
