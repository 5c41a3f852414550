// Package parquet turns Parquet files into lines of JSON and back, one line for each row.
//
// A File is read by row groups: of each column one page lies decoded in memory, and the rows are put together from the
// levels of all columns, straight into text. The way back takes two passes over the lines: the first infers a schema from
// all of them, the second takes the rows apart into pages. The library parquet-go defines and decodes the metadata. Pages
// are decoded here, since a file may come from anybody: what a page takes in memory is known before it is decoded, and
// every mistake is an error.
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// What a Parquet file begins and ends with, or one whose footer is encrypted.
const (
	magic     = "PAR1"
	encrypted = "PARE"
)

const (
	footerTail = 8        // length of the footer and the magic
	maxFooter  = 64 << 20 // more is refused
	maxBare    = 1 << 24  // rows without columns, which take no bytes of the file
	least      = len(magic) + footerTail
)

// A File is an open Parquet file.
type File struct {
	Rows   int64
	Groups []Group // row groups, in order

	from io.ReaderAt
	size int64
	meta format.FileMetaData
}

// A Group is a row group.
type Group struct {
	Rows  int64
	Bytes int64 // compressed
	Start int64 // in the file, in order: the first group begins with the file, none at its end
}

// Is reports whether a file of some size begins and ends as Parquet does.
func Is(from io.ReaderAt, size int64) bool {
	var head, tail [len(magic)]byte
	if size < int64(least) {
		return false
	}
	if n, _ := from.ReadAt(head[:], 0); n < len(head) || string(head[:]) != magic && string(head[:]) != encrypted {
		return false
	}
	n, _ := from.ReadAt(tail[:], size-int64(len(tail)))
	return n == len(tail) && tail == head
}

// Open reads the footer of a file.
func Open(from io.ReaderAt, size int64) (f *File, err error) {
	defer recovered(&err)
	footer, err := readFooter(from, size)
	if err != nil {
		return nil, err
	}
	f = &File{from: from, size: size}
	if err := decode(footer, &f.meta); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	if f.meta.EncryptionAlgorithm.Value != nil {
		return nil, errEncrypted
	}
	root, err := f.columns() // so that a bad schema shows at once
	if err != nil {
		return nil, err
	}
	start := int64(0)
	for i := range f.meta.RowGroups {
		g := &f.meta.RowGroups[i]
		group, first := Group{Rows: g.NumRows}, int64(math.MaxInt64)
		for k := range g.Columns {
			m := &g.Columns[k].MetaData
			group.Bytes += m.TotalCompressedSize
			first = min(first, beginOf(m))
		}
		if i > 0 && len(g.Columns) > 0 {
			start = min(max(start, first), size-1)
		}
		group.Start = start
		if g.NumRows < 0 || group.Bytes < 0 {
			return nil, fmt.Errorf("row group %d: want counts of at least 0, have %d rows and %d bytes", i, g.NumRows, group.Bytes)
		}
		f.Rows += g.NumRows
		f.Groups = append(f.Groups, group)
	}
	if len(root.columns) == 0 && f.Rows > maxBare {
		return nil, fmt.Errorf("want columns for more than %d rows, have 0 for %d", maxBare, f.Rows)
	}
	return f, nil
}

// RowsBetween returns how many rows the groups have that begin in some bytes of the file.
func (f *File) RowsBetween(from, to int64) (rows int64) {
	for _, g := range f.Groups {
		if g.Start >= from && g.Start < to {
			rows += g.Rows
		}
	}
	return rows
}

var errEncrypted = errors.New("want a Parquet file that is not encrypted, have an encrypted one")

// readFooter returns the metadata behind the pages.
func readFooter(from io.ReaderAt, size int64) ([]byte, error) {
	var tail [footerTail]byte
	if size < int64(least) {
		return nil, fmt.Errorf("want a Parquet file, of at least %d bytes, have %d", least, size)
	}
	if err := readAt(from, tail[:], size-footerTail); err != nil {
		return nil, err
	}
	switch string(tail[4:]) {
	case magic:
	case encrypted:
		return nil, errEncrypted
	default:
		return nil, fmt.Errorf("want %s at the end of a Parquet file, have the bytes %x: it was cut off, or is no Parquet", magic, tail[4:])
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	if most := min(size-int64(least), maxFooter); length > most {
		return nil, fmt.Errorf("want a footer of at most %d bytes, have %d", most, length)
	}
	footer := make([]byte, length)
	return footer, readAt(from, footer, size-footerTail-length)
}

// decode decodes what is written in the compact protocol of Thrift.
func decode(data []byte, into any) error {
	if _, err := structEnd(data); err != nil {
		return err
	}
	return thrift.NewDecoder(new(thrift.CompactProtocol).NewReaderFromBytes(data)).Decode(into)
}

// readAt reads all of b, or returns an error.
func readAt(from io.ReaderAt, b []byte, at int64) error {
	n, err := from.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil || err == io.EOF:
		return io.ErrUnexpectedEOF
	}
	return err
}

// A fault is a mistake in a file, on its way to the caller.
type fault struct{ err error }

func corrupt(format string, args ...any) { panic(fault{fmt.Errorf(format, args...)}) }

// recovered makes an error of a panic: decoding goes deep, and what a file holds may surprise the library as well.
func recovered(err *error) {
	switch p := recover().(type) {
	case nil:
	case fault:
		*err = p.err
	default:
		*err = fmt.Errorf("want a Parquet file that can be read, have one that fails with: %v", p)
	}
}

// value returns what the file has under a key of its own metadata.
func (f *File) value(key string) (jsontext.JSON, bool) {
	for _, kv := range f.meta.KeyValueMetadata {
		if kv.Key == key {
			return jsontext.JSON(kv.Value), true
		}
	}
	return "", false
}
