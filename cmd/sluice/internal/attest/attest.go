// Package attest writes attestations of runs and checks them, as the commands do: it finds the receipt and its files, wherever they lie, and
// tells a person what came of it. What an attestation says, and when it has passed, is in plugins/privacy/report.
package attest

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/host/registry"
	"github.com/sluicehq/sluice/host/wholefile"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

// Options select the run to attest.
type Options struct {
	Receipt            string // path
	Step               string // "": the only privacy step
	Output             string // path; "": the only output behind the step
	To                 string // where the attestation is written; "": next to the output
	SourceKind         string // one of SourceKinds
	Override, Reviewer string

	Shown func(path string) string // the form in which a path is shown; nil: as it is
}

// SourceKinds are the kinds of inputs that an attestation knows.
var SourceKinds = []string{"public", "synthetic", "user_export"}

// Write writes the statistics and the attestation, and returns its path. One that has not passed is an error, too.
func Write(o Options) (string, error) {
	r, err := ReadReceipt(o.Receipt)
	if err != nil {
		return "", err
	}
	f, err := o.facts(r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", o.shown(o.Receipt), err)
	}
	path := cmp.Or(o.To, filepath.Join(filepath.Dir(f.Output.Path), "attestation.json"))
	for _, path := range []string{path, StatsBeside(path)} {
		if what := r.Uses(o.Receipt, path); what != "" {
			return "", fmt.Errorf("want a path of its own for the attestation and its statistics, have %s, which is %s", o.shown(path), what)
		}
	}
	stats := attestation.Stats(*f)
	f.Stats = attestation.File{Path: StatsBeside(path), SHA256: fmt.Sprintf("%x", sha256.Sum256(stats))}
	places := map[string]string{}
	for _, file := range []*attestation.File{&f.Output, &f.Ledger, &f.Rejects, &f.Stats} {
		places[filepath.Base(file.Path)] = file.Path
		file.Path = o.shown(file.Path)
	}
	beside, err := prepare(StatsBeside(path), stats)
	if err != nil {
		return "", err
	}
	defer beside.Discard()
	places[filepath.Base(StatsBeside(path))] = beside.Name()
	doc, problems := attestation.Attest(*f, func(name string) (io.ReadCloser, error) { return os.Open(places[name]) })
	whole, err := prepare(path, doc)
	if err != nil {
		return "", err
	}
	defer whole.Discard()
	// The one before goes first, and the new one comes last: an attestation is never beside statistics of another.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, f := range []*wholefile.File{beside, whole} {
		if err := f.Commit(); err != nil {
			return "", err
		}
	}
	if len(problems) > 0 {
		return path, fmt.Errorf("%s: not passed: %w", o.shown(path), errors.Join(problems...))
	}
	return path, nil
}

// prepare writes a file that has still to get its path, with the mode of the one that it replaces.
func prepare(path string, content []byte) (*wholefile.File, error) {
	o := wholefile.Options{Durable: true}
	if info, err := os.Stat(path); err == nil {
		o.Mode = info.Mode().Perm()
	}
	f, err := wholefile.Create(path, o)
	if err != nil {
		return nil, err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		f.Discard()
		return nil, err
	}
	return f, nil
}

func (o *Options) shown(path string) string {
	if o.Shown == nil || path == "" {
		return path
	}
	return o.Shown(path)
}

// StatsBeside returns the path of the statistics of an attestation.
func StatsBeside(path string) string { return filepath.Join(filepath.Dir(path), "privacy-stats.json") }

// ReadReceipt reads the receipt of a whole run, which has to balance.
func ReadReceipt(path string) (*receipt.Receipt, error) {
	r, err := receipt.Read(path)
	if err != nil {
		return nil, err
	}
	if err := r.Recheck(); err != nil {
		return nil, fmt.Errorf("%s: the account does not balance: %w", path, err)
	}
	if r.Partial != nil {
		return nil, fmt.Errorf("%s: want a whole run, have one of %v", path, r.Partial)
	}
	if r.Part != nil {
		return nil, fmt.Errorf("%s: want a whole run, have part %d of %d; sluice merge makes one of them", path, r.Part.Index, r.Part.Of)
	}
	return r, nil
}

