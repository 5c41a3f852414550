package limit

import "testing"

// TestParse holds which limits there are, and what they allow: so many of 300.
func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		most int64 // of 300 that the limit allows; -1 for no limit at all
	}{
		{"0", 0}, {"2", 2}, {"400", 300}, {"0%", 0}, {"1%", 3}, {"1.3%", 3}, {"0.000001%", 0}, {"33.333333%", 99}, {"99.999999%", 299}, {"100%", 300}, {"100.0%", 300},
		{"", -1}, {"-1", -1}, {"1.5", -1}, {"%", -1}, {"1 %", -1}, {"-1%", -1}, {"101%", -1}, {"1e1%", -1}, {"1/3%", -1}, {"0.0000001%", -1}, {"NaN%", -1},
	} {
		l, err := Parse(c.text)
		if (err != nil) != (c.most < 0) {
			t.Errorf("%q: want a limit: %t, have %v", c.text, c.most >= 0, err)
		}
		if err != nil {
			continue
		}
		if l.Exceeded(c.most, 300) || c.most < 300 && !l.Exceeded(c.most+1, 300) || l.String() != c.text {
			t.Errorf("%q: want at most %d of 300 and its text, have %q", c.text, c.most, l)
		}
	}
}

// TestExceeded holds what no limit, no records and many records are.
func TestExceeded(t *testing.T) {
	half, err := Parse("50%")
	if err != nil {
		t.Fatal(err)
	}
	none, err := Parse("0")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		limit  Limit
		n, all int64
		want   bool
	}{
		{Limit{}, 1 << 60, 1 << 60, false}, {half, 0, 0, false}, {half, 1<<61 + 1, 1 << 62, true}, {half, 1 << 61, 1 << 62, false}, {none, 1, 1 << 40, true},
	} {
		if have := c.limit.Exceeded(c.n, c.all); have != c.want {
			t.Errorf("%d of %d with limit %q: want %t", c.n, c.all, c.limit, c.want)
		}
	}
}

// TestPercent holds that what is beyond a limit looks so, and that it is never all or nothing by rounding.
func TestPercent(t *testing.T) {
	for _, c := range []struct {
		limit  string
		n, all int64
		want   string
	}{
		{"0.5%", 1, 4, "25%"}, {"0.5%", 52, 10000, "0.52%"}, {"0.001%", 2, 100_000, "0.002%"}, {"0.5%", 1, 3, "33.33%"}, {"3", 9997, 10000, "99.97%"},
		{"0.5%", 1 << 40, 1<<40 + 1, ">99.99%"}, {"0%", 1, 1 << 40, "<0.01%"}, {"0%", 7, 7, "100%"}, {"1%", 0, 0, "0%"},
	} {
		l, err := Parse(c.limit)
		if have := l.Percent(c.n, c.all); err != nil || have != c.want {
			t.Errorf("%d of %d, limit %s: want %s, have %s, %v", c.n, c.all, c.limit, c.want, have, err)
		}
	}
}
