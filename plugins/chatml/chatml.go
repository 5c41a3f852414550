// Package chatml renders an eliza_native_v1 row as the row {messages, tools} that a tokenizer's chat template takes.
package chatml

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/sluicehq/sluice/plugins/internal/profile"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Plugin is the built-in "chatml".
var Plugin = sdk.Plugin{
	Name:  "chatml",
	Doc:   "renders eliza_native_v1 rows as the messages and tools that a chat template takes",
	Args:  config{Profile: "standard", Form: "messages", BaseModel: "Qwen3.5/3.6", TrainOn: "last"},
	New:   open,
	Codes: codes(),

	Labels:  []string{"trajectoryId"},
	Outputs: []string{mediaOutput},
}

func open(a sdk.Args) (sdk.Processor, error) {
	var cfg config
	wrong := a.Decode(&cfg)
	rules, err := cfg.rules(a)
	if err := errors.Join(wrong, err); err != nil {
		return nil, err
	}
	if cfg.Profile == "reference" {
		return profile.Open(a, "chatml")
	}
	return &renderer{
		conversation: conversation{rules: rules}, each: cfg.TrainOn == "each", form: cfg.Form, baseModel: cfg.BaseModel,
		untargeted: cfg.Target == "" && cfg.ChatTemplate == "" && cfg.Arguments == "" && cfg.Form != "trajectory-record",
	}, nil
}

// A renderer implements the standard profile.
type renderer struct {
	conversation
	each            bool
	form, baseModel string
	untargeted      bool // the rows are for no template in particular

	other    *conversation // with the answer that was not preferred
	otherRow canonical.Row
}

// Process implements sdk.Processor.
func (p *renderer) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	p.row, p.halves = canonical.Read(r), 0
	for i := range p.columns {
		p.columns[i] = p.columns[i][:0]
	}
	if p.row.Format != canonical.Format {
		return sdk.Reject("not_native", "format", "want %q, have %s", canonical.Format, p.row.SeenFormat())
	}
	if err := p.build(r); err != nil {
		return err
	}
	if err := p.fit(r); err != nil {
		return err
	}
	if p.untargeted && p.called() {
		r.Warn(untargeted, "")
	}
	tools, err := p.tools(r)
	if err != nil {
		return err
	}
	if id := p.row.Trajectory(); id != "" {
		r.SetLabel("trajectoryId", id.Text())
	} else if p.each {
		r.SetLabel("trajectoryId", r.Pos().String())
	}
	if p.form == "stepwise" {
		return p.stepwise(r, tools, emit)
	}
	if err := p.rightSteps(r); err != nil {
		return err
	}
	if p.form == "preference" {
		return p.preference(r, tools, emit)
	}
	if other := p.row.Meta("preference").Get("rejected"); other != "" && other != "null" {
		r.Count("loss.rejected", 1)
	}
	switch p.form {
	case "trajectory-record":
		return p.trajectoryRecord(r, tools, emit)
	}
	return p.emitRows(r, tools, emit)
}

// called reports whether a message has calls.
func (p *renderer) called() bool {
	for i := range p.messages {
		if len(p.messages[i].Calls) > 0 {
			return true
		}
	}
	return false
}

// emitRows emits one row for the last message or, when each is set, one for every assistant message, with all before it. What the
// assistant says before the user is no answer.
func (p *renderer) emitRows(r *sdk.Record, tools []byte, emit func(*sdk.Record)) error {
	p.buf = append(p.beginRow(), `{"messages":[`...)
	asked := false
	for i := range p.messages {
		m := &p.messages[i]
		p.buf = jsontext.AppendComma(p.buf)
		if err := p.write(m); err != nil {
			return err
		}
		asked = asked || m.Role == canonical.User
		if i < len(p.messages)-1 {
			if !p.each || m.Role != canonical.Assistant || m.Turn.Untrained {
				continue
			}
			if !asked {
				r.Count("loss.opening", 1)
				continue
			}
		}
		end := len(p.buf)
		p.buf = p.appendTools(p.appendColumns(append(p.buf, ']')), tools)
		p.emit(r, emit)
		p.buf = p.buf[:end]
	}
	return nil
}

// emit emits the row that was written. Half a character, which a text ends with that was cut between its two surrogates, becomes U+FFFD:
// no tokenizer takes it, and readers in batches refuse the whole file for it.
func (p *renderer) emit(r *sdk.Record, emit func(*sdk.Record)) {
	p.halves += jsontext.ReplaceLone(p.buf)
	for i := range p.long {
		p.long[i].Piece = p.mended(p.long[i].Piece)
	}
	if p.halves > 0 {
		r.Count("mended.surrogate", p.halves)
		p.halves = 0
	}
	emit(r.Derive(p.buf, p.long...))
}

