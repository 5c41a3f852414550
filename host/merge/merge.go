// Package merge makes the parts of a run one run: it checks that they are all of it, and writes one receipt, which the package verify
// takes for that of a whole run.
package merge

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/internal/output"
	"github.com/sluicehq/sluice/host/internal/places"
	"github.com/sluicehq/sluice/host/internal/plan"
	"github.com/sluicehq/sluice/host/receipt"
)

// Options say how parts are merged.
type Options struct {
	Join     bool                     // write the files of the whole run too, each of its shards
	Page     *host.Page               // that Run removes, if it lies next to the receipt and is about an earlier merge; nil: none
	MaskName func(path string) string // returns the form in which a path is shown; nil: as it is
}

// Result says whether the parts are a whole run, and what was written.
type Result struct {
	Receipt   string       `json:"receipt,omitempty"` // path of the receipt that was written, empty when none was
	Parts     int          `json:"parts"`             // of the whole run
	Complete  bool         `json:"complete"`          // all parts are there, each once, and they fit
	Missing   []int        `json:"missing"`           // parts that have left nothing
	Failed    []Failure    `json:"failed"`            // parts that have no receipt, but have left something
	Doubled   []Doubled    `json:"doubled"`
	Differing []Difference `json:"differing"`
	Joined    []string     `json:"joined,omitempty"` // files of the whole run that were written

	Totals *receipt.Totals  `json:"totals,omitempty"` // of the whole run
	Merged *receipt.Receipt `json:"merged,omitempty"` // what Receipt holds
	Path   string           `json:"-"`                // Receipt as it is
}

// Failure is a part that did not finish.
type Failure struct {
	Part int    `json:"part"`
	Why  string `json:"why"`
}

// Doubled is a part with several receipts.
type Doubled struct {
	Part     int      `json:"part"`
	Receipts []string `json:"receipts"` // paths
}

// Difference is something about a part, a file or the whole that does not fit the rest.
type Difference struct {
	Path string `json:"path"` // of a receipt, or of a file
	What string `json:"what"`
	Want string `json:"want"`
	Have string `json:"have"`
}

// String returns PATH: WHAT: want WANT, have HAVE.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s: want %s, have %s", d.Path, d.What, d.Want, d.Have)
}

// Run merges the parts whose receipts lie in a folder, or beside the path that the whole run's receipt gets. When they are not a whole
// run, it writes nothing, and the result says what is wrong. The error says why there is no result, or why nothing could be written.
func Run(ctx context.Context, path string, o Options) (*Result, error) {
	if info, err := places.Stat(path); err == nil && info.IsDir() {
		path = places.Join(path, receipt.Name)
	}
	if o.MaskName == nil {
		o.MaskName = func(path string) string { return path }
	}
	m := &merging{Options: o, path: path, dir: places.Dir(path), failed: map[receipt.Part]*receipt.Failure{}}
	m.result = Result{Missing: []int{}, Failed: []Failure{}, Doubled: []Doubled{}, Differing: []Difference{}}
	if err := m.find(); err != nil {
		return nil, err
	}
	m.compare()
	x := &m.result
	x.Complete = len(x.Missing)+len(x.Failed)+len(x.Doubled)+len(x.Differing) == 0
	if !x.Complete {
		return x, nil
	}
	if err := m.write(ctx); err != nil {
		return nil, err
	}
	x.Receipt, x.Path, x.Merged, x.Totals = o.MaskName(path), path, m.whole, &m.whole.Totals
	return x, nil
}

type merging struct {
	Options
	path, dir string // of the receipt
	parts     []*part
	failed    map[receipt.Part]*receipt.Failure // parts with a receipt that says so
	whole     *receipt.Receipt
	result    Result
}

// A part is a part of the run that has left a receipt.
type part struct {
	*receipt.Receipt
	path string
}

func (m *merging) receipts() (all []*receipt.Receipt) {
	for _, p := range m.parts {
		all = append(all, p.Receipt)
	}
	return all
}

