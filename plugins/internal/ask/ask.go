// Package ask finds the question of a record whose columns are texts: the column that asks, and the material that it is about.
package ask

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Names of columns.
var (
	// Questions ask, whatever other columns there are. An instruction comes before the material that it is about, others after it.
	Questions = []string{"instruction", "source_instruction", "query", "prompt", "question", "problem"}
	// Material is what a question is about.
	Material = []string{
		"context", "contexts", "background", "knowledge", "article", "document", "documents", "passage", "passages", "paragraph", "paragraphs",
		"retrieved_contexts", "long_context", "search_results", "snippet", "snippets", "facts", "support", "premise", "evidence", "excerpt", "story",
		"transcript", "abstract", "content", "table", "tables", "source_text", "text", "input", "input_text",
	}
	// Alone are columns that ask when no other does.
	Alone = []string{"user_input", "input", "input_text", "context", "key"}
	// stems ask when no other column does, and there are choices.
	stems = []string{"ctx", "goal", "sentence", "question_stem", "stem"}
)

// Codes are the codes of rejects, with what each means.
var Codes = map[string]string{
	"bad_context": "the material that the question is about is neither a text nor a list of texts; make it a text first",
	"two_prompts": "two columns ask different things, and nothing says which of them was answered; leave one out",
}

// Columns are the columns of a record, which the row keeps until Text takes them.
type Columns struct {
	Row     *build.Builder
	Between jsontext.Body // of columns in one text
	Answer  string        // the column with the answer, "" for none
}

func says(v jsontext.JSON) bool {
	body, ok := v.Quoted()
	return ok && !body.Blank()
}

// Find returns the column that asks, after the material that the question is about. An instruction comes before the material, as
// in Alpaca and Dolly. chooses says that the record has choices.
func (c Columns) Find(chooses bool) ([]string, error) {
	asks, err := c.asks()
	if err != nil {
		return nil, err
	}
	if len(asks) == 0 {
		names := Alone
		if chooses {
			names = slices.Concat(Alone, stems)
		}
		i := slices.IndexFunc(names, c.says)
		if i < 0 {
			return nil, nil
		}
		asks = names[i : i+1 : i+1]
	}
	about, err := c.about(asks)
	if err != nil {
		return nil, err
	}
	if asks[0] == "instruction" {
		return slices.Concat(asks[:1], about, asks[1:]), nil
	}
	return append(about, asks...), nil
}

func (c Columns) says(name string) bool { return says(c.Row.Kept(name)) }

// asks returns the columns that ask: one, or an instruction and the question that it is for. A column that repeats another does
// not count.
func (c Columns) asks() ([]string, error) {
	if c.says("evolved_instruction") {
		return c.evolved()
	}
	var asks []string
	for _, name := range Questions {
		if c.says(name) {
			asks = append(asks, name)
		}
	}
	if len(asks) < 2 {
		return asks, nil
	}
	if asks[0] != "instruction" && c.says("prompt") { // a prompt may be the question with all around it
		asks = slices.DeleteFunc(asks, func(name string) bool { return name != "prompt" && c.repeats(name, "prompt") })
	}
	for i := 1; i < len(asks); i++ {
		if c.repeats(asks[0], asks[i]) || c.repeats(asks[i], asks[0]) {
			c.Row.ReadsText(asks[i])
			asks = slices.Delete(asks, i, i+1)
			i--
		}
	}
	if len(asks) > 2 || len(asks) == 2 && asks[0] != "instruction" {
		return nil, c.twoPrompts(asks[0], asks[1])
	}
	return asks, nil
}

func (c Columns) twoPrompts(a, b string) error {
	if c.Answer == "" {
		return sdk.Decline("want an answer column")
	}
	return sdk.Reject("two_prompts", b, "want one column that asks, have %s and %s, which say different things", a, b)
}

// evolved returns the instruction that distilabel made of another, which its column answer answers. Another answer may be to either.
func (c Columns) evolved() ([]string, error) {
	if c.Answer != "answer" && c.says("instruction") {
		return nil, c.twoPrompts("instruction", "evolved_instruction")
	}
	c.Row.ReadsText("instruction")
	return []string{"evolved_instruction"}, nil
}

// repeats reports whether the text of column b holds that of column a.
func (c Columns) repeats(a, b string) bool {
	part := strings.TrimSpace(c.Row.Kept(a).Text())
	return part != "" && strings.Contains(c.Row.Kept(b).Text(), part)
}

