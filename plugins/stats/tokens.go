package stats

import (
	"strconv"
	"strings"

	"github.com/tiktoken-go/tokenizer/codec"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
)

// codecs are the vocabularies, which lie in this program.
var codecs = map[string]func() *codec.Codec{"cl100k_base": codec.NewCl100kBase, "o200k_base": codec.NewO200kBase}

func vocabularies() []string { return []string{"cl100k_base", "o200k_base"} }

// counter returns the function that counts the tokens of a row, nil for none. It returns a negative count for an unknown one.
func counter(from string) func(*sdk.Record, *canonical.Row) int64 {
	label, ok := strings.CutPrefix(from, "@")
	switch {
	case ok:
		return func(r *sdk.Record, _ *canonical.Row) int64 {
			n, err := strconv.ParseInt(r.Label(label), 10, 64)
			if err != nil {
				return -1
			}
			return n
		}
	case from == "none":
		return nil
	case from == "usage":
		return func(_ *sdk.Record, row *canonical.Row) int64 {
			if u := row.Usage; u.Prompt+u.Completion > 0 {
				return int64(u.Prompt) + int64(u.Completion)
			}
			return -1
		}
	}
	vocabulary := codecs[from]()
	var known tools
	var err error
	tokens := func(p piece) (n int64) {
		for text := range portions(p.decoded()) {
			var some int
			if some, err = vocabulary.Count(text); err != nil {
				return n
			}
			n += int64(some)
		}
		return n
	}
	return func(_ *sdk.Record, row *canonical.Row) int64 {
		n := known.of(row, tokens)
		pieces(row, func(p piece) { n += tokens(p) })
		if err != nil {
			err = nil
			return -1
		}
		return n
	}
}

// portion is how many bytes the tokenizer takes at a time, since it needs more than linear time.
const portion = 4 << 10

// portions cuts a text into pieces of about that size, before a space where there is one: words begin there.
func portions(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			n := len(text)
			if n > portion {
				if n = strings.LastIndexByte(text[:portion], ' '); n <= 0 {
					n = portion
					for n > 1 && text[n]&0xC0 == 0x80 { // inside a character
						n--
					}
				}
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}
