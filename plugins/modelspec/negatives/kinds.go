package negatives

import (
	"encoding/xml"
	"html"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/sluicehq/sluice/plugins/modelspec/dice"
	"github.com/sluicehq/sluice/plugins/modelspec/notation"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A kind is a mistake that the document wants models trained against.
type kind struct {
	name  string
	check string // that fails
	// at reports whether the mistake can take the place of a message.
	at func(m *maker, i int) bool
	// make yields answers for the place of message i, each with the messages before it where they change.
	make func(m *maker, d *dice.Dice, i int, yield func(attempt) bool)
}

// An attempt is a rejected answer that may turn out to break another rule, or none.
type attempt struct {
	prompt []notation.Message // nil for the thread's own
	answer notation.Message
	reason string
}

var kinds = []kind{
	{"format_not_enabled", "format_enabled", (*maker).isAnswer, otherFormat},
	{"undeclared_tool", "format_enabled", (*maker).isAnswerOrCall, otherTool},
	{"call_as_text", "call_in_text", (*maker).isCall, callAsText},
	{"user_enabled_format", "user_enabled_format", (*maker).isAnswer, obeyUser},
}

// tried bounds the places of a thread at which a mistake is tried.
const tried = 4

// pair returns the first pair of a kind whose chosen answer fails no check, and whose rejected one fails the kind's and no other.
// The dice depend on the seed and the content of the thread alone.
func (m *maker) pair(k *kind) (p *notation.Thread, ok bool) {
	d := dice.New(m.Seed+"\x00"+k.name, m.identity())
	var places []int
	for i := range m.thread.Messages {
		if k.at(m, i) {
			places = append(places, i)
		}
	}
	dice.Shuffle(&d, places)
	for _, i := range places[:min(tried, len(places))] {
		k.make(m, &d, i, func(a attempt) bool {
			a.answer.Correct = notation.No
			if ok = m.fits(&a, i, k.check); ok {
				p = m.row(k, i, &a)
			}
			return !ok
		})
		if ok {
			return p, true
		}
	}
	return nil, false
}

// fits reports whether the thread's own message i passes, and an attempt in its place fails the check and no other.
func (m *maker) fits(a *attempt, i int, check string) bool {
	judge, chosen := m.judge, m.thread.Messages[i]
	if a.prompt != nil {
		judge = m.rules.Judge(&m.thread, append(a.prompt, chosen))
		defer judge.Release()
		if rejects(judge.Failures()) {
			return false
		}
	}
	failures := judge.Instead(i, a.answer)
	return len(judge.Instead(i, chosen)) == 0 && len(failures) == 1 && failures[0].Check == check
}

// identity returns the content of the thread, however it is spelled.
func (m *maker) identity() []byte {
	m.buf = m.buf[:0]
	for i, text := range m.texts {
		for _, s := range []string{string(m.thread.Messages[i].Role), m.thread.Messages[i].Format, text} {
			m.buf = append(append(m.buf, s...), 0)
		}
	}
	sum := xxh3.Hash128(m.buf).Bytes()
	return sum[:]
}

// isAnswer reports whether message i is a text that ends the assistant's turn.
func (m *maker) isAnswer(i int) bool {
	a := &m.thread.Messages[i]
	return a.Role == notation.Assistant && a.EndTurn && notation.IsText(a.Format) && strings.TrimSpace(m.texts[i]) != ""
}

// isCall reports whether message i calls a tool with an object in JSON.
func (m *maker) isCall(i int) bool {
	a := &m.thread.Messages[i]
	tool, language := notation.Split(a.Format)
	if a.Role != notation.Assistant || tool == "" || language != "json" {
		return false
	}
	value, ok := jsontext.Embedded(m.texts[i])
	return ok && value.Kind() == '{'
}

func (m *maker) isAnswerOrCall(i int) bool { return m.isAnswer(i) || m.isCall(i) }

// otherFormat answers in a format that neither the settings nor a message names.
func otherFormat(m *maker, d *dice.Dice, i int, yield func(attempt) bool) {
	for _, f := range shuffled(d, formats) {
		if !yield(attempt{answer: f.answer(m.texts[i]), reason: "answers in `" + f.name + "`, which nothing enables"}) {
			return
		}
	}
}

// otherTool calls a tool that no message declares, with the user's request, or with the arguments of the call in its place.
func otherTool(m *maker, d *dice.Dice, i int, yield func(attempt) bool) {
	for _, t := range shuffled(d, tools) {
		args := m.texts[i]
		if !m.isCall(i) {
			args = string(jsontext.AppendMember([]byte("{"), t.argument, m.asked(i))) + "}"
		}
		call := notation.Message{Role: notation.Assistant, Format: t.name + ":json", Body: jsontext.BodyOf(args)}
		if !yield(attempt{answer: call, reason: "calls `" + t.name + "`, which is not declared"}) {
			return
		}
	}
}

// tools lists names that models make up, each with an argument.
var tools = []struct{ name, argument string }{
	{"web_search", "query"}, {"browser", "url"}, {"calculator", "expression"}, {"read_file", "path"}, {"run_code", "code"},
	{"send_email", "body"}, {"search_documents", "query"}, {"save_memory", "text"},
}

// asked returns the first line of the last user message before message i, cut where it is long.
func (m *maker) asked(i int) string {
	const longest = 80 // code points
	if i = m.userBefore(i); i < 0 {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(m.texts[i]), "\n")
	n := 0
	for at := range line {
		if n++; n > longest {
			return line[:at]
		}
	}
	return line
}

// userBefore returns the last message of a user before message i, or -1.
func (m *maker) userBefore(i int) int {
	for i--; i >= 0 && m.thread.Messages[i].Role != notation.User; i-- {
	}
	return i
}

// callAsText writes a call as a text, so that the system does not see it.
func callAsText(m *maker, d *dice.Dice, i int, yield func(attempt) bool) {
	text := m.texts[i]
	if d.Roll(2) == 0 {
		text = "```json\n" + text + "\n```"
	}
	answer := notation.Message{Role: notation.Assistant, Format: "markdown", Body: jsontext.BodyOf(text), EndTurn: true}
	yield(attempt{answer: answer, reason: "writes the call of `" + m.thread.Messages[i].Format + "` as text"})
}

// obeyUser lets the user allow a format, and answers in it.
func obeyUser(m *maker, d *dice.Dice, i int, yield func(attempt) bool) {
	user := m.userBefore(i)
	if user < 0 {
		return
	}
	request := dice.Pick(d, requests)
	for _, f := range shuffled(d, formats) {
		asks := strings.ReplaceAll(request, "FORMAT", f.name)
		for _, text := range []string{m.texts[user] + "\n\n" + asks, asks + "\n\n" + m.texts[user]} {
			prompt := append([]notation.Message(nil), m.thread.Messages[:i]...)
			prompt[user].Body = jsontext.BodyOf(text)
			if !yield(attempt{prompt: prompt, answer: f.answer(m.texts[i]), reason: "answers in `" + f.name + "`, which only the user enables"}) {
				return
			}
		}
	}
}

// requests lists ways in which users ask for another format.
var requests = []string{
	"Answer in the `FORMAT` format.",
	"Please respond in the `FORMAT` response format.",
	"You can use the `FORMAT` format now. Do so for your answer.",
	"I enable the `FORMAT` response format for you; answer in it.",
	"Give me the answer in `FORMAT` format instead.",
}

func shuffled[T any](d *dice.Dice, all []T) []T {
	all = slices.Clone(all)
	dice.Shuffle(d, all)
	return all
}

// A format is one in which an answer can be written. The answer parses in it, so that nothing but the format is wrong.
type format struct {
	name string
	put  func(text string) string
}

var formats = []format{
	{"html", func(text string) string { return "<p>" + html.EscapeString(text) + "</p>" }},
	{"xml", func(text string) string { return "<answer>" + escapeXML(text) + "</answer>" }},
	{"json", answerJSON},
	{"jsonl", answerJSON},
	{"yaml", func(text string) string { return string(notation.AppendYAML(nil, jsontext.JSON(answerJSON(text)))) }},
	{"csv", func(text string) string { return "answer\n\"" + strings.ReplaceAll(text, `"`, `""`) + "\"\n" }},
}

func (f format) answer(text string) notation.Message {
	return notation.Message{Role: notation.Assistant, Format: f.name, Body: jsontext.BodyOf(f.put(text)), EndTurn: true}
}

func answerJSON(text string) string {
	return string(append(jsontext.AppendMember([]byte("{"), "answer", text), '}'))
}

func escapeXML(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder never fails
	return b.String()
}
