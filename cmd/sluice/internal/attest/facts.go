package attest

import (
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/plugins/privacy"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

// Facts of a privacy step in a receipt, besides receipt.FactRules.
const (
	FactStrict     = "strict"
	FactConfig     = "config_sha256"
	FactLedger     = "ledger_hash"
	FactNames      = "names_sha256"
	FactProfile    = "profile"
	FactBackend    = "backend"
	FactLooked     = "looked_for"     // entities
	FactNotLooked  = "not_looked_for" // kinds
	FactOff        = "switched_off"   // entities
	FactKept       = "left_as_is"
	factSeparation = "; "
)

// ScopeFacts are the facts that say what the step looked for, and whether it looked once more.
var ScopeFacts = []string{FactStrict, FactProfile, FactLooked, FactNotLooked, FactOff, FactKept, FactBackend}

// StepFacts returns the facts for a receipt about a privacy step, so that an attestation is about the program that ran.
func StepFacts(plugin string, args []byte) map[string]string {
	if plugin != privacy.Plugin.Name {
		return nil
	}
	config, err := attestation.ConfigHash(args)
	if err != nil {
		return nil // the step itself reports it
	}
	s, err := privacy.SetupOf(args)
	if err != nil {
		return nil // likewise
	}
	f := map[string]string{
		FactConfig: config, receipt.FactRules: privacy.RulesHash(), FactStrict: fmt.Sprint(s.Strict), FactLedger: s.LedgerHash, FactProfile: s.Profile,
	}
	for name, all := range map[string][]string{FactLooked: s.LookedFor, FactNotLooked: s.NotLookedFor, FactOff: s.Off, FactKept: s.Kept} {
		if len(all) > 0 {
			f[name] = strings.Join(all, factSeparation)
		}
	}
	if s.NamesFile != "" {
		f[FactNames] = "unreadable"
		if sum, err := filehash.File(s.NamesFile, filehash.SHA256); err == nil {
			f[FactNames] = sum.SHA256
		}
	}
	if s.Recogniser != "" {
		f[FactBackend] = s.Recogniser
	}
	return f
}

// Scope returns what a privacy step looked for, by the facts in a receipt.
func Scope(facts map[string]string) *attestation.Scope {
	list := func(name string) []string {
		if facts[name] == "" {
			return nil
		}
		return strings.Split(facts[name], factSeparation)
	}
	return &attestation.Scope{
		Profile: facts[FactProfile], LookedFor: list(FactLooked), NotLookedFor: list(FactNotLooked), Off: list(FactOff), Kept: list(FactKept),
		Recogniser: facts[FactBackend], NamesFile: facts[FactNames] != "",
	}
}
