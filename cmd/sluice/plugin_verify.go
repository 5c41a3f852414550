package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
)

func pluginVerifyCommand(out *report) *cobra.Command {
	var name, rows string
	var given, only, env []string
	var timeout time.Duration
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify BINARY",
		Short: "hold a plugin to the protocol, whatever language it is written in",
		Long: `verify starts the program BINARY as a host does and tries what a run may bring: versions, wrong attributes, batches and records
of any size, odd JSON, both ways in which records can come, little memory, the end of the host. Give it rows that the plugin has
a use for, and the attributes that it needs. The exit code is 1 when a check fails.`,
		Example: `  sluice plugin verify ./sluice-plugin-hello
  sluice plugin verify ./sluice-plugin-desk --rows tickets.jsonl --arg agent=bot --json`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{command: c, err: fmt.Errorf("want the path of one program, have %d arguments", len(args))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			values, err := attributes(given, nil)
			if err != nil {
				return &usageError{command: c, err: err}
			}
			for _, name := range only {
				if !slices.Contains(host.Checks(), name) {
					return &usageError{command: c, err: fmt.Errorf("--check: want one of %s, have %q", strings.Join(host.Checks(), ", "), name)}
				}
			}
			v := host.Verification{Path: args[0], Name: name, Args: []byte(values), Timeout: timeout, Only: only, Env: env}
			if rows != "" {
				if v.Rows, err = readRows(rows); err != nil {
					return out.json(asJSON, err)
				}
			}
			tell := out.verifiedOne
			if asJSON {
				tell = func(host.Verified) {}
			}
			results, err := host.Verify(c.Context(), v, pluginOptions(c, out), tell)
			if err != nil {
				return out.json(asJSON, err)
			}
			return out.verified(filepath.Base(args[0]), results, asJSON)
		},
	}
	c.Flags().StringVar(&name, "name", "", "of the plugin, where it is not that of the program")
	c.Flags().StringVar(&rows, "rows", "", "a file with records, one a line, that the plugin has a use for")
	c.Flags().StringArrayVar(&given, "arg", nil, "an attribute with which it opens, as `name=value`; may be given again")
	c.Flags().StringArrayVar(&env, "env", nil, "a variable of the environment that the program gets, by its `NAME`; may be given again")
	c.Flags().StringArrayVar(&only, "check", nil, "make this check alone; may be given again")
	c.Flags().DurationVar(&timeout, "timeout", time.Minute, "for each thing that it is asked")
	c.Flags().BoolVar(&asJSON, "json", false, "write what a machine reads to stdout")
	return c
}

// readRows reads the lines of a file.
func readRows(path string) (rows [][]byte, err error) {
	text, err := os.ReadFile(path)
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			rows = append(rows, line)
		}
	}
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s: want records, one a line, have none", path)
	}
	return rows, err
}

// verifiedOne tells one check of a plugin as it ends.
func (r *report) verifiedOne(c host.Verified) {
	mark := map[string]string{host.CheckPassed: "ok", host.CheckFailed: "FAIL", host.CheckSkipped: "skip"}[c.Outcome]
	line := fmt.Sprintf("%-4s  %-24s  %s", mark, c.Check, c.About)
	if c.Why != "" {
		line += "\n      " + strings.ReplaceAll(c.Why, "\n", "\n      ")
	}
	fmt.Fprintln(r.out, format.Printable(line))
}

// verified sums up.
func (r *report) verified(program string, results []host.Verified, asJSON bool) error {
	counts := map[string]int{}
	for _, c := range results {
		counts[c.Outcome]++
	}
	sum := fmt.Sprintf("%s: %d of %d checks passed", program, counts[host.CheckPassed], len(results)-counts[host.CheckSkipped])
	if n := counts[host.CheckSkipped]; n > 0 {
		sum += fmt.Sprintf(", %d do not apply", n)
	}
	var err error
	if asJSON {
		err = r.writeJSON(struct {
			Program string          `json:"program"`
			Sum     string          `json:"sum"`
			Checks  []host.Verified `json:"checks"`
		}{program, sum, results})
	} else {
		fmt.Fprintln(r.out, format.Printable(sum))
	}
	if n := counts[host.CheckFailed]; n > 0 {
		r.printed = asJSON
		err = errors.Join(err, fmt.Errorf("%s fails %s", program, format.Plural(n, "check")))
	}
	return err
}
