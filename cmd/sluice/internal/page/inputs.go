package page

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

// inputRead is how far into an input a page looks for examples: what comes later costs more than it shows.
const inputRead = 32 << 20

// lines returns lines of an input, by their numbers: of a file of lines on this machine that is as the run has read it, as far as
// its size and time say. There are none otherwise.
func (m *maker) lines(name string, wanted []int64) map[int64][]byte {
	at := slices.IndexFunc(m.run.Inputs, func(in receipt.Input) bool { return in.Name == name })
	if at < 0 || len(wanted) == 0 || !ofLines(name) {
		return nil
	}
	in := m.run.Inputs[at]
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() != in.Bytes || in.Changed || in.Share != nil || info.ModTime().After(m.run.Finished) {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	unpacked, err := rowfile.Text(f.Name(), f, info.Size(), io.NewSectionReader(f, 0, 1<<62))
	if err != nil {
		return nil
	}
	var from io.Reader = f
	if unpacked != nil {
		defer unpacked.Close()
		from = unpacked
	}
	all := map[int64][]byte{}
	read := bufio.NewReaderSize(io.LimitReader(from, inputRead), 1<<16)
	for line := int64(1); line <= slices.Max(wanted); line++ {
		text, err := readLine(read, slices.Contains(wanted, line))
		if err != nil {
			break
		}
		if text != nil {
			all[line] = text
		}
	}
	return all
}

// reused says how much of the input was not run again, "" when the run has no store.
func (m *maker) reused() string {
	u := m.run.Reused
	if u == nil {
		return ""
	}
	begun := u.Files
	var had []string
	if u.Files > 0 {
		had = append(had, fmt.Sprintf("the results of %s (%s, %s)", plural.Count(int64(u.Files)), plural.Of(u.Records, "record"), format.Size(u.Bytes)))
	}
	for _, b := range u.Behind {
		begun += b.Files
		had = append(had, fmt.Sprintf("what left step %s of %s (%s, %s)", mask.Word(b.Step), plural.Count(int64(b.Files)), plural.Of(b.Records, "record"), format.Size(b.Bytes)))
	}
	if had == nil {
		return "The store had nothing of these files that still holds, so all of them were run."
	}
	rest := "the others were run"
	if begun == u.Of {
		rest = "no file was run from its beginning"
	}
	if u.Files == u.Of {
		rest = "nothing was run again"
	}
	return "Of " + plural.Of(u.Of, "file") + ", the store had " + strings.Join(had, ", and ") + ", since nothing has changed that they depend on; " + rest + "."
}

func ofLines(name string) bool {
	return slices.ContainsFunc([]string{".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".parquet"}, func(ending string) bool { return strings.HasSuffix(name, ending) })
}

// readLine reads a line, and returns it when it is wanted and not too long.
func readLine(in *bufio.Reader, wanted bool) (text []byte, err error) {
	long := !wanted
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(text)+len(part) > longestRow; !long {
			text = append(text, part...)
		}
		switch err {
		case nil:
			if long {
				return nil, nil
			}
			return text, nil
		case bufio.ErrBufferFull:
		default: // also a line without its end may be half of one
			return nil, err
		}
	}
}
