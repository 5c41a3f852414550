package quality

import (
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A said value is a statement of the row about itself: the member key of the object at in.
type said struct {
	in, key string
	value   jsontext.JSON
}

func (s said) path() string { return s.in + s.key }

// facts are the statements of a row and its metadata about the run and the row's worth.
type facts struct {
	statuses, outcomes, rewards, ratings, scores, weights []said
}

func (f *facts) read(row *canonical.Row) {
	for _, list := range []*[]said{&f.statuses, &f.outcomes, &f.rewards, &f.ratings, &f.scores, &f.weights} {
		*list = (*list)[:0]
	}
	add(&f.outcomes, "", "scenarioStatus", row.ScenarioStatus)
	add(&f.rewards, "", "reward", row.Reward)
	add(&f.weights, "", "weight", row.Weight)
	f.quality("quality.", row.Quality)
	const in = "metadata."
	m := row.Metadata.Cursor()
	for key := range m.Members() {
		switch key {
		case "status", "trajectory_status", "trajectoryStatus", "final_status", "finalStatus", "terminated_reason", "terminatedReason":
			add(&f.statuses, in, key, m.Value())
		case "scenario_status", "scenarioStatus", "scenario_outcome", "outcome":
			add(&f.outcomes, in, key, m.Value())
		case "reward":
			add(&f.rewards, in, key, m.Value())
		case "weight", "loss_weight":
			add(&f.weights, in, key, m.Value())
		case "quality":
			f.quality("metadata.quality.", m.Value())
		}
	}
}

func (f *facts) quality(in string, value jsontext.JSON) {
	c := value.Cursor()
	for key := range c.Members() {
		switch key {
		case "rating":
			add(&f.ratings, in, key, c.Value())
		case "score":
			add(&f.scores, in, key, c.Value())
		case "weight", "recommendedWeight":
			add(&f.weights, in, key, c.Value())
		}
	}
}

// add adds a value unless it is empty.
func add(list *[]said, in, key string, value jsontext.JSON) {
	if value != "" && value != "null" && value != `""` {
		*list = append(*list, said{in, key, value})
	}
}
