package attest

import (
	"fmt"
	"path/filepath"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
	"github.com/sluicehq/sluice/plugins/privacy"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

// Facts of a privacy step in a receipt.
const (
	FactStrict  = "strict"
	FactBackend = "backend"
	FactRules   = "rules_sha256"
	FactConfig  = "config_sha256"
	FactLedger  = "ledger_hash"
	FactNames   = "names_sha256"
)

// StepFacts returns the facts for a receipt about a privacy step, so that an attestation is about the program that ran.
func StepFacts(plugin string, args []byte) map[string]string {
	if plugin != privacy.Plugin.Name {
		return nil
	}
	config, err := attestation.ConfigHash(args)
	if err != nil {
		return nil // the step itself reports it
	}
	a := gjson.ParseBytes(args)
	strict := a.Get("strict")
	if !strict.Exists() {
		strict = a.Get("structured") // the renderer's filter, which the reference does not check
	}
	f := map[string]string{
		FactConfig: config, FactRules: privacy.RulesHash(), FactStrict: fmt.Sprint(!strict.Exists() || strict.Bool()), FactLedger: ledgerHash(a),
	}
	if names := a.Get("names_file").Str; names != "" {
		if f[FactNames], err = rowfile.SHA256(names); err != nil {
			f[FactNames] = "unreadable"
		}
	}
	if b := a.Get("backend.command.0"); b.Exists() {
		f[FactBackend] = filepath.Base(b.Str)
	}
	return f
}

func ledgerHash(args gjson.Result) string {
	if how := args.Get("ledger_hash").Str; how != "" {
		return how
	}
	if args.Get("hash_key").Str != "" {
		return "key"
	}
	return "none"
}
