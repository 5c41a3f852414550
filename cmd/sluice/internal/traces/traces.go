// Package traces exports a run as OpenTelemetry spans when the environment asks for them, by the names that every program
// with OpenTelemetry knows: OTEL_TRACES_EXPORTER, OTEL_EXPORTER_OTLP_ENDPOINT and so on.
//
// A run is a span. In it are one for each start of a process and one for each batch that a worker had, and in that one for
// each step that the batch reached. Steps of a chain take turns with every record, so their spans lie behind each other,
// each as long as the step was busy. No span has a value of a record, or the words of a plugin.
package traces

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/host"
)

const scope = "github.com/sluicehq/sluice"

// A Run is the trace of one run. Its methods may be called by any goroutine.
type Run struct {
	ctx      context.Context // with the span of the run
	span     trace.Span
	tracer   trace.Tracer
	provider *sdktrace.TracerProvider
	senders  []*sender
	ended    atomic.Int64 // spans that are to be sent
}

// Start begins the trace of a run of a pipeline, and shows its path masked. It is nil when the environment asks for none; the error is
// about a variable that it cannot follow.
func Start(ctx context.Context, pipeline, version string, console Console) (*Run, error) {
	exporters, err := wanted(os.Getenv)
	if err != nil || len(exporters) == 0 {
		return nil, err
	}
	otel.SetLogger(logr.Discard()) // it would write to stderr, with headers that are secret
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
	r := &Run{}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName("sluice"), semconv.ServiceVersion(version)), resource.WithFromEnv())
	if errors.Is(err, resource.ErrPartialResource) {
		return nil, errors.New("OTEL_RESOURCE_ATTRIBUTES: want name=value,name=value")
	} else if err != nil {
		return nil, err
	}
	options := []sdktrace.TracerProviderOption{sdktrace.WithResource(about)}
	for _, name := range exporters {
		s, err := newSender(ctx, name, console)
		if err != nil {
			return nil, err
		}
		r.senders = append(r.senders, s)
		options = append(options, sdktrace.WithSpanProcessor(s.queue))
	}
	r.provider = sdktrace.NewTracerProvider(options...)
	r.tracer = r.provider.Tracer(scope, trace.WithInstrumentationVersion(version))
	parent := propagation.MapCarrier{"traceparent": os.Getenv("TRACEPARENT"), "tracestate": os.Getenv("TRACESTATE")}
	r.ctx, r.span = r.tracer.Start(propagation.TraceContext{}.Extract(ctx, parent), "run",
		trace.WithAttributes(attribute.String("sluice.pipeline", mask.Name(pipeline))))
	return r, nil
}

// ID returns the ID of the trace, in hexadecimal digits.
func (r *Run) ID() string { return r.span.SpanContext().TraceID().String() }

// Started takes a process that has started.
func (r *Run) Started(x host.StartSpan) {
	about := trace.WithAttributes(attribute.StringSlice("sluice.steps", x.Steps), attribute.Int("sluice.life", x.Process))
	if x.Process > 1 {
		r.span.AddEvent("restart", about)
	}
	_, span := r.tracer.Start(r.ctx, "start", trace.WithTimestamp(x.Began), about)
	r.end(span, x.Ready)
}

// end ends a span, and counts it if it is to be sent.
func (r *Run) end(span trace.Span, at time.Time) {
	if span.SpanContext().IsSampled() {
		r.ended.Add(1)
	}
	span.End(trace.WithTimestamp(at))
}

const patience = 5 * time.Second

// End ends the trace, with the result of a run that went well, and sends what has not been sent. The error reports what could
// not be. Without a trace there is nothing to end.
func (r *Run) End(ctx context.Context, x *host.Result, failure error) error {
	if r == nil {
		return nil
	}
	if x != nil {
		r.span.SetAttributes(
			attribute.String("sluice.run", x.Run),
			attribute.Int64("sluice.records.read", x.Totals.Read), attribute.Int64("sluice.records.written", x.Totals.Written),
			attribute.Int64("sluice.records.dropped", x.Totals.Dropped.Total),
			attribute.Int64("sluice.records.rejected", x.Totals.Rejected.Total),
			attribute.Int64("sluice.bytes.read", x.Totals.BytesRead), attribute.Int64("sluice.bytes.written", x.Totals.BytesWritten),
		)
	}
	if failure != nil { // its text may come from a plugin
		kind := "failed"
		if ctx.Err() != nil {
			kind = "interrupted"
		} else if _, ok := errors.AsType[host.Diagnostics](failure); ok {
			kind = "invalid_pipeline"
		}
		r.span.SetAttributes(semconv.ErrorTypeKey.String(kind))
		r.span.SetStatus(codes.Error, "")
	}
	r.end(r.span, time.Now())
	ending, stop := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer stop()
	lost := make([]error, len(r.senders))
	var all sync.WaitGroup
	for i, s := range r.senders { // at once, so that none waits for the collector of another
		all.Go(func() { lost[i] = s.end(ending, r.ended.Load()) })
	}
	all.Wait()
	return errors.Join(lost...)
}

