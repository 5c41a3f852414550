package calls

import (
	"strings"
	"testing"
)

// TestTurns holds which marks behind an action are its result, and which are text of any other kind.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		reason, in string
		row        Row
		turns      int
	}{
		{"a search and its information", "<search>x</search>\n<information>d</information>a", nil, 2},
		{"code and what it printed", "<code>x</code><interpreter>1</interpreter>a", nil, 2},
		{"a result that the prompt asks for", "<query>x</query><result>1</result>a", testRow{}, 2},
		{"a result that nobody asks for", "<query>x</query><result>1</result>a", nil, 1},
		{"another mark than that of the action", "<search>x</search><interpreter>1</interpreter>a", nil, 1},
		{"code in Markdown", "```\n<search>x</search>\n<information>d</information>\n```", nil, 1},
		{"behind code in Markdown", "```\nx\n```\n<search>x</search>\n<information>d</information>a", nil, 2},
		{"an end without its beginning", "x</search><information>d</information>a", nil, 1},
		{"two actions", "<search>x</search><information>d</information><search>y</search><information>e</information>a", nil, 3},
		{"text between the two", "<search>x</search> gives <information>d</information>", nil, 1},
	} {
		turns, err := Turns(c.in, c.row)
		if err != nil || len(turns) != c.turns {
			t.Errorf("%s: want %d turns, have %v (%v)", c.reason, c.turns, turns, err)
		}
	}
}

// BenchmarkTurns reads marks that come to nothing.
func BenchmarkTurns(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"ends", strings.Repeat("</search> ", 20_000) + "<information>"},
		{"beginnings", strings.Repeat("<search> ", 20_000) + "<information>"},
		{"fences", strings.Repeat("```<code>", 20_000) + "<information>"},
		{"results", strings.Repeat("<query>x</query><result>", 8_000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				if _, err := Turns(c.text, testRow{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
