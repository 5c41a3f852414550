package canonical

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Read returns the reading of a record, which is valid during the call of Process. Until an edit changes the record, all calls
// return the same Row.
func Read(r *sdk.Record) *Row { return sdk.Reading(r, (*Row).Read) }

// Read reads a record in one pass. It reuses r's memory, so earlier contents are gone. A record that is not an object
// has no Format. No string that it reads has an escape that jsontext.Longhand finds, so a word or mark in ASCII looks the same in
// all rows.
func (r *Row) Read(record jsontext.JSON) {
	r.clear()
	r.record = record
	text := record
	if jsontext.Longhand(record, 0) >= 0 {
		r.short = jsontext.AppendShort(jsontext.Reuse(r.short), record)
		text = r.found.shortened(record, r.short)
	}
	rd := reader{Cursor: text.Cursor(), row: r, found: &r.found, within: "request", index: -1}
	request, response := rd.record()
	if request != '{' {
		r.fault("bad_request", "request", "want an object, have %s", r.seen(request, record))
	}
	if response != '{' {
		r.fault("bad_response", "response", "want an object, have %s", r.seen(response, record))
	}
	r.addPrompt()
	r.pair()
}

// seen names the kind of a member for an error, and what the row has where the member is not there. Most records of other formats
// have neither, and their faults are not read.
func (r *Row) seen(kind byte, record jsontext.JSON) string {
	if kind == 0 && r.Format == Format {
		return strings.Replace(jsontext.Describe(record), "an object", "a record", 1)
	}
	return jsontext.KindName(kind)
}

// isOne reports whether a value is the number 1, in whatever spelling, or a text of it: tools that read rows into tables of other types
// write 1.0 or "1".
func isOne(value jsontext.JSON) bool {
	if value == "1" {
		return true
	}
	n, ok := value.Number()
	return ok && n == 1
}

// record reads the members of a record, and returns the kinds of its request and its response.
func (rd *reader) record() (request, response byte) {
	r := rd.row
	for key := range rd.Members() {
		switch key {
		case "format":
			r.Format = rd.decoded()
		case "boundary":
			r.Boundary = rd.decoded()
		case "request":
			request = rd.Kind()
			rd.request()
		case "response":
			response = rd.Kind()
			rd.response()
		case "status":
			r.Status = rd.decoded()
		case "scenarioStatus":
			r.ScenarioStatus = rd.Value()
		case "reward":
			r.Reward = rd.Value()
		case "judgeScore":
			r.JudgeScore = rd.Value()
		case "weight":
			r.Weight = rd.Value()
		case "trajectoryId":
			r.TrajectoryID = idOf(rd.Value())
		case "split":
			r.Split = rd.Value()
		case "quality":
			r.Quality = rd.Value()
		case "metadata":
			r.Metadata = rd.Value()
			rd.postponeValue(inOptions, r.Metadata)
		case "schemaVersion":
			if v := rd.Value(); v != "null" && !isOne(v) {
				r.Version = v
				r.left[leftVersion]++
			}
		case "source":
			r.source = rd.postponed(key)
		case "scenarioId":
			r.scenarioID = rd.postponed(key)
		case "agentId", "batchId", "stepId", "callId", "stepIndex", "callIndex", "timestamp", "purpose", "actionType",
			"stepType", "tags", "model", "modelVersion", "modelType", "provider", "trajectoryTotals", "cacheStats":
			rd.postponeAt(key) // which call of which run it was, and what that cost
		case "roomName":
			rd.leave(leftRow)
			r.roomName = rd.postponed(key)
		default:
			rd.leave(leftRow)
			rd.postponeAt(key)
		}
	}
	return request, response
}

// postponed returns the value of a member, which is read later for names.
func (rd *reader) postponed(key string) jsontext.JSON {
	c := rd.Cursor
	rd.postponeAt(key)
	return c.Value()
}

// postponeAt notes the value of a member that is read only for names.
func (rd *reader) postponeAt(key string) {
	if kind := unreadKindOf(key); kind != nowhere {
		rd.postponeValue(kind, rd.Value())
	}
}

func (r *Row) clear() {
	r.found.clear()
	r.Turns, r.Parts, r.Faults, r.prompt, r.own = jsontext.Reuse(r.Turns), jsontext.Reuse(r.Parts), jsontext.Reuse(r.Faults), jsontext.Reuse(r.prompt), jsontext.Reuse(r.own)
	r.record, r.Format, r.Boundary, r.Response, r.denials, r.folded = "", "", "", Turn{}, false, false
	r.left = [leftKinds]int{}
	r.Tools, r.ToolChoice, r.Output, r.ToolsID = "", "", "", 0
	r.FinishReason, r.Status, r.Usage, r.TrajectoryID = "", "", Usage{}, ""
	r.Split, r.Quality, r.Metadata, r.meta = "", "", "", r.meta[:0]
	r.source, r.scenarioID, r.roomName = "", "", ""
	r.ScenarioStatus, r.Reward, r.Weight, r.JudgeScore, r.Version = "", "", "", "", ""
}

func (r *Row) fault(code, path, format string, args ...any) {
	if !slices.ContainsFunc(r.Faults, func(f Fault) bool { return f.Code == code }) {
		r.Faults = append(r.Faults, Fault{code, path, fmt.Sprintf(format, args...)})
	}
}

// A reader is a cursor that adds what it reads to a row, and names to found.
type reader struct {
	jsontext.Cursor
	row    *Row
	found  *found
	within string // the path of the list of messages that is read, or of the response
	index  int    // of the message in the list; -1 for no list
	level  int    // how many postponed values contain it
	depth  int    // how many results or tools contain it
}

