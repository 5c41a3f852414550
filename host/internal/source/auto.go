package source

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/sdk/compression"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// autoKind reads records however they lie in a file. An ending that is certain decides, such as .csv; of .jsonl only whether the
// lines are records or parts of sessions remains to be seen. Standard input and pipes have a record in each line. The form of other files follows from their beginning: lines, as jsonl reads them;
// documents, as json does; a document whose records are under containers; or a list of messages, which is one record.
var autoKind = kind{
	doc:    "reads files as csv, jsonl, sessions, json or parquet does, by their ending or their beginning",
	split:  splitAny,
	ending: ".jsonl",
	tables: tablesToo,
	join:   joinLines,
}

func splitAny(e entry, opts Options) (splitter, error) {
	if !e.regular() || e.columns {
		return newLineSplitter(e, opts)
	}
	ending, lines := endingOf(e.name), false
	for _, name := range Kinds() {
		if slices.Contains(kinds[name].certain, ending) {
			if lines = name == "jsonl"; !lines {
				return kinds[name].split(e, opts)
			}
		}
	}
	buf := heads.Get().(*[]byte)
	defer heads.Put(buf)
	head, err := e.head(headSize+1, buf)
	if err != nil && lines {
		return newLineSplitter(e, opts) // reading the file reports the mistake
	}
	if err != nil {
		return nil, err
	}
	switch {
	case holdsSessions(head):
		return newSessionGrouper(e, opts)
	case lines:
		return newLineSplitter(e, opts)
	}
	return splitterOf(head, len(head) <= headSize), nil
}

// heads are buffers for the first bytes of files, of which a corpus may have many.
var heads = sync.Pool{New: func() any { return new([]byte) }}

// head returns the first bytes of the text of a file, which may lie in buf.
func (e entry) head(n int, buf *[]byte) ([]byte, error) {
	marked := n + len(compression.ByteOrderMark)
	if head, err := e.plainHead(marked, buf); err == nil && compression.Of(head) == "" {
		return unmarked(head, n), nil
	}
	if e.file != nil {
		head, err := places.Peek(e.file, marked)
		if err != nil || compression.Of(head) == "" {
			return unmarked(head, n), err
		}
	}
	text, err := OpenText(e.name)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	head, _ := io.ReadAll(io.LimitReader(text, int64(n))) // a mistake is reported when the file is read
	return head, nil
}

// unmarked returns the first n bytes behind a byte order mark, or fewer when there are no more.
func unmarked(head []byte, n int) []byte {
	head = bytes.TrimPrefix(head, compression.ByteOrderMark)
	return head[:min(n, len(head))]
}

// plainHead returns the first bytes of a file of this machine as they are. An error says only that they have to be read another way.
func (e entry) plainHead(n int, buf *[]byte) ([]byte, error) {
	if e.fetched() {
		return nil, errors.ErrUnsupported
	}
	f, err := e.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n = int(min(int64(n), e.size()+1)) // one more, for a file that has grown
	*buf = slices.Grow((*buf)[:0], n)[:n]
	n, err = io.ReadFull(f, *buf)
	if err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) { // reading the file reports one that is cut off
		err = nil
	}
	return (*buf)[:n], err
}

// containers are the members of a document that hold its records.
var containers = []string{"rows", "records", "examples", "data", "trajectories"}

// turnKeys are the keys of messages. A list of messages is one record.
var turnKeys = []string{"role", "from", "speaker", "author", "content"}

// headSize is how many bytes of a text decide about its form.
const headSize = 1 << 20

// endingOf returns the ending of a file's name in lower case, without that of its compression.
func endingOf(name string) string {
	name = strings.ToLower(places.Base(name))
	return filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst"))
}

