package alias

import (
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestChains protects the order of the lookup: exact rules until a name comes again, then one prefix rule, the first of
// the file that fits.
func TestChains(t *testing.T) {
	r := rules{exact: map[string]string{}}
	r.take(gjson.Parse(`{"a":"b","b":"a","d":"e","e":"f","":"x","y":" ","n":5}`),
		gjson.Parse(`[{"from":"F","to":"ZZ"},{"from":"ZZ","to":"YY"},5,{"from":"","to":"Q"}]`), map[string]string{"old search": "New"})
	for _, c := range []struct{ reason, name, want string }{
		{"rules round in a circle end where they began", "a", "A"},
		{"from both sides", "b", "B"},
		{"a prefix rule goes behind the exact ones, and nothing behind it", "d", "ZZ"},
		{"a blank target is no rule", "y", "Y"},
		{"a target that is a number is its text", "n", "5"},
		{"inline rules are normalised too", "Old  Search", "NEW"},
	} {
		if have, _ := r.lookup(c.name); have != c.want {
			t.Errorf("%s: %q: want %q, have %q", c.reason, c.name, c.want, have)
		}
	}
}

func TestNormal(t *testing.T) {
	for _, c := range []struct{ reason, name, want string }{
		{"white space, '.' and '-' are one '_'", "shell command", "SHELL_COMMAND"},
		{"a run of them too", "task--call", "TASK_CALL"},
		{"white space around a name does not count", " exec ", "EXEC"},
		{"an unknown name is put in upper case", "web_search", "WEB_SEARCH"},
		{"camel case is not split", "sendMessage", "SENDMESSAGE"},
		{"a slash stays", "a/b", "A/B"},
		{"upper case is Unicode's", "straße", "STRASSE"},
		{"nothing but joints", "-", "_"},
		{"white space", " ", ""},
	} {
		if have := normal(c.name); have != c.want {
			t.Errorf("%s: %q: want %q, have %q", c.reason, c.name, c.want, have)
		}
	}
}

func TestText(t *testing.T) {
	for value, want := range map[jsontext.JSON]string{`null`: "", `0`: "", `false`: "", `""`: "", `5`: "5", `" "`: " "} {
		if have := text(value); have != want {
			t.Errorf("%s: want the name %q, have %q", value, want, have)
		}
	}
}
