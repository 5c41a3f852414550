package pair

import (
	"cmp"

	"github.com/sluicehq/sluice/plugins/internal/ask"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A question is the user's turn: columns in order, and the choices below them.
type question struct {
	columns []string
	choices choices
}

// prompt finds the columns that make the user's turn.
func (p *adapter) prompt() (q question, err error) {
	if q.choices, err = p.findChoices(); err != nil {
		return q, err
	}
	if p.isOpen {
		q.columns, err = p.open().Find(q.choices.texts != nil)
	} else {
		q.columns = p.listed()
	}
	if err != nil || q.columns != nil {
		return q, err
	}
	blank := ""
	for _, list := range p.asked {
		blank = cmp.Or(blank, p.first(list, isText))
	}
	if answer, _ := p.answer(q.choices); blank == "" || answer == "" {
		return q, p.noPrompt
	}
	return q, sdk.Reject("no_prompt", blank, "want a text in a prompt column, such as instruction, question or prompt, have a blank one")
}

// open returns the columns of a question that may be in any.
func (p *adapter) open() ask.Columns {
	answer, _ := p.answer(choices{})
	return ask.Columns{Row: p.row, Between: p.between, Answer: answer}
}

// listed returns the first alternative of a list of columns that says something: in its first column, or in any where no
// alternative says something in its first.
func (p *adapter) listed() []string {
	for _, list := range p.asked {
		if says(p.value(list[0])) {
			return list
		}
	}
	for _, list := range p.asked {
		if p.first(list, says) != "" {
			return list
		}
	}
	return nil
}

// ask returns the text of the question.
func (p *adapter) ask(q question) jsontext.Body {
	var text build.Joiner
	text.Add("", ask.Columns{Row: p.row, Between: p.between}.Text(q.columns))
	if q.choices.texts != nil && !q.choices.in(text.Body().Text()) {
		text.Add(p.between, q.choices.text())
	}
	return text.Body()
}