// appendTools ends a row with its tools, if there are any: their list, or its text as a string.
func (p *renderer) appendTools(dst, tools []byte) []byte {
	switch {
	case len(tools) == 0:
		return append(dst, '}')
	case p.toolForm == "list":
		return append(append(jsontext.AppendKey(dst, "tools"), tools...), '}')
	}
	return append(p.appendText(append(jsontext.AppendKey(dst, "tools"), '"'), jsontext.Of(tools)), `"}`...)
}

// codes explain each code to readers of a dead letter.
func codes() map[string]string {
	all := maps.Clone(canonical.FaultCodes)
	maps.Copy(all, map[string]string{
		"alternate":        "user and assistant do not take turns, which the target's templates want; join the turns first, or choose another target",
		"bad_arguments":    "the arguments of a call are neither an object nor a string that holds one, or hold a number that no double holds; correct them where they were recorded",
		"bad_tools":        "the tools are in no spelling that is known, or a schema has a number that no double holds; convert the row, or correct it",
		"bad_envelope":     "the text is an envelope with other calls than the turn; envelope says which of the two counts",
		"bad_split":        "the split is not a word, which a trajectory record has; correct the row",
		"bad_steps":        "the steps in metadata are not those of the answer, or the labels not those of the steps, or more is asked than one text; leave the row out",
		"bad_call":         "something in a text is marked as a call and is none, or is not among the turn's own calls; leave the row out, or correct it",
		"open_thought":     "a text of the assistant begins with a thought that does not end, so its answer was cut off; leave the row out",
		"bad_tool_call":    "a call has no name, or its arguments cannot be written; correct it where it was recorded",
		"channel_mark":     "an assistant's text or thought holds a mark of a channel, such as <|channel|>final<|message|>, where the target's templates raise; leave the row out, or choose another target",
		"close_tag":        "an assistant's text holds </think>, where the target's templates cut it; leave the row out, or choose another target",
		"dangling_call":    "a call has no result before the conversation goes on; dangling_calls says what becomes of it",
		"empty_response":   "the response says nothing and calls nothing, so there is nothing to train on",
		"late_system":      "a system message comes after the head, which the target's templates refuse; late_system says what becomes of it",
		"media":            "the row holds images, files, audio or video; media = \"parts\" keeps what it refers to, \"placeholder\" names them in words",
		"media_tag":        "a text holds <image>, <video> or <audio> itself, which trainers would take for a medium; leave the row out, or choose media = \"parts\"",
		"no_preference":    "the row has no second answer to compare, which form preference wants; leave it out",
		"no_steps":         "the row has no steps with labels, which form stepwise wants; leave it out",
		"no_user_turn":     "the user says nothing, so there is nothing to answer",
		"not_native":       "the row is none of eliza_native_v1; put an adapter before the step",
		"not_rendered":     "the Python renderer makes no row of the record, or none that is JSON, which profile reference follows",
		"orphan_result":    "a result answers no call of the row; orphan_results = \"user\" of an adapter makes it the user's word",
		"parallel_calls":   "several calls are in one message, which the target's templates do not show; parallel = \"split\" makes each its own turn",
		"system_switch":    "a system message holds /think or /no_think, which the target's templates take out; remove it first",
		"target_tools":     "the row has tools or calls, or a type of a parameter, that the target's templates do not show; choose another target, or leave the row out; hidden_tools says what becomes of tools",
		"text_beside_call": "text and calls are in one message, of which the target's templates lose the text; text_beside_call says what becomes of it",
		"unknown_part":     "a message holds a part of no kind that is known; convert the row first",
		untargeted:         untargetedCalls(),
		"untrained_turn":   "an earlier answer is marked as not to be trained on; untrained says what becomes of it",
		"user_first":       "somebody else speaks before the user, which the target's templates refuse; cut the row, or choose another target",
		"wrong_step":       "a step of the answer is labelled as wrong, which teaches a model to err; leave the row out, or choose form = \"stepwise\"",
	})
	return all
}

