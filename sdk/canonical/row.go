// Package canonical reads eliza_native_v1 rows, which every adapter writes and every later step of a pipeline reads.
//
// Read returns the Row of a record: its turns, calls, results, texts and tools, in every spelling that occurs, with their places
// in the record. Package build writes rows.
//
// Strings are bodies: the bytes between the quotes of a JSON string, escapes included. So what goes from JSON to JSON is copied
// and never decoded.
package canonical

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Format is the value of the member "format" of a canonical row.
const Format = "eliza_native_v1"

// Boundaries are the values of the member "boundary".
var Boundaries = []string{"vercel_ai_sdk.generateText", "vercel_ai_sdk.streamText"}

// A Kind is the kind of a part.
type Kind uint8

const (
	TextPart      Kind = iota
	ReasoningPart      // what the model thought; Body may be empty when the provider redacted it
	CallPart           // a tool call: ID, Name, Value
	ResultPart         // a tool's result: ID, Name, and Body, Value or the next Sub parts
	MediaPart          // an image, file, audio or video; Body is its type, Value the part, or "" for an attachment
	StepPart           // what follows belongs to a later model step of the same message
	AsidePart          // something that a text row cannot carry: Body names it, as in loss.source
	UnknownPart        // Body is its type
)

// A Part is one piece of a turn.
type Part struct {
	Kind   Kind
	Failed bool // of a Result: the tool failed or was denied
	Sub    int  // of a Result: how many Text and Media parts after it are its content
	Body   jsontext.Body
	ID     jsontext.Body // empty when the row has none
	Name   jsontext.Body
	Value  jsontext.JSON // of a Call its input as it is, object or string; of a Result its value when that is not text
	Mate   int           // of a Call its result, of a Result its call, as index in Parts; -1 without
}

// Arguments returns the input of a call as an object: one, a string that holds one, or {} where there is nothing. For any other
// input it returns what there is, for errors.
func (p *Part) Arguments() (object jsontext.JSON, have string) {
	value := p.Value
	body, quoted := value.Quoted()
	if quoted && !body.Blank() {
		value, _ = body.Embedded()
		if value.Kind() != '{' && value != "null" {
			return "", "a string without one"
		}
	}
	switch {
	case quoted && body.Blank(), value == "", value == "null":
		return "{}", ""
	case value.Kind() != '{':
		return "", jsontext.KindName(value.Kind())
	}
	return value, ""
}

// Seen says for errors what an UnknownPart is: its type, or its members where it has none.
func (p *Part) Seen() string {
	if p.Body == "" {
		return jsontext.Describe(p.Value)
	}
	return jsontext.Seen(p.Body.JSON())
}

// A Turn is one message: Parts[From:To] of its row.
type Turn struct {
	Role     Role
	From, To int
	Index    int           // in request.messages, InResponse, or inRequest
	Name     jsontext.Body // body of the participant's name; empty without

	Untrained bool // the message says that it is not to be trained on: weight 0, train or loss false

	Envelope jsontext.Body // the whole text of the turn, if it is a planner's answer and the parts were read from it; empty otherwise
	Unfolded int           // index in Parts of the first part read from the envelope
}

// The indexes of turns that are not in request.messages.
const (
	inRequest  = -1 // request.system or request.prompt
	InResponse = -2
)

// Path returns the gjson path of the turn, for a reject.
func (t Turn) Path() string {
	switch t.Index {
	case inRequest:
		return "request"
	case InResponse:
		return "response"
	}
	return "request.messages." + strconv.Itoa(t.Index)
}

// A Fault is a place where a row is not an eliza_native_v1 row.
type Fault struct{ Code, Path, Message string }

// A Row is one canonical row. Its strings are views, valid as long as the record's bytes are. All steps of a chain share the Row
// that Read returns, so it must not be changed.
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
	Reward, JudgeScore        jsontext.JSON // of the row; empty when absent
	Weight, Version           jsontext.JSON // likewise; Version is a schemaVersion other than 1

	ToolsID uint64 // two records read into this Row have the same Tools if they have the same ToolsID; 0 says nothing

	source, scenarioID, roomName jsontext.JSON // where the row is from, beside TrajectoryID; empty when absent

	record  jsontext.JSON
	short   []byte            // memory of what is read in place of a record with long escapes
	meta    []jsontext.Member // of Metadata, when something has asked for one
	prompt  []Turn
	own     []Part // of the response's content
	tools   known
	denials bool // a part says that the user did not approve of a call
	folded  bool // a turn of the history has an Envelope
	left    [leftKinds]int
	found   found
}

// Usage holds the tokens of a model call. Both namings are read: promptTokens and inputTokens, completionTokens and
// outputTokens.
type Usage struct{ Prompt, Completion int }

