package launch

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/wire"
	"github.com/sluicehq/sluice/sdk/wire/rpc"
)

// TestFinishIsAFeature checks that a program of an older version, to which a batch without records is an error, never gets
// one.
func TestFinishIsAFeature(t *testing.T) {
	for _, c := range []struct {
		reason   string
		features []string
		want     bool
	}{
		{"it knows the feature", []string{rpc.Memory, rpc.Note, rpc.Chain, rpc.Finish}, true},
		{"it was built before", []string{rpc.Memory, rpc.Note, rpc.Chain}, false},
		{"it has no features", nil, false},
	} {
		s := &Chain{Step: &Step{Location: Location{Name: "sums"}, opts: &Options{}}, starts: 1, workerCount: 1}
		about := &rpc.Description{Features: c.features, Plugins: []wire.Info{{Name: "sums", Ordered: true}}}
		s.out, s.workers = []*arena{nil}, []*worker{nil}
		if !s.describe(about) || s.Finishes != c.want {
			t.Errorf("%s: want asked %v, have %v", c.reason, c.want, s.Finishes)
		}
	}
}
