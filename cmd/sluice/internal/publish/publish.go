// Package publish makes a folder for the Hugging Face Hub of the rows that a finished run wrote.
package publish

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/attest"
	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/plural"
	"github.com/sluicehq/sluice/host/receipt"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

// Options select the run, and the folder to make.
type Options struct {
	Run        string // the folder of the run, or its receipt
	Receipt    string // its path; "": in Run
	To         string // the folder to make
	License    string // as the Hub calls it; "": that of the rows, if all have the same
	Name       string // what the card calls the rows; "": the name of To
	ShardSize  int64  // about how many bytes a file has
	Unfiltered bool   // publish rows that no privacy step has seen

	Splits map[string]string // the splits of outputs, by their names; others are told by their names
}

// A Folder is a published folder.
type Folder struct {
	path    string
	configs []config
	renamed []string // outputs whose split has another name
	leftOut []string // outputs that are not published, and why
}

// String says what the folder holds, and what was left out.
func (f *Folder) String() string {
	var b strings.Builder
	for _, c := range f.configs {
		for _, s := range c.Splits {
			fmt.Fprintf(&b, "%s %s: %s, %s in %s\n", c.Name, s.Name, plural.Of(s.Rows, "row"), format.Size(s.Bytes), plural.Of(s.Files, "file"))
		}
		if texts := c.Texts(); len(texts) > 0 {
			fmt.Fprintf(&b, "%s has JSON text in %s, which no one type of datasets holds\n", c.Name, strings.Join(texts, ", "))
		}
	}
	for _, line := range f.renamed {
		fmt.Fprintln(&b, line)
	}
	for _, why := range f.leftOut {
		fmt.Fprintf(&b, "left out: %s\n", why)
	}
	fmt.Fprintf(&b, "folder %s\n", f.path)
	return b.String()
}

// Publish makes the folder. It has a hidden name until everything is written.
func Publish(o Options) (_ *Folder, err error) {
	if _, err := os.Lstat(o.To); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: want a folder that does not exist yet, have a file or folder of that name", o.To)
	}
	p := publication{Options: o}
	sources, left, err := p.sources()
	if err != nil {
		return nil, err
	}
	card := card{Run: p.receipt, Unfiltered: p.unfilteredOutputs(sources)}
	if len(card.Unfiltered) > 0 && !p.Unfiltered {
		return nil, p.unfiltered(card.Unfiltered)
	}
	card.Partly = len(card.Unfiltered) < len(sources)
	if card.Attested, err = p.attested(); err != nil {
		return nil, err
	}
	stage, err := os.MkdirTemp(filepath.Dir(filepath.Clean(p.To)), "."+filepath.Base(p.To)+".unfinished-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }() // after the rename there is nothing left of it
	f := writer{dir: stage, shard: p.ShardSize, sums: map[string]string{}}
	if card.Configs, err = f.write(sources); err != nil {
		return nil, err
	}
	card.Name, card.License = cmp.Or(p.Name, filepath.Base(p.To)), cmp.Or(p.License, f.found.license())
	card.found = &f.found
	if err := f.put("README.md", card.text()); err != nil {
		return nil, err
	}
	if err := f.putSums(); err != nil {
		return nil, err
	}
	if err := os.Chmod(stage, 0o755); err != nil { // unlike outputs, it is made for handing out
		return nil, err
	}
	return &Folder{p.To, card.Configs, renamed(sources), left}, os.Rename(stage, p.To)
}

type publication struct {
	Options
	dir     string // that files are looked for in
	receipt *receipt.Receipt
}

// A source is an output of the run that is published.
type source struct {
	receipt.Output
	path   string // where it lies now
	config string // of the rows' shape
	split  string // as canonical.SplitOf names it
}

// unchanged returns an error unless the file is the one that the run wrote.
func (s *source) unchanged() error {
	have, err := filehash.File(s.path, s.Algorithm())
	if err == nil && have != s.Sum {
		err = s.changed()
	}
	return err
}

func (s *source) changed() error {
	return fmt.Errorf("%s: want the file that the run wrote, have one that changed", s.path)
}

