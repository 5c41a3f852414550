package canonical

// Kinds of contents that a row has and its turns do not show.
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

// Left calls count with the name and number of each kind of contents that the row has and its turns do not show: unknown members of
// the request, the response, messages, parts and calls, a prompt besides messages, and second wordings, such as a content
// besides texts and calls. Settings, usage and the metadata of providers do not count.
func (r *Row) Left(count func(name string, n int)) {
	for kind, n := range r.left {
		if n > 0 {
			count(leftNames[kind], n)
		}
	}
}
