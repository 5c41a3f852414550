package recognise

import (
	"strings"
	"testing"
)

// TestBeyondReach holds that blanks between the words around a secret may be more than the reach of what reads them.
func TestBeyondReach(t *testing.T) {
	s := NewScan(New(Options{}))
	for n := range 200 {
		blanks := strings.Repeat(" ", n)
		for _, form := range []string{"the password for the site_ is x", "log in with kim and_ x", "API key (prod)_ x", "use x as_ the token", "credentials:_ kim / x", "INSERT INTO t_ (user, password) VALUES_ (1, 2)"} {
			s.Find(strings.ReplaceAll(form, "_", blanks), 0, nil)
			s.Find(strings.ReplaceAll(form, " ", blanks+" "), 0, nil)
		}
	}
}
