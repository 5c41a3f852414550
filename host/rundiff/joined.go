package rundiff

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

// joinedRows returns the join of rows that a step made of several records. They stand in no order of the input, so they wait for the
// row of the other run that begins with the same record. end removes what is held on disk.
func (c *comparison) joinedRows() (j *join, end func() error, err error) {
	if c.MaxHeld == 0 {
		c.MaxHeld = maxHeld
	}
	dir, err := os.MkdirTemp(c.Temp, "sluice-diff-")
	if err != nil {
		return nil, nil, err
	}
	j = &join{comparison: c, dir: dir, waiting: map[string]*queue{}, identify: identifyJoined}
	return j, func() error { return errors.Join(j.closePartitions(), os.RemoveAll(dir)) }, nil
}

// joinedKey returns the key of a joined row: its output and the place of the first record that it was made of.
func joinedKey(r *reader, of output.Origin) string {
	if name, ok := r.renamed[of.File]; ok {
		of.File = name
	}
	return fmt.Sprintf("%d:%d:%d:%s", r.output, of.Line, of.OfLine, of.File)
}

// mostOrigins is how many records of a joined row are listed.
const mostOrigins = 20

// placesOf returns the records that a row was made of, with their files as A calls them.
func (r *reader) placesOf(of *wire.Origins) (all MadeOf) {
	for _, p := range of.List[:min(len(of.List), mostOrigins)] {
		if name, ok := r.renamed[p.File]; ok {
			p.File = name
		}
		all.Origins = append(all.Origins, receipt.Position{File: p.File, Line: p.Line})
	}
	all.MoreOrigins = of.More + int64(max(len(of.List)-mostOrigins, 0))
	return all
}

// identifyJoined reads the key of a joined row, and names its output.
func identifyJoined(key string, r *row) identity {
	parts := strings.SplitN(key, ":", 4)
	figure := func(i int) int64 {
		n, _ := strconv.ParseInt(parts[i], 10, 64) // as joinedKey wrote it
		return n
	}
	r.output = int(figure(0))
	return identity{of: output.Origin{File: parts[3], Line: figure(1), OfLine: uint32(figure(2))}}
}
