package traces

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// A collector answers the nth batch, counted from 1.
type collector struct {
	answer func(ctx context.Context, n int) error
	tries  int
}

func (c *collector) ExportSpans(ctx context.Context, _ []sdktrace.ReadOnlySpan) error {
	c.tries++
	return c.answer(ctx, c.tries)
}

func (c *collector) Shutdown(context.Context) error { return nil }

// TestLost says what became of spans by what was seen of them, in time that passes only while all wait.
func TestLost(t *testing.T) {
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "3")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
	busy := &url.Error{Op: "Post", URL: "http://x/secret", Err: refused(503)}
	silent := func(ctx context.Context, _ int) error { <-ctx.Done(); return ctx.Err() }
	for _, test := range []struct {
		reason string
		answer func(ctx context.Context, n int) error
		long   bool // the run goes on until nothing waits
		want   string
	}{
		{"all are taken", func(context.Context, int) error { return nil }, true, ""},
		{"a collector that is busy for a moment gets them again", func(_ context.Context, n int) error {
			if n < 3 {
				return busy
			}
			return nil
		}, true, ""},
		{"one that stays busy shows its status", func(context.Context, int) error { return busy }, false,
			"traces: 4 of 4 spans were not accepted: want status 200, have 503 Service Unavailable"},
		{"one that is not there says so", func(context.Context, int) error { return errors.New("rpc error: code = Unavailable desc = refused") }, false,
			"traces: 4 of 4 spans were not accepted: rpc error: code = Unavailable desc = refused"},
		{"only one that says nothing is waited for", silent, false, "traces: 4 of 4 spans were not accepted: want an answer within 5s, have silence"},
		{"what was answered before that keeps its reason", func(ctx context.Context, n int) error {
			if n == 1 {
				return errors.New("bad")
			}
			return silent(ctx, n)
		}, false, "traces: 1 of 4 spans were not accepted: bad\ntraces: 3 of 4 spans were not accepted: want an answer within 5s, have silence"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &sender{SpanExporter: &collector{answer: test.answer}}
			s.start()
			feed(s, 1)
			synctest.Wait()
			feed(s, 3)
			if test.long {
				<-time.After(mostTries)
			}
			wantLost(t, test.reason, s, 4, test.want)
		})
	}
}

// TestFullQueue says that spans came faster than they were taken, though all that were sent were.
func TestFullQueue(t *testing.T) {
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "3")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
	synctest.Test(t, func(t *testing.T) {
		free := make(chan struct{})
		s := &sender{SpanExporter: &collector{answer: func(context.Context, int) error { <-free; return nil }}}
		s.start()
		feed(s, 1)
		synctest.Wait()
		feed(s, 10)
		close(free)
		wantLost(t, "a slow collector", s, 11,
			"traces: 7 of 11 spans were not accepted: want a faster collector, or OTEL_BSP_MAX_QUEUE_SIZE above 3, have a full queue")
	})
}

// TestShown keeps what an address holds from messages.
func TestShown(t *testing.T) {
	for _, test := range []struct{ reason, endpoint, text, want string }{
		{"a path may be a key", "http://h:9/tok-hunter2/", "lookup tcp/9/tok-hunter2: unknown port", "lookup tcp/9/...: unknown port"},
		{"however it is written", "http://h:9/tok%20hunter2", "at /tok%20hunter2/v1 and /tok hunter2", "at /.../v1 and /..."},
		{"without one nothing is hidden", "http://h:9/", "dial tcp/9: a/b", "dial tcp/9: a/b"},
	} {
		s := &sender{endpoint: test.endpoint}
		if have := s.shown(errors.New(test.text)).Error(); have != test.want {
			t.Errorf("%s: want %q, have %q", test.reason, test.want, have)
		}
		web := fmt.Errorf("traces export: %w", &url.Error{Op: "Post", URL: test.endpoint, Err: refused(404)})
		if have := s.shown(web).Error(); have != "want status 200, have 404 Not Found" {
			t.Errorf("%s: want no URL, have %q", test.reason, have)
		}
	}
}

func feed(s *sender, n int) {
	span := tracetest.SpanStub{SpanContext: trace.NewSpanContext(trace.SpanContextConfig{TraceFlags: trace.FlagsSampled})}.Snapshot()
	for range n {
		s.queue.OnEnd(span)
	}
}

func wantLost(t *testing.T, reason string, s *sender, n int64, want string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	have := ""
	if err := s.end(ctx, n); err != nil {
		have = err.Error()
	}
	if have != want || strings.Contains(have, "secret") {
		t.Errorf("%s:\nwant %q\nhave %q", reason, want, have)
	}
}
