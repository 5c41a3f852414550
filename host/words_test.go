package host

import (
	"strings"
	"testing"
)

// TestCountName holds that a mask of the name of a count leaves what says its kind: a rule may take both for one address.
func TestCountName(t *testing.T) {
	asked := 0
	mask := onceEach(func(text string) string {
		asked++
		if strings.Contains(text, "@") {
			return "(an address)"
		}
		return text
	})
	for _, c := range []struct {
		reason, name, want string
		builtIn            bool
	}{
		{"a plain word", "made", "made", false},
		{"a value", "ada@engines.org", "(an address)", false},
		{"a value with a dot before", "ada.l@engines.org", "(an address)", false},
		{"a loss, whatever plugin counts it", "loss.ada@engines.org", "loss.(an address)", false},
		{"rules of a filter", "privacy_rules.v1", "privacy_rules.v1", false},
		{"a kind of a built-in plugin", "split.ada@engines.org", "split.(an address)", true},
		{"a warning about a column", "warn.untargeted.ada@engines.org", "warn.untargeted.(an address)", true},
		{"a warning of another plugin", "warn.ada@engines.org", "warn.(an address)", false},
		{"a warning about nothing", "warn.untargeted", "warn.untargeted", true},
	} {
		if have := countName(mask, c.builtIn)(c.name); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
	before := asked
	if mask("ada@engines.org"); asked != before {
		t.Errorf("want each word masked once, have it masked again")
	}
}
