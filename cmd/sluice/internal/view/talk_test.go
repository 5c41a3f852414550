package view

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/chat"
)

// TestLeft holds that turns that are left out are told, on whichever way they are, and that no way takes the room of another.
func TestLeft(t *testing.T) {
	turns := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"x"},`, n), ",") + "]"
	}
	for _, c := range []struct{ prompt, chosen, rejected, left int }{
		{1, 1, 1, 0}, {150, 1, 1, 0}, {300, 1, 1, 102}, {1, 300, 1, 234}, {300, 300, 300, 700},
	} {
		row := `{"prompt":` + turns(c.prompt) + `,"chosen":` + turns(c.chosen) + `,"rejected":` + turns(c.rejected) + `}`
		have := talkOf(chat.Read([]byte(row)), nil, func(string) string { return "" })
		if have.Left != c.left || len(have.Ways[1].Turns) == 0 {
			t.Errorf("%+v: want %d left out, have %d", c, c.left, have.Left)
		}
	}
}
