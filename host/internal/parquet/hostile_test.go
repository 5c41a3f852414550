package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// made returns a file of one row group, of which each column has one page that is not compressed.
func made(t testing.TB, rows int64, schema []format.SchemaElement, pages ...madePage) []byte {
	t.Helper()
	file := []byte(magic)
	marshal := func(v any) int {
		data, err := thrift.Marshal(new(thrift.CompactProtocol), v)
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, data...)
		return len(data)
	}
	g := format.RowGroup{NumRows: rows}
	for _, p := range pages {
		at := int64(len(file))
		h := format.PageHeader{Type: format.DataPage, UncompressedPageSize: int32(len(p.data)), CompressedPageSize: int32(len(p.data))}
		h.DataPageHeader = thrift.New(format.DataPageHeader{
			NumValues: int32(p.values), Encoding: p.encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		})
		marshal(&h)
		file = append(file, p.data...)
		m := format.ColumnMetaData{Type: p.kind, NumValues: p.values, DataPageOffset: at, TotalCompressedSize: int64(len(file)) - at}
		g.Columns = append(g.Columns, format.ColumnChunk{MetaData: m})
	}
	size := marshal(&format.FileMetaData{Version: 2, Schema: schema, NumRows: rows, RowGroups: []format.RowGroup{g}})
	return append(binary.LittleEndian.AppendUint32(file, uint32(size)), magic...)
}

type madePage struct {
	kind     format.Type
	encoding format.Encoding
	values   int64
	data     []byte
}

// TestSmallPages holds that a page of some hundred bytes takes little memory, however many values it has.
func TestSmallPages(t *testing.T) {
	const n = 40 << 20
	var same []byte // differences that take no bits
	for _, v := range []uint64{1 << 20, 1, n, 0} {
		same = binary.AppendUvarint(same, v)
	}
	for range n >> 20 {
		same = append(same, 0, 0)
	}
	for _, p := range []madePage{
		{format.Int64, format.DeltaBinaryPacked, n, same},
		{format.ByteArray, format.DeltaLengthByteArray, n, same},
		{format.ByteArray, format.DeltaByteArray, n, append(bytes.Clone(same), same...)},
	} {
		data := made(t, n, []format.SchemaElement{
			{Name: "schema", NumChildren: thrift.New[int32](1)},
			{Name: "a", Type: thrift.New(p.kind), RepetitionType: thrift.New(format.Required)},
		}, p)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := readAny(data)
		runtime.ReadMemStats(&after)
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("%v: want rows up to the bound of the test, have %v", p.encoding, err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
			t.Errorf("%v: want a page of %d bytes to take 16 MiB at most, have %d MiB", p.encoding, len(data), took>>20)
		}
	}
}

// TestDeepSchema holds that a schema of lists within lists ends, in the short form of lists too.
func TestDeepSchema(t *testing.T) {
	schema := []format.SchemaElement{{Name: "schema", NumChildren: thrift.New[int32](1)}}
	for i := range 100_000 {
		repetition := format.Repeated
		if i == 0 {
			repetition = format.Optional
		}
		schema = append(schema, format.SchemaElement{
			Name: "array", NumChildren: thrift.New[int32](1), RepetitionType: thrift.New(repetition), ConvertedType: thrift.New(deprecated.List),
		})
	}
	schema = append(schema, format.SchemaElement{Name: "a", Type: thrift.New(format.Int32), RepetitionType: thrift.New(format.Repeated)})
	if err := readAny(made(t, 0, schema)); err == nil || !strings.Contains(err.Error(), "want at most 100 levels") {
		t.Errorf("want 100 levels at most, have %v", err)
	}
}

// pieces collects what is written, and how much at a time at most.
type pieces struct {
	bytes.Buffer
	most int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.most = max(p.most, len(b))
	return p.Buffer.Write(b)
}

// TestLargeRow holds that a row is handed on in pieces, whether its size is in the elements of a list or in the members of an object.
func TestLargeRow(t *testing.T) {
	text := strings.Repeat("long ", 1<<14)
	for why, row := range map[string]string{
		"elements": `{"a":["` + text + strings.Repeat(`","`+text, 99) + `"]}`,
		"members":  `{"a":"` + text + `"` + strings.Join(times(99, func(i int) string { return fmt.Sprintf(`,"a%d":"%s"`, i, text) }), "") + `}`,
	} {
		data := written(t, row+"\n", nil, DefaultLimits)
		f, err := Open(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		var to pieces
		if err := f.WriteLines(&to, 0, 1, AsWritten, nothing); err != nil || to.String() != row+"\n" {
			t.Errorf("%s: want the row, have %d bytes, %v", why, to.Len(), err)
		}
		if to.most > 5*blockSize {
			t.Errorf("%s: want pieces of at most %d bytes, have one of %d", why, 5*blockSize, to.most)
		}
	}
}

func times(n int, make func(i int) string) (all []string) {
	for i := range n {
		all = append(all, make(i))
	}
	return all
}

// TestTimeOfDay holds that a day ends before its 24th hour.
func TestTimeOfDay(t *testing.T) {
	read := func(millis uint32) error {
		return readAny(made(t, 1, []format.SchemaElement{
			{Name: "schema", NumChildren: thrift.New[int32](1)},
			{Name: "a", Type: thrift.New(format.Int32), RepetitionType: thrift.New(format.Required), ConvertedType: thrift.New(deprecated.TimeMillis)},
		}, madePage{format.Int32, format.Plain, 1, binary.LittleEndian.AppendUint32(nil, millis)}))
	}
	const day = 24 * 60 * 60 * 1000
	if err := read(day - 1); err != nil {
		t.Errorf("want the last millisecond of a day, have %v", err)
	}
	if err := read(day); err == nil || !strings.Contains(err.Error(), "want a time of day, have 86400000 units of 1ms") {
		t.Errorf("want 24 hours refused, have %v", err)
	}
}
