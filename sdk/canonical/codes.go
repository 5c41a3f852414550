package canonical

// FaultCodes are the codes of a Row's faults, with what each means to a reader of the dead letter.
var FaultCodes = map[string]string{
	"bad_content":    "the content of a message is neither text nor parts; convert the row before",
	"bad_message":    "a message is no object; convert the row before",
	"bad_messages":   "the messages are no list; convert the row before",
	"bad_request":    "the request is no object; convert the row before",
	"bad_response":   "the response is no object; convert the row before",
	"bad_role":       "a message has a role that is not known; convert the row before",
	"bad_text":       "the text of a response is no string; convert the row before",
	"bad_tool_call":  "a call has no name, or is no call; leave the row out, or mend it where it was recorded",
	"bad_tools":      "the tools are in no spelling that is known; convert the row before",
	"too_many_calls": "more calls wait for their results than can be paired; split the row",
	"too_many_parts": "a row has more parts than can be read; split the row",
}

// RepairCodes are the codes that Repair returns, with what each means to a reader of the dead letter.
var RepairCodes = map[string]string{
	"repair_split":    "the row is of the repair loop; it is training data of another kind, or allowed by the step's attributes",
	"requires_repair": "the row says of itself that it needs a repair; mend it, or leave it out",
	"unsuccessful":    "the row says of itself that it did not succeed; leave it out",
}
