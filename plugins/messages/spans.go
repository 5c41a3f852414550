package messages

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/blocks"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Attributes of spans that hold messages, one attribute for each member of each: those of OpenInference, and older ones of
// OpenLLMetry.
const (
	spanInput   = "llm.input_messages"
	spanOutput  = "llm.output_messages"
	spanTools   = "llm.tools"
	spanTokens  = "llm.token_count"
	spanPrompt  = "gen_ai.prompt"
	spanAnswer  = "gen_ai.completion"
	spanOffered = "llm.request.functions"
	inputValue  = "input.value"
	outputValue = "output.value"
	spanKind    = "openinference.span.kind"
)

// spanRoots are the attributes whose members may be attributes of their own.
var spanRoots = []string{spanInput, spanOutput, spanTools, spanTokens, spanPrompt, spanAnswer, spanOffered}

// spanParts are objects that hold such attributes where a writer nests them.
var spanParts = map[string]bool{
	"llm": true, "gen_ai": true, "llm.request": true, "input": true, "output": true, "openinference": true, "openinference.span": true,
}

// A span is a record of tracing while it is read.
type span struct {
	tree                      branch
	input, output, kind       jsontext.JSON
	model, finish, parameters jsontext.JSON
}

// isSpan reports whether the record is a span, or the attributes of one, that holds messages or what a call of a model took and gave.
// The input and output of an agent are not read: what its tools said in between is in other spans.
func (a *adapter) isSpan() bool {
	if !a.record.span {
		return false
	}
	var s span
	held := false
	s.each(a.source, func(key string, value jsontext.JSON) {
		for _, root := range []string{spanInput, spanOutput, spanPrompt, spanAnswer} {
			held = held || isUnder(key, root) && (len(key) > len(root) || opened(value).Kind() == '[')
		}
		s.note(key, value)
	})
	return held || s.kind == `"LLM"` && s.input.Truthy() && s.output.Truthy() && (s.input.Kind() == '"' || s.output.Kind() == '"')
}

// isUnder reports whether a key is that of a root or of something in it.
func isUnder(key, root string) bool {
	rest, ok := strings.CutPrefix(key, root)
	return ok && (rest == "" || rest[0] == '.')
}

// each calls do for each attribute of a span, by its full name.
func (s *span) each(record jsontext.JSON, do func(key string, value jsontext.JSON)) {
	var add func(key string, value jsontext.JSON)
	add = func(key string, value jsontext.JSON) {
		if spanParts[key] && value.Kind() == '{' {
			for k, v := range value.Members() {
				add(key+"."+k, v)
			}
			return
		}
		do(key, value)
	}
	for key, v := range record.Members() {
		if key != "attributes" {
			add(strings.TrimPrefix(key, "attributes."), v)
			continue
		}
		for k, v := range v.Members() {
			add(k, v)
		}
		for _, pair := range v.Elements() {
			add(pair.Get("key").Text(), anyValue(pair.Get("value"), mostNested))
		}
	}
}

// mostNested is how deep values of the wire format are read, each level of which reads all that is in it again.
const mostNested = 16

// anyValue returns a value of the OpenTelemetry wire format as JSON, and any other value as it is.
func anyValue(v jsontext.JSON, deeper int) jsontext.JSON {
	if v.Kind() != '{' || deeper == 0 {
		return v
	}
	members := v.Unique()
	if len(members) != 1 {
		return v
	}
	inner := members[0].Value
	switch members[0].Key {
	case "stringValue", "boolValue", "doubleValue":
		return inner
	case "intValue": // which may be in a string, as 64 bits are
		if n, err := strconv.ParseInt(inner.Text(), 10, 64); err == nil {
			return jsontext.JSON(strconv.FormatInt(n, 10))
		}
		return inner
	case "arrayValue", "kvlistValue":
		if values := inner.Unique(); len(values) == 1 && values[0].Key == "values" {
			return anyValues(v, values[0].Value, members[0].Key == "kvlistValue", deeper-1)
		}
	}
	return v
}

// anyValues returns a list of such values, or an object of pairs; whole where something is no pair.
func anyValues(whole, values jsontext.JSON, pairs bool, deeper int) jsontext.JSON {
	if !pairs {
		list := []byte("[")
		for _, e := range values.Elements() {
			list = append(jsontext.AppendComma(list), anyValue(e, deeper)...)
		}
		return jsontext.JSON(append(list, ']'))
	}
	object := []byte("{")
	for _, e := range values.Elements() {
		pair := e.Unique()
		if len(pair) != 2 || pair[0].Key != "key" || pair[1].Key != "value" || pair[0].Value.Kind() != '"' {
			return whole
		}
		object = append(jsontext.AppendKey(object, pair[0].Value.Text()), anyValue(pair[1].Value, deeper)...)
	}
	return jsontext.JSON(append(object, '}'))
}

// note stores an attribute that the form reads, and reports whether it is one.
func (s *span) note(key string, value jsontext.JSON) bool {
	switch key {
	case inputValue:
		s.input = value
	case outputValue:
		s.output = value
	case "llm.model_name", tracedModel:
		if s.model != "" {
			return false
		}
		s.model = value
	case "llm.finish_reason":
		s.finish = value
	case spanKind:
		s.kind = value
		return false
	case "llm.invocation_parameters":
		s.parameters = value
		return false
	default:
		return false
	}
	return true
}