// path returns the path of the message that is read.
func (rd *reader) path() string {
	if rd.index < 0 {
		return rd.within
	}
	return rd.within + "." + strconv.Itoa(rd.index)
}

func (rd *reader) decoded() string {
	body, _ := rd.String()
	return body.Text()
}

// at returns a reader of another text, such as JSON inside a string.
func (rd *reader) at(text jsontext.JSON) *reader {
	inner := *rd
	inner.Cursor = text.Cursor()
	return &inner
}

// calling returns the next value, a list of calls, which may be inside a string. An empty list does not replace the calls of
// another member. A string that is not JSON is returned as it is, for calls to refuse.
func (rd *reader) calling(other jsontext.JSON) jsontext.JSON {
	value := rd.found.unwrap(rd.Value())
	body, isText := value.Quoted()
	if value == "null" || isText && body.Blank() || other != "" && value.Empty() {
		return other
	}
	if other != "" && !other.Empty() && !sameValue(other, value) {
		rd.row.left[leftCall]++
	}
	rd.postponeValue(inCalls, other)
	return value
}

func (rd *reader) request() {
	r := rd.row
	system := Turn{}
	for key := range rd.Members() {
		switch key {
		case "system", "instructions":
			if system.From < system.To {
				r.left[leftRequest]++
			}
			system = rd.system()
		case "messages":
			r.Turns = r.Turns[:0]
			if kind := rd.Kind(); kind != '[' && kind != 'n' {
				r.fault("bad_messages", "request.messages", "want an array, have %s", jsontext.KindName(kind))
			}
			r.Turns = rd.messages(r.Turns, "request.messages")
		case "prompt":
			rd.prompt()
		case "tools":
			rd.requestTools()
		case "toolChoice", "tool_choice":
			r.ToolChoice = rd.Value()
			rd.postponeValue(inChoice, r.ToolChoice)
		case "responseSchema", "output":
			if v := rd.Value(); v != "null" {
				r.Output = v
			}
		case "settings", "providerOptions":
			if c := rd.Cursor; c.Value().Truthy() {
				r.left[leftSettings]++
			}
			rd.postponeAt(key)
		default:
			rd.leave(leftRequest)
			rd.postponeAt(key)
		}
	}
	if system.From < system.To {
		r.Turns = slices.Insert(r.Turns, 0, system)
	}
}

// leave counts the next value, of a member that is not read, unless it is null.
func (rd *reader) leave(where int) {
	if rd.Kind() != 'n' {
		rd.row.left[where]++
	}
}

// requestTools reads the tools of the request, from the cache if an earlier row had the same.
func (rd *reader) requestTools() {
	r := rd.row
	r.Tools, r.ToolsID = r.tools.read(&rd.Cursor)
	rd.postponeValue(inTools, r.Tools)
	if n := len(rd.found.rest); rd.level == 0 && n > 0 {
		rd.found.rest[n-1].tools = r.ToolsID
	}
}

// system reads request.system: a string, a message, or a list of either.
func (rd *reader) system() Turn {
	t := Turn{Role: System, From: len(rd.row.Parts), Index: inRequest}
	texts := len(rd.found.texts)
	read := func() {
		if rd.Kind() != '{' {
			rd.content()
			return
		}
		value := rd.Value()
		if value.Get("role") != "" {
			rd.at(value).systemMessage()
		} else {
			rd.at(value).part()
		}
	}
	if rd.Kind() == '[' {
		for range rd.Elements() {
			if !rd.full() {
				read()
			}
		}
	} else {
		read()
	}
	rd.found.setRole(System, texts)
	t.To = len(rd.row.Parts)
	return t
}

// systemMessage reads a message of request.system.
func (rd *reader) systemMessage() {
	for key := range rd.Members() {
		switch key {
		case "content":
			rd.content()
		case "role":
			if role, _ := rd.String(); rowRole(role) != System && rowRole(role) != Developer {
				rd.row.left[leftMessage]++
			}
		default:
			rd.leave(leftMessage)
		}
	}
}

// prompt reads request.prompt: a text, or messages.
func (rd *reader) prompt() {
	r := rd.row
	r.prompt = r.prompt[:0]
	if rd.Kind() == '[' {
		r.prompt = rd.messages(r.prompt, "request.prompt")
		return
	}
	if body, ok := rd.String(); ok && !body.Blank() {
		r.addPart(Part{Kind: TextPart, Body: body})
		r.prompt = append(r.prompt, Turn{Role: User, From: len(r.Parts) - 1, To: len(r.Parts), Index: inRequest})
	}
}

// addPrompt appends the prompt when the user says nothing in messages, and a text that is not what the user says last when somebody
// answered that: it is then what the response answers. Elsewhere it counts as left.
func (r *Row) addPrompt() {
	if len(r.prompt) == 0 {
		return
	}
	text, isText := r.TextOf(r.prompt[0])
	isText = isText && len(r.prompt) == 1
	answered := false
	for _, t := range slices.Backward(r.Turns) {
		switch {
		case r.only(t, TextPart) && !r.HasText(t): // says nothing
			continue
		case t.Role == Assistant || t.Role == Tool:
			answered = true
			continue
		case t.Role != User:
			continue
		}
		if had, ok := r.TextOf(t); ok && isText && had == text {
			return
		}
		if !answered || !isText {
			r.left[leftPrompt]++
			return
		}
		break
	}
	r.Turns = append(r.Turns, r.prompt...)
}
