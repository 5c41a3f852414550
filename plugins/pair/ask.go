package pair

import (
	"cmp"
	"slices"
	"strings"

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
	find := p.listed
	if p.isOpen {
		find = p.asking
	}
	if q.columns, err = find(q.choices.texts != nil); err != nil || q.columns != nil {
		return q, err
	}
	blank := ""
	for _, list := range p.asked {
		blank = cmp.Or(blank, p.first(list, isText))
	}
	if answer, _ := p.answer(q.choices); blank == "" || answer == "" {
		return q, sdk.Decline("want a prompt column with a text")
	}
	return q, sdk.Reject("no_prompt", blank, "want a text, have a blank one")
}

// listed returns the first alternative of a list of columns that says something: in its first column, or in any where no
// alternative says something in its first.
func (p *adapter) listed(bool) ([]string, error) {
	for _, list := range p.asked {
		if says(p.value(list[0])) {
			return list, nil
		}
	}
	for _, list := range p.asked {
		if p.first(list, says) != "" {
			return list, nil
		}
	}
	return nil, nil
}

// asking returns the column that asks, after the material that the question is about. An instruction comes before the material, as
// in Alpaca and Dolly.
func (p *adapter) asking(chooses bool) ([]string, error) {
	asks, err := p.asks()
	if err != nil {
		return nil, err
	}
	if len(asks) == 0 {
		names := alone
		if chooses {
			names = slices.Concat(alone, stems)
		}
		if c := p.first(names, says); c != "" {
			asks = []string{c}
		} else {
			return nil, nil
		}
	}
	about, err := p.about(asks)
	if err != nil {
		return nil, err
	}
	if asks[0] == "instruction" {
		return slices.Concat(asks[:1], about, asks[1:]), nil
	}
	return append(about, asks...), nil
}

// asks returns the columns that ask: one, or an instruction and the question that it is for. A column that repeats another does
// not count.
func (p *adapter) asks() ([]string, error) {
	if says(p.value("evolved_instruction")) {
		return p.evolved()
	}
	var asks []string
	for _, c := range questions {
		if says(p.value(c)) {
			asks = append(asks, c)
		}
	}
	if len(asks) < 2 {
		return asks, nil
	}
	if whole := p.value("prompt"); asks[0] != "instruction" && says(whole) { // a prompt may be the question with all around it
		asks = slices.DeleteFunc(asks, func(c string) bool { return c != "prompt" && p.repeats(c, "prompt") })
	}
	for i := 1; i < len(asks); i++ {
		if p.repeats(asks[0], asks[i]) || p.repeats(asks[i], asks[0]) {
			p.row.ReadsText(asks[i])
			asks = slices.Delete(asks, i, i+1)
			i--
		}
	}
	if len(asks) > 2 || len(asks) == 2 && asks[0] != "instruction" {
		return nil, p.twoPrompts(asks[0], asks[1])
	}
	return asks, nil
}

func (p *adapter) twoPrompts(a, b string) error {
	if answer, _ := p.answer(choices{}); answer == "" {
		return sdk.Decline("want an answer column")
	}
	return sdk.Reject("two_prompts", b, "want one column that asks, have %s and %s, which say different things", a, b)
}

// evolved returns the instruction that distilabel made of another, which its column answer answers. Another answer may be to either.
func (p *adapter) evolved() ([]string, error) {
	if answer, _ := p.answer(choices{}); answer != "answer" && says(p.value("instruction")) {
		return nil, p.twoPrompts("instruction", "evolved_instruction")
	}
	p.row.ReadsText("instruction")
	return []string{"evolved_instruction"}, nil
}

// repeats reports whether the text of column b holds that of column a.
func (p *adapter) repeats(a, b string) bool {
	part := strings.TrimSpace(p.value(a).Text())
	return part != "" && strings.Contains(p.value(b).Text(), part)
}

// about returns the columns with material for the columns that ask.
func (p *adapter) about(asks []string) (about []string, err error) {
	for _, c := range material {
		value := p.value(c)
		if value == "" || slices.Contains(asks, c) {
			continue
		}
		text, ok := passages(value)
		switch {
		case !ok && build.Prose(value) > longContext:
			return nil, sdk.Reject("bad_context", c, "want a text or a list of texts, have %s", jsontext.KindName(value.Kind()))
		case !ok || text.Blank():
		case c != "input" && c != "context" && p.isRendering(text, asks[0]), asks[0] != "instruction" && p.holds(asks, text):
			p.row.ReadsText(c)
		default:
			about = append(about, c)
		}
	}
	return about, nil
}

