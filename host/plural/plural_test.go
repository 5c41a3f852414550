package plural

import "testing"

func TestNumbers(t *testing.T) {
	for _, x := range []struct{ have, want, why string }{
		{Count(0), "0", "nothing"},
		{Count(999), "999", "no comma"},
		{Count(1000), "1,000", "the first comma"},
		{Count(1234567), "1,234,567", "two commas"},
		{Count(-123), "-123", "the sign is no digit"},
		{Count(-1234), "-1,234", "a comma behind a sign"},
		{Of(1, "row"), "1 row", "one"},
		{Of(0, "row"), "0 rows", "none"},
		{Of(2000, "row"), "2,000 rows", "many"},
	} {
		if x.have != x.want {
			t.Errorf("%s: want %q, have %q", x.why, x.want, x.have)
		}
	}
}
