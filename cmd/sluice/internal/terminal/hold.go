package terminal

import (
	"fmt"
	"time"

	"github.com/sluicehq/sluice/host"
)

// A step holds the run that was silent for so long, or busy for this share of the time while batches waited for that share.
const (
	silence  = 2 * time.Second
	busyFrom = 0.5
	waitFrom = 0.3
)

// A hold is what a run waits for, the zero value when no step holds it.
type hold struct{ step, why string }

func (h hold) String() string { return fmt.Sprintf("step %s holds the run: %s", h.step, h.why) }

// holds finds the step that holds the run. Steps that share a queue are weighed together, and the busiest of them is named.
func holds(p host.Progress, steps []stepPace) hold {
	if p.Held >= silence {
		return hold{p.Step, "no answer for " + clock(p.Held)}
	}
	var found hold
	most := busyFrom
	for i := 0; i < len(steps); {
		together := 1
		for i+together < len(steps) && steps[i+together].Behind {
			together++
		}
		all, busiest := 0.0, i
		for j := i; j < i+together; j++ {
			all += steps[j].busy
			if steps[j].busy > steps[busiest].busy {
				busiest = j
			}
		}
		if all >= most && steps[i].waits >= waitFrom {
			most = all
			found = hold{steps[busiest].Name, percent(steps[busiest].busy) + " busy, and batches wait"}
		}
		i += together
	}
	return found
}