// longContext is how many characters of prose make a value that is no text material all the same.
const longContext = 100

// isRendering reports whether a text is the whole record in one text, as Alpaca's column text is.
func (p *adapter) isRendering(text jsontext.Body, ask string) bool {
	whole, part := text.Text(), strings.TrimSpace(p.value(ask).Text())
	if !strings.Contains(whole, part) {
		return false
	}
	answer, _ := p.answer(choices{})
	said := strings.TrimSpace(p.value(answer).Text())
	return len(part) > fewBytes || said != "" && strings.Contains(whole, said)
}

// holds reports whether a column that asks repeats the material.
func (p *adapter) holds(asks []string, text jsontext.Body) bool {
	part := strings.TrimSpace(text.Text())
	return len(part) > fewBytes && slices.ContainsFunc(asks, func(c string) bool {
		return strings.Contains(p.value(c).Text(), part)
	})
}

// fewBytes is how long a text is that may be in another by chance.
const fewBytes = 24

// passages returns the text of material: a text, a list of texts, or documents with a title and a text or sentences.
func passages(v jsontext.JSON) (text jsontext.Body, ok bool) {
	switch v.Kind() {
	case '"':
		return v.Body(), true
	case '{':
		return document(v)
	case '[':
		if list := v.List(); len(list) == 2 && list[0].Kind() == '"' && list[1].Kind() == '[' {
			return titled(list[0], list[1]) // a document of HotpotQA
		}
	default:
		return "", false
	}
	var all build.Joiner
	for _, e := range v.Elements() {
		part, ok := passages(e)
		if !ok {
			return "", false
		}
		all.Add(build.BlankLine, part)
	}
	return all.Body(), true
}

// document returns the text of a document, or of several whose titles and sentences are lists.
func document(v jsontext.JSON) (text jsontext.Body, ok bool) {
	title, sentences := v.Get("title"), v.Get("sentences")
	if titles := title.List(); title.Kind() == '[' && sentences.Kind() == '[' {
		var all build.Joiner
		for i, part := range sentences.Elements() {
			if i >= len(titles) {
				return "", false
			}
			text, ok := titled(titles[i], part)
			if !ok {
				return "", false
			}
			all.Add(build.BlankLine, text)
		}
		return all.Body(), true
	}
	for _, name := range []string{"text", "content", "passage", "paragraph_text", "page_content", "body", "sentences"} {
		if value := v.Get(name); value.Truthy() {
			return titled(title, value)
		}
	}
	if list := v.Get("contexts"); list.Kind() == '[' { // PubMedQA
		return passages(list)
	}
	return "", false
}

// titled returns sentences, one after the other, below their title.
func titled(title, sentences jsontext.JSON) (text jsontext.Body, ok bool) {
	var all build.Joiner
	if says(title) {
		all.Add("", title.Body())
	}
	if body, isText := sentences.Quoted(); isText {
		all.Add(`\n`, body)
		return all.Body(), true
	}
	between := jsontext.Body(`\n`)
	if all.Body() == "" {
		between = ""
	}
	for _, s := range sentences.Elements() {
		body, isText := s.Quoted()
		if !isText {
			return "", false
		}
		if between == " " && strings.HasPrefix(string(body), " ") {
			between = ""
		}
		all.Add(between, body)
		between = " "
	}
	return all.Body(), sentences.Kind() == '['
}

// ask adds the text of the question to the user's turn.
func (p *adapter) ask(q question) jsontext.Body {
	var text build.Joiner
	for _, c := range q.columns {
		body, ok := passages(p.value(c))
		if !ok || body.Blank() {
			continue
		}
		if value := p.take(c); value.Kind() != '"' {
			p.left(value)
		}
		text.Add(p.between, body)
	}
	if q.choices.texts != nil && !q.choices.in(text.Body().Text()) {
		text.Add(p.between, q.choices.text())
	}
	return text.Body()
}

// left counts the members of documents that are not in the question.
func (p *adapter) left(v jsontext.JSON) {
	if v.Kind() == '{' {
		p.row.Leave("loss.context_member", v, "title", "label", "text", "content", "passage", "paragraph_text", "page_content", "body", "sentences", "contexts")
	}
	for _, e := range v.Elements() {
		if e.Kind() == '{' {
			p.left(e)
		}
	}
}
