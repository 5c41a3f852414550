package flow

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestTell holds that who looks at a step is told every answer, as the step gave it: what it declines too, though the next
// member of a first has it or the step rejects it.
func TestTell(t *testing.T) {
	var mu sync.Mutex
	var told []string
	tell := func(s *Step) *Step {
		s.Observe = func(in []wire.Record, a *wire.Answer) {
			mu.Lock()
			defer mu.Unlock()
			for i, o := range a.Outcomes {
				told = append(told, fmt.Sprintf("%s %s %d", s.Name, in[i].Data, o.Verdict))
			}
		}
		return s
	}
	have, _, err := run(t, 1, 3, -1, nil, func(w *world) []Node {
		first := &First{Name: "shape", Members: []Member{tell(w.step("a", is("1", "decline"))), tell(w.step("b", add("b")))}}
		return []Node{first, tell(w.step("c", is("1b", "decline"))), w.out("out")}
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(told)
	want := `a "0" 0|a "1" 4|a "2" 0|b "1" 1|c "0" 0|c "1b" 4|c "2" 0`
	if strings.Join(told, "|") != want {
		t.Errorf("want %s\nhave %s", want, strings.Join(told, "|"))
	}
	if !strings.Contains(have["dead"], "declined") {
		t.Errorf("want what nobody took rejected as ever, have %s", have["dead"])
	}
}