// sources reads the receipt and returns the outputs of the stream. left names the outputs without rows of a known shape.
func (p *publication) sources() (all []source, left []string, err error) {
	if info, err := os.Stat(p.Run); err == nil && info.Mode().IsRegular() && p.Receipt == "" {
		p.Run, p.Receipt = filepath.Dir(p.Run), p.Run
	}
	if p.dir = p.Run; p.Receipt == "" {
		if p.Receipt, err = receipt.Find(p.Run); errors.As(err, new(*receipt.Unfinished)) {
			return nil, nil, err
		} else if err != nil {
			return nil, nil, fmt.Errorf("%w; --receipt names it", err)
		}
		p.dir = filepath.Dir(p.Receipt)
	}
	if p.receipt, err = attest.ReadReceipt(p.Receipt); err != nil {
		return nil, nil, err
	}
	for _, o := range p.receipt.Outputs {
		if o.Side != "" {
			continue
		}
		s := source{Output: o}
		if s.path, err = p.receipt.Locate(p.dir, o.Path); err != nil && o.Records == 0 {
			continue // no row is missing
		}
		if err == nil { // a changed file may have become one that is left out
			err = s.unchanged()
		}
		if err != nil {
			return nil, nil, err
		}
		if o.Records == 0 {
			continue
		}
		if s.config, err = rowfile.ShapeOf(s.path); err != nil {
			return nil, nil, err
		}
		if s.config == "" {
			left = append(left, fmt.Sprintf("%s: no rows of a known shape", o.Path))
			continue
		}
		all = append(all, s)
	}
	switch {
	case len(all) > 0:
	case len(left) > 0:
		return nil, nil, fmt.Errorf("%s: want an output with %s rows, which a dataset is made of, have %s", p.Receipt, strings.Join(rowfile.Shapes(), ", "), strings.Join(left, "; "))
	default:
		return nil, nil, fmt.Errorf("%s: want an output with rows of the stream", p.Receipt)
	}
	return all, left, p.nameSplits(all)
}

func (p *publication) unfilteredOutputs(sources []source) (bare []string) {
	for _, s := range sources {
		if !receipt.Through(s.After, p.receipt.Filters()) {
			bare = append(bare, s.Path)
		}
	}
	return bare
}

// unfiltered is the error for outputs without a privacy step. Steps that hide rejects, as one does, are named.
func (p *publication) unfiltered(bare []string) error {
	why := ""
	if steps := p.receipt.Unstated(); len(steps) > 0 {
		why = fmt.Sprintf("; %s stated no rules for all records that went on", strings.Join(steps, ", "))
	}
	return fmt.Errorf("%s: want a privacy step before every output, have %s without one%s; --unfiltered publishes them and says so",
		p.Receipt, strings.Join(bare, ", "), why)
}

// attested verifies and describes the attestations next to the receipt and the outputs.
func (p *publication) attested() (notes []string, err error) {
	for _, dir := range []string{p.Run, filepath.Join(p.Run, "*")} {
		paths, err := filepath.Glob(filepath.Join(dir, "attestation*.json"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			doc, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			open := func(name string) (io.ReadCloser, error) { return p.attestedFile(path, doc, name) }
			if err := errors.Join(attestation.Verify(doc, open), attest.CheckScope(doc)); err != nil {
				return nil, fmt.Errorf("%s: want an attestation that holds: %w", path, err)
			}
			note := "passed, which says that the rules find nothing more in what the step let through; not reviewed"
			if by := gjson.GetBytes(doc, "privacy.reviewed_by").Str; by != "" {
				note = "passed, which says that the rules find nothing more in what the step let through; reviewed by " + by
			}
			notes = append(notes, fmt.Sprintf("%s (SHA-256 `%x`)", note, sha256.Sum256(doc)))
		}
	}
	return notes, nil
}

// attestedFile opens a file that an attestation names: the run's output with its hash, or the file next to the attestation.
func (p *publication) attestedFile(path string, doc []byte, name string) (io.ReadCloser, error) {
	var sum string
	for _, artifact := range gjson.GetBytes(doc, "artifacts").Map() {
		if filepath.Base(artifact.Get("path").Str) == name {
			sum = artifact.Get("sha256").Str
		}
	}
	for _, o := range p.receipt.Outputs {
		if filepath.Base(o.Path) != name {
			continue
		}
		found, err := p.receipt.Locate(p.dir, o.Path)
		if err != nil {
			continue
		}
		if o.SHA256 == "" { // hashed by another algorithm
			if o.Sum, err = filehash.File(found, filehash.SHA256); err != nil {
				continue
			}
		}
		if o.SHA256 == sum {
			return os.Open(found)
		}
	}
	return os.Open(filepath.Join(filepath.Dir(path), filepath.Base(name)))
}
