package privacy_test

import (
	"fmt"
	"os"
	"testing"
)

// TestBackendOverlap holds who wins where a backend and a rule find something in one place. The backend here finds Alice.
func TestBackendOverlap(t *testing.T) {
	t.Setenv(backendMode, "good")
	args := fmt.Sprintf(`{"backend": {"command": [%q]}, "rules": [{"name": "x", "entity": "TICKET", "pattern": "call A(lic)e", "anchor": "call A"}]}`, os.Args[0])
	for _, c := range []struct{ reason, in, want string }{
		{"inside of what a rule finds", `{"t":"mail Alice@corp.io now"}`, `{"t":"mail <EMAIL_ADDRESS> now"}`},
		{"around what a rule finds", `{"t":"call Alice now"}`, `{"t":"call <PERSON><TICKET><PERSON> now"}`},
		{"beside it", `{"t":"Alice a@corp.io"}`, `{"t":"<PERSON> <EMAIL_ADDRESS>"}`},
		{"touching it", `{"t":"Alice+1 415 555 2671"}`, `{"t":"<PERSON><PHONE_NUMBER>"}`},
		{"the same text in two places", `{"a":"Alice","b":["Alice"]}`, `{"a":"<PERSON>","b":["<PERSON>"]}`},
	} {
		if have := run(t, args, c.in)[0].Emitted; len(have) != 1 || have[0] != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}
