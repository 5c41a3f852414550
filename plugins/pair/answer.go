package pair

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/ask"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/canonical/build"
	"github.com/sluicehq/sluice/sdk/canonical/build/calls"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// respond fills the answer from all columns that are not blank.
func (p *adapter) respond(t *build.Message) error {
	if c := p.first(p.workflows, mentionsWorkflow); c != "" {
		return p.workflow(t, c, p.take(c))
	}
	if c := p.answerColumn(); c != "" {
		value := p.take(c)
		if err := p.rated(c, value); err != nil {
			return err
		}
		if err := p.say(t, c, value); err != nil {
			return err
		}
	}
	if c := p.first(p.calls, present); c != "" {
		if err := call(t, c, p.take(c)); err != nil {
			return err
		}
	}
	if len(t.Calls) == 0 && t.Body == "" {
		if c := p.first(p.commands, says); c != "" {
			p.command(t, c)
		} else if c := p.first(p.routes, isText); c != "" {
			p.route(t, c)
		}
	}
	if c := p.first(p.reasoning, says); c != "" {
		t.Reasoning = build.Join(p.take(c).Body(), t.Reasoning)
	}
	if len(t.Calls) == 0 && t.Body.Blank() {
		return sdk.Reject("no_answer", p.row.Path, "want an answer, have a blank one")
	}
	return nil
}

// answerColumn returns the column that holds the answer, "" for none: the first one, or the solution that ends in the answer.
func (p *adapter) answerColumn() string {
	if c := p.first(revised, says); c != "" && p.isOpen {
		return c
	}
	c := p.first(p.answers, present)
	if p.isOpen && c == "answer" && says(p.value("solution")) {
		if result := textOf(p.value(c)); result != "" && strings.Contains(p.value("solution").Text(), result) {
			p.row.ReadsText(c)
			return "solution"
		}
	}
	if c == "" && p.isOpen && p.first(p.calls, present) == "" && p.first(p.commands, says) == "" {
		return p.first(targets, says)
	}
	return c
}

// targets are columns that answer where no other does, if they hold a text: a number there is a class or a value to be predicted.
var targets = []string{"target", "targets"}

// revised are columns with a better answer than those beside them, of distilabel and of axolotl's reflection rows.
var revised = []string{"evolved_response", "corrected"}

// longestRating is how many bytes a number may have that rates something. The error about a longer text would hold a copy of it.
const longestRating = 1 << 10

// rated rejects a number or a letter that names a choice or rates texts that are not read, and answers nothing by itself.
func (p *adapter) rated(column string, value jsontext.JSON) error {
	if !p.isOpen || len(value) > longestRating {
		return nil
	}
	code := textOf(value)
	_, err := strconv.ParseFloat(code, 64)
	if err != nil && value != "true" && value != "false" && (len(code) > 2 || code == "") {
		return nil
	}
	for _, c := range offers {
		if v := p.value(c); v.Kind() == '[' && !v.Empty() || says(v) {
			return sdk.Reject("bad_choice", c, "want a list of at least two choices, have %s, and the answer names one", jsontext.KindName(v.Kind()))
		}
	}
	unread := p.row.UnreadTexts(ratedText)
	if len(unread) < 2 { // two short texts count where their names differ in the last letter only
		unread = p.alike()
	}
	texts := slices.DeleteFunc(unread, func(c string) bool {
		return slices.Contains(p.reasoning, c) || slices.Contains(explanations, c) || strings.Contains(c, "question") || strings.Contains(c, "problem")
	})
	if len(texts) < 2 {
		return nil
	}
	return sdk.Reject("rated_texts", column, "want an answer in words, have %s beside %d texts that are not read", jsontext.KindName(value.Kind()), len(texts))
}

// ratedText is how many characters a text has that may be rated.
const ratedText = 30

// fewColumns is how many columns are compared by name.
const fewColumns = 100

// explanations are columns that explain a short answer.
var explanations = []string{"solution", "explanation", "rationale", "explanations", "hint", "hints", "proof", "exp", "metadata", "meta"}

// alike returns the kept columns with a text whose names differ in their last letter only.
func (p *adapter) alike() (columns []string) {
	named := map[string][]string{}
	unread := p.row.UnreadTexts(-1)
	for _, c := range unread[:min(len(unread), fewColumns)] {
		if last := len(c) - 1; last > 2 && says(p.value(c)) {
			named[c[:last]] = append(named[c[:last]], c)
		}
	}
	for _, group := range named {
		if len(group) > 1 {
			columns = append(columns, group...)
		}
	}
	return columns
}

// choose fills the answer with the choice that is right.
func (p *adapter) choose(t *build.Message, c choices) error {
	body, err := c.answer(p.take(c.key))
	if err != nil {
		return err
	}
	for _, column := range c.columns {
		if value := p.take(column); value.Kind() == '[' || value.Get("text") != "" {
			ask.Columns{Row: p.row}.Left(value)
		}
	}
	for i, label := range c.labels {
		if label != letter(i) {
			p.row.Count("loss.choice_label", 1)
		}
	}
	t.Body = body
	return nil
}

