package canonical

// What a row holds and its turns do not show, by the name that it is counted under.
const (
	leftRequest = iota
	leftResponse
	leftPrompt
	leftMessage
	leftPart
	leftCall
	leftAgain
	leftKinds
)

var leftNames = [leftKinds]string{
	leftRequest: "loss.request_member", leftResponse: "loss.response_member", leftPrompt: "loss.prompt",
	leftMessage: "loss.message_member", leftPart: "loss.part_member", leftCall: "loss.call_member", leftAgain: "loss.second_wording",
}

// Left gives count the name and number of what the row holds and its turns do not show: members of the request, the response,
// messages, parts and calls that no reader of rows knows, a prompt beside messages, and what is said a second time in other
// words, such as a content beside texts and calls. Settings, usage and the metadata of providers are no part of what is said,
// and not among them.
func (r *Row) Left(count func(name string, n int)) {
	for kind, n := range r.left {
		if n > 0 {
			count(leftNames[kind], n)
		}
	}
}
