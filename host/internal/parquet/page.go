package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/format"
)

const (
	maxPage   = 256 << 20 // of a page, before and behind its compression
	maxValues = 64 << 20  // of a page; runs of one value take no room in it
	maxHeld   = 1 << 30   // of the pages at hand of all columns
	maxHeader = 1 << 20   // of the header of a page
	usually   = 512       // bytes, a header has fewer
)

// oldDictionary is the encoding that old files give for indexes of a dictionary, and for its values.
const oldDictionary format.Encoding = 2

// A column is a column of a schema, and where reading is in a chunk of it.
type column struct {
	name     string
	kind     format.Type
	width    int // of its values, 0 when each has its own
	def, rep uint8
	appendTo form

	from    io.ReaderAt
	chunk   *format.ColumnChunk
	held    *int64 // by the pages of all columns
	holds   int64  // of that
	at, end int64  // of the chunk that is not read yet
	left    int64  // values that are not read yet, nulls included

	reps, defs []byte // of the page at hand; nil where all are 0 or def
	n, pos     int    // of the values in it, nulls included
	values     values
	dictionary dictionary
	head       []byte // buffers for reuse
	packed     []byte
	page, dict []byte
}

// A dictionary is the values that others are indexes of.
type dictionary struct {
	data []byte
	ends []uint32 // of values that have their own sizes, length included
	n    int
}

// open begins a chunk.
func (c *column) open(from io.ReaderAt, size int64, chunk *format.ColumnChunk, held *int64) {
	m := &chunk.MetaData
	c.from, c.chunk, c.held = from, chunk, held
	c.n, c.pos, c.dictionary = 0, 0, dictionary{}
	switch {
	case chunk.CryptoMetadata.Value != nil || len(chunk.EncryptedColumnMetadata) > 0:
		panic(fault{errEncrypted})
	case chunk.FilePath != "":
		corrupt("column %s: want its pages in this file, have them in another one", shown(c.name))
	case m.Type != c.kind:
		corrupt("column %s: want pages of %v, as the schema says, have %v", shown(c.name), c.kind, m.Type)
	}
	c.at, c.left = beginOf(m), m.NumValues
	c.end = c.at + m.TotalCompressedSize
	if c.at < 0 || m.TotalCompressedSize < 0 || c.end < c.at || c.end > size || c.left < 0 {
		corrupt("column %s: want a chunk within the %d bytes of the file, have bytes %d to %d", shown(c.name), size, c.at, c.end)
	}
}

// beginOf returns where a chunk begins.
func beginOf(m *format.ColumnMetaData) int64 {
	if d := m.DictionaryPageOffset; d > 0 && d < m.DataPageOffset {
		return d
	}
	return m.DataPageOffset
}

// more makes sure that there is a value at hand, and reports false at the end of the chunk.
func (c *column) more() bool {
	for c.pos == c.n {
		if c.left == 0 {
			return false
		}
		c.nextPage()
	}
	return true
}

// ahead returns the levels of the next value.
func (c *column) ahead() (rep, def uint8) {
	if !c.more() {
		corrupt("column %s: want more values, have the end of its chunk", shown(c.name))
	}
	def = c.def
	if c.defs != nil {
		def = c.defs[c.pos]
	}
	if c.reps != nil {
		rep = c.reps[c.pos]
	}
	return rep, def
}

// continues returns the repetition level of the next value, 0 at the end.
func (c *column) continues() uint8 {
	if c.rep == 0 || !c.more() || c.reps == nil {
		return 0
	}
	return c.reps[c.pos]
}

// skip passes over a null.
func (c *column) skip() {
	if _, def := c.ahead(); def == c.def {
		corrupt("column %s: want a null, as its neighbours have, have a value", shown(c.name))
	}
	c.pos++
}

// next returns the next value, which is no null.
func (c *column) next() []byte {
	if _, def := c.ahead(); def != c.def {
		corrupt("column %s: want a value, as its neighbours have, have a null", shown(c.name))
	}
	c.pos++
	return c.values.next()
}

