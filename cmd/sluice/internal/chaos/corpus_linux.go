package chaos

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A corpus is what a run reads, and what is known about each of its lines.
type corpus struct {
	files []string // below the folder of the scenario, in the order in which they are read
	lines map[place]line
	times map[int64]int // how many lines have an id
	ids   []int64       // of whole records, in order
	deeds map[int64]string
}

type place struct {
	file string
	line int64
}

type line struct {
	id int64 // 0 when it is broken
	do string
}

var words = []string{"a", "b", "c"} // that records have as their kind

// writeCorpus writes files of records: short and long, growing and shrinking, broken and repeated, and sometimes a big one.
func writeCorpus(r *rand.Rand, dir string, steps []string) (*corpus, error) {
	c := &corpus{lines: map[place]line{}, times: map[int64]int{}, deeds: map[int64]string{}}
	if err := os.MkdirAll(filepath.Join(dir, "in"), 0o700); err != nil {
		return nil, err
	}
	var rows []string
	next := int64(1)
	for f := range 1 + r.IntN(3) {
		name := fmt.Sprintf("in/%c.jsonl%s", 'a'+f, []string{"", ".gz", ".zst"}[r.IntN(3)])
		c.files = append(c.files, name)
		var text bytes.Buffer
		for n := int64(1); n <= 20+int64(r.IntN(150)); n++ {
			row, l := "", line{}
			switch p := r.IntN(100); {
			case p < 3:
				row = broken[r.IntN(len(broken))]
			case p < 8 && len(rows) > 0:
				id := 1 + r.Int64N(next-1)
				row, l = rows[id-1], line{id, c.deeds[id]}
			default:
				l.id = next
				if next++; len(steps) > 0 && r.IntN(8) == 0 {
					l.do = fmt.Sprintf(`{%q:%q}`, steps[r.IntN(len(steps))], deeds[r.IntN(len(deeds))])
				}
				c.deeds[l.id] = l.do
				row = newRow(r, l)
				rows = append(rows, row)
			}
			if l.id > 0 {
				c.times[l.id]++
				c.ids = append(c.ids, l.id)
			}
			c.lines[place{name, n}] = l
			text.WriteString(row + "\n")
		}
		if err := writeFile(filepath.Join(dir, name), text.Bytes()); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// deeds are what a record asks of a step.
var deeds = []string{"drop", "drop", "reject", "reject", "side", "side", "side", "side", "grow", "grow", "grow", "grow", "shrink", "shrink", "fan", "fan", "burst"}

// times is how many records a step makes of one by some deeds.
var times = map[string]int{"fan": 3, "burst": 700}

// made returns how many records become of the line, when nothing is rejected or dropped.
func (l line) made() int {
	for deed, n := range times {
		if strings.Contains(l.do, deed) {
			return n
		}
	}
	return 1
}

var broken = []string{`{"id":`, `nonsense`, "{\"id\":1,\"bad\":\"\xff\"}", `[1,2`, `{"a":1}{"b":2}`, strings.Repeat(`[`, 1200)}

func newRow(r *rand.Rand, l line) string {
	pad := r.IntN(120)
	switch p := r.IntN(200); {
	case p < 10:
		pad = r.IntN(8 << 10)
	case p < 13:
		pad = r.IntN(100 << 10)
	case p == 13 && r.IntN(10) == 0:
		pad = 3 << 20
	}
	do := ""
	if l.do != "" {
		do = `,"do":` + l.do
	}
	return fmt.Sprintf(`{"id":%d,"kind":%q,"trajectoryId":"t%d"%s,"pad":"%s"}`, l.id, words[r.IntN(len(words))], r.IntN(9), do, strings.Repeat("x", pad))
}

func writeFile(path string, text []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var w io.WriteCloser = f
	switch filepath.Ext(path) {
	case ".gz":
		w = gzip.NewWriter(f)
	case ".zst":
		if w, err = zstd.NewWriter(f); err != nil {
			return err
		}
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return w.Close()
}
