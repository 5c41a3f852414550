package chatml

import (
	"errors"
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

type config struct {
	Profile        string `hcl:"profile,optional" oneof:"standard reference" doc:"reference gives the row of the Python renderer before its redaction"`
	Target         string `hcl:"target,optional" doc:"a family of models whose templates the rows are for, or auto: what chat_template shows" example:"\"qwen3\""`
	ChatTemplate   string `hcl:"chat_template,optional" doc:"the path of a chat template, or of a tokenizer_config.json that has one, for target auto, which needs python3 with jinja2" example:"\"tokenizer_config.json\""`
	Python         string `hcl:"python,optional" doc:"the path of the Python that tries chat_template" example:"\"/usr/bin/python3\""`
	Form           string `hcl:"form,optional" oneof:"messages preference trajectory-record" doc:"{messages, tools}, {prompt, chosen, rejected, tools}, or an eliza.eliza1_trajectory_record.v1"`
	BaseModel      string `hcl:"base_model,optional" doc:"the base model that trajectory records name"`
	TrainOn        string `hcl:"train_on,optional" oneof:"last each" doc:"one row for the response, or one for every assistant message"`
	Arguments      string `hcl:"arguments,optional" oneof:"string object" doc:"arguments of calls as JSON text or as an object; the target says by default"`
	Tools          string `hcl:"tools,optional" oneof:"list string" doc:"the tools as a list, or as its JSON text for readers that want one type in a column; list by default"`
	Reasoning      string `hcl:"reasoning,optional" oneof:"field inline drop" doc:"where reasoning goes; the target says by default"`
	Media          string `hcl:"media,optional" oneof:"reject placeholder" doc:"what becomes of a row with images, files, audio or video"`
	Envelope       string `hcl:"envelope,optional" oneof:"calls text both" doc:"what a text becomes whose calls stand beside it"`
	Join           string `hcl:"join,optional" doc:"between the text parts of one message" example:"\"\\n\""`
	LateSystem     string `hcl:"late_system,optional" oneof:"user merge reject" doc:"what becomes of a system message behind the head; the target says by default"`
	TextBesideCall string `hcl:"text_beside_call,optional" oneof:"keep split drop reject" doc:"text and calls in one message; the target says by default"`
	Parallel       string `hcl:"parallel,optional" oneof:"keep split reject" doc:"several calls in one message; the target says by default"`
	DanglingCalls  string `hcl:"dangling_calls,optional" oneof:"reject drop keep" doc:"calls of the history without a result"`
	Untrained      string `hcl:"untrained,optional" oneof:"count weight train reject" doc:"an earlier answer that is not to be trained on"`
}

// rules returns what the target needs, with what the step sets by hand in its place.
func (c *config) rules(a sdk.Args) (rules, error) {
	var errs []error
	r := standard
	switch {
	case c.Target == autoTarget && c.ChatTemplate == "":
		errs = append(errs, a.Errorf("chat_template", "want the path of a chat template for target \"auto\", have none"))
	case c.Target != autoTarget && c.ChatTemplate != "":
		errs = append(errs, a.Errorf("chat_template", "want it beside target \"auto\" only, have it alone"))
	case c.Target == autoTarget:
		found, err := try(c.ChatTemplate, c.Python)
		if err != nil {
			errs = append(errs, a.Errorf("chat_template", "%v (a step sees PATH only with host { env = [\"PATH\", \"HOME\"] })", err))
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
		{c.Arguments, &r.arguments}, {c.Tools, &r.toolForm}, {c.Reasoning, &r.reasoning}, {c.Media, &r.media}, {c.Envelope, &r.envelope},
		{c.LateSystem, &r.lateSystem}, {c.TextBesideCall, &r.beside}, {c.Parallel, &r.parallel}, {c.DanglingCalls, &r.dangling},
		{c.Untrained, &r.untrained},
	} {
		if o.given != "" {
			*o.into = o.given
		}
	}
	errs = append(errs, c.formed(a, &r))
	r.join = jsontext.BodyOf(c.Join)
	return r, errors.Join(errs...)
}

// formed holds the other attributes to the form of the rows. Trajectory records have their arguments as objects.
func (c *config) formed(a sdk.Args, r *rules) error {
	if c.Form == "" || c.Form == "messages" {
		return nil
	}
	if c.TrainOn == "each" {
		return a.Errorf("train_on", "want last beside form %q, have each", c.Form)
	}
	if c.Form == "preference" {
		return nil
	}
	if c.Tools == "string" || c.Arguments == "string" {
		return a.Errorf("form", "want tools as a list and arguments as objects in trajectory records, have them as text")
	}
	r.arguments, r.toolForm = "object", "list"
	return nil
}
