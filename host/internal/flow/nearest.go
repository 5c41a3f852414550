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

// The message of a reject has the reasons of all members where these are short, or where they are few and none is nearest. Explain shows
// them in any case.
const (
	longestReasons = 160
	fewReasons     = 3
)

// allDeclined returns the outcome of a record that every member declined. record may be empty.
func allDeclined(first string, why []string, record []byte) wire.Outcome {
	said := "no step of first " + first + " took it: "
	near := nearest(why, record)
	switch all := strings.Join(why, "; "); {
	case len(all) <= longestReasons, near == "" && len(why) <= fewReasons:
		said += all
	case near == "" && len(record) > 0:
		said += "none is near, have " + jsontext.Describe(jsontext.Of(record))
	default:
		said += cmp.Or(near, "none is near")
	}
	return wire.Outcome{Verdict: wire.Rejected, Fault: &wire.Fault{Code: DeclinedCode, Message: said}}
}

var nameInReason = regexp.MustCompile(`[A-Za-z][A-Za-z0-9_]{3,}`)

// notNames are words of reasons that no member is called by.
var notNames = map[string]bool{
	"want": true, "have": true, "with": true, "each": true, "such": true, "list": true, "that": true, "only": true, "string": true, "strings": true, "word": true, "words": true, "keys": true,
	"without": true, "other": true, "another": true, "whose": true, "record": true,
}

// wantedNames returns the words of a reason that may be names of members.
func wantedNames(reason string) []string {
	return slices.DeleteFunc(nameInReason.FindAllString(reason, -1), func(word string) bool { return notNames[word] })
}

// nearest names the step that was nearest to take an object: one that wants a member which the record has with one letter wrong; else one
// whose reason says what it saw; else one that wants a member which an inner object has with one letter wrong, or the record with two.
// "" means none.
func nearest(why []string, record []byte) string {
	if jsontext.Of(record).Kind() != '{' {
		return ""
	}
	known := map[string]bool{}
	for _, reason := range why {
		for _, word := range wantedNames(reason) {
			known[word] = true
		}
	}
	levels := memberNames(jsontext.Of(record), known)
	return cmp.Or(misspeltMember(why, levels[:1], 1), saysWhatItSaw(why), misspeltMember(why, levels[1:], 1), misspeltMember(why, levels[:1], 2))
}

// misspeltMember names a step that wants a member which the record has with so many letters wrong, as "messages" for "mesages": of
// several at one level the first with the word in its name, or else the first.
func misspeltMember(why []string, levels [][]place, edits int) string {
	for _, names := range levels {
		found := ""
		for _, reason := range why {
			step, message, _ := strings.Cut(reason, ": ")
			want, have := nearWord(wantedNames(message), names, edits)
			if want == "" {
				continue
			}
			text := fmt.Sprintf("nearest is %s: want %q, have %q", step, want, have.name)
			if have.path != "" {
				text += " in " + have.path
			}
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

// saysWhatItSaw names the first step whose reason says what was there, so it found some of what it wants.
func saysWhatItSaw(why []string) string {
	for _, reason := range why {
		if strings.Contains(reason, ", have ") {
			return "nearest is " + reason
		}
	}
	return ""
}

// nearWord returns the first of some words that a name is with so many edits, and that name; "" for none.
func nearWord(words []string, names []place, edits int) (want string, have place) {
	for _, want := range words {
		for _, have := range names {
			if misspelt(have.name, want, edits) {
				return want, have
			}
		}
	}
	return "", place{}
}

// misspelt reports whether a word is another with so many edits, and with one end that is right. Of a short word two edits make another.
// Two neighbouring letters in each other's place are one edit.
func misspelt(have, want string, edits int) bool {
	n, m := len(have), len(want)
	if n < 4 || max(n-m, m-n) > edits || 3*edits > m || have[0] != want[0] && have[n-1] != want[m-1] {
		return false
	}
	if swapped(have, want) {
		return edits == 1
	}
	return levenshtein.Distance(have, want, nil) == edits
}

// swapped reports whether two words differ by two neighbouring letters in each other's place alone.
func swapped(a, b string) bool {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	return len(a) == len(b) && i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}

// A place is a member of a record, by its name and the path of the object that has it.
type place struct{ name, path string }

// How much of a record is looked at for names.
const (
	mostNames    = 64
	mostLevels   = 4
	mostElements = 2 // of an array: its others are alike
)

// memberNames returns the members of an object that are not known, level by level, whose names are words, as members of the shapes are.
// Others may hold values.
func memberNames(record jsontext.JSON, known map[string]bool) (levels [][]place) {
	type object struct {
		value jsontext.JSON
		path  string
	}
	below := []object{{record, ""}}
	left := mostNames
	for range mostLevels {
		var names []place
		var next []object
		for _, o := range below {
			for name, value := range o.value.Members() {
				if left == 0 {
					break
				}
				if quoted := jsontext.Quote(name); jsontext.Seen(quoted) != string(quoted) {
					continue
				}
				left--
				if !known[name] && (o.path == "" || !known[name+"s"]) { // messages have a content where records have contents
					names = append(names, place{name, o.path})
				}
				path := strings.TrimPrefix(o.path+"."+name, ".")
				if value.Kind() == '{' {
					next = append(next, object{value, path})
				}
				for i, element := range value.Elements() {
					if i == mostElements {
						break
					}
					next = append(next, object{element, fmt.Sprintf("%s.%d", path, i)})
				}
			}
		}
		levels, below = append(levels, names), next
	}
	return levels
}
