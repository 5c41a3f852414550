package instruction

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// Languages matches the common names of formats, in one group.
const Languages = `(jsonl?|yaml|xml|csv|html|markdown|plaintext|text|python|javascript|typescript|sql|latex|svg|toml|rust|go|java|diff|svelte|css)`

// announces matches a line that announces the format of answers.
var announces = notation.Pattern(`(?i)\b(?:this|following|below)\b.*` + kind + `\W*$`)

var isLanguage = notation.Pattern(`^` + Languages + `$`)

// A Demand says which formats the answers of the assistant have.
type Demand struct {
	Formats   []string // an answer has one of them; nil for any
	Forbidden []string // an answer, or a call, has none of them
}

// Demands are those of the platform, of a developer, or of both.
type Demands struct {
	Firm  Demand // of sentences that can mean nothing else
	Loose Demand // of those that ask ("you should"), or may mean something else
}

// ReadDemands returns the demands in lines. Of sentences that contradict each other the last counts. It knows formats of the settings
// and languages: the span of "the `slug` format" may be a format of something in an answer.
func ReadDemands(lines []Line, settings notation.Formats) (all Demands) {
	for text := range paragraphs(lines) {
		other := false // a sentence before is about something else than the assistant
		for s := range sentences(text) {
			if matters(s, settings) {
				all.Add(demandsOf(s, other, settings))
			} else if !ofRole().MatchString(s) {
				other = true
			}
		}
	}
	if all.IsEmpty() {
		all.Loose.Formats = announced(lines)
	}
	return all
}

// announced returns the format of the block by which lines ask for answers, as "in this response format" does above a block of
// "typescript:json", or nil.
func announced(lines []Line) []string {
	above := ""
	for _, l := range lines {
		if l.Kind == FenceLine {
			schema, format := notation.Split(notation.Canonical(l.Info()))
			if schema != "" && isLanguage().MatchString(format) && announces().MatchString(above) && !conditional().MatchString(above) && !negated().MatchString(above) {
				return []string{strings.Clone(format)}
			}
		}
		if l.Text != "" {
			above = l.Prose
		}
	}
	return nil
}

// IsEmpty reports whether nothing is demanded.
func (d *Demands) IsEmpty() bool {
	return d.Firm.Formats == nil && d.Firm.Forbidden == nil && d.Loose.Formats == nil && d.Loose.Forbidden == nil
}

// Add adds what the same author demands later.
func (d *Demands) Add(later Demands) {
	if later.Firm.Formats != nil {
		d.Loose = Demand{}
	}
	d.Firm.add(later.Firm)
	d.Loose.add(later.Loose)
}

// Over returns the demands of the platform with those of a developer, who does not override them.
func (d Demands) Over(developer Demands) Demands {
	all := developer
	if d.Firm.Formats != nil {
		all = Demands{Firm: Demand{Forbidden: developer.Firm.Forbidden}}
	}
	all.Add(d)
	return all
}

func (d *Demand) add(later Demand) {
	if later.Formats != nil {
		d.Formats = later.Formats
	}
	d.Forbidden = append(without(d.Forbidden, later.Formats), later.Forbidden...)
	d.Formats = without(d.Formats, later.Forbidden)
}

// without returns the formats that are none of others, nil for none.
func without(formats, others []string) (left []string) {
	for _, f := range formats {
		if !slices.Contains(others, f) {
			left = append(left, f)
		}
	}
	return left
}

// ofRole matches sentences that say who or how the assistant is.
var ofRole = notation.Pattern(`(?i)^\W*(?:you are|you must be|be) `)

// demandsOf returns what a sentence demands. Behind one about something else, "only the `csv` format is allowed" may be about that.
func demandsOf(sentence string, other bool, settings notation.Formats) (all Demands) {
	sentence = strings.TrimLeft(strings.ReplaceAll(sentence, "*", ""), " \n-–—#(") // without marks of emphasis
	for r := range readings(sentence) {
		formats := known(r, settings)
		if formats == nil {
			continue
		}
		demand := Demand{Formats: formats}
		if r.forbids {
			demand = Demand{Forbidden: formats}
		}
		if r.force == firm && !(r.bare && other) {
			all.Firm.add(demand)
		} else {
			all.Loose.add(demand)
		}
	}
	return all
}

// known returns the formats that a reading names, nil if one of them is neither a language nor in the settings. A format of a tool is
// none of answers, but may be forbidden.
func known(r reading, settings notation.Formats) (formats []string) {
	for name := range formatSpans(r.formats) {
		format := knownFormat(name, settings)
		if isTool(name) {
			if format = notation.Canonical(name); !r.forbids {
				return nil
			}
		}
		if format == "" {
			return nil
		}
		formats = append(formats, strings.Clone(format)) // the sentence may be in memory that is used again
	}
	return formats
}

// matters reports whether a sentence names a format that is known, or may forbid one of a tool.
func matters(sentence string, settings notation.Formats) bool {
	for name := range formatSpans(sentence) {
		if isTool(name) && mayDeny(sentence) || !isTool(name) && knownFormat(name, settings) != "" {
			return true
		}
	}
	return false
}

// mayDeny reports whether a sentence has a part of a word of denial. Few definitions of tools have, so that it saves reading them.
func mayDeny(sentence string) bool {
	for _, part := range []string{"ever", "not", "n't", "n’t", "NOT", "EVER", "orbid", "rohibit", "banned"} {
		if strings.Contains(sentence, part) {
			return true
		}
	}
	return false
}

// knownFormat returns the canonical name of a language or a format of the settings, "" for others.
func knownFormat(name string, settings notation.Formats) string {
	if format := notation.Canonical(strings.ToLower(name)); isLanguage().MatchString(format) {
		return format
	}
	format := notation.Canonical(name)
	if _, listed := settings.Find(format); listed {
		return format
	}
	return ""
}
