package output

import (
	"bufio"
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

const outputBuffer = 64 << 10

// notWritten are endings of compressed files that sluice does not write. In upper case, .GZ and .ZST are among them.
var notWritten = []string{".gz", ".zst", ".xz", ".bz2", ".lz4", ".br", ".zip", ".7z"}

func checkJSONL(path string) error {
	ending := filepath.Ext(path)
	if ending != ".gz" && ending != ".zst" && slices.Contains(notWritten, strings.ToLower(ending)) {
		return fmt.Errorf("want a name that ends in .gz, in .zst or like no compressed file, have %q", path)
	}
	if ending == tableEnding {
		return fmt.Errorf("want a name that ends in .jsonl, or a sink of type parquet, have %q", path)
	}
	return nil
}

func isLined(path string) bool { return filepath.Ext(path) != ".gz" && filepath.Ext(path) != ".zst" }

func openJSONL(f *file, text []byte) encoder {
	begun := f.written.Load() > 0
	switch filepath.Ext(f.target.path) {
	case ".gz":
		return &frames{to: f, zip: zipGzip, text: text, begun: begun}
	case ".zst":
		return &frames{to: f, zip: zipZstd, text: text, begun: begun}
	}
	return &lines{buf: bufio.NewWriterSize(f, outputBuffer)}
}

// lines writes one record on a line.
type lines struct {
	rows
	buf *bufio.Writer
}

func (e *lines) write(row []byte) error {
	_, _ = e.buf.Write(row) // an error stays
	return e.buf.WriteByte('\n')
}

func (e *lines) flush() error    { return e.buf.Flush() }
func (e *lines) pending() []byte { return nil }
func (e *lines) close() error    { return e.buf.Flush() }
func (e *lines) stop()           {}

// rows makes rows of records, one line each.
type rows struct{ line []byte }

func (e *rows) encode(r *wire.Record) []byte {
	if bytes.IndexByte(r.Data, '\n') < 0 && bytes.IndexByte(r.Data, '\r') < 0 {
		return r.Data
	}
	e.line = jsontext.AppendCompact(e.line[:0], r.Data)
	return e.line
}