// about returns the columns with material for the columns that ask.
func (c Columns) about(asks []string) (about []string, err error) {
	for _, name := range Material {
		value := c.Row.Kept(name)
		if value == "" || slices.Contains(asks, name) {
			continue
		}
		text, ok := passages(value, 0)
		switch {
		case !ok && value.Truthy() && (strings.HasPrefix(name, "table") || isMessage(value.First()) || build.Prose(value) > longContext):
			return nil, sdk.Reject("bad_context", name, "want a text or a list of texts, have %s", jsontext.KindName(value.Kind()))
		case !ok || text.Blank():
		case name != "input" && name != "context" && c.isRendering(text, asks[0]), asks[0] != "instruction" && c.holds(asks, text):
			c.Row.ReadsText(name)
		default:
			about = append(about, name)
		}
	}
	return about, nil
}

// longContext is how many characters of prose make a value that is no text material all the same.
const longContext = 100

// isRendering reports whether a text is the whole record in one text, as Alpaca's column text is.
func (c Columns) isRendering(text jsontext.Body, ask string) bool {
	whole, part := text.Text(), strings.TrimSpace(c.Row.Kept(ask).Text())
	if !strings.Contains(whole, part) {
		return false
	}
	said := strings.TrimSpace(c.Row.Kept(c.Answer).Text())
	return len(part) > fewBytes || said != "" && strings.Contains(whole, said)
}

// holds reports whether a column that asks repeats the material.
func (c Columns) holds(asks []string, text jsontext.Body) bool {
	part := strings.TrimSpace(text.Text())
	return len(part) > fewBytes && slices.ContainsFunc(asks, func(name string) bool {
		return strings.Contains(c.Row.Kept(name).Text(), part)
	})
}

// fewBytes is how long a text is that may be in another by chance.
const fewBytes = 24

// passages returns the text of material at a depth: a text, a list of texts, or documents with a title and a text or sentences.
func passages(v jsontext.JSON, depth int) (text jsontext.Body, ok bool) {
	if depth > 2 {
		return "", false
	}
	switch v.Kind() {
	case '"':
		return v.Body(), true
	case '{':
		return document(v, depth)
	case '[':
		if list := v.List(); len(list) == 2 && list[0].Kind() == '"' && list[1].Kind() == '[' {
			return titled(list[0], list[1]) // a document of HotpotQA
		}
	default:
		return "", false
	}
	var all build.Joiner
	for _, e := range v.Elements() {
		part, ok := passages(e, depth+1)
		if !ok {
			return "", false
		}
		all.Add(build.BlankLine, part)
	}
	return all.Body(), true
}

// document returns the text of a document, or of several whose titles and sentences are lists.
func document(v jsontext.JSON, depth int) (text jsontext.Body, ok bool) {
	if isMessage(v) {
		return "", false
	}
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
		return passages(list, depth+1)
	}
	return "", false
}

// isMessage reports whether an object is a turn of a conversation, which no text replaces.
func isMessage(v jsontext.JSON) bool { return v.Get("role") != "" || v.Get("from") != "" }

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

// Text returns the text of columns and takes them out of the metadata.
func (c Columns) Text(columns []string) jsontext.Body {
	var text build.Joiner
	for _, name := range columns {
		value := c.Row.Kept(name)
		body, ok := passages(value, 0)
		if !ok || body.Blank() {
			continue
		}
		c.Row.Forget(name)
		c.Left(value)
		text.Add(c.Between, body)
	}
	return text.Body()
}

// Left counts the members of documents or choices that are not in the question.
func (c Columns) Left(v jsontext.JSON) {
	if v.Kind() == '{' {
		c.Row.Leave("loss.context_member", v, "title", "label", "text", "content", "passage", "paragraph_text", "page_content", "body", "sentences", "contexts")
	}
	for _, e := range v.Elements() {
		if e.Kind() == '{' {
			c.Left(e)
		}
	}
}

// Extends reports whether a question has more than its prompt: material, choices, or another column that asks.
func (c Columns) Extends() bool {
	return slices.ContainsFunc([]string{"evolved_instruction", "instruction", "query", "question", "problem"}, c.says) ||
		slices.ContainsFunc([]string{"choices", "options", "endings"}, func(name string) bool { return c.Row.Kept(name).Kind() == '[' }) ||
		slices.ContainsFunc(Material, func(name string) bool {
			value := c.Row.Kept(name)
			text, ok := passages(value, 0)
			return value != "" && (ok && !text.Blank() || !ok && build.Prose(value) > longContext)
		})
}
