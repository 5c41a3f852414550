package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/sluicehq/sluice/cmd/sluice/internal/veil"
	"github.com/sluicehq/sluice/host"
)

// metrics are what a run tells of itself while it goes on, as Prometheus reads it. They come from the same progress that
// a person sees, so nothing is counted twice and a run that nobody asks pays nothing.
type metrics struct {
	server *http.Server
	addr   net.Addr

	mu   sync.Mutex
	last host.Progress
}

var (
	buildInfo      = desc("build_info", "Version of the program; always 1.", "version", "goversion")
	elapsedSeconds = desc("run_elapsed_seconds", "Time since the run began.")
	heldSeconds    = desc("run_held_seconds", "Time for which the step that holds the run has given no answer.", "step")
	inputBytes     = desc("input_bytes", "Size of the input files, when it is known.")
	inputBytesRead = desc("input_read_bytes_total", "Bytes of the input files that have been read.")
	recordsRead    = desc("records_read_total", "Records that have been read.")
	recordsWritten = desc("records_written_total", "Records that the sinks of the stream have taken.")
	rejected       = desc("records_rejected_total", "Records in the dead letter.", "code")
	stepIn         = desc("step_records_in_total", "Records that reached a step.", "step", "plugin")
	stepOut        = desc("step_records_out_total", "Records that a step let go on.", "step", "plugin")
	stepBytesIn    = desc("step_in_bytes_total", "Bytes of the records that reached a step.", "step", "plugin")
	stepBytesOut   = desc("step_out_bytes_total", "Bytes of the records that a step let go on.", "step", "plugin")
	stepRejected   = desc("step_records_rejected_total", "Records that a step rejected.", "step", "plugin", "code")
	stepDropped    = desc("step_records_dropped_total", "Records that a step left out.", "step", "plugin", "reason")
	stepDeclined   = desc("step_records_declined_total", "Records that a step left to the next of its first.", "step", "plugin")
	stepBusy       = desc("step_busy_seconds_total", "Time that the workers of a step were in the plugin.", "step", "plugin")
	stepQueue      = desc("step_queue_batches", "Batches that wait before a step.", "step", "plugin")
	stepWorkers    = desc("step_workers", "Workers of a step.", "step", "plugin")
	stepRestarts   = desc("step_restarts_total", "Starts of a step's process after the first; of a chain, told of its first step.", "step", "plugin")
	stepCPU        = desc("step_process_cpu_seconds_total", "Processor time of a step's processes; of a chain, told of its first step.", "step", "plugin")
	stepMemory     = desc("step_process_memory_bytes", "Memory that a step's process has for itself, without what records lie in.", "step", "plugin")
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("sluice_"+name, help, labels, nil)
}

// serveMetrics listens on an address, and answers until it is closed.
func serveMetrics(addr string) (*metrics, error) {
	m := &metrics{}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("--metrics: want an address to listen on, such as localhost:9464: %w", err)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(m, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) })
	m.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	m.addr = listener.Addr()
	go func() { _ = m.server.Serve(listener) }() // it ends when it is closed
	return m, nil
}

func (m *metrics) take(p host.Progress) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = p
}

// close answers what has been asked, and no more.
func (m *metrics) close() error {
	ctx, stop := context.WithTimeout(context.Background(), 5*time.Second)
	defer stop()
	return errors.Join(m.server.Shutdown(ctx), m.server.Close())
}

// Describe implements prometheus.Collector. Which steps there are is not known before a run.
func (m *metrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m *metrics) Collect(to chan<- prometheus.Metric) {
	m.mu.Lock()
	p := m.last
	m.mu.Unlock()
	tell := func(d *prometheus.Desc, kind prometheus.ValueType, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, value, labels...)
	}
	count := func(d *prometheus.Desc, n int64, labels ...string) {
		tell(d, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(d *prometheus.Desc, n float64, labels ...string) { tell(d, prometheus.GaugeValue, n, labels...) }
	gauge(buildInfo, 1, version(), runtime.Version())
	gauge(elapsedSeconds, p.Elapsed.Seconds())
	if p.Step != "" {
		gauge(heldSeconds, p.Held.Seconds(), p.Step)
	}
	if p.Total > 0 {
		gauge(inputBytes, float64(p.Total))
	}
	count(inputBytesRead, p.Bytes)
	count(recordsRead, p.Records)
	count(recordsWritten, p.Written)
	for code, n := range veil.Counts(p.Rejected) {
		count(rejected, n, code)
	}
	for _, s := range p.Steps {
		count(stepIn, s.In, s.Name, s.Plugin)
		count(stepOut, s.Out, s.Name, s.Plugin)
		count(stepBytesIn, s.BytesIn, s.Name, s.Plugin)
		count(stepBytesOut, s.BytesOut, s.Name, s.Plugin)
		count(stepDeclined, s.Declined, s.Name, s.Plugin)
		tell(stepBusy, prometheus.CounterValue, s.Busy.Seconds(), s.Name, s.Plugin)
		if !s.Behind {
			gauge(stepQueue, float64(s.Queue), s.Name, s.Plugin)
		}
		gauge(stepWorkers, float64(s.Workers), s.Name, s.Plugin)
		count(stepRestarts, int64(s.Restarts), s.Name, s.Plugin)
		if s.Memory > 0 { // it has a process, and this system tells of it
			tell(stepCPU, prometheus.CounterValue, s.CPU.Seconds(), s.Name, s.Plugin)
			gauge(stepMemory, float64(s.Memory), s.Name, s.Plugin)
		}
		for code, n := range veil.Counts(s.Rejected) {
			count(stepRejected, n, s.Name, s.Plugin, code)
		}
		for reason, n := range veil.Counts(s.Dropped) {
			count(stepDropped, n, s.Name, s.Plugin, reason)
		}
	}
}
