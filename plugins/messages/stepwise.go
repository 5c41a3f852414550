package messages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A solution is an answer in steps, each with a label that says whether it is right.
type solution struct {
	path   string
	steps  []jsontext.JSON // texts
	labels []bool
}

// stepLabels are columns with a label for each step, by the column of the steps. Ratings beside completions are those of whole answers.
var stepLabels = []struct{ steps, labels string }{
	{"completions", "labels"}, {"completions", "step_labels"},
	{"steps", "labels"}, {"steps", "step_labels"}, {"steps", "ratings"}, {"steps", "step_ratings"},
}

// isStepwise reports whether the record is a question with an answer in labelled steps, as process reward models are trained on.
func (a *adapter) isStepwise() bool {
	if a.isPRM800K() || a.isShepherd() {
		return true
	}
	steps, _ := a.stepColumns()
	return steps != "" && (a.asks() || says(a.row.Kept("problem")))
}

// stepColumns returns the columns of the steps and of their labels, "" for none. The labels may be in the member label, which
// ProcessBench has as the place of the first wrong step.
func (a *adapter) stepColumns() (steps, labels string) {
	for _, c := range stepLabels {
		if isSteps(unwrapped(a.row.Kept(c.steps))) && unwrapped(a.row.Kept(c.labels)).Kind() == '[' {
			return c.steps, c.labels
		}
	}
	list := unwrapped(a.row.Kept("steps"))
	if text, rating := stepMembers(list.First()); text != "" {
		if _, ok := rightness(list.First().Get(rating)); ok {
			return "steps", "steps"
		}
	}
	if isSteps(list) && a.record.members[label] != "" {
		if _, isNumber := a.record.members[label].Number(); isNumber || a.is(label, '[') {
			return "steps", "label"
		}
	}
	return "", ""
}

// isSteps reports whether a list begins with a text, or is empty.
func isSteps(list jsontext.JSON) bool {
	return list.Kind() == '[' && (list.Empty() || list.First().Kind() == '"')
}

// stepMembers returns the names of the members of a step that hold its text and its label, "" for another value than such a step.
func stepMembers(step jsontext.JSON) (text, rating string) {
	if step.Kind() != '{' {
		return "", ""
	}
	for _, text = range []string{"text", "step", "content"} {
		for _, rating = range []string{"label", "rating"} {
			if step.Get(text).Kind() == '"' && step.Get(rating) != "" {
				return text, rating
			}
		}
	}
	return "", ""
}

// stepwise reads an answer in steps. The row's answer is all of them, and metadata.stepwise has each with its label.
func (a *adapter) stepwise() error {
	var s solution
	var err error
	switch {
	case a.isPRM800K():
		s, err = a.prm800K()
	case a.isShepherd():
		s, err = a.shepherd()
	default:
		s, err = a.inColumns()
	}
	if err != nil {
		return err
	}
	if len(s.steps) == 0 {
		return sdk.Reject("bad_steps", s.path, "want at least one step")
	}
	list, labels, text := []byte("["), []byte("["), build.Joiner{}
	for i, step := range s.steps {
		if !says(step) {
			return sdk.Reject("bad_steps", s.path, "want a text in each of %d steps, have a blank one at %d", len(s.steps), i)
		}
		text.Add(cmp.Or(a.row.Joiner(), `\n`), step.Body())
		list = append(jsontext.AppendComma(list), step...)
		labels = strconv.AppendBool(jsontext.AppendComma(labels), s.labels[i])
	}
	a.row.Add(canonical.Assistant, len(a.row.Turns)).Body = text.Body()
	a.row.KeepMade("stepwise", jsontext.JSON(`{"completions":`+string(list)+`],"labels":`+string(labels)+"]}"))
	return nil
}