// splitterOf returns the splitter for a text that begins with head, or is the whole of it.
func splitterOf(head []byte, whole bool) splitter {
	lines, values := &lineSplitter{at: 1}, &valueSplitter{at: 1}
	head = head[jsontext.Blanks(head):]
	if len(head) == 0 || head[0] != '{' && head[0] != '[' {
		return lines
	}
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	second, _, ended := bytes.Cut(rest[jsontext.Blanks(rest):], []byte("\n"))
	switch first := trim(first); {
	case isJSON(first):
		if len(second) > 0 {
			return lines
		}
	case (ended || whole) && isJSON(trim(second)) && bytes.IndexByte([]byte("[{,:"), first[len(first)-1]) < 0:
		return lines // whose first one is broken
	}
	c := jsontext.Of(head).Cursor()
	if c.Kind() == '[' {
		values.whole = holdsTurns(&c)
		return values
	}
	for key := range c.Members() {
		if slices.Contains(containers, key) && c.Kind() == '[' {
			list := c
			if list.At++; list.Kind() == '{' {
				list = c
				if !holdsTurns(&list) {
					return &memberSplitter{values: valueSplitter{at: 1}}
				}
			}
		}
	}
	return values
}

func isJSON(text []byte) bool {
	return len(text) > 0 && jsontext.Check(text, jsontext.EmbeddedDepth) == nil
}

// holdsTurns reports whether the first element of the array ahead is a message.
func holdsTurns(c *jsontext.Cursor) (turns bool) {
	for range c.Elements() {
		for key := range c.Members() {
			turns = turns || slices.Contains(turnKeys, key)
		}
		break
	}
	return turns
}

// A memberSplitter splits the lists of objects that are members of a document, all that are containers: which of them has the records
// cannot be known before the last. The other members are no records; they are counted.
type memberSplitter struct {
	values valueSplitter
	unread int64 // other members so far

	phase memberPhase
	depth int
	text  bool // in a string
	skip  bool // behind a backslash
	last  []byte
	named bool // last is the key of the value ahead, a container
}

// memberPhase is the place of a memberSplitter in its document.
type memberPhase uint8

const (
	outside  memberPhase = iota // of lists
	listHead                    // behind the '[' of a container
	inList
	behindAll // behind the document
)

func (m *memberSplitter) split(b []byte) (int, stretch) {
	switch m.phase {
	case listHead:
		if n := m.values.blanks(b); n > 0 {
			return n, gap
		}
		if b[0] != '{' {
			m.phase, m.depth = outside, m.depth+1
			return m.pass(b)
		}
		m.phase, m.values.state, m.values.array = inList, opened, true
		m.unread--
		fallthrough
	case inList:
		n, is := m.values.split(b)
		if m.values.state == between {
			m.phase = outside
		}
		return n, is
	case behindAll:
		if n := m.values.blanks(b); n > 0 {
			return n, gap
		}
		return 0, broken
	}
	return m.pass(b)
}

// pass passes over what is outside of lists.
func (m *memberSplitter) pass(b []byte) (int, stretch) {
	for i, c := range b {
		if c == '\n' {
			m.values.at++
		}
		switch {
		case m.text:
			m.read(c)
		case c == '"':
			m.text, m.named, m.last = true, false, m.last[:0]
		case c == ':' && m.depth == 1:
			m.named = slices.Contains(containers, jsontext.Body(m.last).Text())
			m.unread++
		case c == '[' && m.named:
			m.phase, m.named = listHead, false
			return i + 1, gap
		case c == '{' || c == '[':
			m.depth++
			m.named = false
		case c == '}' || c == ']':
			if m.depth--; m.depth == 0 {
				m.phase = behindAll
				return i + 1, gap
			}
		}
	}
	return len(b), gap
}

// longestKey is the longest of containers, all of whose letters may be escapes.
const longestKey = 6 * len("trajectories")

// read takes a byte of a string, up to its end.
func (m *memberSplitter) read(c byte) {
	switch {
	case m.skip:
		m.skip = false
	case c == '"':
		m.text = false
		return
	case c == '\\':
		m.skip = true
	}
	if len(m.last) <= longestKey {
		m.last = append(m.last, c)
	}
}

func (m *memberSplitter) end() stretch {
	if m.phase == behindAll {
		return gap
	}
	return broken
}

func (m *memberSplitter) line() int64 { return m.values.at }

func (m *memberSplitter) fault(text []byte, at int) *wire.Fault {
	if m.phase == inList {
		return m.values.fault(text, at)
	}
	return brokenJSON("a document with lists of records and nothing behind", text, at)
}

func (m *memberSplitter) skipped() int64 { return m.unread }
