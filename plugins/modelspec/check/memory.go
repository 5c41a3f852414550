package check

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A memory holds the texts that are made for one thread, and is used again for the next.
type memory struct{ bytes []byte }

// memorySize is how much a memory takes at once, unless a text is longer.
const memorySize = 64 << 10

// take returns an empty slice with room for n bytes. What is appended to it may be kept before the next call.
func (m *memory) take(n int) []byte {
	if cap(m.bytes)-len(m.bytes) < n {
		m.bytes = make([]byte, 0, max(n, memorySize))
	}
	return m.bytes[len(m.bytes):]
}

// keep returns what was appended to a slice of take, as a text that lasts until reset.
func (m *memory) keep(made []byte) string {
	if len(made) <= cap(m.bytes)-len(m.bytes) { // else append took other memory
		m.bytes = m.bytes[:len(m.bytes)+len(made)]
	}
	return jsontext.View(made)
}

// reset makes the memory free for the next thread. That of a long text is given back.
func (m *memory) reset() {
	if m.bytes = m.bytes[:0]; cap(m.bytes) > 16*memorySize {
		m.bytes = nil
	}
}

// textOf returns the decoded content of a message.
func (m *memory) textOf(body jsontext.Body) string {
	if strings.IndexByte(string(body), '\\') < 0 {
		return string(body)
	}
	return m.keep(jsontext.AppendText(m.take(len(body)), body))
}
