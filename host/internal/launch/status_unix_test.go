//go:build unix

package launch

import (
	"fmt"
	"os"
	"testing"

	"github.com/sluicehq/sluice/sdk/wire/rpc/rpctest"
)

func init() { programs["faulty"] = rpctest.ServeFaulty }

// TestSentStatus holds that a status which a plugin ends a call with is its answer, whatever the code, also one that gRPC gives to a
// connection that is lost. TestCrash holds that such a connection is a crash all the same.
func TestSentStatus(t *testing.T) {
	dir := t.TempDir()
	script(t, dir, "faulty", "exec "+os.Args[0]+" faulty")
	for mode, opts := range processes {
		opts.Finder.Dir = dir
		for _, workers := range []int{1, 2} {
			for _, code := range []string{"unavailable", "internal", "canceled", "exhausted"} {
				t.Run(fmt.Sprintf("%s/%d/%s", mode, workers, code), func(t *testing.T) {
					t.Parallel()
					f, problems, err := tryStart(opts, Request{Plugin: "faulty", Workers: workers, Restart: true, Args: fmt.Appendf(nil, `{"mode":%q}`, code)})
					if err != nil || problems != nil {
						t.Fatal(problems, err)
					}
					defer f.Abort()
					for n, st := range f.Chains[0].Stages() { // each ends its process
						_, err := send(t.Context(), st, records(t, f, `{"n":1}`))
						if isCrash(err) || err == nil || err.Error() != "no seats are left of the licence" {
							t.Errorf("worker %d: want the plugin's own words, have %v", n, err)
						}
					}
				})
			}
		}
	}
}
