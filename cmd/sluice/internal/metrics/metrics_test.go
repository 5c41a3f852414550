package metrics

import (
	"bytes"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/sluicehq/sluice/host"
)

// TestAddress holds that an address in use is no wrong use, and is not called one.
func TestAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if err := Check(taken.Addr().String()); err != nil {
		t.Errorf("want no word about the address, have %v", err)
	}
	_, err = Serve(taken.Addr().String(), "v1")
	if err == nil || strings.Contains(err.Error(), "want an address") {
		t.Errorf("want that the address is in use, have %v", err)
	}
}

// TestMetricsOfAll holds every metric that a run can have to the conventions, and gives each of them once.
func TestMetricsOfAll(t *testing.T) {
	source, err := os.ReadFile("metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	m := &Server{}
	show := m.Watch(nil)
	show(host.Progress{})
	show(host.Progress{
		Run: "r1", Pipeline: "p.hcl", Bytes: 1, Total: 2, Records: 3, Rejected: map[string]int64{"bad": 1}, Elapsed: 3 * time.Second, Step: "a.b", Held: 3 * time.Second,
		Dropped: map[string]int64{"old": 1}, Sources: []host.EndProgress{{Name: "jsonl.in"}}, Sinks: []host.EndProgress{{Name: "jsonl.out"}},
		Steps: []host.StepProgress{{Name: "a.b", Plugin: "a", Dropped: map[string]int64{"old": 1}, Rejected: map[string]int64{"bad": 1}, CPU: time.Second, Memory: 1}},
	})
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(m)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	problems, err := promlint.NewWithMetricFamilies(families).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("want metrics as Prometheus names them, have %v, %v", problems, err)
	}
	if declared := bytes.Count(source, []byte(`desc("`)); len(families) != declared {
		t.Errorf("want %d metrics, as many as are declared, have %d", declared, len(families))
	}
	for _, f := range families {
		var labels []string
		for _, l := range f.Metric[0].Label {
			labels = append(labels, l.GetName()+"="+l.GetValue())
		}
		if !slices.Contains(labels, "run=r1") || !slices.Contains(labels, "pipeline=p.hcl") {
			t.Errorf("want %s to name run and pipeline, have %v", f.GetName(), labels)
		}
	}
}
