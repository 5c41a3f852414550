package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/plugins/privacy"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

// A publishing is what publish is asked to do.
type publishing struct {
	dir, to, receipt, license, name string
	shardSize                       string
	unfiltered                      bool

	run  *receipt.Receipt
	size int64 // of a shard
}

func publishCommand(out *report) *cobra.Command {
	var p publishing
	c := &cobra.Command{
		Use:   "publish DIR --to DIR2",
		Short: "make a folder that can be published of a finished run's",
		Long: `publish reads the receipt of a finished run and makes a folder in the form that the Hugging Face Hub knows: the rows of
the stream as data/[CONFIG/]SPLIT-00000-of-00001.jsonl, with a config for each shape of rows, a dataset card and SHA256SUMS.
Rejects, ledgers and other rows beside the stream stay where they are, and nothing is published that has changed since the
run or that no privacy step has seen; --unfiltered publishes that too, and the card says so. An attestation beside the
receipt has to hold.

A split is named by its file: train, val, test, repair_eval, calibration; every other file is train. The folder must not exist; it gets
its name when everything is in it.`,
		Example: `  sluice publish out --to corpus-v1 --license mit
  sluice publish out --to corpus-v1 --shard-size 200MB`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) != 1:
				return &usageError{command: c, err: fmt.Errorf("want one folder of a run, have %d arguments", len(args))}
			case p.to == "":
				return &usageError{command: c, err: errors.New("want --to DIR2, have none")}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) (err error) {
			if p.size, err = shardBytes(p.shardSize); err != nil {
				return &usageError{command: c, err: fmt.Errorf("--shard-size: %w", err)}
			}
			p.dir = args[0]
			made, err := p.publish()
			if err != nil {
				return err
			}
			out.published(p.to, made)
			return nil
		},
	}
	c.Flags().StringVar(&p.to, "to", "", "the folder to make, at `DIR2`")
	c.Flags().StringVar(&p.receipt, "receipt", "", "the run's receipt at `PATH`; receipt.json in DIR by default")
	c.Flags().StringVar(&p.shardSize, "shard-size", "500MB", "about how large a file becomes")
	c.Flags().StringVar(&p.license, "license", "", "the licence of the rows, as the Hub calls it; that of the rows by default, if all have the same")
	c.Flags().StringVar(&p.name, "name", "", "what the card calls the rows; the name of DIR2 by default")
	c.Flags().BoolVar(&p.unfiltered, "unfiltered", false, "publish rows that no privacy step has seen, and say so in the card")
	return c
}

var shardForm = regexp.MustCompile(`^([1-9][0-9]{0,8})(kB|MB|GB)$`)

// shardBytes reads a size such as "500MB".
func shardBytes(text string) (int64, error) {
	m := shardForm.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("want a size such as 500MB, have %q", text)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return 0, err
	}
	return n * map[string]int64{"kB": 1e3, "MB": 1e6, "GB": 1e9}[m[2]], nil
}

// A made folder is what publish tells of it.
type madeFolder struct {
	Configs []config
	Left    []string // outputs that are not published, and why
}

// publish makes the folder under a hidden name and gives it its own when all is written.
func (p *publishing) publish() (_ *madeFolder, err error) {
	if _, err := os.Lstat(p.to); !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: want a folder that does not exist, have one", p.to)
	}
	sources, left, err := p.sources()
	if err != nil {
		return nil, err
	}
	card := card{run: p.run, Unfiltered: p.unfilteredOutputs(sources)}
	if len(card.Unfiltered) > 0 && !p.unfiltered {
		return nil, fmt.Errorf("%s: want rows behind a privacy step, have none before %s; --unfiltered publishes them and says so",
			p.receipt, strings.Join(card.Unfiltered, ", "))
	}
	if card.Attested, err = p.attested(); err != nil {
		return nil, err
	}
	stage, err := os.MkdirTemp(filepath.Dir(filepath.Clean(p.to)), "."+filepath.Base(p.to)+".unfinished-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(stage)) }() // after the rename there is nothing left of it
	f := folder{dir: stage, shard: p.size, sums: map[string]string{}}
	if card.Configs, err = f.write(sources); err != nil {
		return nil, err
	}
	card.Name, card.License = cmp.Or(p.name, filepath.Base(p.to)), cmp.Or(p.license, f.found.license())
	card.found = &f.found
	if err := f.put("README.md", card.text()); err != nil {
		return nil, err
	}
	if err := f.putSums(); err != nil {
		return nil, err
	}
	if err := os.Chmod(stage, 0o755); err != nil {
		return nil, err
	}
	return &madeFolder{Configs: card.Configs, Left: left}, os.Rename(stage, p.to)
}

