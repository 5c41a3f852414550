package viewer

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/rundiff"
)

// A matrix says what became of each record in two runs. Its counts are in memory; the records are on disk, one entry each in the order of
// the input, so that every cell is a list of any length.
type matrix struct {
	fates  [2][]rundiff.Fate // of A and of B, in the order in which they came
	counts map[fatePair]int64
	files  []string         // of records, by number
	starts []int64          // the numbers of their first entries
	total  int64            // entries
	seen   map[string]int64 // records, by file
	file   *os.File
	to     *bufio.Writer
	left   string // path of the file where it still has its name
}

// A fatePair has the numbers of a fate of A and of one of B.
type fatePair [2]uint16

// mostFates is how many fates of a run have rows or columns of their own. Codes are the words of plugins, and may be any number.
const mostFates = 40

var otherFate = rundiff.Fate{Kind: "other rejects and drops"}

const entrySize = 20

func newMatrix() (*matrix, error) {
	f, err := os.CreateTemp("", "sluice-view-*")
	if err != nil {
		return nil, err
	}
	left := ""
	if os.Remove(f.Name()) != nil { // a file that is open cannot be removed here
		left = f.Name()
	}
	return &matrix{left: left, counts: map[fatePair]int64{}, seen: map[string]int64{}, file: f, to: bufio.NewWriterSize(f, 64<<10)}, nil
}

func (m *matrix) close() error {
	err := m.file.Close()
	if m.left != "" {
		err = errors.Join(err, os.Remove(m.left))
	}
	return err
}

// add adds a record.
func (m *matrix) add(of rundiff.Origin, a, b rundiff.Fate) error {
	at := fatePair{m.number(0, a), m.number(1, b)}
	m.counts[at]++
	m.seen[of.File]++
	file := len(m.files) - 1
	if file < 0 || m.files[file] != of.File { // files come one after the other
		m.files, m.starts = append(m.files, of.File), append(m.starts, m.total)
		file++
	}
	m.total++
	var entry [entrySize]byte
	binary.LittleEndian.PutUint16(entry[0:], at[0])
	binary.LittleEndian.PutUint16(entry[2:], at[1])
	binary.LittleEndian.PutUint32(entry[4:], uint32(file))
	binary.LittleEndian.PutUint64(entry[8:], uint64(of.Line))
	binary.LittleEndian.PutUint32(entry[16:], of.OfLine)
	_, err := m.to.Write(entry[:])
	return err
}

func (m *matrix) number(run int, f rundiff.Fate) uint16 {
	all := m.fates[run]
	i := slices.Index(all, f)
	if i < 0 && len(all) >= mostFates {
		f = otherFate
		i = slices.Index(all, f)
	}
	if i < 0 {
		i = len(all)
		m.fates[run] = append(all, f)
	}
	return uint16(i)
}

// records returns the records of a cell from the nth on, at most as many as most.
func (m *matrix) records(at fatePair, from, most int) (all []host.Origin, err error) {
	r := bufio.NewReaderSize(io.NewSectionReader(m.file, 0, 1<<62), 64<<10)
	var entry [entrySize]byte
	for n := 0; len(all) < most; {
		if _, err := io.ReadFull(r, entry[:]); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		if binary.LittleEndian.Uint16(entry[0:]) != at[0] || binary.LittleEndian.Uint16(entry[2:]) != at[1] {
			continue
		}
		if n++; n > from {
			all = append(all, host.Origin{
				File: m.files[binary.LittleEndian.Uint32(entry[4:])], Line: int64(binary.LittleEndian.Uint64(entry[8:])), OfLine: binary.LittleEndian.Uint32(entry[16:]),
			})
		}
	}
	return all, nil
}

// A matrixView is the table: a row for each fate in A, a column for each in B.
type matrixView struct {
	Columns []string
	Rows    []matrixRow
	Both    int64  // records of both runs' inputs that neither has a row of
	Lost    string // address of their list
	Unknown string // why it is not known how many there are
}

type matrixRow struct {
	Name  string
	Cells []matrixCell
}

type matrixCell struct {
	N    int64
	Link string
	Same bool   // the same became of the record in both runs
	Name string // for who hears the page
}

