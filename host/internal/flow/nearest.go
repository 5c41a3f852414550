package flow

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agext/levenshtein"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// longestReasons is how long the reasons of all members may be to be told in the message of a reject. Explain has them in any case.
const longestReasons = 160

// allDeclined returns the outcome of a record that every member declined. record may be empty.
func allDeclined(first string, why []string, record []byte) wire.Outcome {
	said := "no step of first " + first + " took it: "
	switch all := strings.Join(why, "; "); {
	case len(all) <= longestReasons:
		said += all
	default:
		names := memberNames(record)
		near := nearest(why, names)
		if near == "" && len(record) > 0 {
			near = "none is near, have " + seenNames(record, names)
		}
		said += cmp.Or(near, "none is near")
	}
	return wire.Outcome{Verdict: wire.Rejected, Fault: &wire.Fault{Code: DeclinedCode, Message: said}}
}

var nameInReason = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_]{3,}`)

// nearest names a step whose reason has a word that the record has with a letter or two wrong, as "messages" for "mesages": of
// several the first with the word in its name, or else the first.
func nearest(why, names []string) string {
	words := map[string]bool{}
	for _, reason := range why {
		for _, word := range nameInReason.FindAllString(reason, -1) {
			words[word] = true
		}
	}
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return words[name] })
	for edits := 1; edits <= 2; edits++ {
		found := ""
		for _, reason := range why {
			step, message, _ := strings.Cut(reason, ": ")
			want, have := nearWord(nameInReason.FindAllString(message, -1), names, edits)
			if have == "" {
				continue
			}
			text := fmt.Sprintf("nearest is %s: want %q, have %q", step, want, have)
			if strings.Contains(step, want) {
				return text
			}
			found = cmp.Or(found, text)
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// nearWord returns the first of some words that a name is with so many edits, and that name; "" for none.
func nearWord(words, names []string, edits int) (want, have string) {
	for _, want := range words {
		for _, have := range names {
			if misspelt(have, want, edits) {
				return want, have
			}
		}
	}
	return "", ""
}

// misspelt reports whether a word is another with so many edits, and with one end that is right. Of a short word two edits make another.
func misspelt(have, want string, edits int) bool {
	n, m := len(have), len(want)
	if n < 4 || max(n-m, m-n) > edits || 3*edits > m || have[0] != want[0] && have[n-1] != want[m-1] {
		return false
	}
	return levenshtein.Distance(have, want, nil) == edits
}

// mostNames is how many members of a record are looked at.
const mostNames = 32

// memberNames returns the first members of a record whose names are words, as members of the shapes are. Others may hold values.
func memberNames(record []byte) (names []string) {
	for name := range jsontext.Of(record).Members() {
		if quoted := jsontext.Quote(name); jsontext.Seen(quoted) == string(quoted) && !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(names) == mostNames {
			break
		}
	}
	return names
}

// seenNames says what a record is, with some of its members.
func seenNames(record []byte, names []string) string {
	kind := jsontext.KindName(jsontext.Of(record).Kind())
	if len(names) == 0 {
		return kind
	}
	const shown = 3
	text := kind + " with " + strings.Join(names[:min(len(names), shown)], ", ")
	if len(names) > shown {
		text += fmt.Sprintf(" and %d more", len(names)-shown)
	}
	return text
}
