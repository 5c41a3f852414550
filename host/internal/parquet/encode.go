package parquet

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// Sizes of what is written.
const (
	pageSize = 1 << 20 // of the values of a page, about
	pageRows = 20000
	dictSize = 1 << 20 // of a dictionary; what comes then is written plain
	statSize = 64      // of the least and the greatest text of a chunk, which is not noted when it is longer
)

// A chunk is what one column has of a row group.
type chunk struct {
	leaf       *place
	reps, defs []byte
	values     []byte   // plain
	indexes    []uint32 // instead, as long as there is a dictionary
	size       int      // of the values of the page, plain
	rows       int

	dict   []byte // values, plain
	known  map[string]uint32
	plain  bool // there is no dictionary, or not for the next values
	pages  []*page
	ints   [2]int64
	floats [2]float64
	texts  [2][]byte
	some   bool // has values
	long   bool // has text that is too long to be noted
	nulls  int64
	count  int64
	scrap  []byte
}

// A page is compressed in a goroutine of its own.
type page struct {
	header format.PageHeader
	raw    []byte
	packed []byte
	done   chan struct{}
}

func newChunk(leaf *place) *chunk {
	return &chunk{leaf: leaf, known: map[string]uint32{}, plain: leaf.typ == Bool}
}

// null adds a null, or a list without elements, with its levels.
func (c *chunk) null(rep, def uint8) {
	c.level(rep, def)
	c.nulls++
}

func (c *chunk) level(rep, def uint8) {
	if c.leaf.rep > 0 {
		c.reps = append(c.reps, rep)
	}
	c.defs = append(c.defs, def)
	c.count++
}

// text adds a value that scrap holds, behind its size.
func (c *chunk) text(rep uint8) {
	c.level(rep, c.leaf.def)
	v := c.scrap[4:]
	binary.LittleEndian.PutUint32(c.scrap, uint32(len(v)))
	if c.leaf.typ == Text {
		c.noteText(v)
	}
	c.add(c.scrap)
}

func (c *chunk) noteText(v []byte) {
	switch {
	case len(v) > statSize:
		c.long = true
	case !c.some:
		c.texts[0], c.texts[1], c.some = append(c.texts[0][:0], v...), append(c.texts[1][:0], v...), true
	case string(v) < string(c.texts[0]):
		c.texts[0] = append(c.texts[0][:0], v...)
	case string(v) > string(c.texts[1]):
		c.texts[1] = append(c.texts[1][:0], v...)
	}
}

func (c *chunk) number(rep uint8, bits uint64) {
	c.level(rep, c.leaf.def)
	n, f := int64(bits), math.Float64frombits(bits)
	least, most := n < c.ints[0], n > c.ints[1]
	if c.leaf.typ == Uint {
		least, most = bits < uint64(c.ints[0]), bits > uint64(c.ints[1])
	}
	switch {
	case !c.some:
		c.ints, c.floats, c.some = [2]int64{n, n}, [2]float64{f, f}, true
	case c.leaf.typ == Double:
		c.floats[0], c.floats[1] = min(f, c.floats[0]), max(f, c.floats[1])
	case least:
		c.ints[0] = n
	case most:
		c.ints[1] = n
	}
	c.scrap = binary.LittleEndian.AppendUint64(c.scrap[:0], bits)
	c.add(c.scrap)
}

func (c *chunk) bool(rep uint8, v bool) {
	c.level(rep, c.leaf.def)
	b := byte(0)
	if v {
		b = 1
	}
	c.values = append(c.values, b) // packed with the page
	c.size++
}

// add adds a plain value.
func (c *chunk) add(v []byte) {
	c.size += len(v)
	if c.plain {
		c.values = append(c.values, v...)
		return
	}
	i, known := c.known[string(v)]
	if !known {
		if len(c.dict)+len(v) > dictSize {
			c.endDictionary()
			c.values = append(c.values, v...)
			return
		}
		i = uint32(len(c.known))
		c.known[string(v)] = i
		c.dict = append(c.dict, v...)
	}
	c.indexes = append(c.indexes, i)
}

// endDictionary has the values from now on written plain, and those of the page at hand as well.
func (c *chunk) endDictionary() {
	c.plain = true
	if len(c.indexes) == 0 {
		return
	}
	d := c.entries()
	for _, i := range c.indexes {
		c.values = append(c.values, d[i]...)
	}
	c.indexes = c.indexes[:0]
	if len(c.pages) == 0 { // nothing refers to it
		c.dict, c.known = nil, nil
	}
}

// entries returns the values of the dictionary, plain.
func (c *chunk) entries() (all [][]byte) {
	for at := 0; at < len(c.dict); {
		size := 8
		if c.leaf.typ == Text || c.leaf.typ == JSON {
			size = 4 + int(binary.LittleEndian.Uint32(c.dict[at:]))
		}
		all = append(all, c.dict[at:at+size])
		at += size
	}
	return all
}

// endRow ends a page that is full.
func (c *chunk) endRow() {
	if c.rows++; c.size >= pageSize || c.rows >= pageRows || len(c.defs) >= pageSize {
		c.endPage()
	}
}

