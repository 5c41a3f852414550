package flow

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/nearest"
	"github.com/sluicehq/sluice/sdk/wire"
)

// The message of a reject has the reasons of all members where these are short, or where they are few and none is nearest. Explain shows
// them in any case.
const (
	longestReasons = 160
	fewReasons     = 3
)

// A declineReason is why a step declined a record, after the steps before it. Records share it.
type declineReason struct {
	step, message string
	before        *declineReason
}

func (r *declineReason) all() []string {
	if r == nil {
		return nil
	}
	return append(r.before.all(), r.step+": "+r.message)
}

// declineReasons holds the reasons of the records of a batch, each once: a batch may be thousands of records that none of dozens of
// steps takes, mostly for the same reasons.
type declineReasons struct {
	all    map[declineReason]*declineReason
	wanted map[*declineReason]*wanted
}

// add returns why a step declined a record, after the reason before.
func (d *declineReasons) add(step, message string, before *declineReason) *declineReason {
	r := declineReason{step, message, before}
	if known := d.all[r]; known != nil {
		return known
	}
	if d.all == nil {
		d.all = map[declineReason]*declineReason{}
	}
	d.all[r] = &r
	return &r
}

// maxWanted is how many reasons are kept read.
const maxWanted = 16

// outcome returns the outcome of a record that every member of a First declined. record may be empty.
func (d *declineReasons) outcome(first string, why *declineReason, record []byte) wire.Outcome {
	w := d.wanted[why]
	if w == nil {
		if d.wanted == nil || len(d.wanted) == maxWanted {
			d.wanted = map[*declineReason]*wanted{}
		}
		w = newWanted(why.all())
		d.wanted[why] = w
	}
	return wire.Outcome{Verdict: wire.Rejected, Fault: &wire.Fault{Code: DeclinedCode, Message: w.message(first, record)}}
}

// wanted is what the members of a First want, by the reasons for which all of them declined a record.
type wanted struct {
	why   []string
	words [][]string // of the message of each reason: what may be the name of a member
	known map[string]bool
	said  string // the last message, which records share
}

func newWanted(why []string) *wanted {
	w := &wanted{why: why, known: map[string]bool{}}
	for _, reason := range why {
		_, message, _ := strings.Cut(reason, ": ")
		w.words = append(w.words, wantedNames(message))
		for _, word := range wantedNames(reason) {
			w.known[word] = true
		}
	}
	return w
}

// message says why no member took a record, which may be empty.
func (w *wanted) message(first string, record []byte) string {
	said := "no step of first " + first + " took it: "
	near := w.nearest(record)
	switch all := strings.Join(w.why, "; "); {
	case len(all) <= longestReasons, near == "" && len(w.why) <= fewReasons:
		said += all
	case near == "" && len(record) > 0:
		said += "none is near, have " + jsontext.Describe(jsontext.Of(record))
	default:
		said += cmp.Or(near, "none is near")
	}
	if said != w.said {
		w.said = said
	}
	return w.said
}

// notNames are words of reasons that no member is called by.
var notNames = map[string]bool{
	"want": true, "have": true, "with": true, "each": true, "such": true, "list": true, "that": true, "only": true, "string": true, "strings": true, "word": true, "words": true, "keys": true,
	"without": true, "other": true, "another": true, "whose": true, "record": true,
}

// shortestName is how long the word of a reason is at least that may be the name of a member.
const shortestName = 4

// wantedNames returns the words of a reason that may be names of members.
func wantedNames(reason string) (words []string) {
	isLetter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
	for i := 0; i < len(reason); {
		start := i
		for i++; isLetter(reason[start]) && i < len(reason) && (isLetter(reason[i]) || reason[i] == '_' || '0' <= reason[i] && reason[i] <= '9'); {
			i++
		}
		if word := reason[start:i]; len(word) >= shortestName && !notNames[word] {
			words = append(words, word)
		}
	}
	return words
}

// nearest names the step that was nearest to take an object: one that wants a member which the record has with one letter wrong; else one
// whose reason says what it saw; else one that wants a member which an inner object has with one letter wrong, or the record with two.
// "" means none.
func (w *wanted) nearest(record []byte) string {
	if jsontext.Of(record).Kind() != '{' {
		return ""
	}
	levels := memberNames(jsontext.Of(record), w.known)
	return cmp.Or(w.misspelt(levels[:1], 1), saysWhatItSaw(w.why), w.misspelt(levels[1:], 1), w.misspelt(levels[:1], 2))
}

// misspelt names a step that wants a member which the record has with so many letters wrong, as "messages" for "mesages": of
// several at one level the first with the word in its name, or else the first.
func (w *wanted) misspelt(levels [][]member, edits int) string {
	for _, names := range levels {
		found := ""
		for i, reason := range w.why {
			want, have := nearWord(w.words[i], names, edits)
			if want == "" {
				continue
			}
			step, _, _ := strings.Cut(reason, ": ")
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

// nearWord returns the first word into which so many edits turn one of the names, and that name; "" for none.
func nearWord(words []string, names []member, edits int) (want string, have member) {
	for _, want := range words {
		for _, have := range names {
			if misspelt(have.name, want, edits) {
				return want, have
			}
		}
	}
	return "", member{}
}

// misspelt reports whether so many edits turn one word into the other, while its first or last letter is right. Two edits are too many for a
// short word.
func misspelt(have, want string, edits int) bool {
	n, m := len(have), len(want)
	if n < 4 || max(n-m, m-n) > edits || 3*edits > m || have[0] != want[0] && have[n-1] != want[m-1] {
		return false
	}
	return nearest.Edits(have, want) == edits
}

// A member of a record has a name, and the path of the object that it is in.
type member struct{ name, path string }

// How much of a record is looked at for names.
const (
	mostNames    = 64
	mostLevels   = 4
	mostElements = 2 // of an array: its others are alike
)

// memberNames returns the members of an object that are not known, level by level, whose names are words, as members of the shapes are.
// Others may hold values.
func memberNames(record jsontext.JSON, known map[string]bool) (levels [][]member) {
	type object struct {
		value jsontext.JSON
		path  string
	}
	below := []object{{record, ""}}
	left := mostNames
	for range mostLevels {
		var names []member
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
					names = append(names, member{name, o.path})
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
