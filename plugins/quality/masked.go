package quality

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/stats"
	"github.com/sluicehq/sluice/sdk/canonical"
)

// masks match the marks that recorders and filters leave in place of a text.
var masks = regexp.MustCompile(`(?i:[\[<({]{1,2}(?:redacted|removed|masked|deleted|hidden|filtered|censored|withheld|omitted)(?:[ :_-][\w .:-]{0,40})?[\])}>]{1,2})` +
	`|<([A-Z][A-Z_]*?)(?:_[0-9]+|:[0-9a-f]+)?>|\*{3,}|[█▇■]{2,}`)

// masked finds an answer of which nothing is left but marks.
func (j *judge) masked() (string, string) {
	if j.row.Has(j.row.Response, canonical.CallPart) {
		return "", ""
	}
	found := ""
	for body := range stats.Texts(j.row, j.row.Response) {
		if body.Blank() {
			continue
		}
		if len(body) > longestMasked || saysFirst(string(body)) {
			return "", ""
		}
		rest := masks.ReplaceAllStringFunc(body.Text(), func(mark string) string {
			if name := masks.FindStringSubmatch(mark)[1]; name != "" && rules.Entities()[name] == "" {
				return mark
			}
			found = mark
			return ""
		})
		if strings.ContainsFunc(rest, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) }) {
			return "", ""
		}
	}
	if found == "" {
		return "", ""
	}
	return want("response.text", "an answer, have only marks such as %q", found)
}

// saysFirst reports whether a letter or digit comes before anything that can begin a mark, as in nearly every answer. An escape of
// four hex digits counts as such a beginning, and any escape where no letter or digit follows.
func saysFirst(body string) bool {
	escaped := false
	for len(body) > 0 {
		r, size := utf8.DecodeRuneInString(body)
		switch {
		case r == '\\' && len(body) > 1 && body[1] != 'u': // of no letter or digit
			size, escaped = 2, true
		case strings.ContainsRune(`[<({*\█▇■`, r):
			return false
		case unicode.IsLetter(r) || unicode.IsNumber(r):
			return true
		}
		body = body[size:]
	}
	return !escaped
}

// longestMasked is how long a text may be that is looked at. Nothing but marks is short.
const longestMasked = 4096