// Ended takes the progress of a run whose records no longer flow.
func (r *Run) Ended(p host.Progress) {
	r.span.SetAttributes(
		attribute.String("sluice.run", p.Run),
		attribute.Int64("sluice.records.read", p.Records), attribute.Int64("sluice.records.written", p.Written),
		attribute.Int64("sluice.records.dropped", format.Total(p.Dropped)),
		attribute.Int64("sluice.records.rejected", format.Total(p.Rejected)),
		attribute.Int64("sluice.bytes.read", p.Bytes),
	)
}

// Batch takes a batch that a worker has had.
func (r *Run) Batch(b host.BatchSpan) {
	var names []string
	for _, s := range b.Steps {
		names = append(names, s.Name)
	}
	about := []attribute.KeyValue{
		attribute.StringSlice("sluice.steps", names),
		attribute.Int("sluice.worker", b.Worker),
		attribute.Int("sluice.records", b.Records),
		attribute.Float64("sluice.waited_seconds", b.Waited.Seconds()),
	}
	if b.Records > 0 {
		about = append(about, attribute.String("sluice.first", b.First.String()), attribute.String("sluice.last", b.Last.String()))
	}
	if b.Unanswered > 0 {
		about = append(about, attribute.Int("sluice.records.unanswered", b.Unanswered))
	}
	ctx, span := r.tracer.Start(r.ctx, "batch", trace.WithTimestamp(b.Began), trace.WithAttributes(about...))
	crashed := map[string]bool{}
	for _, c := range b.Crashes {
		crashed[c.Step] = true
		span.AddEvent("exception", trace.WithTimestamp(c.Time), trace.WithAttributes(
			semconv.ExceptionType("crash"), semconv.ExceptionMessage(ending(c.How)), attribute.String("sluice.step", c.Step)))
	}
	fail(span, b.Failed, len(crashed) > 0)
	at := b.Began
	for _, s := range b.Steps {
		if s.In == 0 && s.Out == 0 && len(s.Dropped)+len(s.Rejected)+len(s.Counts) == 0 && !crashed[s.Name] {
			continue // nothing of the batch reached it
		}
		_, step := r.tracer.Start(ctx, "step "+s.Name, trace.WithTimestamp(at), trace.WithAttributes(stepAttributes(s, b.Worker)...))
		fail(step, false, crashed[s.Name])
		if at = at.Add(s.Busy); at.After(b.Ended) {
			at = b.Ended
		}
		r.end(step, at)
	}
	r.end(span, b.Ended)
}

// fail marks what did not go well.
func fail(span trace.Span, failed, crashed bool) {
	kind := "failed"
	switch {
	case crashed:
		kind = "crash"
	case !failed:
		return
	}
	span.SetAttributes(semconv.ErrorTypeKey.String(kind))
	span.SetStatus(codes.Error, "")
}

func stepAttributes(s host.StepSpan, worker int) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("sluice.step", s.Name), attribute.String("sluice.plugin", s.Plugin), attribute.Int("sluice.worker", worker),
		attribute.Int64("sluice.records.in", s.In), attribute.Int64("sluice.records.out", s.Out),
		attribute.Int64("sluice.records.dropped", format.Total(s.Dropped)),
		attribute.Int64("sluice.records.rejected", format.Total(s.Rejected)),
		attribute.Int64("sluice.records.declined", format.Total(s.Declined)),
		attribute.Int64("sluice.bytes.in", s.BytesIn), attribute.Int64("sluice.bytes.out", s.BytesOut),
		attribute.Float64("sluice.busy_seconds", s.Busy.Seconds()),
	}
}

// plainEnding are the ends that hold no words of a plugin.
var plainEnding = regexp.MustCompile(`^(exit status \d+|signal: [a-z ]+|want an answer within [\w.]+, have silence|want at most [\w.]+ of memory, have [\w.]+)$`)

// ending describes how a worker ended, without words of the plugin.
func ending(how string) string {
	switch {
	case plainEnding.MatchString(how):
		return how
	case strings.HasPrefix(how, "panic"), strings.HasPrefix(how, "fatal error"):
		return "panic"
	}
	return "error"
}
