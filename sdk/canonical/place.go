package canonical

import (
	"cmp"
	"slices"
	"sort"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Place is where a piece of a row lies in the record, in bytes, End not included. Strings counts the strings of JSON that it is
// nested in. A replacement has to be escaped as the body of a string once for each, which Raise does.
type Place struct{ Start, End, Strings int }

// Raise returns text, which is written as outside of any string, as it has to be written at the place.
func (p Place) Raise(text string) string {
	for range p.Strings {
		text = jsontext.View(jsontext.AppendEscaped(nil, text))
	}
	return text
}

// Place returns where a piece of the row lies: a Body or JSON of the Row, or a part of one. It is not ok for an empty piece and for
// one that is not in the record, such as the body of a media part.
func (r *Row) Place(piece string) (p Place, ok bool) {
	if piece == "" {
		return Place{}, false
	}
	if at, ok := jsontext.Within(string(r.record), piece); ok {
		return Place{Start: at, End: at + len(piece)}, true
	}
	in := r.found.holder(piece)
	if in == nil {
		return Place{}, false
	}
	at, _ := jsontext.Within(in.text, piece)
	if p, ok = r.Place(string(in.body[in.raw(at):in.raw(at+len(piece))])); !in.short {
		p.Strings++
	}
	return p, ok
}

// An inner is a text that was made of a piece of the record, or of another inner's text.
type inner struct {
	body  jsontext.Body
	text  string
	short bool   // text is not the text of a string, but JSON, which body spells with longer escapes
	marks []mark // in order, about one for each markEvery bytes of text
}

// A mark pairs an offset in a text with that of the body which it was decoded from.
type mark struct{ text, body int }

const markEvery = 64

// raw returns the offset in the body of the character that begins at an offset of the text.
func (in *inner) raw(at int) int {
	if in.marks == nil {
		in.marks = []mark{{}}
		for m := (mark{}); m.body < len(in.body); {
			m = in.next(m)
			if m.text >= in.marks[len(in.marks)-1].text+markEvery {
				in.marks = append(in.marks, m)
			}
		}
	}
	m := in.marks[sort.Search(len(in.marks), func(i int) bool { return in.marks[i].text > at })-1]
	for m.text < at {
		m = in.next(m)
	}
	return m.body
}

// next returns the mark of the character behind the one of a mark.
func (in *inner) next(m mark) mark {
	n, size := unit(in.body[m.body:])
	if in.short && n > 1 {
		size = n
		if jsontext.Longhand(in.body[m.body:m.body+n], 0) == 0 {
			size = len(jsontext.AppendShort(nil, in.body[m.body:m.body+n]))
		}
	}
	return mark{m.text + size, m.body + n}
}

// unit returns the length of the first character of a body, and its length decoded.
func unit(body jsontext.Body) (n, size int) {
	if body[0] != '\\' || len(body) < 2 {
		return 1, 1
	}
	r, n := jsontext.Unescape(body)
	return n, len(string(r)) // of a surrogate alone 3, too
}

// embedded returns the JSON inside a string, and remembers the text that it lies in.
func (f *found) embedded(body jsontext.Body) (jsontext.JSON, bool) {
	if len(body) > 6*jsontext.EmbeddedSize {
		return "", false
	}
	text := body.Text()
	value, ok := jsontext.Embedded(text)
	if ok && f != nil {
		f.inner, f.sorted = append(f.inner, inner{body: body, text: text}), false
	}
	return f.shorten(value), ok
}

// shorten returns JSON without the escapes that jsontext.Longhand finds.
func (f *found) shorten(json jsontext.JSON) jsontext.JSON {
	if jsontext.Longhand(json, 0) < 0 {
		return json
	}
	return f.shortened(json, jsontext.AppendShort(nil, json))
}

// shortened returns short, which is JSON without its long escapes, and remembers where it is from.
func (f *found) shortened(json jsontext.JSON, short []byte) jsontext.JSON {
	if f != nil {
		f.inner, f.sorted = append(f.inner, inner{body: jsontext.Body(json), text: jsontext.View(short), short: true}), false
	}
	return jsontext.Of(short)
}

// unwrap returns the value, or the JSON in it when it is a string of JSON.
func (f *found) unwrap(value jsontext.JSON) jsontext.JSON {
	if body, ok := value.Quoted(); ok {
		if inner, ok := f.embedded(body); ok {
			return inner
		}
	}
	return value
}

// holder returns the inner text that a piece lies in, or nil.
func (f *found) holder(piece string) *inner {
	if !f.sorted {
		slices.SortFunc(f.inner, func(a, b inner) int { return cmp.Compare(jsontext.Address(a.text), jsontext.Address(b.text)) })
		f.sorted = true
	}
	i := sort.Search(len(f.inner), func(i int) bool { return jsontext.Address(f.inner[i].text) > jsontext.Address(piece) }) - 1
	if i < 0 {
		return nil
	}
	if _, ok := jsontext.Within(f.inner[i].text, piece); !ok {
		return nil
	}
	return &f.inner[i]
}
