package chatml

import (
	"strings"
	"unicode"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// stepsPath is where a row has the steps of its answer, each with a label that says whether it is right.
const stepsPath = "metadata.stepwise"

// rightSteps rejects an answer with a step that is not labelled as right: no other form than stepwise says so. The labels of other
// answers are counted.
func (p *renderer) rightSteps(r *sdk.Record) error {
	steps := p.row.Meta("stepwise")
	if steps.Kind() != '{' {
		return nil
	}
	for _, label := range steps.Get("labels").Elements() {
		if label != "true" {
			return sdk.Reject("wrong_step", stepsPath+".labels", "want an answer of which every step is right")
		}
	}
	r.Count("loss.stepwise", 1)
	return nil
}

// stepwise emits {prompt, completions, labels} for trainers of process reward models.
func (p *renderer) stepwise(r *sdk.Record, tools []byte, emit func(*sdk.Record)) error {
	steps := p.row.Meta("stepwise")
	completions, labels := steps.Get("completions"), steps.Get("labels")
	if completions.Kind() != '[' || labels.Kind() != '[' {
		return sdk.Reject("no_steps", stepsPath, "want the steps of the answer with their labels")
	}
	if len(p.messages) != 2 || p.messages[0].Role != canonical.User || len(p.messages[1].Calls) > 0 {
		return sdk.Reject("bad_steps", "request", "want one question of the user and an answer without calls, have %d messages", len(p.messages))
	}
	if have, want := len(labels.List()), len(completions.List()); have != want || want == 0 {
		return sdk.Reject("bad_steps", stepsPath+".labels", "want a label for each of %d steps, have %d", want, have)
	}
	for _, label := range labels.Elements() {
		if label != "true" && label != "false" {
			return sdk.Reject("bad_steps", stepsPath+".labels", "want true or false, have %s", jsontext.Seen(label))
		}
	}
	if err := follows(jsontext.Of(r.JSON()).Get("response").Get("text").Text(), completions); err != nil {
		return err
	}
	p.buf = append(p.beginRow(), `{"prompt":"`...)
	p.writeAll(p.messages[0].Texts)
	p.buf = append(append(p.buf, `","completions":`...), completions...)
	p.buf = append(append(p.buf, `,"labels":`...), labels...)
	p.buf = p.appendTools(p.buf, tools)
	p.emit(r, emit)
	return nil
}

// follows rejects steps that are not those of an answer in order, with no more than a separator between them: a step before edited
// one without the other, as a filter does with what two steps say together.
func follows(answer string, completions jsontext.JSON) error {
	isWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	rest := answer
	for i, step := range completions.Elements() {
		between, behind, found := strings.Cut(rest, step.Text())
		if step.Text() == "" || !found || strings.ContainsFunc(between, isWord) {
			return sdk.Reject("bad_steps", stepsPath+".completions", "want the steps of the answer in order, have a text that differs at %d", i)
		}
		rest = behind
	}
	if strings.TrimSpace(rest) != "" {
		return sdk.Reject("bad_steps", stepsPath+".completions", "want all steps of the answer, have text behind the last")
	}
	return nil
}
