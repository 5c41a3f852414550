package chatml

import (
	"maps"

	"github.com/sluicehq/sluice/sdk/canonical"
)

// codes say of each code what it means to who reads a dead letter.
func codes() map[string]string {
	all := maps.Clone(canonical.FaultCodes)
	maps.Copy(all, map[string]string{
		"alternate":        "user and assistant do not take turns, which the target's templates want; join the turns before, or choose another target",
		"bad_arguments":    "the arguments of a call are neither an object nor a string that holds one; mend them where they were recorded",
		"bad_envelope":     "the text is an envelope whose calls are not those beside it; envelope says which of the two counts",
		"bad_split":        "the split is no word, which a trajectory record has; mend the row",
		"bad_tool_call":    "a call has no name, or its arguments cannot be written; mend it where it was recorded",
		"close_tag":        "an assistant's text holds </think>, where the target's templates cut it; leave the row out, or choose another target",
		"dangling_call":    "a call has no result before the conversation goes on; dangling_calls says what becomes of it",
		"empty_response":   "the response says nothing and calls nothing, so there is nothing to train on",
		"late_system":      "a system message stands behind the head, which the target's templates refuse; late_system says what becomes of it",
		"media":            "the row holds images, files, audio or video; media = \"placeholder\" names them in words",
		"no_preference":    "the row has no second answer to compare, which form preference wants; leave it out",
		"no_user_turn":     "the user says nothing, so there is nothing to answer",
		"not_native":       "the row is none of eliza_native_v1; put an adapter before the step",
		"not_rendered":     "the Python renderer does not render the row, which profile reference follows",
		"orphan_result":    "a result answers no call of the row; orphan_results = \"user\" of an adapter makes it the user's word",
		"parallel_calls":   "several calls stand in one message, which the target's templates do not show; parallel = \"split\" makes each its own turn",
		"system_switch":    "a system message holds /think or /no_think, which the target's templates take out; take it out before",
		"target_tools":     "the row has tools or calls, which the target's templates do not show; choose another target, or leave the row out",
		"text_beside_call": "text and calls stand in one message, of which the target's templates lose the text; text_beside_call says what becomes of it",
		"unknown_part":     "a message holds a part of no kind that is known; convert the row before",
		"untrained_turn":   "an earlier answer is marked as not to be trained on; untrained says what becomes of it",
		"user_first":       "somebody else speaks before the user, which the target's templates refuse; cut the row, or choose another target",
	})
	return all
}
