// Package check holds rows to their JSON Schema, and to the rules that a schema cannot say.
package check

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/schema"
)

// Findings is the side output with one row {"level", "code", "path", "message", "shape"} for each finding.
const Findings = "findings"

// Plugin is the built-in "check". A row without errors goes on unchanged; one with errors is rejected under the code of
// the first.
var Plugin = sdk.Plugin{
	Name: "check",
	Doc:  "holds canonical, ChatML, trajectory, preference and stepwise rows to their schemas and to the rules behind them",
	Args: config{As: Auto},
	New:  open,

	Outputs: []string{Findings},
	Codes:   codes(),
}

type config struct {
	As     string   `hcl:"as,optional" oneof:"auto canonical chatml trajectory preference stepwise" doc:"what the rows are; auto recognises it in each row"`
	Allow  []string `hcl:"allow,optional" doc:"codes that are not looked at" example:"[\"call_without_id\"]"`
	Strict bool     `hcl:"strict,optional" doc:"warnings are errors"`
}

// Auto recognises the shape of each row.
const Auto = "auto"

// rules are the shapes of rows, with the checks that follow the schema of that name.
var rules = map[string]func(*checker, *sdk.Record){
	"canonical":  (*checker).canonical,
	"chatml":     (*checker).chatml,
	"trajectory": (*checker).trajectory,
	"preference": (*checker).preference,
	"stepwise":   (*checker).stepwise,
}

// Shapes are the names of the shapes that rows can have.
func Shapes() []string { return slices.Sorted(maps.Keys(rules)) }

// codes are those of the schemas and of the rules.
func codes() map[string]string {
	all := map[string]string{
		"declined":           "the row has none of the shapes that are known",
		"bad_arguments":      "the arguments of a call are neither an object nor a string that holds one",
		"bad_content":        "the content of a message is neither text nor parts",
		"bad_message":        "a message is not an object",
		"bad_messages":       "the messages are not a list",
		"bad_labels":         "the labels are not as many as the steps",
		"bad_request":        "the request is not an object",
		"bad_response":       "the response is not an object",
		"bad_role":           "a message has a role that is not known",
		"bad_text":           "the text of a response is not a string",
		"bad_tool_call":      "a call has no name, or is not a call",
		"bad_tools":          "the tools are in no spelling that is known",
		"call_without_id":    "a call has no id for a result to name",
		"dangling_call":      "a call has no result before the conversation goes on",
		"duplicate_call_id":  "two calls of a row have the same id",
		"duplicate_tool":     "two tools of a row have the same name",
		"empty_response":     "the answer to train on says nothing and calls nothing",
		"last_not_assistant": "the last message is not the assistant's",
		"late_system":        "a system message comes after the first message",
		"lone_surrogate":     "a text has half a character, which no tokenizer takes and for which readers refuse the whole file",
		"mixed_sides":        "prompt and answers are not all text, or not all messages",
		"no_user_turn":       "the user says nothing",
		"orphan_result":      "a result names no call that waits for one",
		"quality_conflict":   "split and quality say different things of whether the row is good",
		"result_without_id":  "a result does not name its call",
		"same_answers":       "the preferred answer and the other are the same",
		"too_many_calls":     "more calls wait for their results than can be paired",
		"too_many_parts":     "a row has more parts than can be read",
		"undeclared_call":    "a call is of none of the row's tools",
		"wrong_result_name":  "a result has another tool's name than its call",
	}
	maps.Copy(all, schema.Codes)
	for code, means := range all {
		all[code] = means + "; correct the row, or allow the code"
	}
	return all
}

type checker struct {
	as     string
	allow  []string
	strict bool
	by     map[string]*schema.Schema

	faults []fault // the first ones of the current row
	more   int     // faults beyond those
	shape  string
	talk   conversation
	buf    []byte
}

