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
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/plugins/privacy"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

func privacyCommand(out *report) *cobra.Command {
	c := &cobra.Command{
		Use:                        "privacy",
		Short:                      "attest what a privacy step took out, check it, and measure the rules",
		SuggestionsMinimumDistance: 2,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(c, args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(attestCommand(out), verifyCommand(out), evalCommand(out))
	return c
}

// Facts of a privacy step in a receipt.
const (
	factStrict  = "strict"
	factBackend = "backend"
	factRules   = "rules_sha256"
	factConfig  = "config_sha256"
)

// facts are what a receipt tells of a built-in plugin, so that an attestation speaks of the program that ran.
func facts(plugin string, args []byte) map[string]string {
	if plugin != privacy.Plugin.Name {
		return nil
	}
	config, err := attestation.ConfigHash(args)
	if err != nil {
		return nil // the step itself says what is wrong
	}
	a := gjson.ParseBytes(args)
	strict := a.Get("strict")
	if !strict.Exists() {
		strict = a.Get("structured") // the renderer's filter, which the reference does not check
	}
	f := map[string]string{factConfig: config, factRules: privacy.RulesHash(), factStrict: fmt.Sprint(!strict.Exists() || strict.Bool())}
	if b := a.Get("backend.command.0"); b.Exists() {
		f[factBackend] = filepath.Base(b.Str)
	}
	return f
}

// An attestation to make.
type attesting struct {
	receipt, step, output, out, source, override string
}

func attestCommand(out *report) *cobra.Command {
	var a attesting
	c := &cobra.Command{
		Use:   "attest --receipt PATH",
		Short: "attest what a run's privacy step took out",
		Long: `attest writes an attestation of a run, eliza.privacy_filter_attestation.v1, and its statistics beside it. It binds
the hashes of inputs, output, ledger, rules and configuration. It says not passed, and the exit code is 1, when no
record was read, a record was rejected or has something left in it, a row was no JSON, or a file has changed since.`,
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
	c.Flags().StringVar(&a.override, "override", "", "the `REASON` why the step is not strict")
	return c
}

// write writes statistics and attestation and gives the path of the attestation. Not passed is an error.
func (a *attesting) write() (string, error) {
	r, err := host.ReadReceipt(a.receipt)
	if err != nil {
		return "", err
	}
	if err := r.Recheck(); err != nil {
		return "", fmt.Errorf("%s: the account does not balance: %w", a.receipt, err)
	}
	f, err := a.facts(r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", a.receipt, err)
	}
	dir := filepath.Dir(f.Output.Path)
	path := cmp.Or(a.out, filepath.Join(dir, "attestation.json"))
	stats := attestation.Stats(*f)
	f.Stats = attestation.File{Path: filepath.Join(filepath.Dir(path), "privacy-stats.json"), SHA256: sha(stats)}
	doc, _ := attestation.Attest(*f)
	if err := errors.Join(os.WriteFile(f.Stats.Path, stats, 0o644), os.WriteFile(path, doc, 0o644)); err != nil {
		return "", err
	}
	places := map[string]string{}
	for _, file := range []attestation.File{f.Output, f.Ledger, f.Stats} {
		places[filepath.Base(file.Path)] = file.Path
	}
	err = attestation.Verify(doc, func(name string) (io.ReadCloser, error) { return os.Open(places[name]) })
	if err != nil {
		return path, fmt.Errorf("%s: not passed: %w", path, err)
	}
	return path, nil
}

// facts takes from a receipt what it tells of the privacy step.
func (a *attesting) facts(r *host.Receipt) (*attestation.Facts, error) {
	var steps, names []string
	for _, s := range r.Steps {
		if names = append(names, s.Name); s.Facts[factRules] != "" {
			steps = append(steps, s.Name)
		}
	}
	name, err := choose("--step", a.step, steps)
	if err != nil {
		return nil, err
	}
	s := r.Steps[slices.Index(names, name)]
	f := &attestation.Facts{
		SourceKind: a.source, Override: a.override, Strict: s.Facts[factStrict] == "true", Read: s.In, Written: s.Out,
		Invalid: unreadable(r), Counts: s.Counts, Backend: s.Facts[factBackend], BackendFailed: s.Rejected.By["backend"],
		RulesHash: s.Facts[factRules], ConfigHash: s.Facts[factConfig], Tool: "sluice " + r.Sluice, At: r.Finished,
	}
	if f.Counts == nil {
		f.Counts = map[string]int64{}
	}
	for _, in := range r.Inputs {
		f.Inputs = append(f.Inputs, attestation.File{Path: in.Name, SHA256: in.SHA256, Rows: in.Records})
	}
	outputs := map[string]attestation.File{}
	for _, o := range r.Outputs {
		file := attestation.File{Path: a.find(o.Path), SHA256: o.SHA256, Rows: o.Records}
		switch {
		case o.Beside == name+"/ledger":
			f.Ledger = file
		case slices.Contains(o.After, name):
			outputs[file.Path] = file
		}
	}
	if f.Ledger.Path == "" {
		return nil, fmt.Errorf("want an output \"ledger\" of step %s, have none", name)
	}
	output, err := choose("--output", a.output, slices.Sorted(maps.Keys(outputs)))
	f.Output = outputs[output]
	return f, err
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
func unreadable(r *host.Receipt) (n int64) {
	for _, code := range host.SourceFaults {
		n += r.Totals.Rejected.By[code]
		for _, s := range r.Steps {
			n -= s.Rejected.By[code]
		}
	}
	return n
}
