package compression

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
)

// compressedSize is how many compressed bytes are read at a time.
const compressedSize = 64 << 10

const gzipMagic = "\x1f\x8b"

// The formats that can be read.
const (
	Gzip = "gzip"
	Zstd = "zstd"
)

// compressions are the formats of compressed files, by their first bytes; '?' matches any byte.
var compressions = []struct{ name, magic string }{
	{Gzip, gzipMagic},
	{Zstd, "\x28\xb5\x2f\xfd"},
	{"xz", "\xfd7zXZ\x00"},
	{"bz2", "BZh?1AY&SY"},
	{"lz4", "\x04\x22\x4d\x18"},
	{"zip", "PK\x03\x04"},
	{"7z", "7z\xbc\xaf\x27\x1c"},
}

// HeadSize is how many bytes show the format of any file.
const HeadSize = 10

// A zstd stream may begin with a frame to skip: a byte from 0x50 to 0x5f, and this.
const skipMagic = "\x2a\x4d\x18"

// unsupportedEndings are the endings of compressed files that cannot be read.
var unsupportedEndings = []string{".xz", ".bz2", ".lz4", ".br", ".zip", ".7z"}

// Of returns the format of data that begins with head, "" when it is not compressed.
func Of(head []byte) string {
	if len(head) > len(skipMagic) && maybeSkipped(head) {
		return Zstd
	}
	for _, p := range compressions {
		if len(head) >= len(p.magic) && matches(head, p.magic) {
			return p.name
		}
	}
	return ""
}

// maybeCompressed reports whether more than head is needed to know the format. One or two bytes do for nearly all text, and a
// pipe need not deliver more.
func maybeCompressed(head []byte) bool {
	if len(head) == 0 || len(head) <= len(skipMagic) && maybeSkipped(head) {
		return true
	}
	for _, p := range compressions {
		if len(head) < len(p.magic) && matches(head, p.magic) {
			return true
		}
	}
	return false
}

func maybeSkipped(head []byte) bool { return head[0]&0xf0 == 0x50 && matches(head[1:], skipMagic) }

// matches compares head and magic as far as both go.
func matches(head []byte, magic string) bool {
	for i := range min(len(head), len(magic)) {
		if magic[i] != '?' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

// Check returns an error unless data in a format, "" for plain text, can be read.
func Check(format string) error {
	if format != "" && format != Gzip && format != Zstd {
		return fmt.Errorf("want plain text, gzip or zstd, have %s", format)
	}
	return nil
}

// CheckName returns an error when the ending of a file's name says that it cannot be read.
func CheckName(name string) error {
	if ending := strings.ToLower(path.Ext(name)); slices.Contains(unsupportedEndings, ending) {
		return Check(ending[1:])
	}
	return nil
}

// Named reports whether the name of a file says that it is compressed in a format that can be read. What it holds decides.
func Named(name string) bool { return namedFormat(name) != "" }

func namedFormat(name string) string {
	switch {
	case strings.HasSuffix(name, ".gz"):
		return Gzip
	case strings.HasSuffix(name, ".zst"):
		return Zstd
	}
	return ""
}

// Misnamed is an error of a whole file, of which the first bytes were enough to see.
type Misnamed struct{ error }

// Sniff reads the first bytes of a file and returns them with its format, "" for plain text.
func Sniff(name string, file io.Reader) (head []byte, format string, err error) {
	if head, err = sniff(file, func(head []byte) bool { return maybeCompressed(head) || maybeMark(head) }); err != nil {
		return head, "", err
	}
	format = Of(head)
	if err = Check(format); err == nil && format == "" && Named(name) {
		err = fmt.Errorf("want %s data, as the name says, have uncompressed data", namedFormat(name))
	}
	if err != nil {
		err = &Misnamed{err}
	}
	return head, format, err
}

// sniff reads the first bytes one by one, as long as more asks for another.
func sniff(r io.Reader, more func([]byte) bool) ([]byte, error) {
	head := make([]byte, 0, HeadSize)
	for len(head) < cap(head) && more(head) {
		n, err := r.Read(head[len(head) : len(head)+1])
		head = head[:len(head)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return head, nil
}

// A gunzip reads gzip members one after the other. It goes from one to the next itself because gzip.Reader confuses a
// member that breaks off with bytes that are no member, and one that breaks off in its header with the end.
type gunzip struct {
	compressed *bufio.Reader
	member     *gzip.Reader
	padding    *atomic.Int64 // zeros behind the last member
}

// MaxWindow is the largest zstd window that is read, the same as the zstd tool's without --long. It bounds memory.
const MaxWindow = 128 << 20

// Read implements io.Reader.
func (g *gunzip) Read(p []byte) (int, error) {
	for {
		n, err := g.member.Read(p)
		if err == io.EOF {
			err = g.next()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next goes on to the next member, or returns io.EOF.
func (g *gunzip) next() error {
	head, err := g.compressed.Peek(len(gzipMagic))
	switch {
	case len(head) == 0 || err != nil && err != io.EOF:
		return err
	case head[0] == 0:
		return g.pass()
	case string(head) != gzipMagic:
		return errors.New("want the end of the file after the gzip data")
	}
	return g.begin()
}

// pass passes over the zeros that fill the last block of a tape or an archive, and returns io.EOF behind them.
func (g *gunzip) pass() error {
	for {
		b, err := g.compressed.ReadByte()
		switch {
		case err != nil:
			return err
		case b != 0:
			return errors.New("want the end of the file after the gzip data and the zeros behind it")
		}
		g.padding.Add(1)
	}
}

// begin reads the header of a member.
func (g *gunzip) begin() error {
	err := g.member.Reset(g.compressed)
	g.member.Multistream(false)
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
