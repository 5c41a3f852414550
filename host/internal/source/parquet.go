package source

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"

	"github.com/sluicehq/sluice/host/internal/parquet"
	"github.com/sluicehq/sluice/host/internal/places"
)

// parquetKind reads the rows of Parquet files, each as an object with a member for each column. The text of a file is a line
// for each row, so the line of a record is the number of its row.
//
// Lists, structs and maps become arrays and objects, whole numbers and decimals keep all their digits, and other numbers are
// the shortest that read as the same. Dates and times are strings as ISO 8601 writes them, with Z when the file says that they
// are of UTC; bytes that are no text are strings of base64; columns of JSON are the values in them. A row with a number that JSON
// does not have (NaN, Infinity), or with text that is not UTF-8, is rejected.
var parquetKind = kind{
	doc:     "reads each row of Parquet as an object, with lists, structs and maps as arrays and objects",
	split:   newLineSplitter,
	ending:  ".parquet",
	certain: []string{".parquet"},
	tables:  onlyTables,
	args: func() (any, *Args) {
		args := &parquetArgs{Args: defaultArgs()}
		return args, &args.Args
	},
	prepare: func(in *inputs, own any) { in.nulls = parquet.Nulls(own.(*parquetArgs).Nulls) },
}

type parquetArgs struct {
	Args
	Nulls string `hcl:"nulls,optional" doc:"what becomes of columns that are null: keep writes null and drop leaves them out; empty: as they were in the rows that a sink parquet wrote, and keep for other files" example:"\"drop\""`
}

func (a *parquetArgs) check() []Mistake {
	if want := []parquet.Nulls{parquet.AsWritten, parquet.KeepNulls, parquet.DropNulls}; !slices.Contains(want, parquet.Nulls(a.Nulls)) {
		return []Mistake{{"nulls", fmt.Sprintf("want keep, drop or nothing, have %q", a.Nulls)}}
	}
	return nil
}

// tables says whether a kind of source reads Parquet.
type tables uint8

const (
	noTables tables = iota
	tablesToo
	onlyTables
)

const parquetFormat = "parquet"

// isParquet reports whether a file is Parquet, as far as it can be read.
func isParquet(name string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() || places.Remote(name) && endingOf(name) != parquetKind.ending {
		return false
	}
	f, err := places.OpenAs(name, info)
	if err != nil {
		return false
	}
	defer f.Close()
	return parquet.Is(f, info.Size())
}

// rows returns the rows of a Parquet file as lines. What is read of it is counted, and hashed, as far as the rows have come.
func (f *file) rows() (io.ReadCloser, error) {
	size := f.info.Size()
	table, err := parquet.Open(f.opened, size)
	if err != nil {
		return nil, err
	}
	groups := [2]int{0, len(table.Groups)}
	if f.cut != nil && f.cut.inner {
		groups, size = f.cut.groups, f.cut.end-f.cut.start
	}
	all := int64(1)
	for _, g := range table.Groups[groups[0]:groups[1]] {
		all += g.Rows
	}
	lines, to := io.Pipe()
	upTo := func(part float64) error {
		_, err := io.CopyN(io.Discard, &f.raw, int64(part*float64(size))-f.raw.n)
		return err
	}
	go func() {
		err := table.WriteLines(to, groups[0], groups[1], f.nulls, func(rows int64) error {
			return upTo(float64(rows) / float64(all))
		})
		if err == nil {
			_, err = io.Copy(io.Discard, &f.raw)
		}
		to.CloseWithError(err)
	}()
	return lines, nil
}

// findGroups finds the row groups of a portion: those that begin in it.
func (s *portion) findGroups(f io.ReaderAt, size int64) error {
	table, err := parquet.Open(f, size)
	if err != nil {
		return err
	}
	groups := table.Groups
	from := func(at int64) (i int, start int64) {
		if at == 0 {
			return 0, 0
		}
		i = sort.Search(len(groups), func(i int) bool { return groups[i].Start >= at })
		if i == len(groups) {
			return i, size
		}
		return i, groups[i].Start
	}
	s.groups[0], s.start = from(s.from)
	s.groups[1], s.end = from(s.to)
	for _, g := range groups[:s.groups[0]] {
		s.line += g.Rows
	}
	return nil
}
