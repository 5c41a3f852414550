package messages

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/plugins/internal/ask"
	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A comparison is two answers to one question, each in a column, and the columns that say which is better.
type comparison struct {
	columns [2]string
	labels  [2]string // the ends of the columns' names: 0 and 1, 1 and 2, a and b
	verdict string    // the column that says which is better; "" where the scores or the names of the columns say so
	ends    [2]string // the labels, as they are in the names
	scores  string    // the beginning of the names of two columns with scores
}

// candidates are the beginnings of names of columns with one answer of two.
var candidates = []string{"response", "output", "answer", "completion", "conversation", "human_ref", "candidate", "generation", "model_output", "summary"}

// ends are the ends of these names.
var ends = [][2]string{{"_0", "_1"}, {"_1", "_2"}, {"_a", "_b"}, {"_A", "_B"}, {"0", "1"}, {"1", "2"}, {"A", "B"}}

// comparisons are all pairs of such columns, made once, since every row is asked for each of them.
var comparisons = func() (all []comparison) {
	for _, begin := range candidates {
		for _, end := range ends {
			labels := [2]string{strings.Trim(end[0], "_"), strings.Trim(end[1], "_")}
			all = append(all, comparison{columns: [2]string{begin + end[0], begin + end[1]}, labels: labels, ends: end})
		}
	}
	return all
}()

// ordered are columns of which the first holds the better answer by its name.
var ordered = [][2]string{
	{"preferred", "other"}, {"preferred", "dispreferred"}, {"preferred_response", "other_response"}, {"preferred_response", "dispreferred_response"},
	{"better", "worse"}, {"better_response", "worse_response"}, {"better_answer", "worse_answer"}, {"response_chosen", "response_rejected"},
	{"answer_chosen", "answer_rejected"}, {"win", "lose"}, {"winner_response", "loser_response"},
}

// firstOfTwo has the first column of each pair. Few records have one, and the others need not be asked for all.
var firstOfTwo = func() map[string]bool {
	all := map[string]bool{}
	for _, columns := range ordered {
		all[columns[0]] = true
	}
	for i := range comparisons {
		all[comparisons[i].columns[0]] = true
	}
	return all
}()

// Columns that say which of two answers is better.
var (
	named  = []string{"better_response_id", "better_id", "preferred_id", "chosen_id", "winner", "gold_label", "better", "preferred", "overall_response", "preference", "choice", "labels"}
	signed = []string{"overall_preference", "preference_strength"} // below 0 for the first
	scores = []string{"score", "rating", "reward"}
)

// isComparison reports whether the record has two answers in columns of their own, and what says which is better.
func (a *adapter) isComparison() bool {
	if !a.record.compares {
		return false
	}
	_, ok := a.comparison()
	return ok
}

func (a *adapter) comparison() (d comparison, ok bool) {
	for _, columns := range ordered {
		won, lost := a.row.Kept(columns[0]), a.row.Kept(columns[1])
		if isCandidate(won) && isCandidate(lost) && (len(won.Body()) != 1 || strings.Contains(columns[0], "_")) { // "preferred": "A" is a verdict
			return comparison{columns: columns}, true
		}
	}
	for i := range comparisons {
		d = comparisons[i]
		if !isCandidate(a.row.Kept(d.columns[0])) || !isCandidate(a.row.Kept(d.columns[1])) || a.hasThird(d) {
			continue
		}
		for _, column := range slices.Concat(named, signed) {
			if v := a.row.Kept(column); v != "" && v.Kind() != '{' && v.Kind() != '[' {
				d.verdict = column
				return d, true
			}
		}
		if a.is(label, '"') {
			d.verdict = "label"
			return d, true
		}
		if a.row.Kept("winner_model"+d.ends[0]) != "" {
			d.scores = "winner_model"
			return d, true
		}
		for _, score := range scores {
			_, first := a.row.Kept(score + d.ends[0]).Number()
			if _, second := a.row.Kept(score + d.ends[1]).Number(); first || second {
				d.scores = score
				return d, true
			}
		}
	}
	return comparison{}, false
}

// hasThird reports whether there is an answer before or after the two, as where one of several is right.
func (a *adapter) hasThird(d comparison) bool {
	next := func(column string, by int) bool {
		last := len(column) - 1
		return a.row.Kept(column[:last] + string(rune(int(column[last])+by))).Truthy()
	}
	return next(d.columns[0], -1) || next(d.columns[1], 1)
}

// isCandidate reports whether a value is a text or a list of messages.
func isCandidate(v jsontext.JSON) bool {
	if v == "" {
		return false
	}
	body, isText := v.Quoted()
	return isText && !body.Blank() || isFull(v)
}

