package quality

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A statement is what the row says about itself: the member key of the object at in.
type statement struct {
	in, key string
	value   jsontext.JSON
}

func (s statement) path() string { return s.in + s.key }

// facts are the statements of a row and its metadata about the run and the row's worth.
type facts struct {
	statuses, outcomes, rewards, ratings, scores, weights []statement
}

func (f *facts) read(row *canonical.Row) {
	for _, list := range []*[]statement{&f.statuses, &f.outcomes, &f.rewards, &f.ratings, &f.scores, &f.weights} {
		*list = (*list)[:0]
	}
	add(&f.outcomes, "", "scenarioStatus", row.ScenarioStatus)
	add(&f.rewards, "", "reward", row.Reward)
	add(&f.rewards, "", "judgeScore", row.JudgeScore)
	add(&f.weights, "", "weight", row.Weight)
	f.quality("quality.", row.Quality)
	const in = "metadata."
	for key, v := range row.MetaMembers() {
		switch key {
		case "status", "trajectory_status", "trajectoryStatus", "final_status", "finalStatus", "terminated_reason", "terminatedReason":
			add(&f.statuses, in, key, v)
		case "scenario_status", "scenarioStatus", "scenario_outcome", "outcome":
			add(&f.outcomes, in, key, v)
		case "reward", "judgeScore", "judge_score":
			add(&f.rewards, in, key, v)
		case "weight", "loss_weight":
			add(&f.weights, in, key, v)
		case "quality":
			f.quality("metadata.quality.", v)
		}
	}
}

func (f *facts) quality(in string, value jsontext.JSON) {
	for key, v := range value.Members() {
		switch key {
		case "rating":
			add(&f.ratings, in, key, v)
		case "score":
			add(&f.scores, in, key, v)
		case "weight", "recommendedWeight":
			add(&f.weights, in, key, v)
		}
	}
}

// add adds a value unless it is empty.
func add(list *[]statement, in, key string, value jsontext.JSON) {
	if value != "" && value != "null" && value != `""` {
		*list = append(*list, statement{in, key, value})
	}
}

// A meaning is the verdict of a word on a run; of a finish reason it is what Row.Ending says.
type meaning string

const (
	good       meaning = "good"
	bad        meaning = "bad"
	unfinished meaning = "unfinished"
	cut        meaning = "cut"
	filtered   meaning = "filtered"
)

// runs are words for the result of a run or a scenario in exporters, recorders and benchmarks.
var runs = map[string]meaning{
	"completed": good, "complete": good, "finished": good, "done": good, "success": good, "successful": good, "succeeded": good,
	"ok": good, "passed": good, "pass": good, "solved": good, "resolved": good, "respond": good, "stop": good, "end": good,

	"error": bad, "errored": bad, "failed": bad, "failure": bad, "fail": bad, "timeout": bad, "timed_out": bad, "timedout": bad,
	"terminated": bad, "aborted": bad, "abort": bad, "cancelled": bad, "canceled": bad, "killed": bad, "crashed": bad, "crash": bad,
	"exception": bad, "rejected": bad, "invalid": bad, "skipped": bad, "interrupted": bad, "unsolved": bad, "unresolved": bad,
	"cost_exceeded": bad, "max_turns": bad, "max_steps": bad, "max_iterations": bad, "budget_exceeded": bad, "partial": bad, "expired": bad,

	"active": unfinished, "running": unfinished, "pending": unfinished, "in_progress": unfinished, "started": unfinished,
	"queued": unfinished, "incomplete": unfinished, "paused": unfinished, "waiting": unfinished, "open": unfinished,
}

// readWords reads the words of a row: ended holds what says how the run ended, failed what says that a scenario failed.
func (j *judge) readWords() {
	j.failed = statement{}
	clear(j.ended)
	note := func(m meaning, s statement) {
		if j.ended[m].key == "" {
			j.ended[m] = s
		}
	}
	if word := plain(j.row.Status); word != "" {
		s := statement{key: "status", value: jsontext.Quote(j.row.Status)}
		note(j.run("status", s, word), s)
	}
	for _, s := range j.statuses {
		note(j.run("status", s, plain(s.value.Text())), s)
	}
	if j.row.FinishReason != "" {
		s := statement{"response.", "finishReason", jsontext.Quote(j.row.FinishReason)}
		m := meaning(j.row.Ending())
		if m == "" {
			j.strange("finish", s)
		}
		note(m, s)
	}
	for _, s := range j.outcomes {
		if m := j.outcome(s); j.failed.key == "" && (m == bad || m == unfinished) {
			j.failed = s
		}
	}
}

// run returns the meaning of a word about a run.
func (j *judge) run(kind string, s statement, word string) meaning {
	m, known := meaning(j.Words[word]), true
	if m == "" {
		m, known = runs[word]
	}
	if !known {
		j.strange(kind, s)
	}
	return m
}

// outcome returns the meaning of a word, or of true or false, about a scenario.
func (j *judge) outcome(s statement) meaning {
	switch s.value {
	case "true":
		return good
	case "false":
		return bad
	}
	return j.run("outcome", s, plain(s.value.Text()))
}

// plain returns a word in lower case with underscores.
func plain(word string) string { return spelling.Replace(strings.ToLower(strings.TrimSpace(word))) }

var spelling = strings.NewReplacer("-", "_", " ", "_")
