package traces

import (
	"regexp"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/host"
)

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
		if s.In == 0 && len(s.Counts) == 0 && !crashed[s.Name] {
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
var plainEnding = regexp.MustCompile(`^(exit status \d+|signal: [a-z ]+|want an answer within [\w.]+, have none|want at most [\w.]+ of memory, have [\w.]+)$`)

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
