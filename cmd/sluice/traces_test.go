package main

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
	"github.com/sluicehq/sluice/host/receipt"
)

// spans are what a receiver has been sent.
type spans struct {
	collector.UnimplementedTraceServiceServer
	mu      sync.Mutex
	all     []*otlp.Span
	service string   // service.name
	keys    []string // of the header "key"
}

func (s *spans) take(x *collector.ExportTraceServiceRequest, key []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = append(s.keys, key...)
	for _, r := range x.ResourceSpans {
		s.service = attributed(r.Resource.Attributes).text("service.name")
		for _, scope := range r.ScopeSpans {
			s.all = append(s.all, scope.Spans...)
		}
	}
}

func (s *spans) Export(ctx context.Context, x *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	headers, _ := metadata.FromIncomingContext(ctx)
	s.take(x, headers.Get("key"))
	return &collector.ExportTraceServiceResponse{}, nil
}

func (s *spans) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var x collector.ExportTraceServiceRequest
	if err != nil || r.URL.Path != "/v1/traces" || proto.Unmarshal(body, &x) != nil {
		http.Error(w, "want spans", http.StatusBadRequest)
		return
	}
	s.take(&x, r.Header.Values("key"))
}

// receive takes spans, and gives the variables that lead to it.
func receive(t *testing.T, protocol string) (*spans, []string) {
	s := &spans{}
	address := ""
	if protocol == "grpc" {
		listener, err := net.Listen("tcp", "localhost:0")
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer()
		collector.RegisterTraceServiceServer(server, s)
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(server.Stop)
		address = "http://" + listener.Addr().String()
	} else {
		server := httptest.NewServer(s)
		t.Cleanup(server.Close)
		address = server.URL
	}
	return s, []string{
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + address, "OTEL_EXPORTER_OTLP_PROTOCOL=" + protocol, "OTEL_EXPORTER_OTLP_HEADERS=key=secret",
		"OTEL_SERVICE_NAME=corpus",
	}
}

// An attributed thing of OpenTelemetry.
type attributed []*common.KeyValue

func (a attributed) value(name string) *common.AnyValue {
	for _, x := range a {
		if x.Key == name {
			return x.Value
		}
	}
	return nil
}

func (a attributed) text(name string) string  { return a.value(name).GetStringValue() }
func (a attributed) number(name string) int64 { return a.value(name).GetIntValue() }

func (s *spans) inside(parent *otlp.Span) []*otlp.Span {
	return s.with(func(x *otlp.Span) bool { return string(x.ParentSpanId) == string(parent.SpanId) })
}

func (s *spans) named(name string) []*otlp.Span {
	return s.with(func(x *otlp.Span) bool { return x.Name == name })
}

func (s *spans) with(is func(*otlp.Span) bool) (found []*otlp.Span) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.all {
		if is(x) {
			found = append(found, x)
		}
	}
	return found
}

// sluice runs the program with variables, and gives what it said and its exit code.
func sluice(t *testing.T, env []string, args ...string) (said string, code int) {
	t.Helper()
	c := exec.Command("sluice", args...)
	c.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	c.Stderr = &stderr
	if err := c.Run(); c.ProcessState == nil {
		t.Fatal(err)
	}
	return stderr.String(), c.ProcessState.ExitCode()
}

