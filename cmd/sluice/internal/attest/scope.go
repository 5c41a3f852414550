package attest

import (
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/privacy"
	attestation "github.com/sluicehq/sluice/plugins/privacy/report"
)

// CheckScope holds what an attestation says was looked for to the rules of this program, if these are the ones that it names.
func CheckScope(doc []byte) error {
	a := gjson.ParseBytes(doc)
	if a.Get("bindings.rules_sha256").Str != privacy.RulesHash() || !a.Get("scope").Exists() {
		return nil
	}
	list := func(path string) (all []string) {
		for _, x := range a.Get(path).Array() {
			all = append(all, x.Str)
		}
		return all
	}
	return privacy.CheckScope(attestation.Scope{
		LookedFor: list("scope.looked_for"), NotLookedFor: list("scope.not_looked_for"), Off: list("scope.switched_off"),
	})
}