// nextPage reads pages up to one with values.
func (c *column) nextPage() {
	defer func() {
		if p := recover(); p != nil {
			panic(c.located(p))
		}
	}()
	for {
		h := c.header()
		data := c.data(h)
		switch h.Type {
		case format.DictionaryPage:
			c.readDictionary(h, data)
		case format.DataPage:
			c.readV1(h, data)
			return
		case format.DataPageV2:
			c.readV2(h, data)
			return
		}
	}
}

// located adds where a mistake is to it.
func (c *column) located(p any) any {
	if f, is := p.(fault); is && !errors.Is(f.err, errEncrypted) {
		return fault{fmt.Errorf("column %s: page before byte %d: %w", shown(c.name), c.at, f.err)}
	}
	return p
}

// header reads the header of the next page.
func (c *column) header() *format.PageHeader {
	for size := int64(usually); ; size *= 16 {
		n := min(size, c.end-c.at)
		c.head = slices.Grow(c.head[:0], int(n))[:n]
		c.read(c.head, c.at)
		end, err := structEnd(c.head)
		if err == errShort && n == size && size < maxHeader {
			continue
		}
		h := new(format.PageHeader)
		if err == nil {
			err = decode(c.head[:end], h)
		}
		if err != nil {
			corrupt("header: %w", err)
		}
		c.at += int64(end)
		return h
	}
}

func (c *column) read(b []byte, at int64) {
	if err := readAt(c.from, b, at); err != nil {
		panic(fault{err})
	}
}

// data reads what is behind the header of a page.
func (c *column) data(h *format.PageHeader) []byte {
	packed, size := int64(h.CompressedPageSize), int64(h.UncompressedPageSize)
	if packed < 0 || size < 0 || packed > maxPage || size > maxPage {
		corrupt("want a page of at most %d bytes, have %d, and %d compressed", maxPage, size, packed)
	}
	if packed > c.end-c.at {
		corrupt("want a page within its chunk, have it end %d bytes behind", packed-(c.end-c.at))
	}
	n := int64(0)
	switch h.Type {
	case format.DataPage:
		n = int64(h.DataPageHeader.V.NumValues)
	case format.DataPageV2:
		n = int64(h.DataPageHeaderV2.V.NumValues)
	case format.DictionaryPage:
		n = int64(h.DictionaryPageHeader.V.NumValues)
	}
	c.hold(packed+size+int64(len(c.dictionary.data)+4*len(c.dictionary.ends)), n)
	c.packed = slices.Grow(c.packed[:0], int(packed))[:packed]
	c.read(c.packed, c.at)
	c.at += packed
	if sum := crc32.ChecksumIEEE(c.packed); h.CRC != 0 && sum != uint32(h.CRC) {
		corrupt("want a page with the checksum %08x, have %08x: it is corrupt", uint32(h.CRC), sum)
	}
	return c.packed
}

// hold counts what the pages at hand take, with levels and indexes of n values.
func (c *column) hold(bytes, n int64) {
	if n < 0 || n > maxValues {
		corrupt("want a page of at most %d values, have %d", maxValues, n)
	}
	takes := bytes + 12*n
	if c.def == 0 { // each value has a place of its own in the page
		takes = bytes + 4*n
	}
	*c.held += takes - c.holds
	if c.holds = takes; *c.held > maxHeld {
		corrupt("want pages of all columns that take at most %d bytes together, have more", maxHeld)
	}
}

// inflated returns a page decompressed.
func (c *column) inflated(codec format.CompressionCodec, into *[]byte, data []byte, size int) []byte {
	if codec == format.Uncompressed {
		if len(data) != size {
			corrupt("want %d bytes of a page that is not compressed, have %d", size, len(data))
		}
		*into = append((*into)[:0], data...)
		return *into
	}
	buf := slices.Grow((*into)[:0], size)
	page, err := inflate(codec, buf[0:0:size], data)
	if err != nil {
		corrupt("decompressing: %w", err)
	}
	*into = page
	return page
}

func (c *column) codec() format.CompressionCodec { return c.chunk.MetaData.Codec }

