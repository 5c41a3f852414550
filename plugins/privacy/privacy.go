// Package privacy replaces the secrets and personal data that rules find in records, and writes a ledger of what it replaced.
package privacy

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/plugins/privacy/backend"
	"github.com/sluicehq/sluice/plugins/privacy/recognise"
	"github.com/sluicehq/sluice/plugins/privacy/redact"
	"github.com/sluicehq/sluice/plugins/privacy/report"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the step "privacy".
var Plugin = sdk.Plugin{
	Name:     "privacy",
	Doc:      "replaces the secrets, personal data and places that its rules find, and writes a ledger of what it replaced",
	Args:     config{Choice: profile.Standard, Action: "mask", Handles: "social", Scope: "record"},
	TakesAll: true,
	New:      open,
	Codes: map[string]string{
		unseenMedia:         "a warning, and no reject: the row holds images, audio, video or files, which the step does not look into; look at them by other means",
		"backend":           "the recogniser of backend failed over the record; on_failure = \"stop\" ends the run instead",
		"too_many_findings": fmt.Sprintf("the record holds more than %d findings; split it, such as at its lines", redact.MaxFindings),
		"personal_data":     "the record holds what an entity's action \"reject\" is for; the path says where",
		"residue":           "after the filter the rules find something, or a coarse detector suspects something behind a word for it, which strict refuses; write a rule for it, or allow it",
	},

	Private: true,
	Outputs: []string{"ledger"},
}

// unseenMedia is the code of the warning about rows with media.
const unseenMedia = "unseen_media"

// Reference implements profile "reference".
type Reference struct {
	New      func(structured bool) func(doc string) redact.Outcome // returns the filter of one worker
	Entities func() []string                                       // that it finds
	Files    fs.FS                                                 // the code of the filter, for RulesHash
}

func open(a sdk.Args) (sdk.Processor, error) {
	var c config
	wrong := a.Decode(&c)
	structured := c.Structured == nil || *c.Structured
	key, err := c.ledgerKey(a)
	if err != nil {
		return nil, errors.Join(wrong, err)
	}
	p := &processor{strict: c.strict(), hasher: report.NewHasher(key)}
	if c.Profile == "reference" {
		reference, err := profile.Reference[Reference](a, "privacy")
		if err := errors.Join(wrong, err); err != nil {
			return nil, err
		}
		filter := reference.New(structured)
		p.find = func(doc string, _ hints) (redact.Outcome, error) { return filter(doc), nil }
		return p, nil
	}
	f, err := c.standard(a, p)
	if err := errors.Join(wrong, err); err != nil {
		return nil, err
	}
	p.find, p.filter = f.Find, f
	return p, nil
}

// hints are what a backend found, by text.
type hints = map[string][]recognise.Hint

// A find returns everything that it finds in a JSON text. With an error the edits are those that let the text be shown.
type find func(doc string, hints hints) (redact.Outcome, error)

// A processor is one worker of the step.
type processor struct {
	find    find
	backend *backend.Backend // nil without one
	stops   bool             // the run ends when the backend fails
	filter  *redact.Filter   // of the standard profile
	strict  bool             // reject a record with findings after the filter
	hasher  *report.Hasher   // of ledger rows, nil without a key
	row     []byte
	path    []byte
}

// Process implements sdk.Processor.
func (p *processor) Process(ctx context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	doc := jsontext.View(r.JSON())
	hints, err := p.ask(ctx, doc)
	if err != nil {
		p.warn(r)
		r.Conceal([]byte("null")) // since nothing searched it
		return err
	}
	found, err := p.find(doc, hints)
	if found.Media {
		p.warn(r)
	}
	switch {
	case found.TooMany:
		r.Conceal([]byte("null")) // since not all are known
		return err
	case err != nil:
		r.Conceal(Mask(redact.Apply(doc, found.Edits)))
		return err
	}
	if len(found.Findings) > 0 {
		p.account(r, found.Findings)
		if p.strict && !found.Settled {
			if err := p.residue(r, redact.Apply(doc, found.Edits)); err != nil {
				return err
			}
		}
	}
	if err := p.suspect(r, doc, found.Edits); err != nil {
		return err
	}
	for _, e := range found.Edits {
		if err := r.Splice(e.Start, e.End, jsontext.Bytes(e.Text)); err != nil {
			return err
		}
	}
	emit(r)
	return nil
}

