package attest

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
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
	var errs []error
	looked, not, off := list("scope.looked_for"), list("scope.not_looked_for"), list("scope.switched_off")
	optional := map[string]bool{}
	for _, kind := range rules.NotLookedFor() {
		optional[kind.Entity] = true
		if !slices.Contains(not, kind.Name) {
			errs = append(errs, fmt.Errorf("want %q in scope.not_looked_for, which the rules do not look for", kind.Name))
		}
	}
	for _, entity := range slices.Sorted(maps.Keys(rules.Entities())) {
		if !optional[entity] && !slices.Contains(looked, entity) && !slices.Contains(off, entity) {
			errs = append(errs, fmt.Errorf("want %s in scope.looked_for or scope.switched_off, have it in neither", entity))
		}
	}
	return errors.Join(errs...)
}