// say reads an answer column: a text, which may hold calls and thoughts, a number, or calls as they are.
func (p *adapter) say(t *build.Message, name string, value jsontext.JSON) error {
	switch value[0] {
	case '"':
		body, _ := value.Quoted()
		if strings.HasPrefix(string(body), "TOOL_NEEDED:") {
			return needed(t, body.Text(), name)
		}
		if name == "answers" && strings.TrimSpace(string(body)) == "[]" { // a list without calls
			return nil
		}
		return p.row.Say(t, body, name)
	case '{', '[':
		if spans := value.Get("text"); name == "answers" && spans.Kind() == '[' && value.Get("score") == "" {
			p.row.Keep(name, value) // with the other answers, and their places
			p.row.ReadsText(name)
			return p.spans(t, spans.First())
		} else if first := value.First(); name == "answers" && first.Get("answer_start") != "" {
			p.row.Keep(name, value)
			p.row.ReadsText(name)
			return p.spans(t, first.Get("text"))
		}
		if err := p.row.SayText(t, string(value), name); err != nil {
			return err
		}
		if len(t.Calls) == 0 && value != "[]" {
			return sdk.Reject("bad_answer", name, "want a text, a number or calls, have %s", jsontext.Describe(value))
		}
		if len(t.Calls) == 0 {
			t.Body = ""
		}
		return nil
	}
	t.Body = jsontext.Body(value)
	return nil
}

// spans reads the answers of SQuAD, of which the first is the target: texts with their places in the passage.
func (p *adapter) spans(t *build.Message, first jsontext.JSON) error {
	if !says(first) {
		return sdk.Reject("no_answer", "answers.text", "want a text, have %s", seenText(first))
	}
	t.Body = first.Body()
	return nil
}

// seenText names what is there in place of a text.
func seenText(value jsontext.JSON) string {
	if value.Kind() == '"' {
		return "a blank one"
	}
	return jsontext.KindName(value.Kind())
}

// call reads a column that holds a call, a list of calls, or JSON of either in a string.
func call(t *build.Message, name string, value jsontext.JSON) error {
	if body, ok := value.Quoted(); ok {
		if value, ok = calls.Value(body.Text()); !ok {
			return sdk.Reject("bad_call", name, "want a call in the string")
		}
	}
	read, ok := calls.Objects(value)
	if !ok {
		return sdk.Reject("bad_call", name, "want a call with a name, have %s", jsontext.Describe(value))
	}
	t.Calls = append(t.Calls, read...)
	return nil
}

// needed reads the calls that Phi-3 was taught to write: TOOL_NEEDED: name, PARAMS: {...}, REASON: text.
func needed(t *build.Message, text, path string) error {
	name, rest, _ := strings.Cut(strings.TrimPrefix(text, "TOOL_NEEDED:"), "\n")
	params, ok := strings.CutPrefix(strings.TrimSpace(rest), "PARAMS:")
	if name = strings.TrimSpace(name); name == "" || !ok {
		return sdk.Reject("bad_call", path, "want PARAMS: after TOOL_NEEDED: and a name")
	}
	args, rest, err := calls.Literal(nil, params)
	if err != nil {
		return sdk.Reject("bad_call", path, "PARAMS: %v", err)
	}
	reason, ok := strings.CutPrefix(strings.TrimSpace(rest), "REASON:")
	if !ok && strings.TrimSpace(rest) != "" {
		return sdk.Reject("bad_call", path, "want only REASON: after PARAMS:")
	}
	t.Calls = append(t.Calls, build.Call{Name: jsontext.BodyOf(name), Args: jsontext.JSON(args)})
	t.Reasoning = jsontext.BodyOf(strings.TrimSpace(reason))
	return nil
}

// command makes a call of SHELL, the action that runs commands.
func (p *adapter) command(t *build.Message, column string) {
	args := `{"command":` + p.take(column)
	for _, c := range [...]string{"cwd", "explanation"} {
		if says(p.value(c)) {
			args += `,"` + jsontext.JSON(c) + `":` + p.take(c)
		}
	}
	t.Calls = append(t.Calls, build.Call{Name: "SHELL", Args: args + "}"})
}

// route makes the text of a routing decision, which names a server and a tool and does not call it.
func (p *adapter) route(t *build.Message, tool string) {
	server, arguments := cmp.Or(p.take("server"), `""`), cmp.Or(p.take("arguments"), "{}")
	answer := append([]byte(`{"server":`), server...)
	answer = append(append(append(answer, `,"tool":`...), p.take(tool)...), `,"arguments":`...)
	t.Body = jsontext.BodyOf(jsontext.AppendPlain(nil, append(append(answer, arguments...), '}')))
}

