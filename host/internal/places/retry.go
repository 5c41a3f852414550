package places

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/minio/minio-go/v7"
)

// tries is how often something is tried: with the waits below, for about half a minute.
const (
	tries     = 12
	firstWait = 50 * time.Millisecond
	mostWait  = 5 * time.Second
)

// again calls do until it succeeds, fails for good, or was tried often enough. The waits between are random and grow.
func again(ctx context.Context, do func() error) error {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval, wait.Multiplier = firstWait, mostWait, 2
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := do()
		if err != nil && !passing(ctx, err) {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(wait), backoff.WithMaxTries(tries), backoff.WithMaxElapsedTime(0))
	if p, ok := errors.AsType[*backoff.PermanentError](err); ok {
		err = p.Err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// ErrChanged is the error of a remote file that is not what it was when it was found.
var ErrChanged = errors.New("the file changed while it was read")

// passingCodes are the codes by which S3 says that a request was hindered, not refused. BadDigest is one of them: the bytes were spoilt on
// the way.
var passingCodes = []string{
	"SlowDown", "SlowDownRead", "SlowDownWrite", "InternalError", "ServiceUnavailable", "RequestTimeout", "RequestTimeTooSkewed", "Throttling",
	"ThrottlingException", "TooManyRequests", "RequestLimitExceeded", "RequestThrottled", "BadDigest", "XAmzContentSHA256Mismatch",
	"XAmzContentChecksumMismatch", "IncompleteBody", "OperationAborted", "ExpiredToken", "ExpiredTokenException",
}

// passing reports whether the same request may succeed later.
func passing(ctx context.Context, err error) bool {
	if ctx.Err() != nil || errors.Is(err, ErrChanged) {
		return false
	}
	if _, ok := errors.AsType[*unfitError](err); ok {
		return false
	}
	if s, ok := errors.AsType[*statusError](err); ok {
		return passingStatus(s.status)
	}
	if r, ok := errors.AsType[minio.ErrorResponse](err); ok {
		return slices.Contains(passingCodes, r.Code) || passingStatus(r.StatusCode)
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return false
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return false
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return false
	}
	return true // of the connection
}

func passingStatus(status int) bool {
	return status >= http.StatusInternalServerError && status != http.StatusNotImplemented || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// A statusError is an answer of a server of the web that is no file.
type statusError struct{ status int }

// Error implements error.
func (e *statusError) Error() string {
	return fmt.Sprintf("the server answers %d %s", e.status, http.StatusText(e.status))
}

// Is implements the method of errors.Is.
func (e *statusError) Is(target error) bool { return isStatus(e.status, target) }

func isStatus(status int, target error) bool {
	switch target {
	case fs.ErrNotExist:
		return status == http.StatusNotFound || status == http.StatusGone
	case fs.ErrPermission:
		return status == http.StatusForbidden || status == http.StatusUnauthorized
	case errors.ErrUnsupported:
		return status == http.StatusNotImplemented || status == http.StatusMethodNotAllowed
	}
	return false
}

// A refusal is an answer of object storage that is an error. The server's own text is not told: it may hold what was signed.
type refusal struct {
	code   string
	status int
	text   string
}

// Error implements error.
func (e *refusal) Error() string { return e.text }

// Is implements the method of errors.Is.
func (e *refusal) Is(target error) bool { return isStatus(e.status, target) }

// because returns an error of a request without what may be secret in it.
func (c *client) because(bucket string, err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok { // the URL of a list or of a signed request
		return fmt.Errorf("%s: %w", c.endpoint, e.Err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: %w", c.endpoint, err)
	}
	r, ok := errors.AsType[minio.ErrorResponse](err)
	if !ok {
		return err
	}
	e := &refusal{code: r.Code, status: r.StatusCode}
	switch r.Code {
	case "NoSuchBucket":
		e.text, e.status = fmt.Sprintf("want a bucket, have %q, which is not at %s", bucket, c.endpoint), http.StatusNotFound
	case "NoSuchKey", "NotFound":
		e.text, e.status = "no such object", http.StatusNotFound
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "ExpiredToken", "AuthorizationHeaderMalformed":
		e.text, e.status = fmt.Sprintf("%s refuses the credentials (%s), which come from %s", c.endpoint, r.Code, c.origin()), http.StatusForbidden
	case "AccessDenied", "AllAccessDisabled":
		e.text, e.status = fmt.Sprintf("%s denies access (%s) to credentials from %s", c.endpoint, r.Code, c.origin()), http.StatusForbidden
	case "PreconditionFailed":
		return ErrChanged
	default:
		e.text = fmt.Sprintf("%s answers %d %s", c.endpoint, r.StatusCode, r.Code)
	}
	return e
}
