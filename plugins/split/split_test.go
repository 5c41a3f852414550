package split

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

func TestCases(t *testing.T) { sdktest.Files(t, Plugin, "testdata/*.txtar") }

// splits gives the split of each record, as the step counts it.
func splits(t *testing.T, args string, records ...string) (all []string) {
	t.Helper()
	for _, record := range records {
		results, counts := sdktest.Direct(t, Plugin, args, record)
		if results[0].Verdict != "emit" {
			t.Fatalf("%s: want it emitted, have %+v", record, results[0])
		}
		for _, name := range []string{train, val, test, repairEval} {
			if counts["split."+name] == 1 {
				all = append(all, name)
			}
		}
	}
	return all
}

// TestGolden holds what became of some ids for good: a corpus that is split again, elsewhere or with a later version, must
// not have trained on what it is measured with.
func TestGolden(t *testing.T) {
	for text, want := range map[string]float64{
		"sluice\x00t-1": 0.36936732525112392, "sluice\x00t-2": 0.39737508628258866, "other\x00t-1": 0.055716580458222698, "sluice\x00": 0.66214391612520307,
	} {
		if have := place([]byte(text)); have != want {
			t.Errorf("%q: want %.17g, have %.17g", text, want, have)
		}
	}
}

// TestTrajectory holds that rows of one trajectory fall together whatever else they say, also with an id in place of a
// trajectory's, and that copies without any id do.
func TestTrajectory(t *testing.T) {
	for i := range 50 {
		for _, c := range []struct{ reason, args, a, b string }{
			{"the id of a trajectory", `{"val":0.3,"test":0.3}`, `{"trajectoryId":"t%d","n":1}`, `{"n":2,"trajectoryId":"t%d"}`},
			{"escapes", `{"val":0.3,"test":0.3}`, `{"trajectoryId":"\u0074%d"}`, `{"trajectoryId":"t%d"}`},
			{"an id elsewhere", `{"id":["a.b","c"],"val":0.3,"test":0.3}`, `{"a":{"b":"%d"},"c":1}`, `{"a":{"b":%d},"c":2}`},
			{"an id that only the second path has", `{"id":["a.b","c"],"val":0.3,"test":0.3}`, `{"a":{"b":""},"c":"%d"}`, `{"a":{"b":null},"c":"%d"}`},
			{"the source of a trajectory record", `{"val":0.3,"test":0.3}`, `{"schema":"eliza.eliza1_trajectory_record.v1","id":"r%d_1","source":{"trajectoryId":"t%[1]d","turnIndex":1}}`,
				`{"id":"r%d_2","source":{"trajectoryId":"t%[1]d","scenarioId":"s","turnIndex":2}}`},
			{"the same behind an adapter, and in metadata as runtimes write it", `{"val":0.3,"test":0.3}`, `{"metadata":{"original_id":"r%d_1","source":{"trajectoryId":"t%[1]d"}}}`,
				`{"metadata":{"original_id":"r%d_2","trajectory_id":"t%[1]d"}}`},
			{"a scenario, where there is no trajectory", `{"val":0.3,"test":0.3}`, `{"scenarioId":"s%d","trajectoryId":" ","metadata":{"original_id":"1"}}`,
				`{"metadata":{"original_id":"2","source":{"trajectoryId":null,"scenarioId":"s%d"}}}`},
			{"the turns of a dialogue, in rooms named after them", `{"val":0.3,"test":0.3}`, `{"metadata":{"original_id":"c%d#0","turn_index":0,"roomName":"q"}}`,
				`{"metadata":{"original_id":"c%d#1","turn_index":1,"roomName":"r"}}`},
			{"a room", `{"val":0.3,"test":0.3}`, `{"roomName":"r%d","metadata":{"original_id":"1"}}`, `{"metadata":{"roomName":"r%d","original_id":"2"}}`},
			{"a path in place of the names", `{"id":["c"],"val":0.3,"test":0.3}`, `{"c":"%d","trajectoryId":"t"}`, `{"c":"%d","trajectoryId":"u"}`},
			{"content", `{"val":0.3,"test":0.3}`, `{"text":"%d","n":1}`, `{"n":1.0, "text":"%d"}`},
		} {
			have := splits(t, c.args, fmt.Sprintf(c.a, i), fmt.Sprintf(c.b, i))
			if have[0] != have[1] {
				t.Errorf("%s: want one split, have %v", c.reason, have)
			}
		}
	}
}

// TestApart holds that what rows do not share is not taken for an id, which would put a corpus into one split.
func TestApart(t *testing.T) {
	for reason, record := range map[string]string{
		"a blank trajectory id":                        `{"trajectoryId":" ","metadata":{"trajectory_id":"t%d"}}`,
		"blank ids only":                               `{"trajectoryId":"\t","scenarioId":"","metadata":{"original_id":" ","n":%d}}`,
		"a source that is a word":                      `{"source":"run","metadata":{"source":"run","original_id":"r%d"}}`,
		"rows that a corpus numbers, and are no turns": `{"metadata":{"original_id":"corpus#%d"}}`,
		"a number sign in an id":                       `{"metadata":{"original_id":"c#a%d","turn_index":1}}`,
		"nothing before the number":                    `{"metadata":{"original_id":"#%d","turn_index":1}}`,
	} {
		seen := map[string]bool{}
		for i := range 50 {
			seen[splits(t, `{"val":0.3,"test":0.3}`, fmt.Sprintf(record, i))[0]] = true
		}
		if len(seen) != 3 {
			t.Errorf("%s: want rows in 3 splits, have %v", reason, seen)
		}
	}
}

// TestShares holds that shares are those of the trajectories, and that a larger share takes no row out of its split.
func TestShares(t *testing.T) {
	var records []string
	for i := range 2000 {
		records = append(records, fmt.Sprintf(`{"trajectoryId":"run-%d"}`, i))
	}
	count := func(args string) map[string]int64 {
		_, counts := sdktest.Run(t, Plugin, args, records...)
		return counts
	}
	for args, want := range map[string][3]float64{
		`{}`: {0.9, 0.05, 0.05}, `{"val":0.2,"test":0.3}`: {0.5, 0.2, 0.3}, `{"val":0,"test":0}`: {1, 0, 0}, `{"val":0,"test":1}`: {0, 0, 1},
	} {
		counts := count(args)
		for i, name := range []string{train, val, test} {
			share := float64(counts["split."+name]) / float64(len(records))
			if spread := 4 * math.Sqrt(want[i]*(1-want[i])/float64(len(records))); math.Abs(share-want[i]) > spread {
				t.Errorf("%s: want %v of the rows in %s, have %v", args, want[i], name, share)
			}
		}
	}
	small, large := splits(t, `{"val":0,"test":0.1}`, records[:200]...), splits(t, `{"val":0,"test":0.4}`, records[:200]...)
	for i := range small {
		if small[i] == test && large[i] != test {
			t.Errorf("%s: want it to stay in test, have %s", records[i], large[i])
		}
	}
}

func TestGrows(t *testing.T) {
	for reason, record := range map[string]string{
		"content": `{"messages":[X{"role":"user","content":"q"}]}`, "an id behind much": `{"messages":[X1],"trajectoryId":"t"}`, "metadata": `{"metadata":{"a":[X1]}}`,
	} {
		t.Run(reason, func(t *testing.T) {
			sdktest.Grows(t, Plugin, `{"metadata":true}`, func(n int) []byte {
				return []byte(strings.Replace(record, "X", strings.Repeat(`{"role":"user","content":"q"},`, n), 1))
			})
		})
	}
}
