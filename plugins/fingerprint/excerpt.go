package fingerprint

import (
	"unicode/utf8"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// lastUser returns the last turn of a user, an empty one when there is none.
func lastUser(row *canonical.Row) (last canonical.Turn) {
	for _, t := range row.Turns {
		if t.Role == canonical.User {
			last = t
		}
	}
	return last
}

// excerpt appends the texts and calls of a turn, cut to the reader's limit.
func (rd *Reader) excerpt(dst []byte, row *canonical.Row, t canonical.Turn) []byte {
	b := jsontext.Reuse(rd.buf)
	for i := t.From; i < t.To; i++ {
		p := &row.Parts[i]
		if p.Kind != canonical.TextPart && p.Kind != canonical.CallPart {
			continue
		}
		if len(b) > 0 {
			b = append(b, '\n')
		}
		if p.Kind == canonical.TextPart {
			b = jsontext.AppendText(b, p.Body)
			continue
		}
		b = append(jsontext.AppendText(b, p.Name), ' ')
		if text, ok := p.Value.Quoted(); ok {
			b = jsontext.AppendText(b, text)
		} else {
			b = append(b, p.Value...)
		}
	}
	rd.buf = b
	return cut(dst, b, rd.Text)
}

// cut appends a text, or its beginning and its end where it has more bytes than limit.
func cut(dst, text []byte, limit int) []byte {
	const gap = " … "
	if len(text) <= limit {
		return append(dst, text...)
	}
	head := max(0, limit-len(gap)) / 2
	tail := len(text) - head
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return append(append(append(dst, text[:head]...), gap...), text[tail:]...)
}
