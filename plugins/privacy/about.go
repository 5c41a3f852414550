package privacy

import (
	"maps"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/rules"
)

// About returns what a person should know before relying on the step, in paragraphs: what it looks for, what it does not look for,
// what strict does, and what an attestation means.
func About() []string {
	by := map[string][]string{}
	for _, entity := range slices.Sorted(maps.Keys(rules.Entities())) {
		by[rules.Category(entity)] = append(by[rules.Category(entity)], entity)
	}
	list := func(category string) string { return strings.Join(by[category], ", ") }
	var unsought []string
	for _, kind := range rules.NotLookedFor() {
		unsought = append(unsought, kind.Name)
	}
	return []string{
		"It looks for secrets (" + list("secret") + "), personal data (" + list("contact") + ") and places (" + list("geo") + "). " +
			"PERSON needs a names_file or a backend, STREET_ADDRESS an action in entities. Rules miss values: sluice privacy eval measures " +
			"how many of yours they find.",
		"It does not look for: " + strings.Join(unsought, "; ") + ". A backend, which is a recogniser of your own, may find names, addresses " +
			"and user names: examples/recognisers has one, which the pipelines eliza-sft and prepare take with --var recogniser.",
		"strict, which is on, searches what the rules left once more, also with a coarse detector that does not know the rules, and rejects the " +
			"record when the rules find something, or the detector is sure of something. What the detector only suspects is counted and " +
			"left. Neither finds the kinds above.",
		"An attestation that has passed says that the rules find nothing more in what the step let through. It does not say that the output holds no " +
			"personal data. It names the profile, what was looked for, what was not, what was switched off or allowed, and how many suspects " +
			"were left. Profile \"reference\" misses most of what profile \"standard\" finds, and never passes.",
	}
}