func (c *column) readDictionary(h *format.PageHeader, data []byte) {
	v := &h.DictionaryPageHeader.V
	if !h.DictionaryPageHeader.Valid || v.Encoding != format.Plain && v.Encoding != oldDictionary {
		corrupt("want a dictionary of plain values, have the encoding %v", v.Encoding)
	}
	d := dictionary{data: c.inflated(c.codec(), &c.dict, data, int(h.UncompressedPageSize)), n: int(v.NumValues)}
	if c.width > 0 && c.kind != format.Boolean {
		if d.n*c.width > len(d.data) {
			corrupt("want a dictionary of %d values of %d bytes, have %d bytes", d.n, c.width, len(d.data))
		}
	} else if c.width == 0 {
		d.ends = make([]uint32, 0, min(d.n, len(d.data)/4))
		for at := 0; len(d.ends) < d.n; {
			_, end := sized(d.data, at)
			d.ends = append(d.ends, uint32(end))
			at = end
		}
	} else {
		corrupt("want a dictionary of values that are no booleans")
	}
	c.dictionary = d
}

// sized returns the value with its size before it that begins at a place, and where it ends.
func sized(data []byte, at int) (value []byte, end int) {
	if len(data)-at < 4 {
		corrupt("want the size of a value, have the end of the page")
	}
	size := binary.LittleEndian.Uint32(data[at:])
	if uint64(size) > uint64(len(data)-at-4) {
		corrupt("want a value of %d bytes, have %d up to the end of the page", size, len(data)-at-4)
	}
	end = at + 4 + int(size)
	return data[at+4 : end], end
}

func (c *column) begin(n int) {
	if int64(n) > c.left {
		corrupt("want at most %d more values in the chunk, have %d in one page", c.left, n)
	}
	c.left -= int64(n)
	c.n, c.pos = n, 0
	c.reps, c.defs = levelsFor(c.reps, c.rep, n), levelsFor(c.defs, c.def, n)
}

func levelsFor(buf []byte, most uint8, n int) []byte {
	if most == 0 {
		return nil
	}
	return slices.Grow(buf[:0], n)[:n]
}

func (c *column) readV1(h *format.PageHeader, data []byte) {
	v := &h.DataPageHeader.V
	if !h.DataPageHeader.Valid {
		corrupt("want the header of a data page, have a page without it")
	}
	c.begin(int(v.NumValues))
	data = c.inflated(c.codec(), &c.page, data, int(h.UncompressedPageSize))
	level := func(into []byte, most uint8, encoding format.Encoding) {
		if most == 0 {
			return
		}
		if encoding != format.RLE {
			corrupt("want levels of the encoding RLE, have %v", encoding)
		}
		var levels []byte
		levels, end := sized(data, 0)
		data = data[end:]
		readLevels(into, levels, most)
	}
	level(c.reps, c.rep, v.RepetitionLevelEncoding)
	level(c.defs, c.def, v.DefinitionLevelEncoding)
	c.values.open(c, v.Encoding, data, c.present())
}

func (c *column) readV2(h *format.PageHeader, data []byte) {
	v := &h.DataPageHeaderV2.V
	reps, defs := int(v.RepetitionLevelsByteLength), int(v.DefinitionLevelsByteLength)
	if !h.DataPageHeaderV2.Valid || reps < 0 || defs < 0 || reps > len(data) || defs > len(data)-reps || reps+defs > int(h.UncompressedPageSize) {
		corrupt("want levels within the page, have %d and %d bytes of them in %d", reps, defs, len(data))
	}
	c.begin(int(v.NumValues))
	if c.reps != nil {
		readLevels(c.reps, data[:reps], c.rep)
	}
	if c.defs != nil {
		readLevels(c.defs, data[reps:reps+defs], c.def)
	}
	codec := c.codec()
	if v.IsCompressed.Valid && !v.IsCompressed.V {
		codec = format.Uncompressed
	}
	data, size := data[reps+defs:], int(h.UncompressedPageSize)-reps-defs
	if size == 0 { // some writers compress nothing to nothing
		data, codec = nil, format.Uncompressed
	}
	c.values.open(c, v.Encoding, c.inflated(codec, &c.page, data, size), c.present())
}

func readLevels(into, data []byte, most uint8) {
	h := newHybrid(data, bitsOf(int(most)))
	readHybrid(&h, into, uint32(most))
}

// present returns how many values of the page are no nulls.
func (c *column) present() int {
	if c.defs == nil {
		return c.n
	}
	n := 0
	for _, d := range c.defs {
		if d == c.def {
			n++
		}
	}
	return n
}
