package retry

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestDo holds how often and how long a call is tried, and what it returns in the end.
func TestDo(t *testing.T) {
	broken := errors.New("broken")
	forever := func(context.Context, int) (int, error) { return 0, broken }
	cases := []struct {
		reason      string
		policy      Policy
		try         func(ctx context.Context, n int) (int, error)
		tries       int
		least, most time.Duration
		want        string
	}{
		{"a success is not asked again", Policy{}, func(_ context.Context, n int) (int, error) { return n, nil }, 1, 0, 0, ""},
		{"a failure that passes", Policy{}, func(_ context.Context, n int) (int, error) {
			if n < 3 {
				return 0, broken
			}
			return n, nil
		}, 3, 100 * time.Millisecond, 3 * time.Second, ""},
		{"so many tries", Policy{Tries: 2}, forever, 2, 100 * time.Millisecond, time.Second, "broken"},
		{"so long in all", Policy{Tries: 1000, Total: 20 * time.Second}, forever, -1, 0, 20 * time.Second, "broken"},
		{"no try can help", Policy{}, func(context.Context, int) (int, error) { return 0, Permanent(broken) }, 1, 0, 0, "broken"},
		{"the service says when", Policy{Tries: 2}, func(context.Context, int) (int, error) {
			return 0, After(7*time.Second, broken)
		}, 2, 7 * time.Second, 7 * time.Second, "broken"},
		{"later than there is time for", Policy{}, func(context.Context, int) (int, error) {
			return 0, After(2*time.Minute, broken)
		}, 1, 0, 0, "broken"},
		{"a try that hangs", Policy{Tries: 2, Try: time.Second}, func(ctx context.Context, _ int) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		}, 2, 2 * time.Second, 3 * time.Second, "want an answer within 1s"},
	}
	for _, c := range cases {
		synctest.Test(t, func(t *testing.T) {
			n, began := 0, time.Now()
			have, err := Do(t.Context(), c.policy, func(ctx context.Context) (int, error) {
				n++
				return c.try(ctx, n)
			})
			if text := errorText(err); text != c.want || err == nil && have != n {
				t.Errorf("%s: want error %q and the last result, have %q and %d", c.reason, c.want, text, have)
			}
			if c.tries >= 0 && n != c.tries {
				t.Errorf("%s: want %d tries, have %d", c.reason, c.tries, n)
			}
			if took := time.Since(began); took < c.least || took > c.most {
				t.Errorf("%s: want %v to %v, have %v", c.reason, c.least, c.most, took)
			}
		})
	}
}

// TestDoEnds holds that a wait between tries ends with the run.
func TestDoEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stopped) })
		_, err := Do(ctx, Policy{}, func(context.Context) (int, error) { return 0, After(30*time.Second, errors.New("busy")) })
		if !errors.Is(err, stopped) {
			t.Errorf("want the cause, have %v", err)
		}
	})
}

// TestFetch holds which answers of a service are asked for again, and that errors name no address.
func TestFetch(t *testing.T) {
	cases := []struct {
		reason  string
		answers []func(http.ResponseWriter) // the last is repeated
		asked   int
		want    string
	}{
		{"an answer", []func(http.ResponseWriter){says(200, "yes")}, 1, ""},
		{"no content", []func(http.ResponseWriter){says(204, "")}, 1, ""},
		{"failures that pass", []func(http.ResponseWriter){says(503, ""), reset, says(200, "yes")}, 3, ""},
		{"the service asks to wait", []func(http.ResponseWriter){later("0"), later(time.Now().UTC().Format(http.TimeFormat)), says(200, "yes")}, 3, ""},
		{"failures that last", []func(http.ResponseWriter){says(500, "")}, 3, "want status 200 to 299, have 500 Internal Server Error"},
		{"what is wrong stays wrong", []func(http.ResponseWriter){says(404, "")}, 1, "want status 200 to 299, have 404 Not Found"},
		{"too much", []func(http.ResponseWriter){says(200, strings.Repeat("x", 101))}, 1, "want an answer of at most 100 bytes, have a larger one"},
	}
	for _, c := range cases {
		var count atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			c.answers[min(int(count.Add(1)), len(c.answers))-1](w)
		}))
		_, err := Fetch(t.Context(), Policy{Tries: 3, Limit: 100}, server.Client(), func(ctx context.Context) (*http.Request, error) {
			return http.NewRequestWithContext(ctx, "GET", server.URL+"/secret", nil)
		})
		server.Close()
		asked := int(count.Load())
		if have := errorText(err); have != c.want || asked != c.asked {
			t.Errorf("%s: want %d requests and error %q, have %d and %q", c.reason, c.asked, c.want, asked, have)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { reset(w) }))
	defer server.Close()
	_, err := Fetch(t.Context(), Policy{Tries: 1}, server.Client(), func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, "GET", server.URL+"/secret", nil)
	})
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("want an error without the address, have %v", err)
	}
}

func says(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func later(when string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Retry-After", when)
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

func reset(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
