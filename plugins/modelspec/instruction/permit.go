package instruction

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

var (
	// permits finds words of sentences that may permit a format, and again those that lift what forbids one.
	permits = notation.Pattern(`(?i)\b(?:may|can|could|might|allowed|permitted|free to|fine|ok(?:ay)?|acceptable|again|instead|otherwise|unless|except|` +
		`respond|reply|answer|output|return|write|use)\b`)
	again = notation.Pattern(`(?i)\b(?:may|can|could|allowed|permitted|free to|fine|ok(?:ay)?|available|enabled)\b.*\b(?:again|now|after all)\b|` +
		`\b(?:again|now|no longer|not (?:\w+ )?any ?more)\b.*\b(?:may|can|allowed|permitted|forbidden|prohibited|banned|disabled|available|enabled)\b`)
	// ignores matches sentences that take back what was said before.
	ignores = notation.Pattern(lead + `(?:ignore|disregard|forget)(?: (?:all|any|everything|what|of|the|my|our|your|those|these|this|that))*` +
		` (?:previous|prior|earlier|above|last|former|preceding|(?:i|we) (?:said|told)|(?:was|were) said)\b`)
	// alternative finds words behind which another format may be allowed.
	alternative = notation.Pattern(`(?i)\b(?:or|otherwise|else|alternatively|unless|except)\b`)
)

// mayIgnore reports whether a text has a part of a word of ignores.
func mayIgnore(text string) bool {
	for _, part := range []string{"gnore", "isregard", "orget"} {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// takesBack reports whether a sentence takes back what was said before.
func takesBack(sentence string) bool { return mayIgnore(sentence) && ignores().MatchString(sentence) }

// permitted returns the formats that a sentence without a demand may permit. A wrong one only lets an answer pass, so that any word of
// permission counts; a format of a tool, which its definition names too, is permitted where it had been forbidden.
func permitted(sentence string, settings notation.Formats) (formats []string) {
	words := formatSpan().ReplaceAllString(sentence, "")
	lifts := again().MatchString(words)
	if !lifts && (negated().MatchString(words) || !permits().MatchString(words)) {
		return nil
	}
	for name := range formatSpans(sentence) {
		format := knownFormat(name, settings)
		if isTool(name) {
			format = ""
			if lifts {
				format = notation.Canonical(name)
			}
		}
		if format != "" {
			formats = append(formats, strings.Clone(format))
		}
	}
	return formats
}

// alternatives returns the formats that the rest of a clause allows besides those it demands, as ", otherwise in `markdown`" does.
func alternatives(rest string, settings notation.Formats) (formats []string) {
	at := alternative().FindStringIndex(rest)
	if at == nil || negated().MatchString(rest) {
		return nil
	}
	for name := range formatSpans(rest[at[0]:]) {
		if format := knownFormat(name, settings); format != "" && !isTool(name) {
			formats = append(formats, strings.Clone(format))
		}
	}
	return formats
}

// permit adds formats that are permitted to those that are demanded, and takes them from those that are forbidden.
func (d *Demand) permit(formats []string) {
	if d.Formats != nil {
		for _, f := range formats {
			if !isTool(f) && !slices.Contains(d.Formats, f) {
				d.Formats = append(slices.Clip(d.Formats), f)
			}
		}
	}
	d.Forbidden = without(d.Forbidden, formats)
}
