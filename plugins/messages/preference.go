package messages

import (
	"slices"
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// undesired rejects KTO rows with an answer that is not desired.
func (a *adapter) undesired() error {
	if a.record.members[label] == "false" {
		return sdk.Reject("undesired", "label", "want a desired answer, have the label false")
	}
	return nil
}

// keepRejected keeps the rejected answer of a pair in the metadata.
func (a *adapter) keepRejected(answer jsontext.JSON) {
	if answer != "" {
		a.row.KeepMade("preference", `{"rejected":`+answer+`}`)
	}
}

// isPreference reports whether the record has a pair of answers and their question, which the answers may repeat.
func (a *adapter) isPreference() bool {
	r := &a.record
	return r.members[chosen] != "" && r.members[rejected] != "" && (r.members[prompt] != "" || !a.is(chosen, '"') || a.questionColumn() != "" ||
		slices.ContainsFunc(r.lists, func(v jsontext.JSON) bool { return v != "" }))
}

// questionColumn returns the name of the column that holds a question, or "".
func (a *adapter) questionColumn() string {
	for _, column := range []string{"question", "query", "instruction"} {
		if a.row.Kept(column).Truthy() {
			return column
		}
	}
	return ""
}

// preference reads a pair of answers: the chosen one becomes the row's, the other goes to metadata.preference.rejected.
func (a *adapter) preference() error {
	path, question := "prompt", a.of(prompt)
	if column := a.questionColumn(); question == "" && column != "" {
		path, question = column, a.row.Kept(column)
		a.row.Forget(column)
	}
	for i, key := range a.keys {
		if list := a.record.lists[i]; question == "" && list != "" {
			path, question = key, unwrapped(list)
			a.record.lists[i] = ""
		}
	}
	if err := a.asked(path, question); err != nil {
		return err
	}
	a.keepRejected(a.of(rejected))
	return a.answered("chosen", a.of(chosen))
}

// openAIPreference reads OpenAI's row for preference training.
func (a *adapter) openAIPreference() error {
	question := a.of(input)
	if list := question.Get("tools"); list.Truthy() {
		a.take("tools", list)
	}
	a.row.KeepOthers(question, "tools", "messages")
	if err := a.asked("input.messages", question.Get("messages")); err != nil {
		return err
	}
	a.keepRejected(a.of(nonPreferred))
	return a.answered("preferred_output", a.of(preferred))
}

// isRated reports whether the record has a question with several rated answers, as in UltraFeedback.
func (a *adapter) isRated() bool {
	return a.questionColumn() != "" && a.row.Kept("completions").First().Get("response") != ""
}

// rated reads the answer that was rated best; the worst becomes the rejected one. All of them stay in the metadata.
func (a *adapter) rated() error {
	column := a.questionColumn()
	if err := a.asked(column, a.row.Kept(column)); err != nil {
		return err
	}
	a.row.Forget(column)
	var best, worst jsontext.JSON
	var high, low float64
	for _, v := range a.row.Kept("completions").Elements() {
		score, ok := scoreOf(v)
		if !ok || v.Get("response").Body().Blank() {
			continue
		}
		if best == "" || score > high {
			best, high = v, score
		}
		if worst == "" || score < low {
			worst, low = v, score
		}
	}
	a.row.ReadsText("completions")
	if best == "" {
		return sdk.Reject("no_target", "completions", "want at least one answer with a score")
	}
	if low < high {
		a.keepRejected(worst.Get("response"))
	}
	return a.answered("completions", best.Get("response"))
}

func scoreOf(answer jsontext.JSON) (score float64, ok bool) {
	for _, key := range []string{"overall_score", "fine-grained_score", "score"} {
		value := answer.Get(key)
		if body, isText := value.Quoted(); isText {
			value = jsontext.JSON(body)
		}
		if score, err := strconv.ParseFloat(string(value), 64); err == nil {
			return score, true
		}
	}
	return 0, false
}

// isCalled reports whether the record has a list of messages and the calls that answer it, as in function calling sets.
func (a *adapter) isCalled() bool {
	return a.row.Kept("answers") != "" && (isFull(a.record.members[prompt]) || isFull(a.row.Kept("query")))
}

// called reads messages with the calls that answer them.
func (a *adapter) called() error {
	path, question := "prompt", a.record.members[prompt]
	if isFull(question) {
		a.of(prompt)
	} else {
		path, question = "query", a.row.Kept("query")
		a.row.Forget("query")
	}
	if err := a.history(path, question); err != nil {
		return err
	}
	answers := a.row.Kept("answers")
	a.row.Forget("answers")
	value := opened(answers)
	if value.Kind() == '"' {
		return a.textMessage(&message{at: len(a.row.Turns), role: canonical.Assistant, content: answers})
	}
	return a.callTurn(&message{at: len(a.row.Turns), role: canonical.Assistant, content: value})
}

// isTree reports whether the record is an answer tree of ToolBench with messages to train on.
func (a *adapter) isTree() bool {
	return a.row.Kept("answer_generation").Get("train_messages").First().Kind() == '['
}

// tree reads the last list of messages, which holds all that lead to the answer; the lists before it are its beginnings.
func (a *adapter) tree() error {
	answer := a.row.Kept("answer_generation")
	a.row.Forget("answer_generation")
	if tools := answer.Get("function"); tools.Truthy() {
		a.take("tools", tools)
	}
	a.row.KeepOthers(answer, "train_messages", "function")
	lists := answer.Get("train_messages").List()
	last := len(lists) - 1
	a.row.Count("loss.earlier_messages", last)
	return a.history("answer_generation.train_messages."+strconv.Itoa(last), lists[last])
}