// attestable returns the names of the filters of a run whose facts an attestation can be made of: the built-in ones.
func attestable(r *receipt.Receipt) (names []string) {
	for _, name := range r.Filters() {
		if accountOf(r, name).Facts[receipt.FactRules] != "" {
			names = append(names, name)
		}
	}
	return names
}

func accountOf(r *receipt.Receipt, step string) *receipt.StepAccount {
	return &r.Steps[slices.IndexFunc(r.Steps, func(s receipt.StepAccount) bool { return s.Name == step })]
}

// facts collects what a receipt says about the privacy step.
func (o *Options) facts(r *receipt.Receipt) (*attestation.Facts, error) {
	name, err := choose("--step", o.Step, "privacy steps", attestable(r))
	if err != nil {
		return nil, err
	}
	s := accountOf(r, name)
	f := &attestation.Facts{
		SourceKind: o.SourceKind, Override: o.Override, Reviewer: o.Reviewer, Strict: s.Facts[FactStrict] == "true", Scope: *Scope(s.Facts), Read: s.In, Written: s.Out,
		Invalid: unreadable(r), Counts: s.Counts, Backend: s.Facts[FactBackend], BackendFailed: s.Rejected.By["backend"],
		RulesHash: s.Facts[receipt.FactRules], ConfigHash: s.Facts[FactConfig], LedgerHash: s.Facts[FactLedger], NamesHash: s.Facts[FactNames],
		PipelineHash: r.Pipeline.SHA256, Tool: "sluice " + r.Sluice, At: r.Finished,
	}
	if f.Counts == nil {
		f.Counts = map[string]int64{}
	}
	for _, in := range r.Inputs {
		if in.XXH3 != "" {
			return nil, errors.New(`want a run whose hashes bind it to its files, have one with hash = "xxh3", by which anyone can change a file unnoticed`)
		}
		f.Inputs = append(f.Inputs, attestation.File{Path: in.Name, SHA256: in.SHA256, BLAKE3: in.BLAKE3, Rows: in.Records, Changed: in.Changed})
	}
	behind, err := o.files(r, name, f)
	if err != nil {
		return nil, err
	}
	f.Run = runAccount(r, name, behind)
	return f, nil
}

// files finds the files around a privacy step in a receipt, and returns the steps between it and the output.
func (o *Options) files(r *receipt.Receipt, step string, f *attestation.Facts) (behind []string, err error) {
	outputs, after, sums := map[string]attestation.File{}, map[string][]string{}, map[string]filehash.Sum{}
	for _, out := range r.Outputs {
		file := attestation.File{Path: o.find(r, out.Path), SHA256: out.SHA256, Rows: out.Records}
		sums[file.Path] = out.Sum
		switch {
		case out.Side == step+"/ledger":
			f.Ledger = file
		case out.Side == receipt.DeadLetter:
			f.Rejects = file
		case slices.Contains(out.After, step):
			outputs[file.Path] = file
			after[file.Path] = out.After[slices.Index(out.After, step)+1:]
		}
	}
	if f.Ledger.Path == "" {
		return nil, fmt.Errorf("want step %s to write an output \"ledger\"", step)
	}
	output, err := choose("--output", o.Output, "outputs behind step "+step, slices.Sorted(maps.Keys(outputs)))
	f.Output = outputs[output]
	for _, file := range []*attestation.File{&f.Output, &f.Ledger, &f.Rejects} {
		if sum := sums[file.Path]; file.SHA256 == "" && sum.Hex() != "" {
			bind(file, sum)
		}
	}
	return after[output], err
}

// bind adds the SHA-256 of a file that the run hashed by another algorithm, and says whether it has changed since. A file that cannot
// be read is reported by the check of the attestation.
func bind(file *attestation.File, as filehash.Sum) {
	in, err := os.Open(file.Path)
	if err != nil {
		return
	}
	defer in.Close()
	same, sum := filehash.New(as.Algorithm()), filehash.New(filehash.SHA256)
	if _, err := io.Copy(io.MultiWriter(same, sum), in); err == nil {
		file.SHA256, file.Changed = sum.Result().SHA256, same.Result() != as
	}
}

