package quality

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/stats"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A gate looks at a row. Its name is the code of a reject, the reason of a drop and the value of the label.
type gate struct {
	name, action string // action is the default for rows that do not pass
	means        string
	look         func(*judge) (path, message string) // no message: the row passes
}

// gates are in the order in which rows meet them.
var gates = []gate{
	{"repair", reject, "the row belongs to the repair loop", (*judge).repair},
	{"errored", reject, "the run or the call ended in an error, or was ended", (*judge).errored},
	{"unfinished", label, "the run was not over when it was exported", (*judge).unfinished},
	{"failed_scenario", reject, "the scenario of the run did not pass, or its outcomes disagree", (*judge).failedScenario},
	{"low_reward", reject, "the reward, or the score of a judge, is smaller than min_reward", (*judge).lowReward},
	{"low_score", reject, "quality.score is smaller than min_score", (*judge).lowScore},
	{"low_rating", reject, "quality.rating is none of ratings", (*judge).lowRating},
	{"no_weight", reject, "the row has no weight, or less than min_weight", (*judge).noWeight},
	{"untrained_turn", reject, "an earlier answer is marked as not to be trained on, and most trainers train on every answer", (*judge).untrainedTurn},
	{"truncated", reject, "the answer was cut", (*judge).truncated},
	{"truncated_input", label, "what the answer is to was cut when it was recorded", (*judge).truncatedInput},
	{"masked", reject, "the answer has nothing but the marks of what was taken out", (*judge).masked},
	{"filtered", reject, "the provider held the answer back", (*judge).filtered},
	{"undeclared_call", reject, "a call of none of the row's tools, when it has any", (*judge).undeclaredCall},
	{"arguments_off_schema", reject, "the arguments of a call do not fit the schema of its tool", (*judge).argumentsOffSchema},
	{"bad_arguments", reject, "the arguments of a call, in the answer or before it, are no object", (*judge).badArguments},
	{"retired_action", reject, "a name that aliases replaces", (*judge).retiredAction},
	{"unknown_action", reject, "a call of an action that is not in catalogue", (*judge).unknownAction},
	{"length", reject, "the row is shorter or longer than the limits", (*judge).length},
	{"unknown_word", label, "a status, outcome, finish reason, reward, score, weight or rating that means nothing here", (*judge).unknownWord},
}

func (j *judge) errored() (string, string)    { return path(j.ended[bad], "a run that ended well") }
func (j *judge) unfinished() (string, string) { return path(j.ended[unfinished], "a run that is over") }
func (j *judge) filtered() (string, string) {
	return path(j.ended[filtered], "an answer that the provider did not hold back")
}
func (j *judge) failedScenario() (string, string) { return path(j.failed, "a scenario that passed") }

// path returns the place of a statement and the message about it, "" without one.
func path(s statement, wanted string) (string, string) {
	if s.key == "" {
		return "", ""
	}
	return want(s.path(), "%s, have %s", wanted, canonical.Seen(s.value))
}

func (j *judge) lowReward() (string, string) { return j.below(j.rewards, "reward", j.MinReward) }
func (j *judge) lowScore() (string, string)  { return j.below(j.scores, "score", j.MinScore) }

// below finds the first value that is smaller than least.
func (j *judge) below(values []statement, what string, least float64) (string, string) {
	for _, s := range values {
		if n, ok := number(s.value); !ok {
			j.strange(what, s)
		} else if n < least {
			return want(s.path(), "a %s of %v or more, have %s", what, least, canonical.Seen(s.value))
		}
	}
	return "", ""
}

func (j *judge) lowRating() (string, string) {
	for _, s := range j.ratings {
		word := plain(s.value.Text())
		switch {
		case slices.Contains(j.Ratings, word), word == "repair": // the gate repair checks these
		case slices.Contains(ratings, word):
			return want(s.path(), "a rating of %s, have %s", strings.Join(j.Ratings, ", "), canonical.Seen(s.value))
		default:
			j.strange("rating", s)
		}
	}
	return "", ""
}

// ratings are the known ratings.
var ratings = []string{"gold", "silver", "bronze", "repair", "quarantine"}

func (j *judge) repair() (string, string) {
	for _, mark := range j.row.Repair() {
		return mark.Path, mark.Message
	}
	return "", ""
}

func (j *judge) noWeight() (string, string) {
	for _, s := range j.weights {
		if n, ok := number(s.value); !ok {
			j.strange("weight", s)
		} else if n <= 0 {
			return want(s.path(), "a weight of more than 0, have %s", canonical.Seen(s.value))
		} else if n < j.MinWeight {
			return want(s.path(), "a weight of %v or more, have %s", j.MinWeight, canonical.Seen(s.value))
		}
	}
	return "", ""
}

