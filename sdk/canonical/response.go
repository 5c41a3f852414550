package canonical

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// response reads the response into a turn: its thoughts, text and calls, or its content where that says more.
func (rd *reader) response() {
	r := rd.row
	r.Response = Turn{Role: Assistant, From: len(r.Parts), Index: InResponse}
	var text, reasoning, content, calls, sources jsontext.JSON
	rd.within, rd.index = "response", -1
	media, texts := 0, len(rd.found.texts)
	for key := range rd.Members() {
		switch key {
		case "text":
			text = rd.Value()
			rd.found.addText(text.Body())
		case "toolCalls", "tool_calls", "toolcalls":
			calls = rd.calling(calls)
		case "reasoning", "reasoningText", "reasoning_content", "thinking":
			reasoning = rd.thinking(reasoning, leftResponse)
		case "content":
			r.Parts = r.Parts[:r.Response.From]
			start := rd.At
			rd.content()
			content = rd.JSON[start:rd.At]
		case "finishReason", "finish_reason":
			r.FinishReason = rd.finishReason()
		case "usage":
			r.Usage = rd.usage()
		case "files":
			for range rd.Elements() {
				media = min(media+1, MaxParts)
			}
		case "sources":
			sources = rd.Value()
		case "providerMetadata", "experimental_providerMetadata":
		default:
			rd.postponeMember(key)
		}
	}
	rd.found.setRole(Assistant, texts)
	r.own = append(r.own[:0], r.Parts[r.Response.From:]...)
	if spokenAfterResult(content, r.own) { // the provider ran a tool, which text and calls alone do not show
		rd.postponeValue(inCalls, calls)
		again := rd.apart(func() { rd.answer(text, reasoning, calls, sources, media) })
		r.left[leftAgain] += unsaid(again, r.own)
	} else {
		r.Parts = r.Parts[:r.Response.From]
		rd.answer(text, reasoning, calls, sources, media)
		r.left[leftAgain] += unsaid(r.own, r.Parts[r.Response.From:])
	}
	r.Response.To = len(r.Parts)
	rd.unfold(&r.Response)
}

// postponeMember notes a member of the response that its turn does not show.
func (rd *reader) postponeMember(key string) {
	v := rd.Value()
	switch key {
	case "toolResults", "tool_results":
		rd.postponeValue(inCalls, v)
	case "messages":
		rd.postponeValue(inMessages, v)
	case "steps":
		rd.postponeValue(inResponses, v)
	}
	if v.Truthy() {
		rd.row.left[leftResponse]++
	}
}

// answer adds the response's thoughts, text and calls, or else its content, which is in own, then its media and sources.
func (rd *reader) answer(text, reasoning, calls, sources jsontext.JSON, media int) {
	r := rd.row
	from := len(r.Parts)
	thoughts := slices.ContainsFunc(r.own, func(p Part) bool { return p.Kind == ReasoningPart })
	if reasoning != "" {
		rd.at(reasoning).reasoning()
	} else if thoughts {
		for _, p := range r.own {
			if p.Kind == ReasoningPart {
				r.addPart(p)
			}
		}
	}
	body, isText := text.Quoted()
	switch {
	case text != "" && text != "null" && !isText:
		r.fault("bad_text", "response.text", "want a string, have %s", jsontext.KindName(text[0]))
	case isText && !body.Blank():
		r.addPart(Part{Kind: TextPart, Body: body})
	}
	if calls != "" {
		rd.at(calls).calls("response.toolCalls")
	}
	said := Turn{From: from, To: len(r.Parts)}
	if len(r.own) > 0 && !r.Has(said, CallPart) && !r.HasText(said) {
		if thoughts {
			r.Parts = r.Parts[:from]
		}
		r.Parts = append(r.Parts, r.own...)
	}
	for range media {
		r.addPart(Part{Kind: MediaPart, Body: "file"})
	}
	for _, source := range sources.Elements() {
		if rd.full() {
			break
		}
		r.addPart(Part{Kind: AsidePart, Body: "source", Value: source})
	}
}

// spokenAfterResult reports whether a text follows a result among the parts of a response.
func spokenAfterResult(content jsontext.JSON, parts []Part) bool {
	if !strings.Contains(string(content), `"tool-result"`) && !strings.Contains(string(content), `"tool-error"`) {
		return false
	}
	at := slices.IndexFunc(parts, func(p Part) bool { return p.Kind == ResultPart && p.Sub == 0 })
	return at >= 0 && slices.ContainsFunc(parts[at:], func(p Part) bool { return p.Kind == TextPart && !p.Body.Blank() })
}

// finishReason reads a string or the provider's {unified, raw}, in any spelling: tool-calls, tool_calls.
func (rd *reader) finishReason() string {
	if rd.Kind() != '{' {
		return underscores.Replace(strings.ToLower(strings.TrimSpace(rd.decoded())))
	}
	reason := ""
	for key := range rd.Members() {
		if key == "unified" {
			reason = rd.finishReason()
		}
	}
	return reason
}

// endings are what the words for the end of a model call say of its answer. Some providers only say other or unknown.
var endings = map[string]string{
	"stop": "good", "tool_calls": "good", "tool_use": "good", "end_turn": "good", "stop_sequence": "good", "function_call": "good", "eos": "good",
	"complete": "good", "completed": "good", "end": "good", "pause_turn": "good", "other": "good", "unknown": "good", "unspecified": "good",
	"finish_reason_unspecified": "good",

	"length": "cut", "max_tokens": "cut", "max_output_tokens": "cut", "model_length": "cut", "model_context_window_exceeded": "cut", "incomplete": "cut",

	"content_filter": "filtered", "safety": "filtered", "refusal": "filtered", "recitation": "filtered", "blocklist": "filtered",
	"prohibited_content": "filtered", "spii": "filtered", "guardrail_intervened": "filtered", "content_filtered": "filtered", "image_safety": "filtered",

	"error": "bad", "failed": "bad", "cancelled": "bad", "canceled": "bad", "aborted": "bad", "malformed_function_call": "bad", "network_error": "bad",
}

// Ending returns what FinishReason says of the answer: "good", "cut" before its end, "filtered" by the provider or "bad", which is an error or
// an end from outside. It is "" for no reason, and for one that is not known.
func (r *Row) Ending() string { return endings[r.FinishReason] }

func (rd *reader) usage() (u Usage) {
	count := func() int {
		v := rd.Value()
		if v.Kind() == '{' { // of the newest provider interface
			v = v.Get("total")
		}
		n, _ := strconv.Atoi(string(v))
		return n
	}
	for key := range rd.Members() {
		switch key {
		case "promptTokens", "inputTokens", "prompt_tokens", "input_tokens":
			u.Prompt = max(u.Prompt, count())
		case "completionTokens", "outputTokens", "completion_tokens", "output_tokens":
			u.Completion = max(u.Completion, count())
		}
	}
	return u
}
