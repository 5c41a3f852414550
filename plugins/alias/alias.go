// Package alias replaces retired action names by current ones, in every place of a row that can hold a name.
package alias

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "alias".
var Plugin = sdk.Plugin{
	Name:     "alias",
	Doc:      "rewrites retired action names to current ones, in every place that holds a name",
	Args:     config{Choice: profile.Standard},
	TakesAll: true,
	New:      open,
	Codes: map[string]string{
		"too_many_names": "the row has more names of tools and actions than the step handles; split it",
	},
}

type config struct {
	File    string            `hcl:"file,optional" doc:"a map of retired names to current ones" example:"\"aliases/eliza.json\""`
	Aliases map[string]string `hcl:"aliases,optional" doc:"more exact rules, retired name to current one" example:"{\"REPLY_TO\":\"REPLY\"}"`
	profile.Choice
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	if err := a.Decode(&cfg); err != nil {
		return nil, err
	}
	if cfg.File == "" && len(cfg.Aliases) == 0 {
		return nil, a.Errorf("", "want file or aliases")
	}
	aliases, prefixes, err := readFile(cfg.File)
	if err != nil {
		return nil, a.Errorf("file", "%v", err)
	}
	if cfg.Profile == "reference" {
		reference, err := profile.Reference[func(aliases, prefixes gjson.Result, inline map[string]string) sdk.Processor](a, "alias")
		if err != nil {
			return nil, err
		}
		return reference(aliases, prefixes, cfg.Aliases), nil
	}
	rules, err := load(a, aliases, prefixes, cfg.Aliases)
	if err != nil {
		return nil, err
	}
	return &renamer{names: names{rules: rules}, first: map[string]int{}, families: map[string]family{}}, nil
}

// A renamer implements the standard profile. It passes rows without retired names on unchanged.
type renamer struct {
	names   names
	edits   []edit
	entries []entry
	first   map[string]int // which entry of a list keeps a name

	families map[string]family // by their entries, the one that stays first
	key      []byte            // of families, for reuse
}

// An edit replaces the bytes from start to end in the record.
type edit struct {
	start, end int
	text       string
}

// Process implements sdk.Processor.
func (p *renamer) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	text := jsontext.View(r.JSON())
	row := canonical.Read(r)
	names := row.Names()
	p.edits = p.edits[:0]
	if len(names) > canonical.MaxNames {
		return sdk.Reject("too_many_names", "", "want at most %d names of tools and actions", canonical.MaxNames)
	}
	for _, n := range names {
		if p.names.of(n.Body) != nil {
			if err := p.rename(r, row); err != nil {
				return err
			}
			break
		}
	}
	p.countLeft(r, text, p.edits)
	emit(r)
	return nil
}

// rename replaces the retired names of a row. Where entries of a list get the same name, it keeps one.
func (p *renamer) rename(r *sdk.Record, row *canonical.Row) error {
	p.entries = p.entries[:0]
	for _, n := range row.Names() {
		found := p.names.of(n.Body)
		if n.List > 0 {
			p.entries = append(p.entries, entry{Name: n, found: found})
		}
		if found == nil {
			continue
		}
		for _, rule := range found.rules {
			r.Count(rule, 1)
		}
		at, _ := row.Place(string(n.Body))
		p.edits = append(p.edits, edit{at.Start, at.End, at.Raise(string(found.body))})
		if n.Use == canonical.ActionUse && jsontext.JSON(n.Entry).Get("originalName") == "" {
			behind := at.End + len(`"`)
			p.edits = append(p.edits, edit{behind, behind, `,"originalName":"` + string(n.Body) + `"`})
		}
	}
	cuts := p.merge(r, row)
	p.edits = append(slices.DeleteFunc(p.edits, cuts.hold), cuts...)
	slices.SortStableFunc(p.edits, func(a, b edit) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	for _, e := range p.edits {
		if err := r.Splice(e.start, e.end, jsontext.Bytes(e.text)); err != nil {
			return err
		}
	}
	return nil
}

// countLeft counts retired names that remain in prose, schemas and arguments, where the step does not look for names, outside of
// edits, which are in order. Only names in capitals with an underscore count, since a single word may mean something else; an
// originalName does not count.
func (p *renamer) countLeft(record *sdk.Record, text string, edits []edit) {
	for at := 0; ; {
		next := strings.IndexByte(text[at:], '_')
		if next < 0 {
			return
		}
		start, end := at+next, at+next+1
		for start > at && isWord(text[start-1]) {
			start--
		}
		start += escape(text, start)
		for end < len(text) && isWord(text[end]) {
			end++
		}
		if at = end; text[start] < 'A' || text[start] > 'Z' || inWord(text, start, end) {
			continue
		}
		for len(edits) > 0 && edits[0].end <= start {
			edits = edits[1:]
		}
		if len(edits) > 0 && edits[0].start <= start {
			continue
		}
		_, rule, ok := p.names.rules.step(text[start:end])
		if ok && !strings.HasSuffix(strings.TrimRight(text[:start], ` :"\`), "originalName") {
			record.Count("left."+strings.TrimPrefix(rule, "rule."), 1)
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// inWord reports whether a range of a text is a part of a word that has letters outside of ASCII.
func inWord(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	behind, _ := utf8.DecodeRuneInString(text[end:])
	return before >= utf8.RuneSelf && unicode.IsLetter(before) || behind >= utf8.RuneSelf && unicode.IsLetter(behind)
}

// escape returns how many letters of a word belong to the escape before it, as in "\nNAME".
func escape(text string, start int) int {
	switch {
	case start == 0 || text[start-1] != '\\':
		return 0
	case text[start] == 'u':
		return min(len("u0000"), len(text)-1-start)
	case strings.IndexByte("bfnrt", text[start]) >= 0:
		return 1
	}
	return 0
}
