package source

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/internal/parquet"
)

const tableOf12 = "../parquet/testdata/pyarrow-zstd.parquet"

// TestParquet holds that both kinds which read Parquet give each row its number as its line, and the whole file its hash.
func TestParquet(t *testing.T) {
	data, err := os.ReadFile(tableOf12)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"parquet", "auto"} {
		for _, name := range []string{"a.parquet", "any"} { // the name does not matter
			path := filepath.Join(write(t, map[string]string{name: string(data)}), name)
			s, err := open(t, kind, options(Options{Paths: []string{path, tableOf12}, Batch: 200}))
			if err != nil {
				t.Fatal(err)
			}
			records, err := drain(t, s, newArena(1<<20))
			if err != nil || len(records) != 24 {
				t.Fatalf("%s: want 24 records, have %d, %v", kind, len(records), err)
			}
			for i, r := range records {
				if want := fmt.Sprintf(`:%d {"id":%d,"big":9223372036854775`, i%12+1, i%12-3); !strings.Contains(r, want) {
					t.Errorf("%s: want %s, have %s", kind, want, r)
				}
			}
			if in := s.Inputs(); len(in) != 2 || in[0].Bytes != int64(len(data)) || in[0].Sum != in[1].Sum || in[0].Records != 12 {
				t.Errorf("%s: want 12 records of %d bytes twice, have %+v", kind, len(data), in)
			}
		}
	}
}

// TestParquetRefused holds what is no Parquet, and what reads none, before anything runs.
func TestParquetRefused(t *testing.T) {
	data, err := os.ReadFile(tableOf12)
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{"cut.parquet": string(data[:1000]), "text.parquet": `{"a":"a line of JSON, and not a table"}`})
	for _, x := range []struct{ kind, path, want string }{
		{"parquet", dir + "/cut.parquet", "it was cut off, or is no Parquet"},
		{"auto", dir + "/cut.parquet", "it was cut off, or is no Parquet"},
		{"parquet", dir + "/text.parquet", "it was cut off, or is no Parquet"},
		{"jsonl", tableOf12, "want text, have Parquet, which a source parquet or auto reads"},
		{"parquet", "-", "want a file, since Parquet is read from its end"},
	} {
		if _, err := open(t, x.kind, options(Options{Paths: []string{x.path}})); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s of %s: want %q, have %v", x.kind, x.path, x.want, err)
		}
	}
	wrong := options(Options{Paths: []string{tableOf12}, Own: &parquetArgs{Nulls: "none"}}).Check()
	if len(wrong) != 1 || wrong[0].Attr != "nulls" {
		t.Errorf("want a mistake in nulls, have %v", wrong)
	}
}

// TestParquetAsText holds that whoever reads a file outside of a run reads the rows of Parquet as lines.
func TestParquetAsText(t *testing.T) {
	in, err := OpenText(tableOf12)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var text strings.Builder
	if _, err := io.Copy(&text, in); err != nil || strings.Count(text.String(), "\n") != 12 {
		t.Errorf("want 12 lines, have %d, %v", strings.Count(text.String(), "\n"), err)
	}
	info, err := os.Stat(tableOf12)
	if n, _ := in.Sum(); err != nil || n != info.Size() {
		t.Errorf("want the sum of the whole file, have it of %d bytes, %v", n, err)
	}
}

// TestParquetParts holds that the parts of Parquet, which is cut between its row groups, are the whole of it.
func TestParquetParts(t *testing.T) {
	var lines strings.Builder
	for i := range 23 {
		fmt.Fprintf(&lines, "{\"n\":%d,\"text\":%q}\n", i, strings.Repeat("x", 7*i))
	}
	shape, err := parquet.ShapeOf(strings.NewReader(lines.String()))
	if err != nil {
		t.Fatal(err)
	}
	var many bytes.Buffer
	if _, err := parquet.Convert(&many, strings.NewReader(lines.String()), parquet.NewSchema(shape, nil), parquet.Limits{Rows: 2, Bytes: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(tableOf12)
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{"a.parquet": many.String(), "b.parquet": string(other), "c.parquet": many.String()})
	for _, kind := range []string{"parquet", "auto"} {
		for _, n := range []int{1, 2, 3, 7, 64} {
			compareParts(t, dir, kind, 0, n)
		}
	}
}

// TestParquetBounds holds that each row group is in one share, wherever parts begin, and that who looks at the shares later finds the
// same rows in them.
func TestParquetBounds(t *testing.T) {
	for why, row := range map[string]string{"columns": `{"a":1}` + "\n", "no columns": "{}\n"} {
		lines := strings.Repeat(row, 6)
		shape, err := parquet.ShapeOf(strings.NewReader(lines))
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if _, err := parquet.Convert(&file, strings.NewReader(lines), parquet.NewSchema(shape, nil), parquet.Limits{Rows: 2, Bytes: 1 << 20}); err != nil {
			t.Fatal(err)
		}
		size := int64(file.Len())
		table, err := parquet.Open(bytes.NewReader(file.Bytes()), size)
		if err != nil || len(table.Groups) != 3 {
			t.Fatalf("%s: want 3 row groups, have %d, %v", why, len(table.Groups), err)
		}
		for at := int64(1); at < size; at++ {
			first, second := portion{to: at}, portion{from: at, to: size}
			for _, p := range []*portion{&first, &second} {
				if err := p.findGroups(bytes.NewReader(file.Bytes()), size); err != nil {
					t.Fatal(err)
				}
				rows := int64(0)
				for _, g := range table.Groups[p.groups[0]:p.groups[1]] {
					rows += g.Rows
				}
				if seen := table.RowsBetween(p.start, p.end); seen != rows {
					t.Errorf("%s, parts from %d: want %d rows in bytes %d to %d, have %d", why, at, rows, p.start, p.end, seen)
				}
			}
			if first.groups[0] != 0 || first.groups[1] != second.groups[0] || second.groups[1] != 3 || first.end != second.start {
				t.Errorf("%s, parts from %d: want 3 row groups, have %v and %v", why, at, first.groups, second.groups)
			}
		}
	}
}
