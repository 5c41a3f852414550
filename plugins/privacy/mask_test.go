package privacy_test

import (
	"testing"

	"github.com/sluicehq/sluice/plugins/privacy"
)

func TestMask(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"nothing in it", `{"a":1}`, `{"a":1}`},
		{"something in it", `{"a":"x a@b.co"}`, `{"a":"x <EMAIL_ADDRESS>"}`},
		{"what cannot be renamed", `{"properties":{"a@b.co":{}}}`, `null`},
	} {
		if have := string(privacy.Mask([]byte(c.in))); have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
	}
}
