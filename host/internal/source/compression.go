package source

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// packedSize is how many packed bytes are read at a time.
const packedSize = 64 << 10

const gzipMagic = "\x1f\x8b"

// packings are the ways in which files are packed, by their first bytes; '?' stands for any byte.
var compressions = []struct{ name, magic string }{
	{"gzip", gzipMagic},
	{"zstd", "\x28\xb5\x2f\xfd"},
	{"xz", "\xfd7zXZ\x00"},
	{"bz2", "BZh?1AY&SY"},
	{"lz4", "\x04\x22\x4d\x18"},
	{"zip", "PK\x03\x04"},
	{"7z", "7z\xbc\xaf\x27\x1c"},
}

// maxMagic is the length of the longest magic.
const maxMagic = 10

// A zstd stream may begin with a frame to skip: a byte from 0x50 to 0x5f, and this.
const skipMagic = "\x2a\x4d\x18"

// unreadEndings are the endings of names whose packing is not read.
var unsupportedEndings = []string{".xz", ".bz2", ".lz4", ".br", ".zip", ".7z"}

// unreadEnding names the packing that a file's name promises when it is one that is not read.
func unsupportedEnding(name string) string {
	ending := strings.ToLower(filepath.Ext(name))
	if slices.Contains(unsupportedEndings, ending) {
		return ending[1:]
	}
	return ""
}

// packingOf names how data that begins with head is packed, "" when it is not.
func compressionOf(head []byte) string {
	if len(head) > len(skipMagic) && maybeSkipped(head) {
		return "zstd"
	}
	for _, p := range compressions {
		if len(head) >= len(p.magic) && matches(head, p.magic) {
			return p.name
		}
	}
	return ""
}

// maybePacked says whether more than head is needed to tell. One or two bytes do for nearly all text, and a pipe need
// not deliver more.
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

// agree compares head and magic as far as both go.
func matches(head []byte, magic string) bool {
	for i := range min(len(head), len(magic)) {
		if magic[i] != '?' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

// isRead tells whether files packed so can be read.
func supported(packing string) bool { return packing == "" || packing == "gzip" || packing == "zstd" }

func unsupported(packing string) error {
	return fmt.Errorf("want plain text, gzip or zstd, have %s", packing)
}

// sniff reads the first bytes one by one, as long as more says that they do not tell enough.
func sniff(r io.Reader, more func([]byte) bool) ([]byte, error) {
	head := make([]byte, 0, maxMagic)
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

// A gunzip reads gzip members that stand one behind the other. It goes from one to the next itself because gzip.Reader
// does not tell a member that breaks off from bytes that are none, nor one that breaks off in its header from the end.
type gunzip struct {
	packed *bufio.Reader
	member *gzip.Reader
}

// maxWindow is the largest zstd window that is read, the same as the zstd tool's without --long. It bounds memory.
const maxWindow = 128 << 20

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
	head, err := g.packed.Peek(len(gzipMagic))
	switch {
	case len(head) == 0 || err != nil && err != io.EOF:
		return err
	case string(head) != gzipMagic:
		return errors.New("want the end of the file, have other bytes after the end of the gzip data")
	}
	return g.begin()
}

// begin reads the header of a member.
func (g *gunzip) begin() error {
	err := g.member.Reset(g.packed)
	g.member.Multistream(false)
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
