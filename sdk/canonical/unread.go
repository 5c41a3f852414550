package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// An unreadKind is the kind of a value that is read only for names.
type unreadKind uint8

const (
	nowhere unreadKind = iota
	inRecords
	inResponses
	inMessages
	inParts
	inInvocations
	inCall
	inCalls
	inActions
	inTools
	inChoice
	inList
	inOptions
	inText
)

// unreadKindOf returns the kind of a member of a record or of a request, by its key.
func unreadKindOf(key string) unreadKind {
	switch key {
	case "messages", "memoryEntries":
		return inMessages
	case "tools":
		return inTools
	case "toolChoice", "tool_choice":
		return inChoice
	case "actions":
		return inActions
	case "agent_actions", "tool_results":
		return inCalls
	case "scenarios", "turns":
		return inRecords
	case "expectedResponse":
		return inText
	case "metadata", "settings", "providerOptions":
		return inOptions
	case "availableActions", "allowedToolNames", "allowedTools", "activeTools", "candidateActions", "parentActionHints":
		return inList
	}
	return nowhere
}

// isList reports whether a member of any object is a list of names.
func isList(key string) bool { return unreadKindOf(key) == inList }

// namesIn reads the next value for its names.
func (rd *reader) namesIn(kind unreadKind) {
	r := rd.row
	switch kind {
	case inRecords:
		for range rd.Elements() {
			rd.record()
		}
	case inResponses:
		for range rd.Elements() {
			rd.response()
		}
	case inMessages:
		rd.messages(nil, "")
	case inParts:
		rd.parts()
	case inInvocations:
		rd.invocations(len(r.Parts), "")
	case inCall:
		rd.call("", 0)
	case inCalls:
		rd.at(rd.found.unwrap(rd.Value())).calls("")
	case inActions:
		rd.actions()
	case inTools:
		rd.tools()
	case inChoice:
		rd.choice()
	case inList:
		rd.entries(ListUse)
	case inOptions:
		if all := string(rd.JSON); strings.IndexByte(all, '[') >= 0 || strings.Contains(all, "toolSpecs") {
			rd.options() // most settings hold no names
		}
	case inText:
		if body, ok := rd.String(); ok {
			rd.found.speech(body)
		}
	}
}

// actions reads the actions of a trajectory record, names or objects.
func (rd *reader) actions() {
	for range rd.Elements() {
		if rd.Kind() == '"' {
			rd.name(CallUse)
			continue
		}
		start, body := rd.At, jsontext.Body("")
		for key := range rd.Members() {
			if key == "name" {
				body, _ = rd.String()
			}
		}
		if body != "" {
			rd.found.entry(0, ActionUse, body, string(rd.JSON[start:rd.At]))
		}
	}
}

// choice reads a choice of tools: a name, or an object in the form of any provider.
func (rd *reader) choice() {
	if rd.Kind() == '"' {
		switch body, _ := rd.String(); body {
		case "auto", "none", "required", "any":
		default:
			rd.found.add(ChoiceUse, body)
		}
		return
	}
	for key := range rd.Members() {
		switch key {
		case "toolName", "name":
			rd.name(ChoiceUse)
		case "function", "tool":
			rd.chosen()
		case "tools":
			rd.tools()
		case "allowed_tools":
			rd.choice()
		default:
			if isList(key) {
				rd.entries(ListUse)
			}
		}
	}
}

func (rd *reader) chosen() {
	if rd.Kind() == '"' {
		rd.name(ChoiceUse)
		return
	}
	for key := range rd.Members() {
		if key == "name" || key == "toolName" {
			rd.name(ChoiceUse)
		}
	}
}

// options looks for lists of names and for tool specs in settings, however deep they nest.
func (rd *reader) options() {
	for key := range rd.Members() {
		switch {
		case key == "toolSpecs":
			rd.tools()
		case rd.Kind() == '{':
			rd.options()
		case isList(key):
			rd.entries(ListUse)
		}
	}
}

// entries reads a list of names, or of objects that have one.
func (rd *reader) entries(use Use) {
	list := rd.found.list()
	for range rd.Elements() {
		rd.Kind()
		start := rd.At
		name := rd.tool(use).Name
		rd.found.entry(list, use, name, string(rd.JSON[start:rd.At]))
	}
}
