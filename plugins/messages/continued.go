package messages

import (
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// earlier are the columns that may hold what was said before a question, as messages.
var earlier = []string{"history", "chat_history", "conversation_history", "context", "previous_messages"}

// askColumn returns the name and the value of the column that asks behind a history.
func (a *adapter) askColumn() (column string, value jsontext.JSON) {
	for _, column := range []string{"question", "query", "instruction"} {
		if v := a.row.Kept(column); v.Kind() == '"' && !v.Body().Blank() {
			return column, v
		}
	}
	for _, m := range []member{prompt, input} {
		if v := a.record.members[m]; v.Kind() == '"' && !v.Body().Blank() {
			return a.record.names[m], v
		}
	}
	return "", ""
}

// answerColumn returns the name and the value of the column that answers.
func (a *adapter) answerColumn() (column string, value jsontext.JSON) {
	for _, m := range []member{response, completion, output} {
		if v := a.record.members[m]; isSaid(v) {
			return a.record.names[m], v
		}
	}
	if v := a.row.Kept("answer"); isSaid(v) {
		return "answer", v
	}
	return "", ""
}

// before returns the name and the messages of the column with what was said before.
func (a *adapter) before() (column string, messages jsontext.JSON) {
	for i, key := range a.keys {
		if key == earlier[0] && isFull(unwrapped(a.record.lists[i])) {
			return key, unwrapped(a.record.lists[i])
		}
	}
	for _, column := range earlier {
		if v := a.row.Kept(column); v.Kind() == '[' && isFull(v) {
			return column, v
		}
	}
	return "", ""
}

// isContinued reports whether the record has earlier messages, and an answer to a question of its own or to the last of them.
func (a *adapter) isContinued() bool {
	if column, _ := a.before(); column == "" || a.isWhole() {
		return false
	}
	answer, _ := a.answerColumn()
	return answer != ""
}

// isWhole reports whether another column holds the whole conversation.
func (a *adapter) isWhole() bool {
	for i, key := range a.keys {
		if key != earlier[0] && isFull(unwrapped(a.record.lists[i])) {
			return true
		}
	}
	return false
}

// continued reads the earlier messages, the question and the answer.
func (a *adapter) continued() error {
	column, messages := a.before()
	ask, question := a.askColumn()
	answer, said := a.answerColumn()
	a.taken(column)
	a.taken(ask)
	a.taken(answer)
	if err := a.history(column, messages); err != nil {
		return err
	}
	if n := len(a.row.Turns); ask == "" && (n == 0 || a.row.Turns[n-1].Role == canonical.Assistant) {
		return sdk.Reject("no_user_turn", column, "want a question for the answer, have earlier messages that end with an answer")
	}
	if ask != "" {
		a.row.Path = ask
		if err := a.textMessage(&message{at: len(a.row.Turns), role: canonical.User, content: question}); err != nil {
			return err
		}
	}
	return a.answered(answer, said)
}

// taken removes a column that is read.
func (a *adapter) taken(column string) {
	a.row.Forget(column)
	for i, key := range a.keys {
		if key == column {
			a.record.lists[i] = ""
		}
	}
	if m, ok := memberOf[column]; ok && a.record.names[m] == column {
		a.record.members[m] = ""
	}
}

// promptResponse reads messages under "prompt" with their response.
func (a *adapter) promptResponse() error {
	if err := a.asked("prompt", a.of(prompt)); err != nil {
		return err
	}
	return a.answered("response", a.of(response))
}

// unanswered rejects the request of a model call whose answer is not in the record: what the assistant says in it is no answer to it.
func (a *adapter) unanswered(key string) error {
	if n := len(a.row.Turns); n == 0 || a.row.Turns[n-1].Role == canonical.Assistant {
		return nil
	}
	for _, setting := range []string{"temperature", "max_tokens", "max_completion_tokens", "top_p", "stream"} {
		if a.row.Kept(setting) != "" {
			return sdk.Reject("no_target", key, "want the answer to the request, have messages that end with the %s and the setting %s", a.row.Turns[len(a.row.Turns)-1].Role, setting)
		}
	}
	return nil
}
