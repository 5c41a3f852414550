package source

import (
	"fmt"
	"unicode/utf8"

	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// textKind makes one record of each file: {"name": base name, "text": contents}, on line 1. The limit holds for the file as
// well as for the record made of it.
var textKind = kind{
	doc:    "reads a whole file as one record with name and text",
	split:  func(e entry, _ Options) (splitter, error) { return &textConverter{name: places.Base(e.name)}, nil },
	ending: ".txt",
}

type textConverter struct {
	name string
	over bool
}

func (t *textConverter) split(b []byte) (int, stretch) { return len(b), inside }

func (t *textConverter) end() stretch {
	if t.over {
		return gap
	}
	t.over = true
	return ended
}

func (t *textConverter) line() int64 { return 1 }

// fault implements splitter. No text is broken.
func (t *textConverter) fault([]byte, int) *wire.Fault { return nil }

func (t *textConverter) convert(dst, text []byte) ([]byte, *wire.Fault) {
	if at := invalidUTF8(text); at >= 0 {
		return nil, &wire.Fault{Code: jsontext.InvalidUTF8, Message: fmt.Sprintf("want UTF-8, have an invalid sequence at byte %d", at)}
	}
	dst = jsontext.AppendMember(append(dst, '{'), "name", t.name)
	dst = append(dst, `,"text":`...)
	return append(jsontext.AppendString(dst, text), '}'), nil
}

// invalidUTF8 returns the place of the first invalid sequence, or -1.
func invalidUTF8(b []byte) int {
	if utf8.Valid(b) {
		return -1
	}
	at := 0
	for {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
}
