package alias

import (
	"slices"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An edit puts text in place of what stands from start to end.
type edit struct {
	start, end int
	text       string
}

type edits []edit

// apply appends text with the edits made, which do not overlap.
func (es edits) apply(dst []byte, text string) []byte {
	es.sort()
	at := 0
	for _, e := range es {
		dst = append(dst, text[at:e.start]...)
		dst = append(dst, e.text...)
		at = e.end
	}
	return append(dst, text[at:]...)
}

func (es edits) sort() { slices.SortFunc(es, func(a, b edit) int { return a.start - b.start }) }

// raise makes edits of the text that a JSON string holds into edits of the string's body, which begins at offset.
func (es edits) raise(body jsontext.Body, offset int) {
	es.sort()
	raw, decoded := 0, 0
	seek := func(to int) int {
		for decoded < to {
			n, size := unit(body[raw:])
			raw += n
			decoded += size
		}
		return offset + raw
	}
	for i := range es {
		e := &es[i]
		e.start, e.end = seek(e.start), seek(e.end)
		e.text = string(jsontext.AppendEscaped(nil, e.text))
	}
}

// unit gives the length of the first character of a body and its length decoded.
func unit(body jsontext.Body) (n, size int) {
	if body[0] != '\\' || len(body) < 2 {
		return 1, 1
	}
	n = 2
	if body[1] == 'u' {
		n = min(6, len(body))
		if len(body) >= 12 && body[2]|0x20 == 'd' && body[6] == '\\' { // two surrogates may be one character
			var pair, low [12]byte
			both := len(jsontext.AppendText(pair[:0], body[:12]))
			if both == 4 && len(jsontext.AppendText(low[:0], body[:6])) == 3 {
				return 12, 4
			}
		}
	}
	var out [6]byte
	return n, len(jsontext.AppendText(out[:0], body[:n]))
}
