package host_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/receipt"
)

const everyBlock = `
source "jsonl" "a" { paths = ["in.jsonl"] }
source "jsonl" "b" { paths = ["more.jsonl"] }

first "f" {
  step "chance" "one" {
    seed = 1
  }
  shadow "inner" {
    current {
      step "chance" "two" {
        seed = 2
      }
    }
    candidate {
      step "chance" "next" {
        seed = 3
      }
    }
    sink "jsonl" "differs" { path = "out/differs.jsonl" }
  }
  step "chance" "three" {
    seed = 4
  }
}

tee "t" {
  step "chance" "beside" {
    seed = 5
  }
  sink "jsonl" "copy" { path = "out/copy.jsonl" }
}

first "chained" {
  step "chance" "four" {
    seed = 6
    output "log" {
      sink "jsonl" "log" { path = "out/log.jsonl" }
    }
  }
  step "chance-private" "five" {
    seed = 7
  }
}

shadow "outer" {
  current {
    step "act" "same" {}
  }
  candidate {
    step "act" "other" {}
  }
}

route "by" {
  on = "@split"
  case "x" {
    sink "jsonl" "x" { path = "out/x.jsonl" }
  }
  case "" {
    step "chance" "six" {
      seed = 8
    }
  }
  case "z" {}
}

step "chance" "seven" {
  seed = 9
}

sink "jsonl" "out" { path = "out/by/{split}.jsonl" }
`

// TestGraphCounts holds every count of the graph to the rows that lie in the files: what sources read, what sinks wrote, what
// the dead letter has of each stop. The rest follows from these, since a run fails whose stops do not fit to each other.
func TestGraphCounts(t *testing.T) {
	var in strings.Builder
	for i := range 250 {
		fmt.Fprintf(&in, "{\"i\": %d}\n", i)
	}
	lastOf := map[string]string{"first.f": "chance.three", "first.chained": "chance-private.five"}
	for mode, opts := range modes {
		t.Run(mode, func(t *testing.T) {
			inFolder(t, everyBlock, in.String()+"not json\n")
			put(t, "more.jsonl", strings.Repeat("{}\n[1,\n", 20))
			r, err := load(t, opts).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			written, rejected, declined := rowsBySink(t, r), map[string]int64{}, map[string]int64{}
			for _, row := range lines(t, "out/by/rejects.jsonl") {
				step := gjson.Get(row, "step").Str
				if last := lastOf[step]; last != "" { // all members declined it
					declined[last]++
					declined[strings.Replace(step, ".", " ", 1)]++
					continue
				}
				rejected[step]++
			}
			rejected["first f"] = rejected["chance.one"] + rejected["chance.two"] + rejected["chance.three"]
			rejected["first chained"] = rejected["chance.four"] + rejected["chance-private.five"]
			rejected["shadow inner"], rejected["route by"] = rejected["chance.two"], rejected["route.by"]
			holdTimeline(t, r)
			stops := 0
			eachNode(append(r.Graph.Body, r.Graph.DeadLetter), func(s receipt.Node) {
				stops++
				name := s.Name
				if strings.Contains("first route shadow", s.Kind) {
					name = s.Kind + " " + name
				}
				want := *s.Counts
				switch s.Kind {
				case "source":
					n := int64(len(lines(t, s.Note)))
					want = receipt.Counts{In: n, Out: n - rejected[name], Rejected: rejected[name]}
				case "sink":
					want = receipt.Counts{In: written[name] + rejected[name], Out: written[name], Rejected: rejected[name]}
				}
				if name != "chance.next" && name != "act.other" {
					want.Rejected = rejected[name]
				}
				if n, ok := declined[name]; ok {
					want.Declined = n
				}
				if diff := cmp.Diff(want, *s.Counts); diff != "" {
					t.Errorf("%s %s: %s", s.Kind, s.Name, diff)
				}
			})
			if stops != 25 || !r.Balanced || rejected["route by"] == 0 || rejected["jsonl.out"] == 0 || declined["first chained"] == 0 || written["jsonl.log"] == 0 {
				t.Errorf("want 25 stops of a run in which something happened at each, have %d, %v, %v", stops, rejected, declined)
			}
		})
	}
}