// A source is an output of the run that is published.
type source struct {
	receipt.Output
	path   string // where it lies now
	config string // of the rows' shape
	split  string
}

// sources reads the receipt, holds it to its own sums, and gives the outputs of the stream. left names those that hold
// no rows of a known shape.
func (p *publishing) sources() (all []source, left []string, err error) {
	if p.receipt == "" {
		if p.receipt, err = receipt.Find(p.dir); err != nil {
			return nil, nil, fmt.Errorf("%w; --receipt names it", err)
		}
	}
	if p.run, err = receipt.Read(p.receipt); err != nil {
		return nil, nil, err
	}
	if err := p.run.Recheck(); err != nil {
		return nil, nil, fmt.Errorf("%s: the account does not balance: %w", p.receipt, err)
	}
	if p.run.Partial != nil {
		return nil, nil, fmt.Errorf("%s: want a whole run, have one of %v", p.receipt, p.run.Partial)
	}
	for _, o := range p.run.Outputs {
		if o.Beside != "" || o.Records == 0 {
			continue
		}
		s := source{Output: o, split: splitOf(o.Path)}
		if s.path, err = receipt.Locate(p.dir, o.Path); err != nil {
			return nil, nil, err
		}
		if s.config, err = configOf(s.path); err != nil {
			return nil, nil, err
		}
		if s.config == "" {
			left = append(left, fmt.Sprintf("%s: no rows of a shape that is known", o.Path))
			continue
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s: want an output with rows of the stream, have none", p.receipt)
	}
	return all, left, nil
}

var part = regexp.MustCompile(`-[0-9]+-of-[0-9]+$`)

// splitOf tells the split of a file from its name.
func splitOf(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	switch name = part.ReplaceAllString(name, ""); name {
	case "val", "validation", "valid", "dev":
		return "validation"
	case "test", "repair_eval", "calibration":
		return name
	}
	return "train"
}

// unfilteredOutputs are those that no built-in privacy step stands before.
func (p *publishing) unfilteredOutputs(sources []source) (bare []string) {
	var filters []string
	for _, s := range p.run.Steps {
		if s.Plugin == privacy.Plugin.Name && s.Facts[factRules] != "" && !s.Candidate {
			filters = append(filters, s.Name)
		}
	}
	for _, s := range sources {
		if !slices.ContainsFunc(filters, func(name string) bool { return slices.Contains(s.After, name) }) {
			bare = append(bare, s.Path)
		}
	}
	return bare
}

// attested tells of the attestations beside the receipt and the outputs. One that does not hold is an error.
func (p *publishing) attested() (notes []string, err error) {
	for _, dir := range []string{p.dir, filepath.Join(p.dir, "*")} {
		paths, err := filepath.Glob(filepath.Join(dir, "attestation*.json"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			doc, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			err = attestation.Verify(doc, func(name string) (io.ReadCloser, error) { return p.attestedFile(path, doc, name) })
			if err != nil {
				return nil, fmt.Errorf("%s: want an attestation that holds: %w", path, err)
			}
			note := "passed, reviewed by nobody"
			if by := gjson.GetBytes(doc, "privacy.reviewed_by").Str; by != "" {
				note = "passed, reviewed by " + by
			}
			notes = append(notes, fmt.Sprintf("%s (SHA-256 `%s`)", note, sha(doc)))
		}
	}
	return notes, nil
}

// attestedFile opens a file of which an attestation speaks: the output of the run that has its hash, or what lies beside
// the attestation.
func (p *publishing) attestedFile(path string, doc []byte, name string) (io.ReadCloser, error) {
	beside := filepath.Join(filepath.Dir(path), filepath.Base(name))
	var sum string
	for _, artifact := range gjson.GetBytes(doc, "artifacts").Map() {
		if filepath.Base(artifact.Get("path").Str) == name {
			sum = artifact.Get("sha256").Str
		}
	}
	for _, o := range p.run.Outputs {
		if o.SHA256 == sum && filepath.Base(o.Path) == name {
			if found, err := receipt.Locate(p.dir, o.Path); err == nil {
				return os.Open(found)
			}
		}
	}
	return os.Open(beside)
}
