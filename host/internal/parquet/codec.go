package parquet

import (
	"bytes"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// inflate appends what compressed data holds to dst, which has room for exactly that.
func inflate(codec format.CompressionCodec, dst, data []byte) ([]byte, error) {
	size := cap(dst) - len(dst)
	var err error
	switch codec {
	case format.Uncompressed:
		if len(data) > size {
			return nil, fmt.Errorf("want %d bytes, have %d", size, len(data))
		}
		dst = append(dst, data...)
	case format.Snappy:
		dst, err = unsnap(dst, data)
	case format.Zstd:
		dst, err = unzstd().DecodeAll(data, dst)
	case format.Gzip:
		z := new(gzip.Reader)
		if err = z.Reset(bytes.NewReader(data)); err == nil {
			dst, err = readWhole(z, dst)
		}
	case format.Brotli:
		dst, err = readWhole(brotli.NewReader(bytes.NewReader(data)), dst)
	case format.Lz4Raw:
		if size > 0 {
			var n int
			n, err = lz4.UncompressBlock(data, dst[:size])
			dst = dst[:max(n, 0)]
		}
	default:
		return nil, fmt.Errorf("want a codec of none, snappy, gzip, zstd, brotli, lz4_raw, have %v", codec)
	}
	if err == nil && len(dst) != cap(dst) {
		err = fmt.Errorf("want %d bytes, have %d", size, len(dst))
	}
	return dst, err
}

func unsnap(dst, data []byte) ([]byte, error) {
	n, err := snappy.DecodedLen(data)
	if err == nil && n != cap(dst) {
		err = fmt.Errorf("want %d bytes, have %d", cap(dst), n)
	}
	if err != nil {
		return nil, err
	}
	return snappy.Decode(dst[:n], data)
}

// readWhole reads what dst has room for, and makes sure that there is no more.
func readWhole(r io.Reader, dst []byte) ([]byte, error) {
	n, err := io.ReadFull(r, dst[:cap(dst)])
	if err == nil {
		var more [1]byte
		if k, end := r.Read(more[:]); k > 0 || end != io.EOF {
			err = fmt.Errorf("want the end behind %d bytes, have more: %w", n, io.ErrShortBuffer)
		}
	}
	return dst[:n], err
}

// unzstd never writes more than its target has room for.
var unzstd = sync.OnceValue(func() *zstd.Decoder {
	z, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxWindow(maxPage))
	if err != nil {
		panic(err) // the options are constant
	}
	return z
})
