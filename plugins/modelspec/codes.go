package modelspec

import (
	"maps"

	"github.com/sluicehq/sluice/sdk/canonical"
)

// codes say of each code what it means to who reads a dead letter.
func codes() map[string]string {
	all := maps.Clone(canonical.FaultCodes)
	maps.Copy(all, map[string]string{
		"bad_arguments":      "the arguments of a call are no object; mend them where they were recorded",
		"bad_thread":         "the thread that the row keeps of itself is none of the document's; drop its outline, so that it is built anew",
		"empty_response":     "the response says nothing and calls nothing, so there is nothing to train on",
		"media":              "the row holds images, files, audio or video; media = \"placeholder\" names them in words",
		"missing_result":     "a call of the history has no result, which a thread wants; leave the row out",
		"orphan_result":      "a result answers no call of the row; orphan_results = \"user\" of an adapter makes it the user's word",
		"python_name":        "a tool or argument has a name that Python does not take; calls says another way of writing them",
		"response_not_json":  "the answer is none of the JSON that its schema wants; leave the row out",
		"special_token":      "a content holds a special token; special_tokens = \"escape\" keeps it as text",
		"tool_name":          "a tool has a name that a thread cannot hold; names = \"escape\" rewrites it",
		"truncated_response": "the answer was cut off, which teaches a model to stop early; leave the row out",
		"undeclared_tool":    "a call is of none of the row's tools; undeclared = \"define\" adds them",
		"unknown_part":       "a message holds a part of no kind that is known; convert the row before",
	})
	return all
}
