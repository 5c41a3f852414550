package traces

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A sender sends spans in batches, and counts what becomes of them.
type sender struct {
	sdktrace.SpanExporter
	queue    sdktrace.SpanProcessor // before the sender
	endpoint string
	ending   chan struct{}   // closed when the run has ended: what fails then is not tried again
	late     context.Context // done when nobody waits for an answer any more
	giveUp   context.CancelFunc
	done     chan struct{} // closed when the queue is empty

	mu                       sync.Mutex
	sent, failed, unanswered int64 // spans that have left the queue
	why                      error // of the last that failed
}

// newSender makes a sender. Its exporter reads the other variables itself, and connects when there is something to send. It tries
// nothing again: it would hide the failure as long as it waits.
func newSender(ctx context.Context, name string, console Console) (*sender, error) {
	s := &sender{endpoint: cmp.Or(os.Getenv(tracesVar), os.Getenv(endpointVar))}
	var err error
	switch name {
	case "console":
		s.SpanExporter, err = stdouttrace.New(stdouttrace.WithWriter(console))
	case "grpc":
		s.SpanExporter, err = otlptracegrpc.New(ctx, otlptracegrpc.WithRetry(otlptracegrpc.RetryConfig{}))
	default:
		client, bad := newClient(os.Getenv)
		if bad != nil {
			return nil, bad
		}
		s.SpanExporter, err = otlptracehttp.New(ctx, otlptracehttp.WithRetry(otlptracehttp.RetryConfig{}), otlptracehttp.WithHTTPClient(client))
	}
	if err != nil {
		return nil, s.shown(err)
	}
	s.start()
	return s, nil
}

// start begins to send with the exporter.
func (s *sender) start() {
	s.ending, s.done = make(chan struct{}), make(chan struct{})
	s.late, s.giveUp = context.WithCancel(context.Background())
	s.queue = sdktrace.NewBatchSpanProcessor(s)
}

// How long a batch that failed waits before it is tried again, at first and at most, and how long it is tried at all.
const (
	firstWait = time.Second
	mostWait  = 30 * time.Second
	mostTries = time.Minute
)

// ExportSpans implements sdktrace.SpanExporter.
func (s *sender) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(s.late, stop)()
	began := time.Now()
	for wait := firstWait; ; wait = min(2*wait, mostWait) {
		err := s.late.Err()
		if err == nil {
			err = s.SpanExporter.ExportSpans(ctx, spans)
		}
		if err == nil || ctx.Err() != nil || !temporary(err) || time.Since(began)+wait > mostTries || !s.running(wait) {
			s.count(int64(len(spans)), err)
			return nil // lost reports it once
		}
	}
}

// running waits, and reports whether the run still goes on.
func (s *sender) running(wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-s.ending:
		return false
	case <-t.C:
		return true
	}
}

func (s *sender) count(n int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
		s.sent += n
	case s.late.Err() != nil:
		s.unanswered += n
	default:
		s.failed += n
		s.why = err
	}
}

// Shutdown implements sdktrace.SpanExporter. It is called when the queue is empty.
func (s *sender) Shutdown(ctx context.Context) error {
	defer close(s.done)
	return s.SpanExporter.Shutdown(ctx)
}

// end sends what waits in the queue, until ctx is done, and reports which of n spans were lost.
func (s *sender) end(ctx context.Context, n int64) error {
	close(s.ending)
	_ = s.queue.Shutdown(ctx) // what was lost is counted
	s.giveUp()
	<-s.done
	return s.lost(n)
}

// lost reports what became of those of n spans that were not taken, by what was seen of them.
func (s *sender) lost(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []error
	add := func(lost int64, why error) {
		if lost > 0 {
			all = append(all, fmt.Errorf("traces: %d of %d spans were not accepted: %w", lost, n, why))
		}
	}
	if s.failed > 0 {
		add(s.failed, s.shown(s.why))
	}
	add(s.unanswered, fmt.Errorf("want an answer within %v, have silence", patience))
	add(n-s.sent-s.failed-s.unanswered, fmt.Errorf("want a faster collector, or OTEL_BSP_MAX_QUEUE_SIZE above %s, have a full queue",
		cmp.Or(os.Getenv("OTEL_BSP_MAX_QUEUE_SIZE"), "2048")))
	return errors.Join(all...)
}

// temporaryCode are the codes of gRPC after which OTLP says to try again.
var temporaryCode = regexp.MustCompile(`\bcode = (Canceled|DeadlineExceeded|Aborted|OutOfRange|Unavailable|DataLoss)\b`)

// temporary reports whether what failed may go well the next time.
func temporary(err error) bool {
	if web, ok := errors.AsType[*url.Error](err); ok {
		return web.Temporary()
	}
	return temporaryCode.MatchString(err.Error())
}

// shown is an error without what an address may hold that is secret.
type shown struct {
	text string
	err  error
}

func (s shown) Error() string { return s.text }
func (s shown) Unwrap() error { return s.err }

// shown returns an error without the URL that was asked, and without the path of the endpoint, which may hold a key.
func (s *sender) shown(err error) error {
	if web, ok := errors.AsType[*url.Error](err); ok {
		err = web.Err
	}
	text := err.Error()
	if u, bad := url.Parse(s.endpoint); bad == nil {
		for _, path := range []string{u.EscapedPath(), u.Path} {
			if path = strings.Trim(path, "/"); path != "" {
				text = strings.ReplaceAll(text, "/"+path, "/...")
			}
		}
	}
	return shown{text, err}
}