// mentionsWorkflow reports whether a value can hold an n8n workflow.
func mentionsWorkflow(v jsontext.JSON) bool {
	return (v[0] == '"' || v[0] == '{') && strings.Contains(string(v), "nodes") && strings.Contains(string(v), "connections")
}

// workflow makes a call of CREATE_WORKFLOW from an n8n workflow: an object, or a text with one in it.
func (p *adapter) workflow(t *build.Message, name string, value jsontext.JSON) error {
	if body, ok := value.Quoted(); ok {
		text := body.Text()
		n := strings.IndexByte(text, '{')
		if n < 0 {
			return sdk.Reject("bad_workflow", name, "want an object in the text")
		}
		read, rest, err := calls.Literal(nil, text[n:])
		if err != nil {
			return sdk.Reject("bad_workflow", name, "%v", err)
		}
		if strings.Trim(text[:n], " \t\r\n`json")+strings.Trim(rest, " \t\r\n`") != "" {
			p.row.Count("loss.text_beside_workflow", 1)
		}
		value = jsontext.JSON(read)
	}
	if nodes, connections := value.Get("nodes"), value.Get("connections"); nodes.Kind() != '[' || connections.Kind() != '{' {
		return sdk.Reject("bad_workflow", name, "want an array of nodes and an object of connections, have %s and %s",
			jsontext.KindName(nodes.Kind()), jsontext.KindName(connections.Kind()))
	}
	t.Calls = append(t.Calls, build.Call{Name: "CREATE_WORKFLOW", Args: `{"workflow":` + value + "}"})
	return nil
}

// isBFCL reports whether the record is a question of the Berkeley leaderboard with its answer: question is a list of lists of
// messages, ground_truth a list.
func (p *adapter) isBFCL() bool {
	return p.value("question").First().Kind() == '[' && p.value("ground_truth").Kind() == '['
}

// bfcl fills the conversation: the messages of every round of the question, and the calls that answer it.
func (p *adapter) bfcl() error {
	p.row.Path, p.row.Shape = "question", "bfcl"
	if err := p.row.SetTools("function", p.take("function")); err != nil {
		return err
	}
	rounds, answer := p.take("question").List(), p.value("ground_truth") // metadata keeps it, since it has several answers
	p.row.ReadsText("ground_truth")
	truth := answer.List()
	if len(rounds) == 1 {
		truth = []jsontext.JSON{answer}
	}
	if len(truth) != len(rounds) {
		return sdk.Reject("bad_answer", "ground_truth", "want an answer for each of %d rounds, have %d", len(rounds), len(truth))
	}
	for i, round := range rounds {
		for _, m := range round.Elements() {
			p.row.Leave("loss.message_member", m, "role", "content")
			role := canonical.RoleOf(canonical.RoleName(m.Get("role")))
			body, ok := m.Get("content").Quoted()
			if role == canonical.NoRole || !ok {
				return sdk.Reject("bad_message", "question."+strconv.Itoa(i), "want messages with a role and a text, have %s", jsontext.Describe(m))
			}
			p.row.Add(role, i).Body = body
		}
		t := p.row.Add(canonical.Assistant, i)
		for _, answer := range truth[i].Elements() {
			if err := p.truths(t, answer); err != nil {
				return err
			}
		}
	}
	return nil
}

// An announced row has a prompt that asks for calls, so names count as calls even without a tool.
type announced struct{ *build.Builder }

func (announced) Mentions(string) bool { return true }

// truths adds the calls of one answer: an object of accepted arguments by function, or Python.
func (p *adapter) truths(t *build.Message, answer jsontext.JSON) error {
	if body, ok := answer.Quoted(); ok {
		read, err := calls.Read("["+body.Text()+"]", announced{p.row})
		if err != nil || len(read.Calls) == 0 {
			return sdk.Reject("bad_call", "ground_truth", "want a call in the string")
		}
		t.Calls = append(t.Calls, read.Calls...)
		return nil
	}
	if answer.Kind() != '{' {
		return sdk.Reject("bad_call", "ground_truth", "want calls as objects or texts, have %s", jsontext.KindName(answer.Kind()))
	}
	for name, accepted := range answer.Members() {
		args := appendAccepted(nil, accepted)
		t.Calls = append(t.Calls, build.Call{Name: jsontext.BodyOf(name), Args: jsontext.JSON(args)})
	}
	return nil
}

// appendAccepted appends arguments, each with its first accepted value. It leaves an argument out where that is "", which
// marks it as optional.
func appendAccepted(dst []byte, object jsontext.JSON) []byte {
	dst = append(dst, '{')
	for name, v := range object.Members() {
		switch accepted := v.First(); {
		case accepted == "" || accepted == `""`:
		case accepted.Kind() == '{':
			dst = appendAccepted(jsontext.AppendKey(dst, name), accepted)
		default:
			dst = append(jsontext.AppendKey(dst, name), accepted...)
		}
	}
	return append(dst, '}')
}
