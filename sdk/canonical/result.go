package canonical

import "github.com/sluicehq/sluice/sdk/jsontext"

// result adds the result of a tool call, in the AI SDK's output types, its older form or an Anthropic block.
func (rd *reader) result(f fields) {
	r := rd.row
	r.left[leftPart] += f.left + unshown(f.text, f.errorText)
	p := Part{Kind: ResultPart, ID: f.id, Name: f.name, Failed: f.failed == "true" || f.kind == "tool-error"}
	if f.badID != "" {
		r.fault("bad_tool_call", rd.path(), "want an id that is a string or a number, have %s", f.badID)
	}
	shown := rd.shown(f.output, f.listed, f.result, f.content)
	switch {
	case shown == "":
		r.addPart(p)
	case shown == f.output:
		rd.at(shown).output(p)
	case shown.Kind() == '[' && (shown == f.listed || shown == f.content):
		rd.at(shown).list(p)
	default:
		r.addResult(p, shown)
	}
}

// shown returns the first of the contents of a result that is not empty, or else the first that there is, and counts others that say
// something else.
func (rd *reader) shown(contents ...jsontext.JSON) (shown jsontext.JSON) {
	for _, v := range contents {
		switch {
		case v == "":
		case shown == "" || saysNothing(shown) && !saysNothing(v):
			shown = v
		case !saysNothing(v) && !sameValue(v, shown):
			rd.row.left[leftPart]++
		}
	}
	return shown
}

// addResult adds a result that is one value: a string is text, anything else stays JSON.
func (r *Row) addResult(p Part, value jsontext.JSON) {
	if body, ok := value.Quoted(); ok {
		p.Body = body
	} else {
		p.Value = value
	}
	r.addPart(p)
}

// output reads the output of a result. An object of unknown type or with unknown members is the value itself.
func (rd *reader) output(p Part) {
	r := rd.row
	whole := rd.Value()
	var kind string
	var value jsontext.JSON
	var reason jsontext.Body
	known := true
	out := rd.at(whole)
	for key := range out.Members() {
		switch key {
		case "type":
			kind = out.decoded()
		case "value":
			value = out.Value()
		case "reason":
			reason, _ = out.String()
		case "providerOptions":
			r.left[leftPart]++
		default:
			known = false
		}
	}
	if !known {
		kind = ""
	}
	switch kind {
	case "text", "error-text":
		p.Failed = p.Failed || kind == "error-text"
		r.addResult(p, value)
	case "json", "error-json": // a string stays JSON, as the SDK sends it
		p.Failed = p.Failed || kind == "error-json"
		p.Value = value
		r.addPart(p)
	case "content":
		rd.at(value).list(p)
	case "execution-denied":
		p.deny(reason)
		r.addPart(p)
	default:
		r.addResult(p, whole)
	}
}

// deny makes p the result of a tool that was not run.
func (p *Part) deny(reason jsontext.Body) {
	p.Kind, p.Failed = ResultPart, true
	if p.Body = reason; reason == "" {
		p.Body = "execution denied"
	}
}

// maxDepth is how deep results, or tools, may nest.
const maxDepth = 8

// list reads content parts as the content of a result. Names in them are not the row's.
func (rd *reader) list(p Part) {
	r, f := rd.row, rd.found
	at, names, texts, rest := len(r.Parts), len(f.names), len(f.texts), len(f.rest)
	if rd.depth == maxDepth {
		p.Value = rd.Value()
		r.addPart(p)
		return
	}
	r.addPart(p)
	rd.depth++
	rd.parts()
	rd.depth--
	r.Parts[at].Sub = len(r.Parts) - at - 1
	f.names, f.texts, f.rest = f.names[:names], f.texts[:texts], f.rest[:rest]
}
