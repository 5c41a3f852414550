// Package metrics serves the progress of a run as Prometheus reads it.
package metrics

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
)

// A Server serves the progress that a person sees, so nothing is counted twice, and a run that is not scraped pays nothing.
type Server struct {
	server  *http.Server
	addr    net.Addr
	host    string // by which the address was given
	version string

	mu   sync.Mutex
	last host.Progress
	past []host.Progress // of the last seconds, the oldest first
}

// recent is over how long it is looked for what holds the run, as a terminal does.
const recent = 5 * time.Second

var (
	buildInfo      = desc("build_info", "Version of the program; always 1.", "version", "goversion")
	elapsedSeconds = desc("run_elapsed_seconds", "Time since the run began.")
	heldSeconds    = desc("run_held_seconds", "Time since the last answer of the step that holds the run.", "step")
	holder         = desc("run_holder_busy_ratio", "Share of the last seconds in which the step, sink or source that holds the run was busy.", "kind", "name")
	inputBytes     = desc("input_bytes", "Size of the input files, when it is known.")
	inputBytesRead = desc("input_read_bytes_total", "Bytes of the input files that have been read.")
	inputBytesDone = desc("input_done_bytes", "Bytes of the input files whose records have left the run.")
	recordsRead    = desc("records_read_total", "Records that have been read.")
	recordsWritten = desc("records_written_total", "Records that the sinks of the stream have taken.")
	dropped        = desc("records_dropped_total", "Records that were left out.", "reason")
	rejected       = desc("records_rejected_total", "Records in the dead letter.", "code")
	sourceWait     = desc("source_wait_seconds_total", "Time that the run waited for the next records of a source.", "source")
	sinkBusy       = desc("sink_busy_seconds_total", "Time that a sink was writing.", "sink")
	stepIn         = desc("step_records_in_total", "Records that reached a step.", "step", "plugin")
	stepOut        = desc("step_records_out_total", "Records that a step let go on.", "step", "plugin")
	stepBytesIn    = desc("step_in_bytes_total", "Bytes of the records that reached a step.", "step", "plugin")
	stepBytesOut   = desc("step_out_bytes_total", "Bytes of the records that a step let go on.", "step", "plugin")
	stepRejected   = desc("step_records_rejected_total", "Records that a step rejected.", "step", "plugin", "code")
	stepDropped    = desc("step_records_dropped_total", "Records that a step left out.", "step", "plugin", "reason")
	stepDeclined   = desc("step_records_declined_total", "Records that a step left to the next of its first.", "step", "plugin")
	stepBusy       = desc("step_busy_seconds_total", "Time that the workers of a step have been in the plugin, up to now.", "step", "plugin")
	stepQueue      = desc("step_queue_batches", "Batches that wait before a step.", "step", "plugin")
	stepWorkers    = desc("step_workers", "Workers of a step.", "step", "plugin")
	stepRestarts   = desc("step_restarts_total", "Starts of a step's process after the first; those of a chain count for its first step.", "step", "plugin")
	stepCPU        = desc("step_process_cpu_seconds_total", "Processor time of a step's processes; those of a chain count for its first step.", "step", "plugin")
	stepMemory     = desc("step_process_memory_bytes", "Memory that a step's process has for itself, without what records lie in.", "step", "plugin")
)

// desc describes a metric. Each carries the run and its pipeline, so that two runs at once are told apart.
func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("sluice_"+name, help, append([]string{"run", "pipeline"}, labels...), nil)
}

// Check reports what keeps a text from being an address to listen on.
func Check(addr string) error {
	if _, err := net.ResolveTCPAddr("tcp", addr); err != nil {
		return fmt.Errorf("--metrics: want an address to listen on, such as localhost:9464: %w", err)
	}
	return nil
}

// Serve listens on an address, and answers until the server is closed.
func Serve(addr, version string) (*Server, error) {
	m := &Server{version: version}
	m.host, _, _ = net.SplitHostPort(addr) // which Check has seen
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--metrics: %w", err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	m.server = &http.Server{Handler: m.guard(mux), ReadHeaderTimeout: 10 * time.Second}
	m.addr = listener.Addr()
	go func() { _ = m.server.Serve(listener) }() // it ends when it is closed
	return m, nil
}

