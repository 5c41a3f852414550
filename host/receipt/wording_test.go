package receipt

import "testing"

// TestOneOrSeveral holds that a count is told with the noun that fits it.
func TestOneOrSeveral(t *testing.T) {
	for _, c := range []struct{ reason, have, want string }{
		{"the first one", (&Partial{Limit: 1}).String(), "the first record"},
		{"the first ones", (&Partial{Limit: 5}).String(), "the first 5 records"},
		{"a sample of one", (&Partial{Sample: 1, Seed: 7}).String(), "a sample of 1 record, drawn by seed 7"},
		{"a sample of several", (&Partial{Sample: 2, Seed: 7}).String(), "a sample of 2 records, drawn by seed 7"},
		{"one is kept", (&Unfinished{Path: "out", Resume: &Resume{Records: 1}}).Error(),
			"out: this run has not finished: it still goes on, or was killed; the first record is kept; to go on, run it again with --resume"},
		{"several are kept", (&Unfinished{Path: "out", Resume: &Resume{Records: 2}}).Error(),
			"out: this run has not finished: it still goes on, or was killed; the first 2 records are kept; to go on, run it again with --resume"},
	} {
		if c.have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, c.have)
		}
	}
}