// write writes the receipt of the whole run, with what it names, at once: all of it or nothing gets its name.
func (m *merging) write(ctx context.Context) (err error) {
	old, err := m.earlier()
	if err != nil {
		return err
	}
	if m.whole, err = receipt.Merge(m.receipts()); err != nil {
		return err
	}
	if err := m.checkLimits(); err != nil {
		return err
	}
	set := output.New(output.Options{Run: rand.Text(), Origins: true, Hash: m.algorithm(), Listed: receipt.Listed, Replace: true})
	defer func() { err = errors.Join(err, set.Abort()) }()
	w := &writing{merging: m, set: set}
	if err := w.claim(old); err != nil {
		return err
	}
	if err := set.Prepare(ctx); err != nil {
		return err
	}
	if err := w.join(ctx); err != nil {
		return err
	}
	if err := w.reports(); err != nil {
		return err
	}
	files, err := set.Finish()
	if err != nil {
		return err
	}
	w.outputs(files)
	if err := m.whole.Recheck(); err != nil {
		return fmt.Errorf("the account of the parts does not balance: %w", err)
	}
	warn(m.whole)
	m.whole.Warnings = append(m.whole.Warnings, receipt.WarnFurther(set.Further(), w.MaskName)...)
	if err := w.manifest(); err != nil {
		return err
	}
	text, err := m.whole.Encode()
	if err != nil {
		return err
	}
	if err := w.receipt.Write(text); err != nil {
		return err
	}
	if err := set.Commit(); err != nil {
		return err
	}
	output.RemoveLines(m.path)
	return nil
}

// earlier returns the receipt of an earlier merge in this place, nil when there is none. That of a run is no such receipt: it is left alone.
func (m *merging) earlier() (*receipt.Receipt, error) {
	old, err := receipt.Read(m.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(old.Merged) == 0:
		return nil, fmt.Errorf("want no receipt of a run that was not merged of parts, have %s; move it with its files, or name another path", m.MaskName(m.path))
	}
	return old, nil
}

// algorithm returns that of the hashes of the parts' files.
func (m *merging) algorithm() string {
	for _, p := range m.parts {
		for _, o := range p.Outputs {
			return o.Algorithm()
		}
	}
	return filehash.Default
}

// A writing is a merging that writes.
type writing struct {
	*merging
	set      *output.Set
	receipt  *output.Report
	timeline *output.Report // nil when there is no place for it
	about    map[string]*output.Report
	joins    []*join
}

// claim claims all that is written. Files that an earlier merge has not written are not replaced.
func (w *writing) claim(old *receipt.Receipt) (err error) {
	w.about = map[string]*output.Report{}
	for _, x := range w.parts[0].Reports {
		at, _ := w.parts[0].Place(w.dir, x.Path)
		_, whole, _ := receipt.PartOf(at)
		if err := w.mayReplace(whole, old); err != nil {
			return err
		}
		claim := output.Claim{What: x.What, Path: whole, AfterFinish: x.What == receipt.ManifestReport}
		if w.about[x.What], err = w.set.Report(claim); err != nil {
			return err
		}
	}
	if w.Join {
		if err := w.claimJoins(old); err != nil {
			return err
		}
	}
	if w.receipt, err = w.set.Receipt(output.Claim{What: "the receipt", Path: w.path}); err != nil {
		return err
	}
	if conflicts := w.set.Conflicts(); len(conflicts) > 0 {
		return fmt.Errorf("%s: %s", conflicts[0].Claim.What, conflicts[0].Message)
	}
	w.markJoined(old)
	w.timeline = w.set.Timeline(output.Claim{What: "the timeline", Path: w.path})
	if w.Page != nil {
		w.set.MarkStale(plan.PagePath(w.path, w.Page.Name), w.Page.Mark)
	}
	return nil
}

