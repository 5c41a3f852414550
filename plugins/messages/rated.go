package messages

import (
	"strconv"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// isRated reports whether the record has a question with several answers that somebody rated, as UltraFeedback has them.
func (a *adapter) isRated() bool {
	first := firstOf(a.row.Kept("completions"))
	return a.questionColumn() != "" && first.Get("response") != ""
}

// rated reads the answer that was rated best; the worst becomes the rejected one. All of them stay in the metadata.
func (a *adapter) rated() error {
	column := a.questionColumn()
	if err := a.begin(); err != nil {
		return err
	}
	if err := a.asked(column, a.row.Kept(column)); err != nil {
		return err
	}
	a.row.Forget(column)
	var best, worst jsontext.JSON
	var high, low float64
	c := a.row.Kept("completions").Cursor()
	for range c.Elements() {
		v := c.Value()
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
	if best == "" {
		return sdk.Reject("no_target", "completions", "want an answer with a score, have none")
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

// isCalled reports whether the record asks in messages and has the calls that answer beside them, as function calling sets do.
func (a *adapter) isCalled() bool {
	return a.row.Kept("answers") != "" && (isFull(a.record.members[prompt]) || isFull(a.row.Kept("query")))
}

func isFull(list jsontext.JSON) bool { return list.Kind() == '[' && !list.Empty() && isMessages(list) }

// called reads messages with the calls that answer them.
func (a *adapter) called() error {
	path, question := "prompt", a.record.members[prompt]
	if isFull(question) {
		a.of(prompt)
	} else {
		path, question = "query", a.row.Kept("query")
		a.row.Forget("query")
	}
	if err := a.begin(); err != nil {
		return err
	}
	if err := a.list(path, question); err != nil {
		return err
	}
	answers := a.row.Kept("answers")
	a.row.Forget("answers")
	value := opened(answers)
	if value.Kind() == '"' {
		return a.said(&message{at: len(a.row.Turns), role: canonical.Assistant, content: answers})
	}
	return a.callTurn(&message{at: len(a.row.Turns), role: canonical.Assistant, content: value})
}

// isTree reports whether the record is an answer tree of ToolBench, with the messages that it trains on.
func (a *adapter) isTree() bool {
	return firstOf(a.row.Kept("answer_generation").Get("train_messages")).Kind() == '['
}

// tree reads the messages that lead to the answer. Each list of them goes on where the one before ended; the last is all of it.
func (a *adapter) tree() error {
	answer := a.row.Kept("answer_generation")
	a.row.Forget("answer_generation")
	if tools := answer.Get("function"); tools.Truthy() {
		a.take("tools", tools)
	}
	a.row.KeepOthers(answer, "train_messages", "function")
	if err := a.begin(); err != nil {
		return err
	}
	lists := answer.Get("train_messages").Cursor()
	var last jsontext.JSON
	n := 0
	for range lists.Elements() {
		last = lists.Value()
		n++
	}
	if n > 1 {
		a.row.Count("loss.earlier_messages", n-1)
	}
	return a.list("answer_generation.train_messages."+strconv.Itoa(n-1), last)
}