// A fault is a finding about the current row.
type fault struct {
	schema.Fault
	warning bool
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	errs := []error{a.Decode(&cfg)}
	known := slices.Sorted(maps.Keys(codes()))
	for _, code := range cfg.Allow {
		errs = append(errs, a.OneOf("allow", code, known...))
	}
	c := &checker{as: cfg.As, allow: cfg.Allow, strict: cfg.Strict, by: map[string]*schema.Schema{}}
	for name := range rules {
		s, err := schema.Get(name)
		if err != nil {
			errs = append(errs, err)
		}
		c.by[name] = s
	}
	return c, errors.Join(errs...)
}

// Process implements sdk.Processor.
func (c *checker) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	row := jsontext.Of(r.JSON())
	if c.shape = c.as; c.as == Auto {
		if c.shape = ShapeOf(row); c.shape == "" {
			return sdk.Decline("want a canonical, ChatML, trajectory, preference or stepwise row")
		}
	}
	if c.shape == "canonical" && canonical.Unpack(r) { // a row that was published
		row = jsontext.Of(r.JSON())
	}
	r.Count("rows."+c.shape, 1)
	c.faults, c.more = c.faults[:0], 0
	for _, f := range c.by[c.shape].Check(row) {
		c.fault(f.Code, f.Path, f.Message)
	}
	if len(c.faults) == 0 { // the rules take the schema for granted
		rules[c.shape](c, r)
	}
	if c.shape != "canonical" && jsontext.Lone(string(row), 0) >= 0 {
		c.fault("lone_surrogate", "", "want text in UTF-8, have half a character: the escape of a surrogate without its other half")
	}
	for _, f := range c.faults {
		c.write(r, f)
	}
	if c.more > 0 {
		r.Count("check.more", c.more)
	}
	first := slices.IndexFunc(c.faults, func(f fault) bool { return !f.warning })
	if first < 0 {
		emit(r)
		return nil
	}
	f := c.faults[first]
	return sdk.Keep(sdk.Reject(f.Code, f.Path, "%s", f.Message))
}

// most is how many faults of one row are reported.
const most = 32

// A noter notes an error or a warning.
type noter func(code, path, message string)

// fault notes an error, unless its code is allowed.
func (c *checker) fault(code, path, message string) { c.note(code, path, message, false) }

// warn notes something that a row may have, although some readers cannot use it.
func (c *checker) warn(code, path, message string) { c.note(code, path, message, !c.strict) }

func (c *checker) note(code, path, message string, warning bool) {
	if slices.Contains(c.allow, code) {
		return
	}
	if len(c.faults) == most {
		c.more++
		if warning || !c.faults[most-1].warning {
			return
		}
		c.faults = c.faults[:most-1] // an error replaces a warning
	}
	c.faults = append(c.faults, fault{schema.Fault{Code: code, Path: path, Message: message}, warning})
}

// write writes a row of the side output.
func (c *checker) write(r *sdk.Record, f fault) {
	r.Count("check."+f.Code, 1)
	level := "error"
	if f.warning {
		level = "warning"
	}
	b := jsontext.AppendMember(append(c.buf[:0], '{'), "level", level)
	b = jsontext.AppendMember(b, "code", f.Code)
	b = jsontext.AppendMember(b, "path", f.Path)
	b = jsontext.AppendMember(b, "message", f.Message)
	b = jsontext.AppendMember(b, "shape", c.shape)
	c.buf = append(b, '}')
	r.Side(Findings, c.buf)
}

// ShapeOf returns the shape of a row by its own marks, "" for an unknown one.
func ShapeOf(row jsontext.JSON) string {
	var format, tag, request, response, chosen, rejected, messages, completions, labels jsontext.JSON
	row.Fill([]string{"format", "schema", "request", "response", "chosen", "rejected", "messages", "completions", "labels"},
		[]*jsontext.JSON{&format, &tag, &request, &response, &chosen, &rejected, &messages, &completions, &labels}, nil)
	switch {
	case format.Text() == canonical.Format:
		return "canonical"
	case tag.Text() == "eliza.eliza1_trajectory_record.v1":
		return "trajectory"
	case chosen != "" && rejected != "":
		return "preference"
	case messages != "":
		return "chatml"
	case request != "" && response != "":
		return "canonical"
	case completions != "" && labels != "":
		return "stepwise"
	}
	return ""
}
