package page

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/bits"
	"os"

	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
)

const (
	blocks     = 16      // that are read of a file which is too long to be read whole
	longestRow = 4 << 20 // bytes; longer ones are passed over
)

type sample struct {
	Rows int64 // that were read
	All  bool  // they are all rows of the file
	Head bool  // they are the first ones, since the file is packed
	Long int64 // that were passed over for their length
}

// basis says of which rows of a file something is known that was found in some of those that were read, "" when it is all.
func (s sample) basis(found, all int64) string {
	switch {
	case s.Head:
		return "only the first " + plural.Of(found, "row") + " counted"
	case !s.All:
		return "a sample: " + plural.Of(found, "row") + " counted"
	case found < all:
		return "counted in " + plural.Count(found) + " of them"
	}
	return ""
}

// read takes rows of an output, as sampled does, and notes what is wrong with its file.
func (m *maker) read(o receipt.Output, most int64, take func(row []byte)) sample {
	f := m.open(o.Path, o.Sum)
	if f == nil {
		return sample{}
	}
	defer f.Close()
	s, err := sampled(f, most, take)
	if err != nil {
		m.troubles[o.Path] = err.Error()
	}
	return s
}

// sampled takes the rows of a file of lines: all when the file has at most so many bytes, else those that begin in blocks spread
// evenly over it, of so many bytes together. Of a packed file it is the first so many bytes. A row is valid for one call.
func sampled(f *os.File, most int64, take func(row []byte)) (sample, error) {
	info, err := f.Stat()
	if err != nil {
		return sample{}, err
	}
	s := sample{All: true}
	unpacked, err := rowfile.Text(f.Name(), f, info.Size(), io.NewSectionReader(f, 0, 1<<62))
	if err != nil {
		return s, err
	}
	if unpacked != nil {
		defer unpacked.Close()
		limited := &io.LimitedReader{R: unpacked, N: most + longestRow} // a row that begins in the sample ends here, or is too long
		in := bufio.NewReaderSize(limited, 1<<16)
		if _, err := s.rows(in, most, take); err != nil {
			return s, err
		}
		_, err := in.Peek(1)
		ended := errors.Is(err, io.EOF)
		s.All = ended && limited.N > 0
		s.Head = !s.All
		if ended {
			err = nil
		}
		return s, err
	}
	if info.Size() <= most {
		_, err := s.rows(bufio.NewReaderSize(io.NewSectionReader(f, 0, info.Size()), 1<<16), info.Size(), take)
		return s, err
	}
	s.All = false
	for i, left := 0, most; i < blocks && left > 0; i++ { // spread over the file, too, when long rows leave nothing for the last blocks
		from := (info.Size() - most/blocks) / (blocks - 1) * int64(bits.Reverse8(uint8(i))/(256/blocks))
		in := bufio.NewReaderSize(io.NewSectionReader(f, max(0, from-1), info.Size()), 1<<16)
		skipped := int64(0)
		if from > 0 { // the row that the block begins in is another block's
			if skipped, err = skipLine(in, most/blocks); err != nil {
				return s, err
			}
		}
		size := most/blocks - skipped
		rest, err := s.rows(in, size, take)
		if err != nil {
			return s, err
		}
		left -= size - rest
	}
	return s, nil
}

// rows takes the rows that begin in the next so many bytes, and returns how many are left of these, or minus how many more it has read.
func (s *sample) rows(in *bufio.Reader, most int64, take func(row []byte)) (left int64, err error) {
	var row []byte
	for most > 0 {
		row = row[:0]
		long := false
		for {
			part, err := in.ReadSlice('\n')
			most -= int64(len(part))
			if long = long || len(row)+len(part) > longestRow; !long {
				row = append(row, part...)
			}
			if err == nil || errors.Is(err, io.EOF) && len(row) == 0 && !long {
				if err != nil {
					return 0, nil
				}
				break
			}
			if errors.Is(err, io.EOF) {
				most = min(most, 0)
				break
			}
			if !errors.Is(err, bufio.ErrBufferFull) {
				return most, err
			}
		}
		switch row = bytes.TrimSpace(row); {
		case long:
			s.Long++
		case len(row) > 0:
			s.Rows++
			take(row)
		}
	}
	return most, nil
}

// skipLine passes over the rest of a line, but no more than so many bytes, and returns how many.
func skipLine(in *bufio.Reader, most int64) (n int64, err error) {
	for n < most {
		part, err := in.ReadSlice('\n')
		n += int64(len(part))
		if err == nil || errors.Is(err, io.EOF) {
			return n, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return n, err
		}
	}
	return n, nil
}