// TestTraces holds the spans of a run to its receipt, as each kind of receiver gets them.
func TestTraces(t *testing.T) {
	for _, protocol := range []string{"grpc", "http/protobuf"} {
		for _, how := range []string{"out of process", "in process"} {
			t.Run(protocol+" "+how, func(t *testing.T) {
				got, env := receive(t, protocol)
				env = append(env, "TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
				out := t.TempDir()
				said, code := sluice(t, env, "run", "../../pipelines/eliza-sft.hcl", "--var", "out="+out, fmt.Sprintf("--in-process=%t", how == "in process"))
				if code != cli.ExitDone || strings.Contains(said, "traces") {
					t.Fatalf("want a run that has lost no span, have %d:\n%s", code, said)
				}
				receipt, err := receipt.Read(filepath.Join(out, "receipt.json"))
				if err != nil {
					t.Fatal(err)
				}
				compareSpans(t, got, receipt)
				if starts := len(got.named("start")) > 0; starts != (how == "out of process") {
					t.Errorf("want a span for each start of a process, have some: %t", starts)
				}
			})
		}
	}
}

func compareSpans(t *testing.T, got *spans, receipt *receipt.Receipt) {
	t.Helper()
	runs := got.named("run")
	if len(runs) != 1 || fmt.Sprintf("%x", runs[0].ParentSpanId) != "b7ad6b7169203331" || attributed(runs[0].Attributes).text("sluice.run") != receipt.Run {
		t.Fatalf("want run %s in the caller's span, have %v", receipt.Run, runs)
	}
	if got.service != "corpus" || !slices.Contains(got.keys, "secret") {
		t.Errorf("want service corpus and the header, have %q and %q", got.service, got.keys)
	}
	if n := attributed(runs[0].Attributes).number("sluice.records.rejected"); n != receipt.Totals.Rejected.Total {
		t.Errorf("want %d rejects, have %d", receipt.Totals.Rejected.Total, n)
	}
	type figures struct{ In, Out, Dropped, Rejected, Declined, BytesIn, BytesOut int64 }
	want, have := map[string]figures{}, map[string]figures{}
	for _, s := range receipt.Steps {
		if s.In > 0 {
			want[s.Name] = figures{s.In, s.Out, s.Dropped.Total, s.Rejected.Total, s.Declined.Total, s.BytesIn, s.BytesOut}
		}
	}
	for _, batch := range got.inside(runs[0]) {
		for _, s := range got.inside(batch) {
			at := attributed(s.Attributes)
			f := have[at.text("sluice.step")]
			have[at.text("sluice.step")] = figures{
				f.In + at.number("sluice.records.in"), f.Out + at.number("sluice.records.out"), f.Dropped + at.number("sluice.records.dropped"),
				f.Rejected + at.number("sluice.records.rejected"), f.Declined + at.number("sluice.records.declined"),
				f.BytesIn + at.number("sluice.bytes.in"), f.BytesOut + at.number("sluice.bytes.out"),
			}
			if s.StartTimeUnixNano < batch.StartTimeUnixNano || s.EndTimeUnixNano > batch.EndTimeUnixNano {
				t.Errorf("want %s inside its batch, have it from %d to %d of %d to %d", s.Name, s.StartTimeUnixNano, s.EndTimeUnixNano, batch.StartTimeUnixNano, batch.EndTimeUnixNano)
			}
		}
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("steps of the receipt (-) and of the spans (+):\n%s", diff)
	}
}

// crashing is a pipeline of the plugin act, whose records say what it does.
func crashing(t *testing.T, records, host string) (pipeline string) {
	dir := t.TempDir()
	pipeline = filepath.Join(dir, "p.hcl")
	files := map[string]string{
		pipeline:                       fmt.Sprintf("source \"jsonl\" \"in\" {\n  paths = [\"%[1]s/in.jsonl\"]\n}\n\nstep \"act\" \"a\" {\n  host {\n    workers = 1\n%[2]s  }\n}\n\nsink \"jsonl\" \"out\" {\n  path = \"%[1]s/out.jsonl\"\n}\n", filepath.ToSlash(dir), host),
		filepath.Join(dir, "in.jsonl"): records,
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return pipeline
}

// TestTracesOfCrashes looks for a crash and the next life in the spans, and for words of the plugin, which may be a record's.
func TestTracesOfCrashes(t *testing.T) {
	const records = "{\"do\":\"\"}\n{\"do\":\"panic Jane Roe, 1 Main Street\"}\n{\"do\":\"twice\"}\n"
	tests := []struct {
		name, host string
		code       int
		again      bool // another process starts
	}{
		{"set aside", "    on_crash = \"isolate\"\n", cli.ExitDone, true},
		{"ends the run", "    on_crash = \"fail\"\n", cli.ExitFailed, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, env := receive(t, "http/protobuf")
			path := filepath.Dir(must(exec.LookPath("sluice-plugin-act"))(t))
			pipeline := crashing(t, records, test.host)
			said, code := sluice(t, append(env, "SLUICE_PLUGIN_PATH="+path), "run", pipeline)
			if code != test.code {
				t.Fatalf("want exit code %d, have %d:\n%s", test.code, code, said)
			}
			events, lives := 0, 0
			for _, s := range got.all {
				if strings.Contains(s.String(), "Jane") || strings.Contains(s.String(), "Main Street") {
					t.Errorf("want no word of the plugin, have %v", s)
				}
				for _, e := range s.Events {
					if e.Name == "exception" && attributed(e.Attributes).text("exception.message") == "panic" && s.Status.GetCode() == otlp.Status_STATUS_CODE_ERROR {
						events++
					}
				}
				lives = max(lives, int(attributed(s.Attributes).number("sluice.life")))
			}
			want := 1
			if test.again {
				receipt := must(receipt.Read(filepath.Join(filepath.Dir(pipeline), "receipt.json")))(t)
				want += receipt.Steps[0].Restarts
			}
			if events == 0 || lives != want || lives > 1 != test.again {
				t.Errorf("want a crash and %d lives, have %d crashes and %d lives", want, events, lives)
			}
			run := got.named("run")[0]
			if failed := run.Status.GetCode() == otlp.Status_STATUS_CODE_ERROR; failed != (test.code != cli.ExitDone) {
				t.Errorf("want the status of the run to be that of its end, have %v", run.Status)
			}
			if n := attributed(run.Attributes).number("sluice.records.read"); n != 3 {
				t.Errorf("want the run to count the 3 records that it has read, however it ends, have %d", n)
			}
			if restarted := slices.ContainsFunc(run.Events, func(e *otlp.Span_Event) bool { return e.Name == "restart" }); restarted != test.again {
				t.Errorf("want the restart as an event of the run, have %v", run.Events)
			}
		})
	}
}

func must[T any](x T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

// TestTracesLost has a run whose spans nobody takes go well, and tell once what was seen, without what the address holds.
func TestTracesLost(t *testing.T) {
	answering := func(status int) string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, r.URL.Path, status) }))
		t.Cleanup(server.Close)
		return server.URL
	}
	gone := must(net.Listen("tcp", "localhost:0"))(t)
	gone.Close()
	for _, test := range []struct{ reason, address, protocol, want string }{
		{"a wrong path", answering(404), "http/protobuf", "want status 200, have 404 Not Found"},
		{"a status after which it may be tried again", answering(503), "http/protobuf", "want status 200, have 503 Service Unavailable"},
		{"one that asks for fewer", answering(429), "http/protobuf", "want status 200, have 429 Too Many Requests"},
		{"nobody is there", "http://" + gone.Addr().String(), "http/protobuf", "refused"},
		{"nobody is there for gRPC", "http://" + gone.Addr().String(), "grpc", "code = Unavailable"},
	} {
		env := []string{
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + test.address, "OTEL_EXPORTER_OTLP_PROTOCOL=" + test.protocol,
			"OTEL_BSP_MAX_EXPORT_BATCH_SIZE=2", "OTEL_EXPORTER_OTLP_HEADERS=key=secret",
		}
		if test.protocol != "grpc" { // to which a path is part of the port
			env[0] += "/secret"
		}
		said, code := sluice(t, env, "run", "../../pipelines/eliza-sft.hcl", "--var", "out="+t.TempDir())
		if code != cli.ExitDone || strings.Count(said, "traces:") != 1 || !strings.Contains(said, test.want) || strings.Contains(said, "secret") {
			t.Errorf("%s: want exit code 0 and %q once, have %d:\n%s", test.reason, test.want, code, said)
		}
	}
}

