package canonical

import (
	"strconv"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Format is what the member "format" of a canonical row says.
const Format = "eliza_native_v1"

// Boundaries are the values of the member "boundary".
var Boundaries = []string{"vercel_ai_sdk.generateText", "vercel_ai_sdk.streamText"}

// A Kind tells what a part is.
type Kind uint8

const (
	TextPart      Kind = iota
	ReasoningPart      // what the model thought; Body may be empty when the provider redacted it
	CallPart           // a tool call: ID, Name, Value
	ResultPart         // a tool's result: ID, Name, and Body, Value or the next Sub parts
	MediaPart          // an image, file, audio or video; Body is its type
	StepPart           // what follows belongs to a later model step of the same message
	AsidePart          // nothing a text row can carry: Body says what, as in loss.source
	UnknownPart        // Body is its type
)

// A Part is one piece of a turn.
type Part struct {
	Kind   Kind
	Failed bool // of a Result: the tool failed or was denied
	Sub    int  // of a Result: how many Text and Media parts after it are its content
	Body   jsontext.Body
	ID     jsontext.Body // empty when the row gives none
	Name   jsontext.Body
	Value  jsontext.JSON // of a Call its input as it stands, object or string; of a Result its value when that is not text
	Mate   int           // of a Call its result, of a Result its call, as index in Parts; -1 without
}

// A Turn is one message: Parts[From:To] of its row.
type Turn struct {
	Role     Role
	From, To int
	Index    int           // in request.messages, or InRequest or InResponse
	Name     jsontext.Body // body of the participant's name; empty without

	Untrained bool // the message says that it is not to be trained on: weight 0, train or loss false

	Envelope jsontext.Body // the text that the parts were read from, when that is all of a planner's answer; empty otherwise
	Unfolded int           // where in Parts those begin that were read from the envelope
}

// Where a turn that is not in request.messages stands.
const (
	InRequest  = -1 // request.system or request.prompt
	InResponse = -2
)

// Path is the gjson path of the turn, for a reject.
func (t Turn) Path() string {
	switch t.Index {
	case InRequest:
		return "request"
	case InResponse:
		return "response"
	}
	return "request.messages." + strconv.Itoa(t.Index)
}

// A Fault is a place where a row breaks the shape.
type Fault struct{ Code, Path, Message string }

// A Row is one canonical row. Its strings are views, good as long as the record's bytes are. What Read gives belongs to
// every step that asks for it, so it must not be changed.
type Row struct {
	Format, Boundary string // decoded; empty when they are no strings
	Turns            []Turn // system first, then messages, then prompt
	Response         Turn   // the assistant turn the row was recorded for
	Parts            []Part
	Faults           []Fault // in the order they were found, one for each code

	Tools, ToolChoice, Output jsontext.JSON // empty when absent. Output is the response schema
	FinishReason              string        // decoded, lower case, words joined by underscores; empty when absent
	Status                    string        // decoded
	Usage                     Usage
	TrajectoryID              jsontext.Body
	Split, Quality, Metadata  jsontext.JSON // empty when absent
	ScenarioStatus            jsontext.JSON // how the scenario of the run came out; empty when absent
	Reward, Weight            jsontext.JSON // of the row; empty when absent

	ToolsID uint64 // the same as in another row of this Row only when Tools is; 0 says nothing

	record  jsontext.JSON
	prompt  []Turn
	own     []Part // of the response's content
	tools   known
	denials bool // a part says that the user did not approve of a call
	folded  bool // a turn of the history has an Envelope
	left    [leftKinds]int
	found   found
}

// Usage is what a call cost, in tokens. Both namings are read: promptTokens and inputTokens, completionTokens and
// outputTokens.
type Usage struct{ Prompt, Completion int }

// TextOf gives the body of a turn when it is one text part, as system messages mostly are.
func (r *Row) TextOf(t Turn) (body jsontext.Body, ok bool) {
	if t.To-t.From != 1 || r.Parts[t.From].Kind != TextPart {
		return "", false
	}
	return r.Parts[t.From].Body, true
}

// HasText tells whether a turn says anything.
func (r *Row) HasText(t Turn) bool {
	sub := 0
	for i := t.From; i < t.To; i++ {
		p := &r.Parts[i]
		if sub > 0 {
			sub--
			continue
		}
		sub = p.Sub
		if p.Kind == TextPart && !p.Body.Blank() {
			return true
		}
	}
	return false
}

// only tells whether a turn has parts of one kind alone.
func (r *Row) only(t Turn, kind Kind) bool {
	for i := t.From; i < t.To; i++ {
		if r.Parts[i].Kind != kind {
			return false
		}
	}
	return true
}

// Forced tells whether the row has a choice of tools other than auto.
func (r *Row) Forced() bool {
	switch r.ToolChoice {
	case "", "null", `"auto"`, `{"type":"auto"}`:
		return false
	}
	return true
}

// Has tells whether a turn has a part of that kind.
func (r *Row) Has(t Turn, kind Kind) bool {
	for i := t.From; i < t.To; i++ {
		if r.Parts[i].Kind == kind {
			return true
		}
	}
	return false
}