// compared reads the better of two answers. The other goes to metadata.preference.rejected.
func (a *adapter) compared() error {
	d, _ := a.comparison()
	better, err := a.better(d)
	if err != nil {
		return err
	}
	if d.verdict == "preference" { // the metadata has another value of this name
		a.row.KeepMade("preference_value", a.row.Kept(d.verdict))
		a.row.Forget(d.verdict)
	}
	won, lost := d.columns[better], d.columns[1-better]
	best, worst := a.row.Kept(won), a.row.Kept(lost)
	a.row.Forget(won)
	if list, ok := texts(opened(best)); ok && a.hasRounds(len(list)) {
		if a.row.ReadsText(lost); len(list) == 1 { // else it says more than the metadata's preference, and stays a column too
			a.row.Forget(lost)
		}
		a.keepRejected(sameRound(worst, list))
		return a.inRounds(list)
	}
	a.row.Forget(lost)
	if isFull(best) && strings.HasPrefix(won, "conversation") {
		if err := a.begin(); err != nil {
			return err
		}
	} else if err := a.question(); err != nil {
		return err
	}
	a.keepRejected(worst)
	return a.answered(won, best)
}

// better returns which answer is better, 0 or 1.
func (a *adapter) better(d comparison) (int, error) {
	switch {
	case d.verdict != "":
		return d.decide(cmp.Or(a.row.Kept(d.verdict), a.record.members[label]))
	case d.scores == "":
		return 0, nil
	}
	var score [2]float64
	for i, end := range d.ends {
		v, isNumber := a.row.Kept(d.scores+end), false
		if score[i], isNumber = v.Number(); !isNumber {
			return 0, sdk.Reject("bad_preference", d.scores+end, "want a score for each of two answers, have %s", canonical.Seen(v))
		}
	}
	switch {
	case score[0] == score[1]:
		return 0, tie(d.scores + d.ends[0])
	case score[0] > score[1]:
		return 0, nil
	}
	return 1, nil
}

func tie(path string) error {
	return sdk.Reject("tie", path, "want one answer that is better, have two that are alike")
}

// decide reads the column that says which answer is better: a number around 0, the number or letter of a column, or its name.
func (d *comparison) decide(v jsontext.JSON) (int, error) {
	n, isNumber := v.Number()
	numbered := d.labels[0] == "0" || d.labels[0] == "1"
	switch {
	case slices.Contains(signed, d.verdict) && isNumber:
		switch {
		case n < 0:
			return 0, nil
		case n > 0:
			return 1, nil
		}
		return 0, tie(d.verdict)
	case d.verdict == "labels" && isNumber && strings.HasPrefix(d.columns[0], "human_ref"): // SHP: 1 for the first
		if n == 0 || n == 1 {
			return 1 - int(n), nil
		}
	case isNumber && numbered:
		first, _ := strconv.ParseFloat(d.labels[0], 64)
		switch {
		case n == first+0.5 || n == 0 && first == 1:
			return 0, tie(d.verdict)
		case n >= first && n < first+0.5:
			return 0, nil
		case n > first+0.5 && n <= first+1:
			return 1, nil
		}
	case !isNumber:
		word := v.Word()
		if strings.HasPrefix(word, "tie") || slices.Contains([]string{"both", "both_bad", "bothbad", "equal", "same", "a=b", "1=2", "draw", "neither", "none"}, word) {
			return 0, tie(d.verdict)
		}
		word, _, _ = strings.Cut(word, ">") // as in A>B
		for i, label := range d.labels {
			if rest, ok := strings.CutSuffix(word, strings.ToLower(label)); ok && slices.Contains([]string{"", "model", "response", "output", "answer", "assistant", "completion", "candidate"}, strings.TrimRight(rest, "_ ")) {
				return i, nil
			}
		}
	}
	have := jsontext.Seen(v)
	if isNumber {
		have = strconv.FormatFloat(n, 'g', 4, 64)
	}
	return 0, sdk.Reject("bad_preference", d.verdict, "want which of %s and %s is better, have %s", d.columns[0], d.columns[1], have)
}