// order returns the numbers of the fates of a run: kept first, then rejected, dropped and not read, the most frequent first.
func (m *matrix) order(run int) (numbers []uint16) {
	sums := map[uint16]int64{}
	for at, n := range m.counts {
		sums[at[run]] += n
	}
	rank := func(i uint16) int {
		return slices.Index([]string{rundiff.Kept, rundiff.Rejected, rundiff.Dropped, otherFate.Kind, rundiff.Unread}, m.fates[run][i].Kind)
	}
	for i := range m.fates[run] {
		numbers = append(numbers, uint16(i))
	}
	slices.SortFunc(numbers, func(i, k uint16) int {
		return cmp.Or(cmp.Compare(rank(i), rank(k)), cmp.Compare(sums[k], sums[i]), cmp.Compare(m.fates[run][i].String(), m.fates[run][k].String()))
	})
	return numbers
}

func (m *matrix) view(x *state) *matrixView {
	v := &matrixView{}
	columns := m.order(1)
	for _, k := range columns {
		v.Columns = append(v.Columns, fateName(m.fates[1][k]))
	}
	for _, i := range m.order(0) {
		row := matrixRow{Name: fateName(m.fates[0][i])}
		for _, k := range columns {
			c := matrixCell{N: m.counts[fatePair{i, k}], Same: m.fates[0][i] == m.fates[1][k], Name: row.Name + " in A, " + fateName(m.fates[1][k]) + " in B"}
			if c.N > 0 {
				c.Link = x.bare("cell", aKey, strconv.Itoa(int(i)), bKey, strconv.Itoa(int(k)))
			}
			row.Cells = append(row.Cells, c)
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

func fateName(f rundiff.Fate) string { return format.Printable(mask.Text(f.String())) }

// Keys of the address of a cell: the numbers of its fates.
const (
	aKey = "a"
	bKey = "b"
)

type cellPage struct {
	pageFrame
	A, B           string // names of the runs
	FateA, FateB   string
	N, First, Last int64
	Records        []cellRecord
	Self           string // address of the page
	Before, Next   string // of others
}

type cellRecord struct {
	Text, Link string
	In         []cellRow
}

// A cellRow is a row that one of the runs has made of a record.
type cellRow struct{ Run, Text, Link string }

const mostCellRows = 4

// cell serves the list of the records of one cell.
func (s *Server) cell(w http.ResponseWriter, r *http.Request, x *state) error {
	c, err := s.compared(r)
	if err != nil {
		return err
	}
	var at fatePair
	for i, key := range []string{aKey, bKey} {
		n, err := strconv.ParseUint(r.URL.Query().Get(key), 10, 16)
		if err != nil || int(n) >= len(c.matrix.fates[i]) {
			return wrong("%s: want the number of what became of records, have %q", key, r.URL.Query().Get(key))
		}
		at[i] = uint16(n)
	}
	p := cellPage{pageFrame: s.frame(r, x, "compare", "Records of two runs"), N: c.matrix.counts[at]}
	p.A, p.B = apart(s.Subject, s.Against)
	p.FateA, p.FateB = fateName(c.matrix.fates[0][at[0]]), fateName(c.matrix.fates[1][at[1]])
	p.Live = !s.whole(r.Context())
	p.Again = p.Live
	records, err := c.matrix.records(at, x.from, pageRows)
	if err != nil {
		return err
	}
	for _, of := range records {
		y := cellRecord{Text: format.Printable(of.String()), Link: pairAddress(x, of)}
		for i, index := range []*rows.Index{s.index, s.against} {
			made, err := index.ByOrigin(of)
			if err != nil {
				return err
			}
			for _, row := range made[:min(len(made), mostCellRows)] {
				z := cellRow{Run: "AB"[i : i+1], Text: format.Printable(row.Name) + ":" + strconv.FormatInt(row.Line, 10)}
				if i == 0 {
					z.Link = x.row(row.Name, row.Line)
				}
				y.In = append(y.In, z)
			}
		}
		p.Records = append(p.Records, y)
	}
	p.First, p.Last = int64(x.from+1), int64(x.from+len(records))
	page := func(from int) string {
		return x.bare("cell", aKey, strconv.Itoa(int(at[0])), bKey, strconv.Itoa(int(at[1])), fromKey, number(from))
	}
	p.Self = page(x.from)
	if x.from > 0 {
		p.Before = page(max(0, x.from-pageRows))
	}
	if p.Last < p.N {
		p.Next = page(x.from + pageRows)
	}
	return render(w, "cell.html", &p)
}