// inColumns reads steps and labels in columns, as TRL has them.
func (a *adapter) inColumns() (s solution, err error) {
	column, beside := a.stepColumns()
	s.path, s.steps = column, unwrapped(a.row.Kept(column)).List()
	labels := unwrapped(a.row.Kept(beside))
	if beside == "label" {
		labels = a.of(label)
	}
	a.row.Forget(column)
	a.row.Forget(beside)
	if beside == column {
		list := []byte("[")
		text, rating := stepMembers(labels.First())
		for i, step := range s.steps {
			a.row.Leave("loss.message_member", step, text, rating)
			list = append(jsontext.AppendComma(list), cmp.Or(step.Get(rating), "null")...)
			s.steps[i] = step.Get(text)
		}
		labels = jsontext.JSON(append(list, ']'))
	}
	if labels.Kind() != '[' {
		wrong, err := strconv.Atoi(cmp.Or(labels.Text(), string(labels)))
		if err != nil || wrong < -1 || wrong >= len(s.steps) {
			return s, sdk.Reject("bad_labels", beside, "want the place of the first wrong step of %d, or -1", len(s.steps))
		}
		if wrong >= 0 { // what follows is without a label
			a.row.Count("loss.step", len(s.steps)-wrong-1)
			s.steps = s.steps[:wrong+1]
		}
		s.labels = slices.Repeat([]bool{true}, len(s.steps))
		if wrong >= 0 {
			s.labels[wrong] = false
		}
		return s, a.question()
	}
	for i, v := range labels.Elements() {
		isRight, ok := rightness(v)
		if !ok {
			return s, badLabel(beside+"."+strconv.Itoa(i), v)
		}
		s.labels = append(s.labels, isRight)
	}
	if len(s.labels) != len(s.steps) {
		return s, sdk.Reject("bad_labels", beside, "want %d labels, one for each step, have %d", len(s.steps), len(s.labels))
	}
	return s, a.question()
}

func badLabel(path string, v jsontext.JSON) error {
	return sdk.Reject("bad_labels", path, "want true, false, 1, 0, -1, + or -, have %s", jsontext.Seen(v))
}

// rightness returns what the label of a step says. A step that is neither right nor wrong, 0 in PRM800K, is not right, as TRL reads it.
func rightness(label jsontext.JSON) (isRight, ok bool) {
	word := string(label)
	if label.Kind() == '"' {
		word = label.Word()
	}
	switch word {
	case "true", "1", "1.0", "+1", "+", "good", "correct", "positive", "right":
		return true, true
	case "false", "0", "0.0", "-1", "-1.0", "-", "bad", "incorrect", "negative", "wrong", "neutral":
		return false, true
	}
	return false, false
}

// isPRM800K reports whether the record is a labelled solution of PRM800K.
func (a *adapter) isPRM800K() bool {
	return a.is(label, '{') && a.record.members[label].Get("steps").Kind() == '[' && says(a.row.Kept("question").Get("problem"))
}

// prm800K reads the path of a solution that people chose, to its end: a last step that none of them chose ends it with the first of the
// rated. The steps beside the path are counted.
func (a *adapter) prm800K() (s solution, err error) {
	s.path = "label.steps"
	question, labelled := a.row.Kept("question"), a.of(label)
	a.row.Forget("question")
	a.row.KeepOthers(question, "problem")
	a.row.KeepOthers(labelled, "steps")
	if reason := labelled.Get("finish_reason"); reason.Word() == "bad_problem" {
		return s, sdk.Reject("undesired", "label.finish_reason", "want a problem that can be solved, have %s", jsontext.Seen(reason))
	}
	if err := a.asked("question.problem", question.Get("problem")); err != nil {
		return s, err
	}
	ended := false
	for i, step := range labelled.Get("steps").Elements() {
		a.row.Leave("loss.message_member", step, "completions", "human_completion", "chosen_completion")
		completions, human := step.Get("completions").List(), step.Get("human_completion")
		if human.Kind() == '"' {
			human = `{"text":` + human + "}"
		}
		if ended || len(completions) == 0 && human.Kind() != '{' {
			a.leaveSteps(append(completions, human), -1)
			ended = true
			continue
		}
		path := s.path + "." + strconv.Itoa(i)
		taken, isRight, err := a.pathStep(path, step.Get("chosen_completion"), completions, human)
		if err != nil {
			return s, err
		}
		ended = taken.last
		s.steps, s.labels = append(s.steps, taken.completion.Get("text")), append(s.labels, isRight)
		a.row.Leave("loss.message_member", taken.completion, "text", "rating")
	}
	return s, nil
}