type config struct {
	Profile        string `hcl:"profile,optional" oneof:"standard reference" doc:"reference makes the row of the Python renderer before its redaction"`
	Target         string `hcl:"target,optional" doc:"a family of models whose templates the rows are for, or auto: what chat_template shows; auto by default where there is one" example:"\"qwen3\""`
	ChatTemplate   string `hcl:"chat_template,optional" doc:"the path of a chat template, or of a tokenizer_config.json that has one, for target auto, which needs python3 with jinja2" example:"\"tokenizer_config.json\""`
	Python         string `hcl:"python,optional" doc:"the path of the Python that tries chat_template" example:"\"/usr/bin/python3\""`
	Form           string `hcl:"form,optional" oneof:"messages preference stepwise trajectory-record" doc:"{messages, tools}, {prompt, chosen, rejected, tools}, {prompt, completions, labels}, or an eliza.eliza1_trajectory_record.v1"`
	BaseModel      string `hcl:"base_model,optional" doc:"the base model that trajectory records name"`
	TrainOn        string `hcl:"train_on,optional" oneof:"last each" doc:"one row for the response, or one for every assistant message"`
	Arguments      string `hcl:"arguments,optional" oneof:"string object" doc:"arguments of calls as JSON text or as an object; the target says by default"`
	Tools          string `hcl:"tools,optional" oneof:"list string" doc:"the tools as a list, or as its JSON text for readers that want one type in a column; list by default"`
	Calls          string `hcl:"calls,optional" oneof:"text members" doc:"read calls and thoughts that are marked in texts, or leave the texts as they are"`
	Reasoning      string `hcl:"reasoning,optional" oneof:"field inline drop" doc:"where reasoning goes; the target says by default"`
	Media          string `hcl:"media,optional" oneof:"reject placeholder parts lists tags" doc:"what becomes of images, audio and video: no row, a word, parts that refer to them, parts and columns, or tags and columns"`
	Envelope       string `hcl:"envelope,optional" oneof:"calls text both" doc:"what becomes of a text that repeats the calls of its turn as an envelope"`
	Join           string `hcl:"join,optional" doc:"between the text parts of one message" example:"\"\\n\""`
	LateSystem     string `hcl:"late_system,optional" oneof:"user merge reject" doc:"what becomes of a system message behind the head; the target says by default"`
	TextBesideCall string `hcl:"text_beside_call,optional" oneof:"keep split drop reject" doc:"text and calls in one message; the target says by default"`
	Parallel       string `hcl:"parallel,optional" oneof:"keep split reject" doc:"several calls in one message; the target says by default"`
	HiddenTools    string `hcl:"hidden_tools,optional" oneof:"reject drop" doc:"tools that the target's templates do not show: no row, or left out"`
	DanglingCalls  string `hcl:"dangling_calls,optional" oneof:"reject drop keep" doc:"calls of the history without a result"`
	Untrained      string `hcl:"untrained,optional" oneof:"count weight train reject" doc:"an earlier answer that is not to be trained on"`
}

// rules returns the rules of the target, with those that the step sets by hand.
func (c *config) rules(a sdk.Args) (rules, error) {
	var errs []error
	r := standard
	if c.Target == "" && c.ChatTemplate != "" {
		c.Target = autoTarget
	}
	switch {
	case c.Target == autoTarget && c.ChatTemplate == "":
		errs = append(errs, a.Errorf("chat_template", "want the path of a chat template for target \"auto\""))
	case c.Target != autoTarget && c.ChatTemplate != "":
		errs = append(errs, a.Errorf("chat_template", "want it with target \"auto\" only, have %q", c.Target))
	case c.Target == autoTarget:
		found, err := try(c.ChatTemplate, c.Python)
		if err != nil {
			errs = append(errs, a.Errorf("chat_template", "%v", err))
		}
		r = found
	case c.Target != "":
		i := slices.IndexFunc(targets, func(t target) bool { return t.name == c.Target })
		if i < 0 {
			names := []string{autoTarget}
			for _, t := range targets {
				names = append(names, t.name)
			}
			errs = append(errs, a.OneOf("target", c.Target, names...))
		} else {
			r = targets[i].rules.orStandard()
			r.target = c.Target
		}
	}
	for _, o := range []struct {
		given string
		into  *string
	}{
		{c.Arguments, &r.arguments}, {c.Tools, &r.toolForm}, {c.Reasoning, &r.reasoning}, {c.Media, &r.media}, {c.Envelope, &r.envelope}, {c.Calls, &r.spoken},
		{c.LateSystem, &r.lateSystem}, {c.TextBesideCall, &r.beside}, {c.Parallel, &r.parallel}, {c.DanglingCalls, &r.dangling},
		{c.HiddenTools, &r.hidden}, {c.Untrained, &r.untrained},
	} {
		if o.given != "" {
			*o.into = o.given
		}
	}
	if c.Target == autoTarget && len(errs) == 0 && !r.images && (r.media == "parts" || r.media == "lists") {
		errs = append(errs, a.Errorf("media", "want reject, placeholder or tags: the template shows no image among the parts of a message"))
	}
	errs = append(errs, c.formed(a, &r))
	r.join = jsontext.BodyOf(c.Join)
	return r, errors.Join(errs...)
}

// formed checks the other attributes against the form of the rows. Trajectory records hold arguments as objects.
func (c *config) formed(a sdk.Args, r *rules) error {
	if c.Form == "" || c.Form == "messages" {
		return nil
	}
	if c.TrainOn == "each" {
		return a.Errorf("train_on", "want last with form %q, have each", c.Form)
	}
	if c.Form == "preference" {
		return nil
	}
	if r.keepsMedia() {
		return a.Errorf("media", "want reject or placeholder with form %q, have %q", c.Form, r.media)
	}
	if c.Form == "stepwise" {
		return nil
	}
	if c.Tools == "string" || c.Arguments == "string" {
		return a.Errorf("form", "want tools as a list and arguments as objects in trajectory records, have them as text")
	}
	r.arguments, r.toolForm = "object", "list"
	return nil
}
