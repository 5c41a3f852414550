package parquet

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A writer writes rows into a Parquet file. The same rows and schema make the same bytes.
type writer struct {
	to     io.Writer
	at     int64
	schema *Schema
	limit  Limits
	chunks []*chunk
	rows   int64 // of the group at hand
	size   int64
	meta   format.FileMetaData
	err    error // the first
}

// Limits are how much a row group holds at most, by rows and by bytes before compression.
type Limits struct{ Rows, Bytes int64 }

// DefaultLimits make row groups of a size that readers like.
var DefaultLimits = Limits{100_000, 128 << 20}

// newWriter begins a file.
func newWriter(to io.Writer, schema *Schema, limit Limits) *writer {
	w := &writer{to: to, schema: schema, limit: limit}
	w.meta = format.FileMetaData{Version: 2, Schema: schema.elements, CreatedBy: "sluice", RowGroups: []format.RowGroup{}}
	for range schema.leaves {
		w.meta.ColumnOrders = append(w.meta.ColumnOrders, format.ColumnOrder{Value: &format.TypeDefinedOrder{}})
	}
	w.meta.KeyValueMetadata = []format.KeyValue{{Key: metadataKey, Value: schema.metadata()}}
	w.write([]byte(magic))
	return w
}

// metadata returns what the schema itself does not say.
func (x *Schema) metadata() string {
	dst := []byte(`{"version":1`)
	for _, list := range []struct {
		key   string
		paths []string
	}{{"absent", x.absent}, {"json", x.asJSON}} {
		dst = append(dst, `,"`+list.key+`":[`+strings.Join(list.paths, ",")+"]"...)
	}
	return string(append(dst, '}'))
}

func (w *writer) write(b []byte) {
	if w.err == nil {
		var n int
		n, w.err = w.to.Write(b)
		w.at += int64(n)
	}
}

func (w *writer) thrift(v any) (size int64) {
	data, err := thrift.Marshal(new(thrift.CompactProtocol), v)
	if w.err == nil {
		w.err = err
	}
	w.write(data)
	return int64(len(data))
}

// Write adds a row, which is valid JSON and has the shape of the schema.
func (w *writer) Write(row []byte) (err error) {
	defer recovered(&err)
	if w.chunks == nil {
		for _, leaf := range w.schema.leaves {
			w.chunks = append(w.chunks, newChunk(leaf))
		}
	}
	c := jsontext.Of(row).Cursor()
	if c.Kind() != '{' {
		return fmt.Errorf("want an object for a row of Parquet, have %s", jsontext.KindName(row[c.At]))
	}
	w.members(w.schema.root, &c, 0)
	for _, c := range w.chunks {
		c.endRow()
	}
	w.rows++
	if w.size += int64(len(row)); w.rows >= w.limit.Rows || w.size >= w.limit.Bytes {
		w.endGroup()
	}
	return w.err
}

func (w *writer) members(p *place, c *jsontext.Cursor, rep uint8) {
	w.schema.objects++
	object, next := w.schema.objects, 0
	for name := range c.Members() {
		i := next
		if i >= len(p.children) || p.children[i].name != name {
			var known bool
			if i, known = p.byName[name]; !known {
				corrupt("want the members of the schema, have one that it does not name")
			}
		}
		child := p.children[i]
		if child.in == object {
			panic(fault{errTwice})
		}
		child.in, next = object, i+1
		w.value(child, c, rep, child.def-1)
	}
	for _, child := range p.children {
		if child.in != object {
			w.null(child, rep, child.def-1)
		}
	}
}

// null adds a null to all columns of a place; def is the definition level of what is there.
func (w *writer) null(p *place, rep, def uint8) {
	for _, i := range p.leaves {
		w.chunks[i].null(rep, def)
	}
}

func (w *writer) value(p *place, c *jsontext.Cursor, rep, def uint8) {
	kind := c.Kind()
	if kind == 'n' && (p.typ != JSON || !p.nullable) {
		c.Skip()
		w.null(p, rep, def)
		return
	}
	switch p.kind {
	case groupNode:
		p.want(kind == '{', kind)
		w.members(p, c, rep)
	case listNode:
		p.want(kind == '[', kind)
		some := false
		for i := range c.Elements() {
			if i > 0 {
				rep = p.rep
			}
			w.value(p.children[0], c, rep, p.def+1)
			some = true
		}
		if !some {
			w.null(p, rep, p.def)
		}
	default:
		w.leaf(p, c, kind, rep)
	}
}

// want is false for a value that a column given by people does not hold.
func (p *place) want(is bool, kind byte) {
	if !is {
		corrupt("%swant a value of type %s, have %s", p.prefix(), p.shownType(), jsontext.KindName(kind))
	}
}

// wantUTF8 finds text that a column does not hold. Where the type follows from the rows, such text has made the column JSON.
func (p *place) wantUTF8(body jsontext.Body) {
	if p.given && jsontext.Lone(string(body), 0) >= 0 {
		corrupt("%swant text that is UTF-8, have half a pair of surrogates", p.prefix())
	}
}

