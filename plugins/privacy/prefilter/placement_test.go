package prefilter

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
)

// testIndex returns an index of many anchors that are not placed yet.
func testIndex() *Index {
	r, x := rand.New(rand.NewPCG(5, 6)), NewIndex()
	around := []string{"", "", "0123456789", ascii.Bytes("\x00-@"), `"\`}
	for range 400 {
		text := make([]byte, 2+r.IntN(9))
		for i := range text {
			text[i] = "abcdefghijklmnoprstuvwy-_=:\xc3\xa9"[r.IntN(29)]
		}
		x.Add(Anchor{Text: string(text), Fold: r.IntN(2) == 0, Prev: around[r.IntN(len(around))], Next: around[r.IntN(len(around))]})
	}
	x.AddPair(':', ':')
	return x
}

// TestPlace holds that an index that was placed by a list finds what one finds that was placed by its costs, also with an anchor more.
func TestPlace(t *testing.T) {
	x, computed := testIndex(), testIndex()
	list, sum := x.Placements()
	x.Place(list, sum)
	computed.Place(nil, 0)
	if !x.listed || computed.listed {
		t.Fatalf("want the list taken of the same anchors alone, have it taken %t, %t", x.listed, computed.listed)
	}
	before := *x
	same(t, "placed", x, computed)
	more := Anchor{Text: "zebra", Fold: true}
	a, b := x.Clone(), computed.Clone()
	a.Add(more)
	b.Add(more)
	same(t, "with one more", a, b)
	if a.masses != b.masses || a.seconds != b.seconds || a.listed {
		t.Error("want a copy that knows what its groups weigh, have one that does not")
	}
	if x.steps != before.steps || x.lists != before.lists || !x.listed || len(x.Anchors()) != len(before.anchors) {
		t.Error("want the original left as it was, have it changed")
	}
}

// TestPlaceChecksList holds that a list for other anchors is passed over.
func TestPlaceChecksList(t *testing.T) {
	list, sum := testIndex().Placements()
	x, want := testIndex(), testIndex()
	x.anchors[7].Fold, want.anchors[7].Fold = !x.anchors[7].Fold, !want.anchors[7].Fold
	x.Place(list, sum)
	want.Place(nil, 0)
	same(t, "of another list", x, want)
}

// same holds that two indexes have the same steps, and for each pair the same anchors.
func same(t *testing.T, what string, a, b *Index) {
	t.Helper()
	if a.steps != b.steps || a.behind != b.behind {
		t.Errorf("%s: want the steps that the costs say, have others", what)
	}
	texts := func(x *Index, p int) map[string]int {
		found := map[string]int{}
		for _, at := range x.placed[x.lists[p]].anchors {
			found[fmt.Sprintf("%s %d %s %s", at.Text, at.off, at.Prev, at.Next)]++
		}
		return found
	}
	for p := range a.lists {
		if !maps.Equal(texts(a, p), texts(b, p)) {
			t.Fatalf("%s: want for the pair %q the anchors %v, have %v", what, []byte{byte(p), byte(p >> 8)}, texts(b, p), texts(a, p))
		}
	}
}