// warn warns of media, which nothing searches.
func (p *processor) warn(r *sdk.Record) {
	isMedium := func(part canonical.Part) bool { return part.Kind == canonical.MediaPart }
	if p.filter != nil && slices.ContainsFunc(canonical.Read(r).Parts, isMedium) {
		r.Warn(unseenMedia, "")
	}
}

// ask returns what the backend finds in the strings of a record, or nil without a backend.
func (p *processor) ask(ctx context.Context, doc string) (hints, error) {
	if p.backend == nil {
		return nil, nil
	}
	texts := redact.Texts(doc)
	slices.Sort(texts)
	texts = slices.Compact(texts)
	results, err := p.backend.Ask(ctx, texts)
	if err != nil && p.stops {
		return nil, sdk.Fatal("want an answer of the backend: %v", err)
	}
	if err != nil {
		return nil, sdk.Reject("backend", "", "want an answer of the backend: %v", err)
	}
	all := hints{}
	for i, text := range texts {
		for _, span := range results[i] {
			all[text] = append(all[text], span.Hint)
		}
	}
	return all, nil
}

// account writes a ledger row for each finding and counts them.
func (p *processor) account(r *sdk.Record, findings []redact.Finding) {
	var last redact.Path
	alike := 0 // findings in a row with one label
	for i := range findings {
		f := &findings[i]
		if i == 0 || len(last) != len(f.Path) || len(last) > 0 && &last[0] != &f.Path[0] { // findings in one string share it
			p.path = f.Path.Append(p.path[:0], hashOf(p.hasher))
			last = f.Path
		}
		row := report.Row{Path: p.path, InKey: f.InKey, Entity: f.Entity, Rule: f.Rule, Start: f.Start, End: f.End, Replacement: f.Out, Value: f.Value}
		if p.filter != nil && p.hasher != nil {
			row.Value = p.filter.Engine.Canonical(f.Entity, f.Value)
		}
		p.row = row.AppendJSON(p.row[:0], p.hasher)
		r.Side("ledger", p.row)
		if alike++; i+1 < len(findings) && *findings[i+1].Label == *f.Label {
			continue
		}
		r.Count("entity."+f.Entity, alike)
		r.Count("category."+rules.Category(f.Entity), alike)
		r.Count("rule."+f.Rule, alike)
		alike = 0
	}
}

// residue rejects a record when the rules find something in what the filter left, out.
func (p *processor) residue(r *sdk.Record, out []byte) error {
	left, err := p.find(jsontext.View(out), nil)
	if err == nil && len(left.Findings) == 0 {
		return nil
	}
	r.Conceal(Mask(masked(p.find, out)))
	if err != nil {
		return sdk.Keep(err)
	}
	r.Count("residue", len(left.Findings))
	for _, f := range left.Findings {
		r.Count("residue."+f.Rule, 1)
	}
	first, path := left.Findings[0], ""
	if p.filter != nil {
		path = string(first.Path.Append(nil, p.filter.Hash))
	}
	return sdk.Keep(sdk.Reject("residue", path, "want nothing left after the filter, have %d findings, the first by rule %s", len(left.Findings), first.Rule))
}

// suspect searches the record to emit once more, with a coarse detector that does not know the rules. A strict step rejects a
// record in which that is sure of something; any other counts it.
func (p *processor) suspect(r *sdk.Record, doc string, edits []redact.Edit) error {
	if p.filter == nil {
		return nil
	}
	found := p.filter.Look(doc, edits)
	for _, s := range found.Denied {
		r.Count("suspect."+strings.ReplaceAll(s.Kind, " ", "-"), 1)
	}
	if found.Numbers > 0 {
		r.Count("suspect.number", found.Numbers)
	}
	if len(found.Sure) == 0 {
		return nil
	}
	counted := "suspect."
	if p.strict {
		counted = "residue.coarse-"
		r.Count("residue", len(found.Sure))
	}
	for _, s := range found.Sure {
		r.Count(counted+strings.ReplaceAll(s.Kind, " ", "-"), 1)
	}
	if !p.strict {
		return nil
	}
	r.Conceal([]byte("null")) // since no rule can mask it
	first := found.Sure[0]
	path := p.filter.PathOf(first, doc, edits)
	if first.Word == "" {
		return sdk.Keep(sdk.Reject("residue", path, "want nothing left after the filter, have the rest of a secret behind its marker"))
	}
	return sdk.Keep(sdk.Reject("residue", path, "want nothing left after the filter, have what looks like a %s behind the word %q", first.Kind, first.Word))
}

