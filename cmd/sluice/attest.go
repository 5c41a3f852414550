package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

// An attestation to make.
type attesting struct {
	receipt, step, output, out, source, override, reviewer string
}

func attestCommand(out *report) *cobra.Command {
	var a attesting
	c := &cobra.Command{
		Use:   "attest --receipt PATH",
		Short: "attest what a run's privacy step took out",
		Long: `attest writes an attestation of a run, eliza.privacy_filter_attestation.v1, and its statistics beside it. It binds
the hashes of inputs, output, ledger, rules and configuration. It says not passed and why, and the exit code is 1, when no
record was read, a record was rejected by any step or has something left in it, a row was no JSON, or a file has changed
since. It says reviewed only when --reviewed-by names the person who looked at the output.`,
		Example: `  sluice privacy attest --receipt out/receipt.json
  sluice privacy attest --receipt out/receipt.json --source-kind synthetic --out out/attestation.json`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if a.receipt == "" {
				return &usageError{command: c, err: errors.New("want --receipt PATH, have none")}
			}
			if kinds := []string{"public", "synthetic", "user_export"}; !slices.Contains(kinds, a.source) {
				return &usageError{command: c, err: fmt.Errorf("--source-kind: want one of %s, have %q", strings.Join(kinds, ", "), a.source)}
			}
			path, err := a.write()
			if path != "" {
				out.say("attestation %s", path)
			}
			return err
		},
	}
	c.Flags().StringVar(&a.receipt, "receipt", "", "the run, as its receipt at `PATH` tells it")
	c.Flags().StringVar(&a.step, "step", "", "the privacy step, as `TYPE.NAME`, when the run has several")
	c.Flags().StringVar(&a.output, "output", "", "the `PATH` of the output to attest, when the run has several behind the step")
	c.Flags().StringVar(&a.out, "out", "", "write to `PATH`; attestation.json beside the output by default")
	c.Flags().StringVar(&a.source, "source-kind", "user_export", "public, synthetic or user_export")
	c.Flags().StringVar(&a.reviewer, "reviewed-by", "", "the `NAME` of the person who looked at the output")
	c.Flags().StringVar(&a.override, "override", "", "the `REASON` why the step is not strict")
	return c
}

// write writes statistics and attestation and gives the path of the attestation. Not passed is an error.
func (a *attesting) write() (string, error) {
	r, err := receipt.Read(a.receipt)
	if err != nil {
		return "", err
	}
	if err := r.Recheck(); err != nil {
		return "", fmt.Errorf("%s: the account does not balance: %w", a.receipt, err)
	}
	if r.Partial != nil {
		return "", fmt.Errorf("%s: want a whole run, have one of %v", a.receipt, r.Partial)
	}
	f, err := a.facts(r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", a.receipt, err)
	}
	dir := filepath.Dir(f.Output.Path)
	path := cmp.Or(a.out, filepath.Join(dir, "attestation.json"))
	stats := attestation.Stats(*f)
	f.Stats = attestation.File{Path: filepath.Join(filepath.Dir(path), "privacy-stats.json"), SHA256: sha(stats)}
	places := map[string]string{}
	for _, file := range []attestation.File{f.Output, f.Ledger, f.Rejects, f.Stats} {
		places[filepath.Base(file.Path)] = file.Path
	}
	if err := os.WriteFile(f.Stats.Path, stats, 0o644); err != nil {
		return "", err
	}
	doc, problems := attestation.Attest(*f, func(name string) (io.ReadCloser, error) { return os.Open(places[name]) })
	if err := os.WriteFile(path, doc, 0o644); err != nil {
		return "", err
	}
	if len(problems) > 0 {
		return path, fmt.Errorf("%s: not passed: %w", path, errors.Join(problems...))
	}
	return path, nil
}

// deadLetter is what a receipt says of the file that holds the rejects.
const deadLetter = "dead_letter"

