package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

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
	factLedger  = "ledger_hash"
	factNames   = "names_sha256"
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
	f := map[string]string{
		factConfig: config, factRules: privacy.RulesHash(), factStrict: fmt.Sprint(!strict.Exists() || strict.Bool()), factLedger: ledgerHash(a),
	}
	if names := a.Get("names_file").Str; names != "" {
		if f[factNames], err = shaOf(names); err != nil {
			f[factNames] = "unreadable"
		}
	}
	if b := a.Get("backend.command.0"); b.Exists() {
		f[factBackend] = filepath.Base(b.Str)
	}
	return f
}

// ledgerHash tells under which key ledger rows hash values.
func ledgerHash(args gjson.Result) string {
	if how := args.Get("ledger_hash").Str; how != "" {
		return how
	}
	if args.Get("hash_key").Str != "" {
		return "key"
	}
	return "none"
}
