package chatml

import (
	"errors"
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

type config struct {
	Profile        string `hcl:"profile,optional" doc:"standard or reference, the row of the Python renderer before its redaction"`
	Target         string `hcl:"target,optional" doc:"a family of models whose templates the rows are for, or auto: what chat_template shows"`
	ChatTemplate   string `hcl:"chat_template,optional" doc:"the path of a chat template, or of a tokenizer_config.json that has one, for target auto, which needs python3 with jinja2"`
	Python         string `hcl:"python,optional" doc:"the path of the Python that tries chat_template"`
	Form           string `hcl:"form,optional" doc:"messages, preference or trajectory-record: {messages, tools}, {prompt, chosen, rejected, tools}, or an eliza.eliza1_trajectory_record.v1"`
	BaseModel      string `hcl:"base_model,optional" doc:"the base model that trajectory records name"`
	TrainOn        string `hcl:"train_on,optional" doc:"last or each: one row for the response, or one for every assistant message"`
	Arguments      string `hcl:"arguments,optional" doc:"string or object: arguments of calls as JSON text or as an object"`
	Tools          string `hcl:"tools,optional" doc:"list or string: the tools as a list, or as its JSON text for readers that want one type in a column"`
	Reasoning      string `hcl:"reasoning,optional" doc:"field, inline or drop"`
	Media          string `hcl:"media,optional" doc:"reject or placeholder: a row with images, files, audio or video"`
	Envelope       string `hcl:"envelope,optional" doc:"calls, text or both: what a text becomes whose calls stand beside it"`
	Join           string `hcl:"join,optional" doc:"between the text parts of one message"`
	LateSystem     string `hcl:"late_system,optional" doc:"user, merge or reject: a system message behind the head"`
	TextBesideCall string `hcl:"text_beside_call,optional" doc:"keep, split, drop or reject: text and calls in one message"`
	Parallel       string `hcl:"parallel,optional" doc:"keep, split or reject: several calls in one message"`
	DanglingCalls  string `hcl:"dangling_calls,optional" doc:"reject, drop or keep: calls of the history without a result"`
	Untrained      string `hcl:"untrained,optional" doc:"count, weight, train or reject: an earlier answer that is not to be trained on"`
}

// rules gives what the target needs, with what the step sets by hand in its place.
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
		name, given string
		into        *string
		want        []string
	}{
		{"profile", c.Profile, new(string), []string{"standard", "reference"}},
		{"form", c.Form, new(string), []string{"messages", "preference", "trajectory-record"}},
		{"train_on", c.TrainOn, new(string), []string{"last", "each"}},
		{"arguments", c.Arguments, &r.arguments, []string{"string", "object"}},
		{"tools", c.Tools, &r.toolForm, []string{"list", "string"}},
		{"reasoning", c.Reasoning, &r.reasoning, []string{"field", "inline", "drop"}},
		{"media", c.Media, &r.media, []string{"reject", "placeholder"}},
		{"envelope", c.Envelope, &r.envelope, []string{"calls", "text", "both"}},
		{"late_system", c.LateSystem, &r.lateSystem, []string{"user", "merge", "reject"}},
		{"text_beside_call", c.TextBesideCall, &r.beside, []string{"keep", "split", "drop", "reject"}},
		{"parallel", c.Parallel, &r.parallel, []string{"keep", "split", "reject"}},
		{"dangling_calls", c.DanglingCalls, &r.dangling, []string{"reject", "drop", "keep"}},
		{"untrained", c.Untrained, &r.untrained, []string{"count", "weight", "train", "reject"}},
	} {
		if o.given == "" {
			continue
		}
		errs = append(errs, a.OneOf(o.name, o.given, o.want...))
		*o.into = o.given
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