// facts takes from a receipt what it tells of the privacy step.
func (a *attesting) facts(r *receipt.Receipt) (*attestation.Facts, error) {
	var steps, names []string
	for _, s := range r.Steps {
		if names = append(names, s.Name); s.Facts[factRules] != "" && !s.Candidate {
			steps = append(steps, s.Name)
		}
	}
	name, err := choose("--step", a.step, steps)
	if err != nil {
		return nil, err
	}
	s := r.Steps[slices.Index(names, name)]
	f := &attestation.Facts{
		SourceKind: a.source, Override: a.override, Reviewer: a.reviewer, Strict: s.Facts[factStrict] == "true", Read: s.In, Written: s.Out,
		Invalid: unreadable(r), Counts: s.Counts, Backend: s.Facts[factBackend], BackendFailed: s.Rejected.By["backend"],
		RulesHash: s.Facts[factRules], ConfigHash: s.Facts[factConfig], LedgerHash: s.Facts[factLedger], NamesHash: s.Facts[factNames],
		PipelineHash: r.Pipeline.SHA256, Tool: "sluice " + r.Sluice, At: r.Finished,
	}
	if f.Counts == nil {
		f.Counts = map[string]int64{}
	}
	for _, in := range r.Inputs {
		f.Inputs = append(f.Inputs, attestation.File{Path: in.Name, SHA256: in.SHA256, Rows: in.Records, Changed: in.Changed})
	}
	behind, err := a.files(r, name, f)
	if err != nil {
		return nil, err
	}
	f.Run = runAccount(r, name, behind)
	return f, nil
}

// files takes from a receipt the files that lie about a privacy step, and gives the steps between it and the output.
func (a *attesting) files(r *receipt.Receipt, step string, f *attestation.Facts) (behind []string, err error) {
	outputs, after := map[string]attestation.File{}, map[string][]string{}
	for _, o := range r.Outputs {
		file := attestation.File{Path: a.find(o.Path), SHA256: o.SHA256, Rows: o.Records}
		switch {
		case o.Beside == step+"/ledger":
			f.Ledger = file
		case o.Beside == deadLetter:
			f.Rejects = file
		case slices.Contains(o.After, step):
			outputs[file.Path] = file
			after[file.Path] = o.After[slices.Index(o.After, step)+1:]
		}
	}
	if f.Ledger.Path == "" {
		return nil, fmt.Errorf("want an output \"ledger\" of step %s, have none", step)
	}
	output, err := choose("--output", a.output, slices.Sorted(maps.Keys(outputs)))
	f.Output = outputs[output]
	return after[output], err
}

// runAccount tells what became of the records of a run whose output went through a privacy step and the steps behind it.
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
	for _, o := range r.Outputs {
		if o.Beside != step+"/ledger" && o.Beside != deadLetter && !slices.Contains(o.After, step) {
			account.Unfiltered = append(account.Unfiltered, o.Path)
		}
	}
	return account
}

// find gives where an output of the run is now: where it was written, or beside the receipt.
func (a *attesting) find(path string) string {
	if _, err := os.Stat(path); err == nil {
		return path
	}
	beside := filepath.Join(filepath.Dir(a.receipt), filepath.Base(path))
	if _, err := os.Stat(beside); err == nil {
		return beside
	}
	return path
}

// choose gives the wanted one of some names, or the only one.
func choose(flag, wanted string, names []string) (string, error) {
	switch {
	case wanted == "" && len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", errors.New("want a run with a built-in privacy step and an output behind it, have none")
	case wanted == "" || !slices.Contains(names, wanted):
		return "", fmt.Errorf("%s: want one of %s, have %q", flag, strings.Join(names, ", "), wanted)
	}
	return wanted, nil
}

// unreadable counts the records that no source could read, which therefore no step has seen.
func unreadable(r *receipt.Receipt) (n int64) {
	for _, code := range host.SourceFaults {
		n += r.Totals.Rejected.By[code]
		for _, s := range r.Steps {
			n -= s.Rejected.By[code]
		}
	}
	return n
}
