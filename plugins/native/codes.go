package native

import (
	"maps"

	"github.com/sluicehq/sluice/sdk/canonical"
)

// meanings explain each code to the reader of a dead letter.
func meanings() map[string]string {
	all := map[string]string{
		"auxiliary":          "the row is of the repair loop, which profile reference leaves out",
		"bad_boundary":       "the row is of a boundary that the format does not have; mend it, or allow the code",
		"dangling_call":      "a call of the history has no result, which no chat template shows; leave the row out, or allow the code",
		"empty_response":     "the response says nothing and calls nothing, so there is nothing to train on",
		"errored_response":   "the call ended in an error, which teaches a model to fail; leave the row out",
		"filtered_response":  "the provider held the answer back; leave the row out",
		"no_user_turn":       "the user says nothing, so there is nothing to answer",
		"orphan_result":      "a result answers no call of the row; orphan_results = \"user\" of an adapter makes it the user's word, or allow the code",
		"reference_error":    "the Python renderer cannot read the row, which profile reference follows",
		"truncated_response": "the answer was cut off, which teaches a model to stop early; leave the row out",
	}
	maps.Copy(all, canonical.FaultCodes)
	maps.Copy(all, canonical.RepairCodes)
	return all
}