func (c *chunk) endPage() {
	if len(c.defs) == 0 {
		return
	}
	if !c.plain && len(c.pages) == 0 && 2*len(c.dict) > c.size { // most values are there once
		c.endDictionary()
	}
	nulls := int64(0)
	for _, d := range c.defs {
		if d < c.leaf.def {
			nulls++
		}
	}
	raw := make([]byte, 0, len(c.defs)/4+len(c.values)+2*len(c.indexes)+64)
	if c.leaf.rep > 0 {
		raw = appendLevels(raw, c.reps, c.leaf.rep)
	}
	raw = appendLevels(raw, c.defs, c.leaf.def)
	encoding := format.Plain
	switch {
	case c.leaf.typ == Bool:
		raw = appendBits(raw, c.values)
	case c.plain || len(c.known) == 0:
		raw = append(raw, c.values...)
	default:
		encoding = format.RLEDictionary
		width := bitsOf(max(len(c.known)-1, 0))
		raw = appendHybrid(append(raw, byte(width)), c.indexes, width)
	}
	c.page(raw, format.PageHeader{Type: format.DataPage, DataPageHeader: thrift.New(format.DataPageHeader{
		NumValues: int32(len(c.defs)), Encoding: encoding, DefinitionLevelEncoding: format.RLE, RepetitionLevelEncoding: format.RLE,
		Statistics: format.Statistics{NullCount: nulls},
	})})
	c.reps, c.defs, c.values, c.indexes = c.reps[:0], c.defs[:0], c.values[:0], c.indexes[:0]
	c.size, c.rows = 0, 0
}

// compressing bounds how many pages are compressed at a time in this process.
var compressing = sync.OnceValue(func() chan struct{} { return make(chan struct{}, 4) })

// zip compresses pages. The result depends on the page alone.
var zip = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(4), zstd.WithWindowSize(pageSize), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		panic(err) // the options are constant
	}
	return e
})

func (c *chunk) page(raw []byte, header format.PageHeader) {
	p := &page{header: header, raw: raw, done: make(chan struct{})}
	c.pages = append(c.pages, p)
	compressing() <- struct{}{}
	go func() {
		p.packed = zip().EncodeAll(p.raw, make([]byte, 0, len(p.raw)/2))
		p.header.UncompressedPageSize, p.header.CompressedPageSize = int32(len(p.raw)), int32(len(p.packed))
		p.header.CRC = int32(crc32.ChecksumIEEE(p.packed))
		p.raw = nil
		<-compressing()
		close(p.done)
	}()
}

// dictionaryPage returns the page of the dictionary, nil when there is none.
func (c *chunk) dictionaryPage() *page {
	if len(c.known) == 0 {
		return nil
	}
	pages := c.pages
	c.page(c.dict, format.PageHeader{Type: format.DictionaryPage, DictionaryPageHeader: thrift.New(format.DictionaryPageHeader{
		NumValues: int32(len(c.known)), Encoding: format.Plain,
	})})
	p := c.pages[len(pages)]
	c.pages = pages
	<-p.done
	return p
}

// statistics returns the least and the greatest value and how many are null.
func (c *chunk) statistics() format.Statistics {
	s := format.Statistics{NullCount: c.nulls}
	switch c.leaf.typ {
	case Text:
		if c.some && !c.long {
			s.MinValue, s.MaxValue = c.texts[0], c.texts[1]
		}
	case Int, Uint:
		if c.some {
			s.MinValue = binary.LittleEndian.AppendUint64(nil, uint64(c.ints[0]))
			s.MaxValue = binary.LittleEndian.AppendUint64(nil, uint64(c.ints[1]))
		}
	case Double:
		if c.some { // a zero may have either sign
			least, most := c.floats[0], c.floats[1]
			if least == 0 {
				least = math.Copysign(0, -1)
			}
			if most == 0 {
				most = 0
			}
			s.MinValue = binary.LittleEndian.AppendUint64(nil, math.Float64bits(least))
			s.MaxValue = binary.LittleEndian.AppendUint64(nil, math.Float64bits(most))
		}
	}
	return s
}

// appendLevels appends levels behind their size.
func appendLevels(dst, levels []byte, most uint8) []byte {
	from := len(dst)
	dst = appendHybrid(append(dst, 0, 0, 0, 0), levels, bitsOf(int(most)))
	binary.LittleEndian.PutUint32(dst[from:], uint32(len(dst)-from-4))
	return dst
}

// appendBits appends booleans, a bit each.
func appendBits(dst, values []byte) []byte {
	for i, v := range values {
		if i%8 == 0 {
			dst = append(dst, 0)
		}
		dst[len(dst)-1] |= v << (i % 8)
	}
	return dst
}

// appendHybrid appends numbers as runs: 8 and more of one number as one, others packed in groups of 8.
func appendHybrid[T uint8 | uint32](dst []byte, numbers []T, width int) []byte {
	packed := 0 // numbers before i that wait
	for i := 0; i < len(numbers); {
		run := 1
		for i+run < len(numbers) && numbers[i+run] == numbers[i] {
			run++
		}
		switch {
		case packed%8 != 0:
			run = min(run, 8-packed%8)
			packed += run
		case run >= 8:
			dst = appendPacked(dst, numbers[i-packed:i], width)
			packed = 0
			dst = binary.AppendUvarint(dst, uint64(run)<<1)
			for k := range (width + 7) / 8 {
				dst = append(dst, byte(numbers[i]>>(8*k)))
			}
		default:
			packed += run
		}
		i += run
	}
	return appendPacked(dst, numbers[len(numbers)-packed:], width)
}

func appendPacked[T uint8 | uint32](dst []byte, numbers []T, width int) []byte {
	if len(numbers) == 0 {
		return dst
	}
	groups := (len(numbers) + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	from := len(dst)
	dst = append(dst, make([]byte, groups*width)...)
	bit := 0
	for _, n := range numbers {
		for left, v := width, uint64(n); left > 0; {
			at, shift := bit>>3, bit&7
			dst[from+at] |= byte(v << shift)
			took := min(8-shift, left)
			v >>= took
			left -= took
			bit += took
		}
	}
	return dst
}