// runAccount says what became of the records of a run whose output went through a privacy step and the steps after it.
func runAccount(r *receipt.Receipt, step string, behind []string) attestation.Account {
	account := attestation.Account{
		ID: r.Run, Read: r.Totals.Read, Dropped: r.Totals.Dropped.By, Rejected: r.Totals.Rejected.By,
		RawRejects: r.Totals.Rejected.Total, StepsBehind: behind,
	}
	for _, s := range r.Steps {
		if s.Name == step || slices.Contains(behind, s.Name) { // which show a record filtered
			account.RawRejects -= s.Rejected.Total
		}
	}
	for _, out := range r.Outputs {
		if out.Side != step+"/ledger" && out.Side != receipt.DeadLetter && !slices.Contains(out.After, step) {
			account.Unfiltered = append(account.Unfiltered, out.Path)
		}
	}
	return account
}

// find returns where an output of the run is now, or where it was written when it is nowhere.
func (o *Options) find(r *receipt.Receipt, path string) string {
	at, err := r.Locate(filepath.Dir(o.Receipt), path)
	if err != nil {
		return path
	}
	return at
}

// choose returns the one of names that a flag names, or the only one.
func choose(flag, wanted, are string, names []string) (string, error) {
	switch {
	case wanted == "" && len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", errors.New("want a run with a built-in privacy step and an output after it")
	case wanted == "":
		return "", fmt.Errorf("want %s, since the run has %d %s: %s", flag, len(names), are, strings.Join(names, ", "))
	case !slices.Contains(names, wanted):
		return "", fmt.Errorf("%s: want %s, have %q", flag, strings.Join(names, " or "), wanted)
	}
	return wanted, nil
}

// unreadable counts the records that no source could read, which therefore no step has seen.
func unreadable(r *receipt.Receipt) (n int64) {
	for _, code := range registry.SourceFaults {
		n += r.Totals.Rejected.By[code]
		for _, s := range r.Steps {
			n -= s.Rejected.By[code]
		}
	}
	return n
}

// Lines returns what the attestation at path says, for people.
func Lines(path string) ([]string, error) {
	doc, err := os.ReadFile(path)
	if err != nil {
		return nil, host.AtPath(err)
	}
	return attestation.Lines(doc)
}

// Files returns the names of the files that the attestation at path names, without folders.
func Files(path string) (names []string, err error) {
	doc, err := os.ReadFile(path)
	if err != nil {
		return nil, host.AtPath(err)
	}
	for _, file := range gjson.GetBytes(doc, "artifacts").Map() {
		if name := file.Get("path").Str; name != "" {
			names = append(names, filepath.Base(name))
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// Verify checks an attestation against the files that it names, in dir or else in its own folder, and against inputs if given.
func Verify(path, dir string, inputs []string) error {
	doc, err := os.ReadFile(path)
	if err != nil {
		return host.AtPath(err)
	}
	if dir == "" {
		dir = filepath.Dir(path)
	}
	err = attestation.Verify(doc, func(name string) (io.ReadCloser, error) {
		file, err := os.Open(filepath.Join(dir, filepath.Base(name)))
		return file, host.AtPath(err)
	})
	err = errors.Join(err, CheckScope(doc))
	if len(inputs) > 0 {
		err = errors.Join(err, verifyInputs(doc, inputs))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// verifyInputs holds files to the hashes of the inputs that an attestation is bound to.
func verifyInputs(doc []byte, paths []string) error {
	var attested []filehash.Sum
	for _, in := range gjson.GetBytes(doc, "bindings.inputs").Array() {
		attested = append(attested, filehash.Sum{SHA256: in.Get("sha256").Str, BLAKE3: in.Get("blake3").Str})
	}
	var errs []error
	for _, path := range paths {
		i, err := indexOf(attested, path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if i < 0 {
			errs = append(errs, fmt.Errorf("%s: want an input of the run", path))
			continue
		}
		attested = slices.Delete(attested, i, i+1)
	}
	if len(attested) > 0 {
		errs = append(errs, fmt.Errorf("want every file that was read, %d are missing", len(attested)))
	}
	return errors.Join(errs...)
}

// indexOf returns the index of a file's hash among some, each by its own algorithm, or -1.
func indexOf(sums []filehash.Sum, path string) (int, error) {
	have := map[string]filehash.Sum{} // by algorithm
	for i, sum := range sums {
		algorithm := sum.Algorithm()
		if _, known := have[algorithm]; !known {
			var err error
			if have[algorithm], err = filehash.File(path, algorithm); err != nil {
				return -1, host.AtPath(err)
			}
		}
		if have[algorithm] == sum {
			return i, nil
		}
	}
	return -1, nil
}
