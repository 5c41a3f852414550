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

	permitted []string // formats that sentences behind these demands permit
	anew      bool     // what the same author said before is taken back
}

// MayDemand reports whether ReadDemands may find something in a text. later says that there were demands before it.
func MayDemand(text string, settings notation.Formats, later bool) bool {
	return strings.IndexByte(text, '`') >= 0 || plainIn(text, settings) != nil || later && mayIgnore(text)
}

// A reader reads the sentences of a text. It knows formats of the settings and languages: the span of "the `slug` format" may be a format
// of something in an answer.
type reader struct {
	text     string
	settings notation.Formats
	plain    plain
}

// ReadDemands returns the demands in the lines of a text. Of sentences that contradict each other the last counts, and one that permits a
// format adds it. later says that there were demands before the text, which it may take back.
func ReadDemands(text string, lines []Line, settings notation.Formats, later bool) (all Demands) {
	r := reader{text, settings, plainIn(text, settings)}
	for paragraph := range paragraphs(r.plain.quoted(lines), later && mayIgnore(text)) {
		other := false // a sentence before is about something else than the assistant
		for s := range sentences(paragraph) {
			s = strings.TrimLeft(strings.ReplaceAll(s, "*", ""), " \n-–—#(") // without marks of emphasis
			if takesBack(s) {
				all = Demands{anew: true}
			}
			if r.matters(s) {
				all.Add(r.demandsOf(s, other))
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

// Lifts reports whether something is permitted, or taken back, that may have been demanded or forbidden before.
func (d *Demands) Lifts() bool { return d.anew || d.permitted != nil }

// Add adds what the same author demands later.
func (d *Demands) Add(later Demands) {
	if later.anew {
		*d = Demands{anew: true}
	}
	if later.Firm.Formats != nil {
		d.Loose, d.permitted = Demand{}, nil
	}
	d.Firm.add(later.Firm)
	d.Loose.add(later.Loose)
	if later.Firm.Formats == nil {
		d.Firm.permit(later.Loose.Formats)
	}
	d.Firm.permit(later.permitted)
	d.Loose.permit(later.permitted)
	d.permitted = append(without(without(d.permitted, later.Firm.Forbidden), later.Loose.Forbidden), later.permitted...)
}

// Over returns the demands of the platform with those of a developer, who does not override them.
func (d Demands) Over(developer Demands) Demands {
	all := developer
	if d.Firm.Formats != nil {
		all = Demands{Firm: Demand{Forbidden: developer.Firm.Forbidden}}
	}
	all.Add(Demands{Firm: d.Firm, Loose: d.Loose})
	return all
}

func (d *Demand) add(later Demand) {
	if later.Formats != nil {
		d.Formats = later.Formats
	}
	d.Forbidden = append(without(without(d.Forbidden, later.Formats), later.Forbidden), later.Forbidden...)
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

// demandsOf returns what a sentence demands, or else what it permits. Behind one about something else, "only the `csv` format is allowed"
// may be about that.
func (r *reader) demandsOf(sentence string, other bool) (all Demands) {
	for clause := range readings(sentence) {
		formats := r.known(clause)
		if formats == nil || clause.vague && r.isPlain(formats) {
			continue
		}
		demand := Demand{Formats: formats}
		if clause.forbids {
			demand = Demand{Forbidden: formats}
		} else {
			demand.permit(alternatives(clause.rest, r.settings))
		}
		if clause.force == firm && !(clause.bare && other) {
			all.Firm.add(demand)
		} else {
			all.Loose.add(demand)
		}
	}
	if all.IsEmpty() {
		all.permitted = permitted(sentence, r.settings)
	}
	return all
}

// isPlain reports whether the text has one of the formats in no code span.
func (r *reader) isPlain(formats []string) bool {
	return slices.ContainsFunc(r.plain, func(name string) bool {
		return slices.Contains(formats, notation.Canonical(name)) && !strings.Contains(r.text, "`"+name+"`")
	})
}

// known returns the formats that a clause names, nil if one of them is neither a language nor in the settings. A format of a tool is
// none of answers, but may be forbidden.
func (r *reader) known(c reading) (formats []string) {
	for name := range formatSpans(c.formats) {
		format := knownFormat(name, r.settings)
		if isTool(name) {
			if format = notation.Canonical(name); !c.forbids {
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

// matters reports whether a sentence names a format that is known, or may forbid or permit one of a tool.
func (r *reader) matters(sentence string) bool {
	for name := range formatSpans(sentence) {
		if isTool(name) && mayDeny(sentence) || !isTool(name) && knownFormat(name, r.settings) != "" {
			return true
		}
	}
	return false
}

// mayDeny reports whether a sentence has a part of a word of denial, or of one that lifts it. Few definitions of tools have, so that it
// saves reading them.
func mayDeny(sentence string) bool {
	for i := 0; i+3 < len(sentence); i++ {
		letter := sentence[i] | 0x20
		if letter > 'z' {
			continue
		}
		for _, part := range denials[letter] {
			if rest := sentence[i+1:]; len(rest) >= len(part) && strings.EqualFold(rest[:len(part)], part) {
				return true
			}
		}
	}
	return false
}

// denials lists what follows a letter in words such as never, avoid, unavailable, not, forbidden, disabled, off and again.
var denials = ['z' + 1][]string{
	'v': {"er", "oid", "ail", "at"}, 'n': {"ot", "'t", "’t", "ow ", "ned"}, 'b': {"id", "led"}, 'h': {"ib"}, 'f': {"f "}, 'g': {"ain"},
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