func (j *judge) untrainedTurn() (string, string) {
	for _, t := range j.row.Turns {
		if t.Untrained && t.Role == canonical.Assistant {
			return want(t.Path(), "answers that may all be trained on")
		}
	}
	return "", ""
}

// number reads a finite number, or a boolean as 1 or 0.
func number(value jsontext.JSON) (float64, bool) {
	if is, ok := value.Bool(); ok && is {
		return 1, true
	} else if ok {
		return 0, true
	}
	return value.Number()
}

func (j *judge) retiredAction() (string, string) {
	if j.retired == nil {
		return "", ""
	}
	for _, n := range j.row.Names() {
		if n.Body != "" && j.retired(n.Body) {
			return want("", "only current names of actions, have %s", jsontext.Seen(n.Body.JSON()))
		}
	}
	return "", ""
}

func (j *judge) unknownAction() (string, string) {
	if j.catalogue == nil {
		return "", ""
	}
	for path, call := range j.calls() {
		if !j.catalogue[string(call.Name)] && !j.catalogue[call.Name.Text()] {
			return want(path, "an action of the catalogue, have %s", jsontext.Seen(call.Name.JSON()))
		}
	}
	return "", ""
}

func (j *judge) length() (string, string) {
	turns := len(j.row.Turns) + 1
	switch {
	case turns < j.MinTurns:
		return want("request.messages", "at least %d turns, have %d", j.MinTurns, turns)
	case j.MaxTurns > 0 && turns > j.MaxTurns:
		return want("request.messages", "at most %d turns, have %d", j.MaxTurns, turns)
	}
	if tokens := j.row.Usage.Prompt + j.row.Usage.Completion; j.MaxTokens > 0 && tokens > j.MaxTokens {
		return want("response.usage", "at most %d tokens, have %d", j.MaxTokens, tokens)
	}
	if j.MaxCharacters > 0 {
		if n := stats.Characters(j.row); n > int64(j.MaxCharacters) {
			return want("", "at most %d characters, have %d", j.MaxCharacters, n)
		}
	}
	if j.MinAnswer > 0 && !j.row.Has(j.row.Response, canonical.CallPart) {
		if n := stats.Said(j.row, j.row.Response); n < int64(j.MinAnswer) {
			return want("response", "an answer of at least %d characters, have %d", j.MinAnswer, n)
		}
	}
	return "", ""
}

// unknownWord comes last: the gates before it have seen the words.
func (j *judge) unknownWord() (string, string) {
	return path(j.unknown, "a value that means something here")
}

// strange notes a value that means nothing here, which is counted.
func (j *judge) strange(kind string, s statement) {
	j.record.Count("unknown."+kind, 1)
	if j.unknown.key == "" {
		j.unknown = s
	}
}

// endings follow a text that a recorder has cut.
var endings = []string{"[truncated]", "...truncated", "<truncated>", "(truncated)"}

// standIns are the texts that a recorder leaves in place of a value.
var standIns = []string{"[MaxDepth]", "[object Object]", "[Circular]"}

// marks are what is left in JSON of the parts that a recorder has cut.
var marks = []string{`[truncated]"`, `__truncatedItems"`, `__truncatedKeys"`, `"[MaxDepth]"`, `"[object Object]"`, `"[Circular]"`}

func (j *judge) truncated() (string, string) {
	if path, message := path(j.ended[cut], "a whole answer"); message != "" {
		return path, message
	}
	if j.isCut(j.row.Response) {
		return want("response", "a whole answer, have the mark of one that was cut")
	}
	return "", ""
}

func (j *judge) truncatedInput() (string, string) {
	for _, t := range j.row.Turns {
		if j.isCut(t) {
			return want(t.Path(), "whole texts, have the mark of one that was cut")
		}
	}
	return "", ""
}

// isCut reports whether a text of a turn ends with a mark or is one, or its JSON holds one.
func (j *judge) isCut(t canonical.Turn) bool {
	return slices.ContainsFunc(j.row.Parts[t.From:t.To], func(p canonical.Part) bool {
		return endsCut(string(p.Body)) || isStandIn(string(p.Body)) || holdsMark(p.Value)
	})
}

func isStandIn(text string) bool { return slices.Contains(standIns, strings.TrimSpace(text)) }

func endsCut(text string) bool {
	text = strings.TrimRight(text, " ")
	return text != "" && strings.IndexByte("])>d", text[len(text)-1]) >= 0 &&
		slices.ContainsFunc(endings, func(end string) bool { return strings.HasSuffix(text, end) })
}

func holdsMark(value jsontext.JSON) bool {
	text := string(value)
	if body, ok := value.Quoted(); ok {
		if text = body.Text(); endsCut(text) || isStandIn(text) {
			return true
		}
	}
	return slices.ContainsFunc(marks, func(mark string) bool { return strings.Contains(text, mark) })
}