// span reads the messages of a span. What the span holds of the raw request and response repeats them.
func (a *adapter) span() error {
	var s span
	shape := a.row.Shape
	a.row.Reset()
	a.row.Shape = shape
	clear(a.record.lists)
	clear(a.record.members[:])
	s.each(a.source, func(key string, value jsontext.JSON) {
		for _, root := range spanRoots {
			if isUnder(key, root) {
				if key == root {
					value = opened(value)
				}
				s.tree.fill(key, value)
				return
			}
		}
		if !s.note(key, value) {
			a.take(key, value)
		}
	})
	for _, pair := range a.source.Get("attributes").Elements() {
		a.row.Leave("loss.part_member", pair, "key", "value")
	}
	if s.model.Kind() == '"' {
		a.row.Identify("model", s.model)
	} else {
		a.row.Keep("llm.model_name", s.model)
	}
	if a.record.members[finish] == "" {
		a.record.members[finish] = s.finish
	} else {
		a.row.Keep("llm.finish_reason", s.finish)
	}
	if used := s.tree.at(spanTokens); used != nil {
		a.record.members[usage] = build.Renamed(used.json(), map[string]string{"prompt": "promptTokens", "completion": "completionTokens", "total": "totalTokens"})
	}
	if tools := a.spanTools(&s); tools != "" {
		a.take("tools", tools)
	}
	return a.spoken(&s)
}

// spoken adds the messages of a span: those that went in, then those that came out.
func (a *adapter) spoken(s *span) error {
	in, path := s.tree.first(spanInput, spanPrompt)
	out, outPath := s.tree.first(spanOutput, spanAnswer)
	asked := s.input
	switch {
	case in == nil:
		path = inputValue
	case s.input.Truthy():
		a.row.Count("loss.raw_value", 1)
		fallthrough
	default:
		asked = in.messages("")
	}
	if out == nil {
		return a.valued(path, asked, s.output)
	}
	if s.output.Truthy() {
		a.row.Count("loss.raw_value", 1)
	}
	said := out.messages(`"assistant"`)
	if answers := said.List(); len(answers) > 1 {
		if n := opened(s.parameters).Get("n"); n != "" && n != "1" && n != "null" { // several answers to one question
			a.row.Count("loss.choice", len(answers)-1)
			said = answers[0]
		} else {
			a.row.Merge = true // one answer, an item at a time
		}
	}
	if in != nil {
		if err := a.history(path, asked); err != nil {
			return err
		}
	} else if err := a.asked(path, asked); err != nil {
		return err
	}
	return a.answered(outPath, said)
}

// valued reads a question and an answer that are messages, plain texts, or what went over the wire.
func (a *adapter) valued(path string, asked, said jsontext.JSON) error {
	out := opened(said)
	switch {
	case !said.Truthy():
		return sdk.Reject("no_target", spanOutput, "want what the model said in %s or %s", spanOutput, outputValue)
	case out.Kind() == '{' && out.Get("choices").Kind() != '[' && out.Get("output").Kind() != '[' && out.Get("role") == "" && out.Get("content") == "":
		return sdk.Reject("no_target", outputValue, "want a text, a message or a completion, have %s", jsontext.Describe(out))
	}
	for m, value := range map[member]jsontext.JSON{input: asked, output: said} {
		a.row.Keep(spellings[m][0], a.of(m))
		a.record.members[m] = value
	}
	if a.isLogged() {
		return a.logged()
	}
	if asked = opened(a.of(input)); asked.Kind() != '"' {
		return sdk.Reject("bad_message", path, "want a text or messages, have %s", jsontext.KindName(asked.Kind()))
	}
	if err := a.asked(path, asked); err != nil {
		return err
	}
	return a.answered(outputValue, a.of(output))
}

// spanTools returns the tools that a span offers, "" for none.
func (a *adapter) spanTools(s *span) jsontext.JSON {
	list := []byte("[")
	if offered := s.tree.at(spanTools); offered != nil {
		for _, tool := range offered.items() {
			if inner := tool.kids["tool"]; inner != nil {
				a.row.Count("loss.tool_member", len(tool.names)-1)
				tool = inner
			}
			list = a.appendSpanTool(list, tool)
		}
	}
	if offered := s.tree.at(spanOffered); offered != nil {
		for _, tool := range offered.items() {
			list = append(jsontext.AppendComma(list), tool.json()...)
		}
	}
	if len(list) == 1 {
		return ""
	}
	return jsontext.JSON(append(list, ']'))
}

// appendSpanTool appends a tool of OpenInference: the definition that the vendor's interface takes, or the name with a schema of the
// parameters.
func (a *adapter) appendSpanTool(list []byte, tool *branch) []byte {
	var schema jsontext.JSON
	if kid := tool.kids["json_schema"]; kid != nil {
		schema = opened(kid.json())
	}
	spec := schema.Get("toolSpec")
	whole := spec.Kind() == '{' || schema.Get("name") != "" || schema.Get("function") != ""
	if whole { // the other members repeat the definition
		a.row.Count("loss.tool_member", len(tool.names)-1)
	}
	switch {
	case spec.Kind() == '{':
		a.row.Leave("loss.tool_member", schema, "toolSpec")
		a.row.Leave("loss.tool_member", spec.Get("inputSchema"), "json")
		return blocks.AppendTool(list, spec, "json", "inputSchema")
	case whole:
		return append(jsontext.AppendComma(list), schema...)
	case schema.Kind() != '{':
		return append(jsontext.AppendComma(list), tool.json()...)
	}
	list = append(jsontext.AppendComma(list), '{')
	for _, name := range tool.names {
		if name == "json_schema" {
			list = append(jsontext.AppendKey(list, "parameters"), schema...)
		} else {
			list = tool.kids[name].appendTo(jsontext.AppendKey(list, name))
		}
	}
	return append(list, '}')
}