// Meta returns the last value of a key of Metadata, or "", as its Get does.
func (r *Row) Meta(key string) jsontext.JSON {
	if !r.readMeta() {
		return r.Metadata.Get(key)
	}
	for i := range slices.Backward(r.meta) {
		if m := &r.meta[i]; m.Key == key {
			return m.Value
		}
	}
	return ""
}

// MetaMembers iterates over the members of Metadata, as its Members does.
func (r *Row) MetaMembers() iter.Seq2[string, jsontext.JSON] {
	if !r.readMeta() {
		return r.Metadata.Members()
	}
	return func(yield func(string, jsontext.JSON) bool) {
		for i := range r.meta {
			if m := &r.meta[i]; !yield(m.Key, m.Value) {
				return
			}
		}
	}
}

// readMeta reads the members of Metadata once for all steps. It reports false if there are too many to look through one by one.
func (r *Row) readMeta() bool {
	const most = 32
	if len(r.meta) == 0 {
		for key, value := range r.Metadata.Members() {
			if r.meta = append(r.meta, jsontext.Member{Key: key, Value: value}); len(r.meta) > most {
				break
			}
		}
	}
	return len(r.meta) <= most
}

// TextOf returns the body of a turn that is one text part, as system messages mostly are. It is not ok for others.
func (r *Row) TextOf(t Turn) (body jsontext.Body, ok bool) {
	if t.To-t.From != 1 || r.Parts[t.From].Kind != TextPart {
		return "", false
	}
	return r.Parts[t.From].Body, true
}

// HasText reports whether a turn has a text that is not blank.
func (r *Row) HasText(t Turn) bool {
	for range pieces(r.Parts[t.From:t.To], TextPart) {
		return true
	}
	return false
}

func (r *Row) only(t Turn, kind Kind) bool {
	return !slices.ContainsFunc(r.Parts[t.From:t.To], func(p Part) bool { return p.Kind != kind })
}

// SeenFormat says for errors what a record is that is no canonical row: the format that it declares, or else its members.
func (r *Row) SeenFormat() string {
	if format := r.record.Get("format"); format != "" {
		return jsontext.Seen(format)
	}
	return jsontext.Describe(r.record)
}

// Roles names the roles of the request for errors, and of those that say nothing that they do. It describes a request without messages.
func (r *Row) Roles() string {
	const most = 6
	if len(r.Turns) == 0 {
		request := r.record.Get("request")
		if list := request.Get("messages"); list != "" {
			return jsontext.Describe(list) + " in messages"
		}
		return jsontext.Describe(request)
	}
	var roles []string
	for _, t := range r.Turns[:min(len(r.Turns), most)] {
		role := t.Role.String()
		if !r.HasText(t) && !r.Has(t, CallPart) && !r.Has(t, ResultPart) {
			role += " (without text or calls)"
		}
		roles = append(roles, role)
	}
	if more := len(r.Turns) - most; more > 0 {
		return strings.Join(roles, ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(roles, ", ")
}

// Forced reports whether the row has a choice of tools other than auto.
func (r *Row) Forced() bool {
	switch r.ToolChoice {
	case "", "null", `"auto"`, `{"type":"auto"}`:
		return false
	}
	return true
}

// Has reports whether a turn has a part of a kind.
func (r *Row) Has(t Turn, kind Kind) bool {
	for i := t.From; i < t.To; i++ {
		if r.Parts[i].Kind == kind {
			return true
		}
	}
	return false
}

// Kinds of contents that a row has and its turns do not show.
const (
	leftRequest = iota
	leftResponse
	leftPrompt
	leftMessage
	leftPart
	leftCall
	leftEnvelope
	leftAgain
	leftRow
	leftSettings
	leftVersion
	leftKinds
)

var leftNames = [leftKinds]string{
	leftRequest: "loss.request_member", leftResponse: "loss.response_member", leftPrompt: "loss.prompt",
	leftMessage: "loss.message_member", leftPart: "loss.part_member", leftCall: "loss.call_member", leftEnvelope: "loss.envelope_member", leftAgain: "loss.second_wording",
	leftRow: "loss.row_member", leftSettings: "loss.settings", leftVersion: "loss.schema_version",
}

// Left calls count with the name and number of each kind of contents that the row has and its turns do not show: unknown members of
// the request, the response, messages, parts, calls and envelopes, a prompt besides messages, and second wordings, such as a content
// besides texts and calls. Settings, usage and the metadata of providers do not count.
func (r *Row) Left(count func(name string, n int)) {
	for kind, n := range r.left {
		if n > 0 {
			count(leftNames[kind], n)
		}
	}
}
