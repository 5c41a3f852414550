package messages

import (
	"slices"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// undesired rejects the half of a KTO row that shows what not to say.
func (a *adapter) undesired() error {
	if a.record.members[label] == "false" {
		return sdk.Reject("undesired", "label", "want an answer that is wanted, have one that is not")
	}
	return nil
}

// keepRejected keeps the other answer of a pair.
func (a *adapter) keepRejected(answer jsontext.JSON) {
	if answer != "" {
		a.row.Keep("preference", `{"rejected":`+answer+`}`)
	}
}

// isPreference reports whether the record has a pair of answers and something that they answer, which may stand in them.
func (a *adapter) isPreference() bool {
	r := &a.record
	return r.members[chosen] != "" && r.members[rejected] != "" && (r.members[prompt] != "" || !a.is(chosen, '"') || a.questionColumn() != "" ||
		slices.ContainsFunc(r.lists, func(v jsontext.JSON) bool { return v != "" }))
}

// questionColumn returns the column that asks in sets of answers to choose from, or "".
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
	if err := a.begin(); err != nil {
		return err
	}
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
	if err := a.begin(); err != nil {
		return err
	}
	if err := a.asked("input.messages", question.Get("messages")); err != nil {
		return err
	}
	a.keepRejected(a.of(nonPreferred))
	return a.answered("preferred_output", a.of(preferred))
}