// holdTimeline holds the last sample of a run's timeline to its receipt.
func holdTimeline(t *testing.T, r *host.Result) {
	t.Helper()
	text, err := os.ReadFile(r.Timeline.Path)
	if err != nil || hashOf(text) != r.Timeline.Sum {
		t.Fatalf("want the timeline that the receipt names, have another (%v)", err)
	}
	x, err := receipt.ReadTimeline(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	last := x.Samples[len(x.Samples)-1]
	want := receipt.Sample{
		Seconds: last.Seconds, BytesRead: r.Totals.BytesRead, BytesDone: r.Totals.BytesRead, Records: r.Totals.Read, Written: r.Totals.Written, Rejected: r.Totals.Rejected.Total,
	}
	for i, s := range r.Steps {
		if x.Steps[i] != s.Name {
			t.Errorf("want step %s, have %s", s.Name, x.Steps[i])
		}
		busy := last.Steps[i].BusySeconds
		if math.Abs(busy-s.BusySeconds) > 0.001 {
			t.Errorf("step %s: want it busy for %v s, have %v", s.Name, s.BusySeconds, busy)
		}
		want.Steps = append(want.Steps, receipt.StepSample{In: s.In, Out: s.Out, BytesIn: s.BytesIn, BusySeconds: busy})
	}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Error(diff)
	}
}

// eachNode visits nodes and those behind their edges.
func eachNode(stops []receipt.Node, visit func(receipt.Node)) {
	for _, s := range stops {
		visit(s)
		for _, w := range s.Edges {
			eachNode(w.Nodes, visit)
		}
	}
}

// rowsBySink counts the lines in the files of each sink, and holds the lengths of the receipt to them.
func rowsBySink(t *testing.T, r *host.Result) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	for _, o := range r.Outputs {
		lengths := map[string]int64{}
		for _, row := range lines(t, o.Path) {
			all[o.Sink]++
			bound := len(row)
			for wide := 1; bound >= 16*wide; wide *= 2 { // eight buckets for each power of two
				if bound < 32*wide {
					bound = (bound/(2*wide)+1)*2*wide - 1
					break
				}
			}
			lengths[fmt.Sprint(bound)]++
		}
		if diff := cmp.Diff(lengths, o.Lengths); diff != "" {
			t.Errorf("%s: lengths: %s", o.Path, diff)
		}
	}
	return all
}

// lines returns the lines of a file.
func lines(t *testing.T, path string) (all []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		all = append(all, strings.TrimSuffix(line, "\n"))
	}
	return all
}

// TestLoadGraphOf holds which receipts fit a file: one of a run of it, that counts the records at each place.
func TestLoadGraphOf(t *testing.T) {
	inFolder(t, pipeline, `{"do":"label","to":"train"}`+"\n")
	r, err := load(t, host.Options{InProcess: true}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g, err := host.LoadGraph("p.hcl", r.Receipt, host.Options{})
	if err != nil || g.Body[0].Counts.In != 1 {
		t.Errorf("want the graph of the run, have %+v (%v)", g, err)
	}
	if g, err = host.LoadGraph("p.hcl", nil, host.Options{}); err != nil || g.Body[0].Counts != nil || len(g.Body) != len(r.Graph.Body) {
		t.Errorf("want the same graph without counts, have %+v (%v)", g, err)
	}
	r.Graph = nil
	if _, err := host.LoadGraph("p.hcl", r.Receipt, host.Options{}); err == nil || !strings.Contains(err.Error(), "want a receipt with the records at each place") {
		t.Errorf("want an error of a receipt older than graphs, have %v", err)
	}
	put(t, "p.hcl", pipeline+"# changed\n")
	if _, err := host.LoadGraph("p.hcl", r.Receipt, host.Options{}); err == nil || !strings.Contains(err.Error(), "have one of another file") {
		t.Errorf("want an error of a file that has changed, have %v", err)
	}
}