// A takenStep is the completion that continues a solution. The last one ends it: people chose none.
type takenStep struct {
	completion jsontext.JSON
	last       bool
}

// pathStep returns which completion of a step continues the solution, and counts the others.
func (a *adapter) pathStep(path string, chosen jsontext.JSON, completions []jsontext.JSON, human jsontext.JSON) (t takenStep, isRight bool, err error) {
	i := 0
	switch {
	case chosen.Truthy() || chosen == "0":
		i, err = strconv.Atoi(string(chosen))
		if err != nil || i < 0 || i >= len(completions) {
			return t, false, sdk.Reject("bad_steps", path+".chosen_completion", "want the place of one of %d completions", len(completions))
		}
		t.completion = completions[i]
	case human.Kind() == '{':
		a.leaveSteps(completions, -1)
		return takenStep{completion: human}, true, nil // who wrote it wrote the right one
	default:
		i = max(slices.IndexFunc(completions, func(c jsontext.JSON) bool { _, ok := rightness(c.Get("rating")); return ok }), 0)
		t = takenStep{completion: completions[i], last: true}
	}
	path += ".completions." + strconv.Itoa(i)
	a.leaveSteps(append(completions, human), i)
	rating := t.completion.Get("rating")
	isRight, ok := rightness(rating)
	if !ok {
		return t, false, badLabel(path+".rating", rating)
	}
	return t, isRight, nil
}

// leaveSteps counts the steps that are not on the path, all but one, by their texts and their other members.
func (a *adapter) leaveSteps(steps []jsontext.JSON, but int) {
	for i, step := range steps {
		if i == but || step.Kind() != '{' {
			continue
		}
		if says(step.Get("text")) {
			a.row.Count("loss.step", 1)
		}
		a.row.Leave("loss.message_member", step, "text", "rating")
	}
}

// shepherdMark ends each step in the inputs of Math-Shepherd. The label is the same text with + or - in its place.
const shepherdMark = " ки"

// isShepherd reports whether the record is a solution of Math-Shepherd.
func (a *adapter) isShepherd() bool {
	if !a.is(input, '"') || !a.is(label, '"') {
		return false
	}
	head, _, ok := strings.Cut(a.record.members[input].Text(), shepherdMark)
	return ok && head != "" && strings.HasPrefix(a.record.members[label].Text(), head)
}

// shepherd reads such a solution: the question, behind which "Step 1:" begins the steps.
func (a *adapter) shepherd() (s solution, err error) {
	s.path = "input"
	parts := strings.Split(a.of(input).Text(), shepherdMark)
	rest, last := a.of(label).Text(), len(parts)-1
	for i, part := range parts[:last] {
		behind, ok := strings.CutPrefix(rest, part+" ")
		isRight := strings.HasPrefix(behind, "+")
		if !ok || !isRight && !strings.HasPrefix(behind, "-") {
			return s, sdk.Reject("bad_labels", "label", "want the text of the input with + or - behind each of %d steps, have a text that differs at step %d", last, i)
		}
		rest, s.labels = behind[1:], append(s.labels, isRight)
	}
	if strings.TrimSpace(parts[last]) != "" || strings.TrimSpace(rest) != "" {
		return s, sdk.Reject("bad_labels", "label", "want a label behind every step, have text behind the last of %d", last)
	}
	begin := strings.LastIndex(parts[0], "Step 1:")
	if begin <= 0 {
		return s, sdk.Reject("bad_steps", "input", "want a question with \"Step 1:\" behind it")
	}
	question := strings.TrimSpace(parts[0][:begin])
	parts[0] = parts[0][begin:]
	for _, part := range parts[:last] {
		s.steps = append(s.steps, jsontext.Quote(strings.TrimSpace(part)))
	}
	return s, a.asked("input", jsontext.Quote(question))
}
