package traces

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// refused is an answer of a collector that takes nothing. Its body is the collector's own text, which may repeat what it was sent to.
type refused int

func (r refused) Error() string {
	return strings.TrimSpace(fmt.Sprintf("want status 200, have %d %s", int(r), http.StatusText(int(r))))
}

// Temporary reports whether OTLP says to try again.
func (r refused) Temporary() bool {
	return r == http.StatusTooManyRequests || r == http.StatusBadGateway || r == http.StatusServiceUnavailable || r == http.StatusGatewayTimeout
}

// refusals makes errors of answers that take nothing. The exporter hides the status of those after which OTLP says to try again.
type refusals struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t refusals) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.RoundTripper.RoundTrip(r)
	if err != nil || answer.StatusCode < http.StatusBadRequest {
		return answer, err
	}
	_, _ = io.CopyN(io.Discard, answer.Body, 64<<10) // so that the connection can be used again
	answer.Body.Close()
	return nil, refused(answer.StatusCode)
}

// newClient returns the HTTP client of otlp. An exporter that is given one leaves these variables to it.
func newClient(getenv func(string) string) (*http.Client, error) {
	trusted, err := tlsConfig(getenv)
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = trusted
	limit := 10 * time.Second
	if ms, err := strconv.Atoi(variable(getenv, "TIMEOUT")); err == nil {
		limit = time.Duration(ms) * time.Millisecond
	}
	return &http.Client{Transport: refusals{transport}, Timeout: limit}, nil
}

// variable returns a variable of otlp; one for traces comes first.
func variable(getenv func(string) string, name string) string {
	return strings.TrimSpace(cmp.Or(getenv("OTEL_EXPORTER_OTLP_TRACES_"+name), getenv("OTEL_EXPORTER_OTLP_"+name)))
}

// tlsConfig returns which certificates are trusted and shown, nil for those of the system and none.
func tlsConfig(getenv func(string) string) (*tls.Config, error) {
	roots, own, key := variable(getenv, "CERTIFICATE"), variable(getenv, "CLIENT_CERTIFICATE"), variable(getenv, "CLIENT_KEY")
	if roots == "" && (own == "" || key == "") {
		return nil, nil
	}
	config := &tls.Config{}
	if roots != "" {
		text, err := os.ReadFile(roots)
		if config.RootCAs = x509.NewCertPool(); err == nil && !config.RootCAs.AppendCertsFromPEM(text) {
			err = errors.New("want certificates in PEM, have a file without any")
		}
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CERTIFICATE: %w", err)
		}
	}
	if own != "" && key != "" {
		pair, err := tls.LoadX509KeyPair(own, key)
		if err != nil {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
