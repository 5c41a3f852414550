// Package mask masks personal values and secrets in whatever is shown to people: names of files, messages, rows.
package mask

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/plugins"
	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Name masks personal data and secrets in a path: in each of its parts without their endings, then in the whole.
func Name(path string) string { return Text(inNames(path)) }

// Message masks personal data and secrets in a text that may name files, such as an error: each name as Name does.
func Message(text string) string { return inNames(Text(text)) }

// between matches what separates the parts of paths that may be personal: endings of names, of which one that is not listed here has to
// be the last, and slashes.
var between = regexp.MustCompile(`(?:\.(?:jsonl|ndjson|json|txt|csv|tsv|parquet|html|hcl|md|log|gz|zst|zip|failed))+\b|\.[A-Za-z][0-9A-Za-z]{0,7}(?:["':,;)\]\s]|$)|/`)

// inNames masks each part of the paths in a text, without its ending. A rule may take an ending for a part of what it looks for.
func inNames(text string) string {
	var b strings.Builder
	from := 0
	for _, at := range between.FindAllStringIndex(text, -1) {
		b.WriteString(part(text[from:at[0]]))
		b.WriteString(text[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(part(text[from:]))
	return b.String()
}

// part masks what can hold a value at all.
func part(text string) string {
	if len(text) < leastValue {
		return text
	}
	return Text(text)
}

// leastValue is the size of the shortest text that a rule finds something in.
const leastValue = 4

// Text masks personal data and secrets in a text.
func Text(text string) string {
	masked := jsontext.Of(privacy.Mask(jsontext.AppendString(nil, text)))
	if masked.Kind() != '"' { // the mask itself failed
		return unknown
	}
	return strings.Clone(masked.Text())
}

// unknown stands for a text that cannot be masked.
const unknown = "(masked)"

var placeholder = regexp.MustCompile(`<[A-Z][A-Z0-9_]*>|^\(masked\)$`)

// Masked reports whether a masked text has a placeholder.
func Masked(text string) bool { return placeholder.MatchString(text) }

// Rules identifies the rules that everything here masks by.
func Rules() string {
	own, sdk := plugins.Code("privacy")
	return own + sdk + atByte.String()
}

// Row masks personal data and secrets in a row of JSON, by the rules that a privacy step has by default. It returns null
// for a row that cannot be masked. Where a record ends to be JSON says how long the values before are: of a reject in
// which anything is masked the message leaves that out.
func Row(row []byte) []byte {
	masked := privacy.Mask(row)
	if bytes.Equal(masked, row) {
		return masked
	}
	return atByte.ReplaceAll(masked, []byte("$1 a byte"))
}

// atByte finds the place in the message of a reject whose record cannot be read as JSON.
var atByte = regexp.MustCompile(`^(\{"code":"(?:invalid_json|invalid_utf8|too_deep)","message":"(?:[^"\\]|\\.)*?\bat) byte [0-9]+`)

// Visible returns what a masked row, or a line that is no JSON, has besides placeholders. One of which nothing is hidden keeps those
// that it has itself; in another they may be part of what is hidden. It returns nil when that cannot be known.
func Visible(row []byte, json bool) []byte {
	var masked []byte
	instead := []byte(`\u0000`)
	if json {
		if masked = Row(row); string(masked) == "null" && string(row) != "null" {
			return nil
		}
	} else {
		instead = []byte{0}
		if masked = []byte(Text(string(row))); string(masked) == unknown {
			return nil
		}
	}
	if bytes.Equal(masked, row) {
		return row
	}
	return placeholder.ReplaceAllLiteral(masked, instead)
}

// Word returns a word of a plugin, such as a code or a reason, masked and without control characters.
func Word(word string) string { return format.Printable(Text(word)) }

// Counts masks the words of plugins that counts are by. Those that look alike once masked are added up.
func Counts(by map[string]int64) map[string]int64 {
	shown := make(map[string]int64, len(by))
	for word, n := range by {
		shown[Word(word)] += n
	}
	return shown
}