// question adds the question of answers that are compared: messages, a text with its material, or an earlier conversation in a text.
func (a *adapter) question() error {
	for _, column := range []string{"context", "question", "query"} {
		v := a.row.Kept(column)
		if isFull(v) {
			a.row.Forget(column)
			return a.history(column, v)
		}
		if text := v.Get("full_text"); says(text) { // WebGPT
			a.row.Forget(column)
			a.row.KeepOthers(v, "full_text")
			return a.asked(column, text)
		}
	}
	if list := a.record.members[prompt]; isFull(list) {
		return a.history("prompt", a.of(prompt))
	}
	path, text, err := "", jsontext.Body(""), error(nil)
	if a.asks() || !a.hasList() {
		if path, text, err = a.askedText(); err != nil {
			return err
		}
	}
	for i, key := range a.keys {
		if list := a.record.lists[i]; text == "" && list != "" {
			path, a.record.lists[i] = key, ""
			if body, ok := list.Quoted(); ok && unwrapped(list) == "" { // SHP
				text = body
				break
			}
			return a.history(key, unwrapped(list))
		}
	}
	if text.Blank() {
		return sdk.Reject("no_user_turn", "prompt", "want a question that the answers are for")
	}
	if turns := play(text.Text()); turns != nil {
		return a.played(path, turns)
	}
	return a.asked(path, text.JSON())
}

func says(v jsontext.JSON) bool {
	body, ok := v.Quoted()
	return ok && !body.Blank()
}

// columns returns the columns of a question in texts. The members that may be among them are kept as columns.
func (a *adapter) columns() ask.Columns {
	for _, m := range []member{prompt, input} {
		if v := a.record.members[m]; v.Kind() == '"' {
			a.row.Keep(a.record.names[m], a.of(m))
		}
	}
	between := a.row.Joiner()
	if between == "" {
		between = `\n`
	}
	return ask.Columns{Row: a.row, Between: between, Answer: "chosen"}
}

// askedText returns the text of the columns that ask, with their material, and the name of the last.
func (a *adapter) askedText() (path string, text jsontext.Body, err error) {
	c := a.columns()
	columns, err := c.Find(false)
	if err != nil || len(columns) == 0 {
		return "prompt", "", err
	}
	return columns[len(columns)-1], c.Text(columns), nil
}

// play returns the turns of a text such as "Human: ... Assistant: ...", the first of the user; nil for another text.
func play(text string) (turns []string) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "Human:")
	if !ok || !strings.HasSuffix(rest, "\n\nAssistant:") {
		return nil
	}
	rest = strings.TrimSuffix(rest, "\n\nAssistant:")
	for i, by := 0, [2]string{"\n\nAssistant:", "\n\nHuman:"}; ; i++ {
		turn, more, found := strings.Cut(rest, by[i%2])
		turns = append(turns, strings.TrimSpace(turn))
		if !found {
			break
		}
		rest = more
	}
	if len(turns)%2 == 0 {
		return nil
	}
	return turns
}

func (a *adapter) played(path string, turns []string) error {
	if err := a.begin(); err != nil {
		return err
	}
	a.row.Path = path
	for i, turn := range turns {
		a.row.Add([2]canonical.Role{canonical.User, canonical.Assistant}[i%2], i).Body = jsontext.BodyOf(turn)
	}
	return nil
}

// sameRound returns what an answer says in the last round in which the better one says anything, "" for nothing. An answer that is no
// list of texts is for all rounds.
func sameRound(answer jsontext.JSON, better []jsontext.Body) jsontext.JSON {
	list, ok := texts(opened(answer))
	if !ok {
		return answer
	}
	last := len(better) - 1
	for last > 0 && better[last].Blank() {
		last--
	}
	if last >= len(list) || list[last].Blank() {
		return ""
	}
	return list[last].JSON()
}

// texts returns the elements of a list of texts. One of them may be null, where nothing was said.
func texts(v jsontext.JSON) (list []jsontext.Body, ok bool) {
	if v.Kind() != '[' {
		return nil, false
	}
	for _, e := range v.Elements() {
		body, isText := e.Quoted()
		if !isText && e != "null" {
			return nil, false
		}
		list = append(list, body)
	}
	return list, len(list) > 0
}

// hasRounds reports whether the prompt is a list of as many texts as the answers, one for each round.
func (a *adapter) hasRounds(n int) bool {
	asked, ok := texts(opened(a.record.members[prompt]))
	return ok && len(asked) == n
}

// inRounds reads one question and one answer for each round.
func (a *adapter) inRounds(answers []jsontext.Body) error {
	if err := a.begin(); err != nil {
		return err
	}
	asked, _ := texts(opened(a.of(prompt)))
	a.row.Path = "prompt"
	for i, question := range asked {
		a.row.Add(canonical.User, i).Body = question
		if err := a.textMessage(&message{at: i, role: canonical.Assistant, content: answers[i].JSON()}); err != nil {
			return err
		}
	}
	return nil
}
