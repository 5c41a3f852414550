package build

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/canonical"
)

// TestHasTargetFrom holds which turns are an answer to train on that no other row has.
func TestHasTargetFrom(t *testing.T) {
	const user, assistant = canonical.User, canonical.Assistant
	asks, answers := Message{Role: user, Body: "q"}, Message{Role: assistant, Body: "a"}
	for _, c := range []struct {
		reason string
		turns  []Message
		first  int
		want   bool
	}{
		{"an answer behind a question", []Message{asks, answers}, 0, true},
		{"a call is an answer", []Message{asks, {Role: assistant, Calls: []Call{{Name: "F"}}}}, 0, true},
		{"a question of parts", []Message{{Role: user, Raw: "[]"}, answers}, 0, true},
		{"nobody asked before", []Message{answers, asks}, 0, false},
		{"a user who says nothing", []Message{{Role: user, Body: " "}, answers}, 0, false},
		{"an answer that says nothing", []Message{asks, {Role: assistant, Body: " "}}, 0, false},
		{"an answer that is not trained on", []Message{asks, {Role: assistant, Body: "a", NoTarget: true}}, 0, false},
		{"the only answer is the other row's", []Message{asks, answers}, 2, false},
		{"the question is the other row's", []Message{asks, answers, answers}, 2, true},
		{"a question without an answer behind the other row's turns", []Message{asks, answers, asks}, 2, false},
	} {
		b := &Builder{Turns: c.turns}
		if have := b.HasTargetFrom(c.first); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
	}
}
