package host

import (
	"errors"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/host/internal/plan"
)

// said is what a plugin says.
type said struct{ text string }

func (s *said) Error() string { return s.text }
func (s *said) Unwrap() error { return &flow.StepFailure{Step: "own.a"} }

// TestErrorText holds that the error in a receipt shows no part of a record that somebody else's plugin has put into it, and no signature.
func TestErrorText(t *testing.T) {
	name := func(text string) string { return text }
	r := &run{Pipeline: &Pipeline{opts: Options{MaskText: name}, secrets: hiding([]string{"hunter2horse"})}, plan: &plan.Plan{}}
	for _, c := range []struct {
		why  string
		err  error
		want string
	}{
		{"what is sensitive", errors.New("login of hunter2horse"), "login of (sensitive)"},
		{"a URL with a signature", errors.New("get https://a.example/b?sig=abc: 403"), "get https://a.example/b?(sensitive) 403"},
		{"braces of sluice's own", errors.New("out/{split}.jsonl: no space"), "out/{split}.jsonl: no space"},
		{"a record in what a plugin says", &said{`step own.a: bad record {"name":"Hildegard Brunner"}`}, "step own.a: bad record ..."},
		{"a long text", errors.New(strings.Repeat("ä", 400)), strings.Repeat("ä", 250) + "..."},
	} {
		if have := r.errorText(c.err); have != c.want {
			t.Errorf("%s: want %q, have %q", c.why, c.want, have)
		}
	}
}