// Close implements io.Closer.
func (p *processor) Close() error {
	if p.backend == nil {
		return nil
	}
	return p.backend.Close()
}

// hashOf returns the hash of paths and replacements, or nil without a key.
func hashOf(h *report.Hasher) redact.Hash {
	if h == nil {
		return nil
	}
	return h.Append
}

// code is the code of the packages that findings depend on, and the data of phone; rules has its own.
//
//go:embed ascii/*.go checkdigit/*.go coarse/*.go phone/*.go phone/*.txt plaintext/*.go prefilter/*.go prefilter/*.s recognise/*.go redact/*.go shape/*.go
var code embed.FS

// deciding returns the data and the code that findings depend on, by folder.
func deciding() map[string]fs.FS {
	folders := map[string]fs.FS{"rules": rules.Files}
	packages, _ := code.ReadDir(".") // in memory
	for _, p := range packages {
		folders[p.Name()], _ = fs.Sub(code, p.Name())
	}
	if reference, ok := profile.Lookup[Reference]("privacy"); ok {
		folders["../reference/privacy"] = reference.Files
	}
	return folders
}

// RulesHash returns the SHA-256 of all that findings and replacements depend on: the data and the code of the rules.
var RulesHash = sync.OnceValue(func() string { return hashOfFiles(deciding()) })

func hashOfFiles(folders map[string]fs.FS) string {
	h, buffer := sha256.New(), make([]byte, 16<<10)
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		err := fs.WalkDir(folders[folder], ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := folders[folder].Open(name)
			if err != nil {
				return err
			}
			defer file.Close()
			info, err := file.Stat()
			if err != nil {
				return err
			}
			fmt.Fprintf(h, "%q %q %d\n", folder, name, info.Size())
			_, err = io.CopyBuffer(h, file, buffer)
			return err
		})
		if err != nil {
			panic(err) // they are embedded
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

var maskEngine = sync.OnceValue(func() *recognise.Engine { return recognise.New(recognise.Options{Regions: defaultRegions}) })

// Mask returns a JSON text with everything masked that the default rules find, so that a record can be shown that a privacy step
// did not accept. It returns null for a text with something that cannot be masked, such as a name in a schema, and for one that is no JSON.
func Mask(json []byte) []byte {
	if isPlain(json) {
		return json
	}
	if !isJSON(json) {
		return []byte("null")
	}
	f := maskFilters.Get().(*redact.Filter)
	text := masked(f.Find, json)
	maskFilters.Put(f)
	return text
}

// isJSON reports whether the filters can read a text, which may come from a file that has changed, or be the beginning of a record.
func isJSON(text []byte) bool { return jsontext.Check(text, len(text)) == nil }

// maskFilters are filters for reuse: a run masks many short texts, and each filter has tables of its own.
var maskFilters = sync.Pool{New: func() any { return &redact.Filter{Engine: maskEngine()} }}

// Found is a personal or secret value with its entity, such as EMAIL_ADDRESS.
type Found struct{ Entity, Value string }

// Find returns all that the default rules find in a JSON text. Values are decoded, in JSON in strings at every level. What is no JSON is
// read as the text of one string.
func Find(json []byte) (all []Found) {
	if !isJSON(json) {
		json = jsontext.AppendString(nil, string(json))
	}
	f := &redact.Filter{Engine: maskEngine(), Unbounded: true}
	for range redact.MaxPasses {
		found, _ := f.Find(jsontext.View(json), nil) // an error comes with the findings
		for _, x := range found.Findings {
			all = append(all, Found{x.Entity, x.Value})
		}
		if len(found.Edits) == 0 {
			break
		}
		json = redact.Apply(jsontext.View(json), found.Edits)
	}
	return all
}

// masked returns a JSON text without what find finds, or null when something stays.
func masked(find find, json []byte) []byte {
	for range redact.MaxPasses {
		found, _ := find(jsontext.View(json), nil) // an error comes with all edits
		switch {
		case found.TooMany:
			return []byte("null")
		case len(found.Findings) == 0:
			return json
		case len(found.Edits) == 0:
			return []byte("null")
		}
		json = redact.Apply(jsontext.View(json), found.Edits)
	}
	return []byte("null")
}