// mayReplace returns why a file is not replaced: it is there, and no earlier merge has written it.
func (w *writing) mayReplace(path string, old *receipt.Receipt) error {
	if _, err := places.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if old != nil {
		is := func(named string) bool {
			at, _ := old.Place(w.dir, named)
			return places.Clean(at) == places.Clean(path)
		}
		if slices.ContainsFunc(old.Outputs, func(o receipt.Output) bool { return is(o.Path) }) ||
			slices.ContainsFunc(old.Reports, func(x receipt.Report) bool { return is(x.Path) }) {
			return nil
		}
	}
	return fmt.Errorf("want no file that the parts have not written, have %s; move it away", w.MaskName(path))
}

// reports writes the reports of firsts and shadows and the timeline.
func (w *writing) reports() error {
	for i := range w.whole.Firsts {
		f := &w.whole.Firsts[i]
		if err := w.report("first "+f.First, f); err != nil {
			return err
		}
	}
	for i := range w.whole.Shadows {
		s := &w.whole.Shadows[i]
		if err := w.report("shadow "+s.Shadow, s); err != nil {
			return err
		}
	}
	if w.timeline == nil {
		return nil
	}
	t := w.timelineOfAll()
	text, err := t.Encode()
	if err != nil {
		return err
	}
	if w.timeline.Write(text) == nil {
		w.whole.Timeline = &receipt.Sidecar{Path: w.MaskName(w.timeline.Path()), Sum: w.hash(text)}
	}
	return nil
}

func (w *writing) manifest() error {
	r := w.about[receipt.ManifestReport]
	if r == nil {
		return nil
	}
	return w.report(receipt.ManifestReport, w.whole.Manifest(places.Dir(r.Path())))
}

// report writes a report about the run, if its parts have one.
func (w *writing) report(what string, v any) error {
	r := w.about[what]
	if r == nil {
		return nil
	}
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	w.whole.Reports = append(w.whole.Reports, receipt.Report{What: what, Sidecar: receipt.Sidecar{Path: w.MaskName(r.Path()), Sum: w.hash(text)}})
	return r.Write(text)
}

func (w *writing) hash(text []byte) filehash.Sum {
	hash := filehash.New(cmp.Or(w.algorithm(), filehash.Default))
	hash.Write(text)
	return hash.Result()
}

// outputs gives the receipt the files that are written, and the shards that are not joined, where they lie now.
func (w *writing) outputs(files []output.File) {
	if w.Join { // the columns of the parts are not those of the whole
		w.whole.Warnings = slices.DeleteFunc(w.whole.Warnings, func(x receipt.Warning) bool { return x.Code == receipt.JSONColumn })
	}
	joined := map[string]*join{}
	for _, j := range w.joins {
		joined[j.what] = j
		w.result.Joined = append(w.result.Joined, w.MaskName(j.path))
	}
	var all []receipt.Output
	for _, f := range files {
		j := joined[f.Claim.What]
		all = append(all, j.output(f, w.MaskName))
		for _, x := range receipt.WarnColumns(j.about.Sink, f, true, w.MaskName) { // which its parts may not have said
			if !slices.Contains(w.whole.Warnings, x) { // the files of a sink have the same columns
				w.whole.Warnings = append(w.whole.Warnings, x)
			}
		}
	}
	for _, p := range w.parts {
		for _, o := range p.Outputs {
			if w.joinOf(p, o) != nil {
				continue
			}
			at, _ := p.Place(w.dir, o.Path)
			if _, _, ok := receipt.PartOf(at); !ok { // standard output, a pipe or a device, which all parts write to
				if k := slices.IndexFunc(all, func(x receipt.Output) bool { return x.Path == at && x.Sink == o.Sink }); k >= 0 {
					all[k] = all[k].Plus(o)
					continue
				}
			}
			o.Path = at
			if o.Origins != nil {
				sidecar := *o.Origins
				sidecar.Path, _ = p.Place(w.dir, sidecar.Path)
				o.Origins = &sidecar
			}
			all = append(all, o)
		}
	}
	w.whole.Outputs, w.whole.Totals.BytesWritten = all, 0
	for _, o := range all {
		w.whole.Totals.BytesWritten += o.Bytes
	}
}