// guard passes requests that name this machine: by an address, as localhost, by its own name or by the name that it listens under. A
// foreign page in a browser of this machine could otherwise have a name of its own lead here, and read the answers.
func (m *Server) guard(next http.Handler) http.Handler {
	own, _ := os.Hostname() // without it there is one name less
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.Host
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		known := func(other string) bool { return other != "" && strings.EqualFold(name, other) }
		if net.ParseIP(strings.Trim(name, "[]")) == nil && !known("localhost") && !known(own) && !known(m.host) {
			http.Error(w, "want the address of this machine, localhost or its name as the host", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// IsPublic reports whether other machines may reach the server.
func (m *Server) IsPublic() bool {
	a, ok := m.addr.(*net.TCPAddr)
	return !ok || !a.IP.IsLoopback()
}

// Addr returns the address on which the server listens.
func (m *Server) Addr() net.Addr { return m.addr }

// Watch returns a function that keeps the last progress and passes it on to show, which may be nil.
func (m *Server) Watch(show func(host.Progress)) func(host.Progress) {
	return func(p host.Progress) {
		m.mu.Lock()
		for i := range p.Steps {
			if i < len(m.last.Steps) { // how the time of a chain is divided is measured now and then, and a counter never falls
				p.Steps[i].Busy = max(p.Steps[i].Busy, m.last.Steps[i].Busy)
			}
		}
		m.last = p
		m.past = append(m.past, p)
		for len(m.past) > 2 && p.Elapsed-m.past[1].Elapsed >= recent {
			m.past = m.past[1:]
		}
		m.mu.Unlock()
		if show != nil {
			show(p)
		}
	}
}

// Close answers the requests at hand, and no more.
func (m *Server) Close() error {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	return errors.Join(m.server.Shutdown(ctx), m.server.Close())
}

// Describe implements prometheus.Collector. Which steps there are is not known before a run.
func (m *Server) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m *Server) Collect(to chan<- prometheus.Metric) {
	m.mu.Lock()
	p := m.last
	var by host.Holder
	if len(m.past) > 1 {
		by = host.HeldBy(p, m.past[0])
	}
	m.mu.Unlock()
	if p.Run == "" { // it has not begun
		return
	}
	t := scrape{to, []string{p.Run, p.Pipeline}}
	t.gauge(buildInfo, 1, m.version, runtime.Version())
	t.gauge(elapsedSeconds, p.Elapsed.Seconds())
	if p.Step != "" {
		t.gauge(heldSeconds, p.Held.Seconds(), p.Step)
	}
	if by.Silent > 0 {
		by.Busy = 1 // its last answer is longer ago than that
	}
	if by.Name != "" {
		t.gauge(holder, by.Busy, by.Kind, by.Name)
	}
	if p.Total > 0 {
		t.gauge(inputBytes, float64(p.Total))
	}
	t.count(inputBytesRead, p.Bytes)
	t.gauge(inputBytesDone, float64(p.DoneBytes))
	t.count(recordsRead, p.Records)
	t.count(recordsWritten, p.Written)
	for reason, n := range mask.Counts(p.Dropped) {
		t.count(dropped, n, reason)
	}
	for code, n := range mask.Counts(p.Rejected) {
		t.count(rejected, n, code)
	}
	for _, s := range p.Sources {
		t.send(sourceWait, prometheus.CounterValue, s.Busy.Seconds(), s.Name)
	}
	for _, s := range p.Sinks {
		t.send(sinkBusy, prometheus.CounterValue, s.Busy.Seconds(), s.Name)
	}
	for _, s := range p.Steps {
		t.step(s)
	}
}

type scrape struct {
	to  chan<- prometheus.Metric
	run []string // labels of every metric
}

func (t scrape) send(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
	t.to <- prometheus.MustNewConstMetric(d, kind, value, append(slices.Clip(t.run), labels...)...)
}

func (t scrape) count(d *prometheus.Desc, n int64, labels ...string) {
	t.send(d, prometheus.CounterValue, float64(n), labels...)
}

func (t scrape) gauge(d *prometheus.Desc, n float64, labels ...string) {
	t.send(d, prometheus.GaugeValue, n, labels...)
}

func (t scrape) step(s host.StepProgress) {
	t.count(stepIn, s.In, s.Name, s.Plugin)
	t.count(stepOut, s.Out, s.Name, s.Plugin)
	t.count(stepBytesIn, s.BytesIn, s.Name, s.Plugin)
	t.count(stepBytesOut, s.BytesOut, s.Name, s.Plugin)
	t.count(stepDeclined, s.Declined, s.Name, s.Plugin)
	t.send(stepBusy, prometheus.CounterValue, s.Busy.Seconds(), s.Name, s.Plugin)
	if !s.Behind {
		t.gauge(stepQueue, float64(s.Queue), s.Name, s.Plugin)
	}
	t.gauge(stepWorkers, float64(s.Workers), s.Name, s.Plugin)
	t.count(stepRestarts, int64(s.Restarts), s.Name, s.Plugin)
	if s.Memory > 0 { // it has a process, and the system reports its use
		t.send(stepCPU, prometheus.CounterValue, s.CPU.Seconds(), s.Name, s.Plugin)
		t.gauge(stepMemory, float64(s.Memory), s.Name, s.Plugin)
	}
	for code, n := range mask.Counts(s.Rejected) {
		t.count(stepRejected, n, s.Name, s.Plugin, code)
	}
	for reason, n := range mask.Counts(s.Dropped) {
		t.count(stepDropped, n, s.Name, s.Plugin, reason)
	}
}
