package modelspec

import (
	"maps"

	"github.com/sluicehq/sluice/sdk/canonical"
)

// codes explains the codes of rejects.
func codes() map[string]string {
	all := maps.Clone(canonical.FaultCodes)
	maps.Copy(all, map[string]string{
		"bad_arguments":      "the arguments of a call are not JSON; mend them where they were recorded",
		"bad_thread":         "the outline that the row keeps of its thread is not one of the document's; drop it, so that the thread is built anew",
		"empty_response":     "the response has neither text nor calls, so there is nothing to train on",
		"media":              "the row holds images, files, audio or video; media = \"placeholder\" names them in words",
		"missing_result":     "a call of the history has no result, which a thread must have; leave the row out",
		"orphan_result":      "a result answers no call of the row; orphan_results = \"user\" of an adapter makes it the user's word",
		"python_name":        "a tool has a name that is no identifier of Python; write calls another way",
		"response_not_json":  "the answer is not JSON, though it has a schema; leave the row out",
		"special_token":      "a content holds a special token; special_tokens = \"escape\" keeps it as text",
		"tool_name":          "a tool has a name that a thread cannot hold; names = \"escape\" rewrites it",
		"truncated_response": "the answer was cut off, which teaches a model to stop early; leave the row out",
		"undeclared_tool":    "a call names a tool that the row does not declare; undeclared = \"define\" adds it",
		"unknown_part":       "a message holds a part of an unknown kind; convert the row before",
	})
	return all
}
