package receipt_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host/receipt"
)

// TestReword holds that what has one name under other words is added up, with the first places in the order of the inputs, and that an
// account with words that stay is the same as before.
func TestReword(t *testing.T) {
	at := func(file string, line int64) receipt.Position { return receipt.Position{File: file, Line: line} }
	inputs := []receipt.Input{{Name: "z"}, {Name: "a"}}
	account := func() receipt.StepAccount {
		return receipt.StepAccount{
			Dropped: receipt.Breakdown{
				Total: 6, By: map[string]int64{"of ann": 1, "of bob": 2, "same": 3}, Means: map[string]string{"same": "what it says"},
			},
			Declined: receipt.Sum(map[string]int64{"of ann": 4}),
			Rejected: receipt.Sum(map[string]int64{"of_ann": 5}),
			Counts:   map[string]int64{"of ann": 1, "of bob": 1},
			Unwanted: map[string]int64{"of bob": 7},
			Drops:    map[string][]receipt.Position{"of ann": {at("a", 1), at("a", 2)}, "of bob": {at("z", 4), at("a", 1)}, "same": {at("z", 9), at("a", 9)}},
		}
	}
	have, same := account(), account()
	hide := func(word string) string { return strings.NewReplacer("ann", "X", "bob", "X").Replace(word) }
	have.Reword(hide, hide, inputs)
	want := account()
	want.Dropped.By = map[string]int64{"of X": 3, "same": 3}
	want.Declined.By = map[string]int64{"of X": 4}
	want.Counts, want.Unwanted = map[string]int64{"of X": 2}, map[string]int64{"of X": 7}
	want.Drops = map[string][]receipt.Position{"of X": {at("z", 4), at("a", 1)}, "same": {at("z", 9), at("a", 9)}}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +have):\n%s", diff)
	}
	plain := func(word string) string { return word }
	if same.Reword(plain, plain, nil); cmp.Diff(account(), same) != "" {
		t.Errorf("want the account as it was, have:\n%s", cmp.Diff(account(), same))
	}
	route := receipt.RouteReport{Others: map[string]int64{"ann": 1, "bob": 2}, Unmet: []receipt.UnmetCase{{Case: "an", Like: 1, Value: "ann"}, {Case: "b"}}}
	route.Reword(hide)
	if diff := cmp.Diff(receipt.RouteReport{Others: map[string]int64{"X": 3}, Unmet: []receipt.UnmetCase{{Case: "an", Like: 1, Value: "X"}, {Case: "b"}}}, route); diff != "" {
		t.Errorf("route (-want +have):\n%s", diff)
	}
}
