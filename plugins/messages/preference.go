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
	if v := a.record.members[label]; v == "false" || v == "0" && a.record.members[completion] != "" {
		return sdk.Reject("undesired", "label", "want a desired answer, have the label %s", string(v))
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
	path, question, err := a.ofPreference()
	if err != nil {
		return err
	}
	if err := a.asked(path, question); err != nil {
		return err
	}
	a.keepRejected(a.of(rejected))
	return a.answered("chosen", a.of(chosen))
}

// ofPreference returns the question of a pair of answers: messages, or a text with its material. There may be none where the answers hold
// it too.
func (a *adapter) ofPreference() (path string, question jsontext.JSON, err error) {
	column := a.questionColumn()
	switch asked := a.record.members[prompt]; {
	case asked != "" && asked.Kind() != '"' || isFull(a.record.members[chosen]):
		path, question = "prompt", a.of(prompt)
	case column != "" && a.row.Kept(column).Kind() != '"':
	case column == "" && asked == "" && a.hasList():
	default:
		path, text, err := a.askedText()
		if err != nil {
			return "", "", err
		}
		if text != "" {
			return path, text.JSON(), nil
		}
	}
	if question == "" && column != "" {
		path, question = column, a.row.Kept(column)
		a.row.Forget(column)
	}
	for i, key := range a.keys {
		if list := a.record.lists[i]; question == "" && list != "" {
			path, question = key, unwrapped(list)
			a.record.lists[i] = ""
		}
	}
	return path, question, nil
}

// hasList reports whether the record has a list of messages.
func (a *adapter) hasList() bool {
	return slices.ContainsFunc(a.record.lists, func(v jsontext.JSON) bool { return isFull(unwrapped(v)) })
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

// rankings are columns that hold several answers with their scores.
var rankings = []string{"completions", "responses", "answers", "generations", "candidates", "outputs"}

// isRated reports whether the record has a question with several rated answers, as in UltraFeedback and Nectar.
func (a *adapter) isRated() bool { return a.asks() && a.ranking() != "" }

// asks reports whether a column or the prompt may hold a question.
func (a *adapter) asks() bool { return a.questionColumn() != "" || a.record.members[prompt].Truthy() }

func (a *adapter) ranking() string {
	for _, column := range rankings {
		list := a.row.Kept(column)
		if first := list.First(); column == "completions" && first.Get("response") != "" || len(a.answersIn(list)) > 0 {
			return column
		}
	}
	return ""
}

// A rating is an answer with its score. The best has the highest one.
type rating struct {
	answer jsontext.JSON
	score  float64
}

// answersIn returns the answers of a column, a list, that have a score, in the list itself or in one beside it.
func (a *adapter) answersIn(list jsontext.JSON) (all []rating) {
	if list.Kind() != '[' {
		return nil
	}
	var beside []jsontext.JSON
	for _, name := range []string{"scores", "ratings", "rewards"} {
		if beside == nil {
			beside = a.row.Kept(name).List()
		}
	}
	for i, v := range list.Elements() {
		answer, score, ok := v, 0.0, false
		if v.Kind() == '{' {
			answer = answerOf(v)
			score, ok = scoreOf(v)
		} else if i < len(beside) {
			score, ok = beside[i].Number()
		}
		if says(answer) && ok {
			all = append(all, rating{answer, score})
		}
	}
	return all
}

func answerOf(v jsontext.JSON) jsontext.JSON {
	for _, name := range []string{"response", "answer", "text", "content", "output", "generation", "completion"} {
		if answer := v.Get(name); answer != "" {
			return answer
		}
	}
	return ""
}

// rated reads the answer that was rated best; the worst becomes the rejected one. All of them stay in the metadata.
func (a *adapter) rated() error {
	column := a.ranking()
	if err := a.question(); err != nil {
		return err
	}
	a.row.ReadsText(column)
	var best, worst rating
	for _, r := range a.answersIn(a.row.Kept(column)) {
		if best.answer == "" || r.score > best.score {
			best = r
		}
		if worst.answer == "" || r.score < worst.score {
			worst = r
		}
	}
	if best.answer == "" {
		return sdk.Reject("no_target", column, "want at least one answer with a score")
	}
	if worst.score < best.score {
		a.keepRejected(worst.answer)
	}
	return a.answered(column, best.answer)
}

func scoreOf(answer jsontext.JSON) (score float64, ok bool) {
	for _, key := range []string{"overall_score", "fine-grained_score", "score", "pm_score", "rating", "reward"} {
		if score, ok := answer.Get(key).Number(); ok {
			return score, true
		}
	}
	rank, ok := answer.Get("rank").Number() // the first is the best
	return -rank, ok
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