// TestTracesOverTLS sends spans to a collector whose certificate only the variable knows.
func TestTracesOverTLS(t *testing.T) {
	got := &spans{}
	server := httptest.NewTLSServer(got)
	defer server.Close()
	roots := filepath.Join(t.TempDir(), "roots.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(roots, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason, variable string
		taken            bool
	}{
		{"without it nothing is trusted", "OTEL_SERVICE_NAME=corpus", false},
		{"with it the collector is", "OTEL_EXPORTER_OTLP_CERTIFICATE=" + roots, true},
		{"one for traces comes first", "OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE=" + roots, true},
	} {
		got.mu.Lock()
		got.all = nil
		got.mu.Unlock()
		said, code := sluice(t, []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL, test.variable}, "run", "../../pipelines/eliza-sft.hcl", "--var", "out="+t.TempDir())
		if taken := len(got.named("run")) == 1; code != cli.ExitDone || taken != test.taken || strings.Contains(said, "traces:") == taken {
			t.Errorf("%s: want spans taken: %t, have %t, exit code %d:\n%s", test.reason, test.taken, taken, code, said)
		}
	}
}

// TestTracesOfEnds holds the spans to the receipt where a step emits all that it has at its end.
func TestTracesOfEnds(t *testing.T) {
	got, env := receive(t, "http/protobuf")
	env = append(env, "TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	path := filepath.Dir(must(exec.LookPath("sluice-plugin-act"))(t))
	pipeline := crashing(t, "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n", "")
	text := strings.Replace(fileText(t, pipeline), "step \"act\" \"a\" {\n  host {\n    workers = 1\n  }\n}", "step \"gather\" \"g\" {\n  size = 9\n}\n\nstep \"noop\" \"n\" {}", 1)
	if err := os.WriteFile(pipeline, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	said, code := sluice(t, append(env, "SLUICE_PLUGIN_PATH="+path), "run", pipeline)
	if code != cli.ExitDone {
		t.Fatalf("want exit code 0, have %d:\n%s", code, said)
	}
	compareSpans(t, got, must(receipt.Read(filepath.Join(filepath.Dir(pipeline), "receipt.json")))(t))
}

// TestTracesOff has runs that nobody asked for spans of send none.
func TestTracesOff(t *testing.T) {
	for _, off := range []string{"OTEL_SDK_DISABLED=true", "OTEL_TRACES_EXPORTER=none", "OTEL_TRACES_SAMPLER=always_off"} {
		got, env := receive(t, "http/protobuf")
		said, code := sluice(t, append(env, off), "run", "../../pipelines/eliza-sft.hcl", "--var", "out="+t.TempDir())
		if code != cli.ExitDone || len(got.all) > 0 || strings.Contains(said, "traces") {
			t.Errorf("%s: want no span, have %d, exit code %d:\n%s", off, len(got.all), code, said)
		}
	}
}
