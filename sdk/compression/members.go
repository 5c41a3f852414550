package compression

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
)

// Members that are decompressed at the same time are bounded in their compressed size, in the size of their text, and in
// number.
const (
	maxMember     = 512 << 10
	maxMemberText = 2 << 20
	maxMembers    = 8
)

// members reads compressed data that consists of members, as gzip calls them, or frames, as zstd does. As long as they are
// small and their headers have their sizes, several are decompressed at a time. From the first other or broken one on, one
// reader takes one after the other, so that errors are the same as if it had read them all.
type members struct {
	compressed *bufio.Reader // holds maxMember
	kind       memberKind
	queue      []*member // under way, in order
	free       []*member
	begun      bool          // there was a member
	rest       io.ReadCloser // once it is not known where a member ends
	text       []byte        // at hand
}

// A memberKind is a format of members.
type memberKind struct {
	// size returns the size of the member at which r is, 0 when it does not follow from maxMember bytes.
	size func(r *bufio.Reader) int
	// inflate decompresses one member into m.text.
	inflate func(m *member) error
	// rest reads everything behind the members so far, if there were any.
	rest func(r *bufio.Reader, behind bool) (io.ReadCloser, error)
	// close frees what inflate holds.
	close func()
}

type member struct {
	compressed, text []byte
	zip              *gzip.Reader // for reuse
	err              error
	done             sync.WaitGroup
}

// Read implements io.Reader.
func (m *members) Read(p []byte) (int, error) {
	for len(m.text) == 0 {
		if m.rest != nil {
			return m.rest.Read(p)
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, m.text)
	m.text = m.text[n:]
	return n, nil
}

// next sets text to that of the next member, or sets rest.
func (m *members) next() error {
	if known := m.begin(); !known && len(m.queue) == 0 {
		return m.readRest(m.compressed)
	}
	first := m.queue[0]
	first.done.Wait()
	if first.err != nil {
		all := make([]io.Reader, 0, len(m.queue)+1)
		for _, x := range m.queue {
			x.done.Wait()
			all = append(all, bytes.NewReader(x.compressed))
		}
		m.queue = nil
		return m.readRest(io.MultiReader(append(all, m.compressed)...))
	}
	m.begun = true
	m.queue = m.queue[1:]
	m.free = append(m.free, first)
	m.text = first.text
	return nil
}

// begin starts to decompress as many members as may be under way, and reports whether the size of the next one is known.
func (m *members) begin() bool {
	for len(m.queue) < min(maxMembers, runtime.GOMAXPROCS(0)) {
		size := m.kind.size(m.compressed)
		if size == 0 {
			return false
		}
		x := &member{}
		if n := len(m.free); n > 0 {
			x, m.free = m.free[n-1], m.free[:n-1]
		}
		head, _ := m.compressed.Peek(size)
		x.compressed = append(x.compressed[:0], head...)
		_, _ = m.compressed.Discard(size)
		x.done.Go(func() { x.err = m.kind.inflate(x) })
		m.queue = append(m.queue, x)
	}
	return true
}

func (m *members) readRest(compressed io.Reader) (err error) {
	r, ok := compressed.(*bufio.Reader)
	if !ok {
		r = bufio.NewReaderSize(compressed, compressedSize)
	}
	m.rest, err = m.kind.rest(r, m.begun)
	return err
}

// Close waits for the members under way.
func (m *members) Close() error {
	for _, x := range m.queue {
		x.done.Wait()
	}
	m.kind.close()
	if m.rest != nil {
		return m.rest.Close()
	}
	return nil
}

var errMember = errors.New("not one small member")

// bgzfSize returns the size of a BGZF member, from field "BC" of its header.
func bgzfSize(r *bufio.Reader) int {
	const fixed = 12 // up to the length of the extra fields
	head, _ := r.Peek(fixed)
	if len(head) < fixed || string(head[:4]) != gzipMagic+"\x08\x04" {
		return 0
	}
	extra := int(binary.LittleEndian.Uint16(head[10:]))
	head, _ = r.Peek(fixed + extra)
	for field := head[min(fixed, len(head)):]; len(field) >= 6; {
		n := int(binary.LittleEndian.Uint16(field[2:]))
		if string(field[:4]) == "BC\x02\x00" {
			size := 1 + int(binary.LittleEndian.Uint16(field[4:]))
			return whole(r, size)
		}
		field = field[min(4+n, len(field)):]
	}
	return 0
}

// whole returns size if r has that many bytes, or else 0.
func whole(r *bufio.Reader, size int) int {
	if have, _ := r.Peek(size); len(have) < size {
		return 0
	}
	return size
}

func gunzipMember(m *member) (err error) {
	if m.zip == nil {
		m.zip = new(gzip.Reader)
	}
	compressed := bytes.NewReader(m.compressed)
	if err := m.zip.Reset(compressed); err != nil {
		return err
	}
	m.zip.Multistream(false)
	text := bytes.NewBuffer(m.text[:0])
	n, err := io.Copy(text, io.LimitReader(m.zip, maxMemberText+1))
	m.text = text.Bytes()
	if err == nil && (n > maxMemberText || compressed.Len() > 0) {
		err = errMember
	}
	return err
}

// restOfGzip reads one member after the other. When there were members before, the data may end here.
func restOfGzip(r *bufio.Reader, behind bool, padding *atomic.Int64) (io.ReadCloser, error) {
	g := &gunzip{r, new(gzip.Reader), padding}
	start := g.begin
	if behind {
		start = g.next
	}
	err := start()
	if err == io.EOF {
		return io.NopCloser(new(bytes.Reader)), nil
	}
	return io.NopCloser(g), err
}

// NewReader reads data in a supported format, "" for plain text. Of data that may have to be waited for it reads no
// more than it needs. It counts the zeros behind gzip data in padding.
func NewReader(name string, compressed io.Reader, waits bool, padding *atomic.Int64) (io.ReadCloser, error) {
	var kind memberKind
	var err error
	switch name {
	case "":
		return io.NopCloser(compressed), nil
	case Gzip:
		rest := func(r *bufio.Reader, behind bool) (io.ReadCloser, error) { return restOfGzip(r, behind, padding) }
		kind = memberKind{size: bgzfSize, inflate: gunzipMember, rest: rest, close: func() {}}
	default:
		kind, err = zstdFrames()
	}
	if err != nil {
		return nil, err
	}
	m := &members{kind: kind}
	if !waits {
		m.compressed = bufio.NewReaderSize(compressed, maxMember)
	} else if err := m.readRest(compressed); err != nil {
		kind.close()
		return nil, explain(name, err)
	}
	return &explained{name, m}, nil
}