// prefix names a column in messages. The root is none.
func (p *place) prefix() string {
	if p.def == 0 {
		return ""
	}
	return "column " + shown(p.shown) + ": "
}

func (p *place) shownType() Type {
	switch p.kind {
	case groupNode:
		return groupType
	case listNode:
		return listType
	}
	return p.typ
}

func (w *writer) leaf(p *place, c *jsontext.Cursor, kind byte, rep uint8) {
	to := w.chunks[p.leaves[0]]
	switch p.typ {
	case JSON:
		to.scrap = jsontext.AppendCompact(append(to.scrap[:0], 0, 0, 0, 0), c.Value())
		to.text(rep)
	case Text:
		body, is := c.String()
		p.want(is, kind)
		p.wantUTF8(body)
		to.scrap = jsontext.AppendText(append(to.scrap[:0], 0, 0, 0, 0), body)
		to.text(rep)
	case Bool:
		p.want(kind == 't' || kind == 'f', kind)
		c.Skip()
		to.bool(rep, kind == 't')
	default:
		p.want(isNumeric(kind), kind)
		to.number(rep, p.bits(string(c.Value())))
	}
}

// bits returns a number as the column has it.
func (p *place) bits(text string) (bits uint64) {
	var n int64
	var f float64
	var err error
	switch p.typ {
	case Int:
		n, err = strconv.ParseInt(text, 10, 64)
		bits = uint64(n)
	case Uint:
		bits, err = strconv.ParseUint(text, 10, 64)
	default:
		f, err = strconv.ParseFloat(text, 64)
		bits = math.Float64bits(f)
	}
	if err != nil {
		have := "one beyond its range"
		if p.typ != Double && strings.ContainsAny(text, ".eE") {
			have = "one with a fraction or an exponent"
		}
		corrupt("%swant a number of type %s, have %s", p.prefix(), p.typ, have)
	}
	if p.given && p.typ == Double && !holdsInteger(f, text) {
		corrupt("%swant a number of type %s, have an integer that it does not hold exactly", p.prefix(), p.typ)
	}
	return bits
}

// holdsInteger reports whether f is a number as it is written, where that has neither a fraction nor an exponent: with these it is rounded as every
// reader of a double does.
func holdsInteger(f float64, text string) bool {
	if len(text) <= 15 || strings.ContainsAny(text, ".eE") {
		return true
	}
	var buf [32]byte
	return string(strconv.AppendFloat(buf[:0], f, 'f', 0, 64)) == text
}

func isNumeric(kind byte) bool { return kind == '-' || kind >= '0' && kind <= '9' }

// endGroup writes a row group.
func (w *writer) endGroup() {
	if w.rows == 0 {
		return
	}
	g := format.RowGroup{NumRows: w.rows, FileOffset: w.at, Ordinal: int16(len(w.meta.RowGroups))}
	for i, c := range w.chunks {
		c.endPage()
		w.chunk(c, &g)
		w.chunks[i] = newChunk(c.leaf)
	}
	if len(w.meta.RowGroups) == math.MaxInt16 {
		w.err = fmt.Errorf("want at most %d row groups, have more", math.MaxInt16)
	}
	w.meta.RowGroups = append(w.meta.RowGroups, g)
	w.meta.NumRows += w.rows
	w.rows, w.size = 0, 0
}

func (w *writer) chunk(c *chunk, g *format.RowGroup) {
	m := format.ColumnMetaData{
		Codec: format.Zstd, NumValues: c.count, Encoding: []format.Encoding{format.RLE, format.Plain}, PathInSchema: c.leaf.path, Statistics: c.statistics(),
	}
	m.Type = w.schema.elements[c.leaf.at].Type.V
	start := w.at
	if p := c.dictionaryPage(); p != nil {
		m.DictionaryPageOffset = w.at
		m.Encoding = append(m.Encoding, format.RLEDictionary)
		m.TotalUncompressedSize += w.page(p)
	}
	m.DataPageOffset = w.at
	for _, p := range c.pages {
		<-p.done
		m.TotalUncompressedSize += w.page(p)
		p.packed = nil
	}
	m.TotalCompressedSize = w.at - start
	g.TotalByteSize += m.TotalUncompressedSize
	g.TotalCompressedSize += m.TotalCompressedSize
	g.Columns = append(g.Columns, format.ColumnChunk{FileOffset: start, MetaData: m})
}

// page writes a page and returns its size before compression, with its header.
func (w *writer) page(p *page) int64 {
	size := w.thrift(&p.header) + int64(p.header.UncompressedPageSize)
	w.write(p.packed)
	return size
}

// Close writes the footer.
func (w *writer) Close() error {
	w.endGroup()
	size := w.thrift(&w.meta)
	w.write(append(binary.LittleEndian.AppendUint32(nil, uint32(size)), magic...))
	return w.err
}

// Stop waits for the pages that are being compressed. Nothing is written after it.
func (w *writer) Stop() {
	for _, c := range w.chunks {
		for _, p := range c.pages {
			<-p.done
		}
	}
}
