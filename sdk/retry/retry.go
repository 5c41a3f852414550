// Package retry asks a service again when it fails for a while, for a plugin whose calls wait.
//
//	body, err := retry.Get(ctx, retry.Policy{}, "https://api.example/"+url.PathEscape(id))
//
// Errors name no address and no value of a record, so the message of a reject may have them.
package retry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// A Policy says how long a call goes on, at most until its context ends, as that of a Concurrent processor does before the step's
// timeout is over. The zero value of each field is its default.
type Policy struct {
	Tries int           // at most; 5
	Try   time.Duration // the longest that one try may take; 10 seconds
	Total time.Duration // after which no other try begins; one minute
	Limit int64         // the largest body that Fetch reads, in bytes; 16 MiB
}

// Do calls try until it returns no error, and returns its result. Between tries it waits, each time longer and for a random time
// around that, or for as long as an error made by After says. It ends with the last error when the policy allows no more, at once
// with an error made by Permanent, and with the cause of ctx when that ends. The context of a try ends after Policy.Try.
func Do[T any](ctx context.Context, p Policy, try func(ctx context.Context) (T, error)) (T, error) {
	one := cmp.Or(p.Try, 10*time.Second)
	return backoff.Retry(ctx, func() (T, error) {
		trying, cancel := context.WithTimeout(ctx, one)
		defer cancel()
		result, err := try(trying)
		if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("want an answer within %v", one)
		}
		return result, err
	}, backoff.WithMaxTries(uint(cmp.Or(p.Tries, 5))), backoff.WithMaxElapsedTime(cmp.Or(p.Total, time.Minute)))
}

// Permanent returns an error that another try would meet too.
func Permanent(err error) error { return backoff.Permanent(err) }

// After returns an error with the time that the service asks to wait before another try.
func After(wait time.Duration, err error) error {
	return &afterError{err, &backoff.RetryAfterError{Duration: max(wait, 0)}}
}

type afterError struct {
	err   error
	after *backoff.RetryAfterError
}

func (e *afterError) Error() string   { return e.err.Error() }
func (e *afterError) Unwrap() []error { return []error{e.err, e.after} }

// client keeps a connection for each of many calls at once. http.DefaultClient keeps two for a host, and opens the others anew.
var client = func() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = transport.MaxIdleConns
	return &http.Client{Transport: transport}
}()

// Get is Fetch of an address, with a client that keeps its connections.
func Get(ctx context.Context, p Policy, address string) ([]byte, error) {
	return Fetch(ctx, p, client, func(ctx context.Context) (*http.Request, error) {
		return http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	})
}

// Fetch sends the request that a function makes for each try, and returns the body of the answer. It tries again when the
// connection fails, and for the statuses 408, 425, 429, 500, 502, 503 and 504, after the time that a header Retry-After says.
// Any other status but 200 to 299 is an error at once.
func Fetch(ctx context.Context, p Policy, client *http.Client, request func(ctx context.Context) (*http.Request, error)) ([]byte, error) {
	return Do(ctx, p, func(ctx context.Context) ([]byte, error) {
		req, err := request(ctx)
		if err != nil {
			return nil, Permanent(withoutURL(err))
		}
		resp, err := client.Do(req)
		if err != nil {
			return nil, withoutURL(err)
		}
		defer resp.Body.Close()
		limit := cmp.Or(p.Limit, 16<<20)
		body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
		switch {
		case resp.StatusCode < 200 || resp.StatusCode > 299:
			return nil, statusError(resp)
		case err != nil:
			return nil, err
		case int64(len(body)) > limit:
			return nil, Permanent(fmt.Errorf("want an answer of at most %d bytes, have a larger one", limit))
		}
		return body, nil
	})
}

// withoutURL takes the address away, which may hold values of a record.
func withoutURL(err error) error {
	if named, ok := errors.AsType[*url.Error](err); ok {
		return named.Err
	}
	return err
}

func statusError(resp *http.Response) error {
	err := fmt.Errorf("want status 200 to 299, have %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	switch resp.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
	default:
		return Permanent(err)
	}
	given := resp.Header.Get("Retry-After")
	if seconds, wrong := strconv.Atoi(given); wrong == nil {
		return After(time.Duration(seconds)*time.Second, err)
	}
	if at, wrong := http.ParseTime(given); wrong == nil {
		return After(time.Until(at), err)
	}
	return err
}
