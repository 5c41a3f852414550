package flow

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
)

// TestObserve checks that Observe gets every answer as the step made it, declines too, though these go to the next member
// of a First or become rejects.
func TestObserve(t *testing.T) {
	var mu sync.Mutex
	var observed []string
	tell := func(s *Step) *Step {
		s.Observe = func(in []wire.Record, a *wire.Answer) {
			mu.Lock()
			defer mu.Unlock()
			for i, o := range a.Outcomes {
				observed = append(observed, fmt.Sprintf("%s %s %d", s.Name, in[i].Data, o.Verdict))
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
	slices.Sort(observed)
	want := `a "0" 0|a "1" 4|a "2" 0|b "1" 1|c "0" 0|c "1b" 4|c "2" 0`
	if strings.Join(observed, "|") != want {
		t.Errorf("want %s\nhave %s", want, strings.Join(observed, "|"))
	}
	if !strings.Contains(have["dead"], "declined") {
		t.Errorf("want records that all declined rejected, have %s", have["dead"])
	}
}
