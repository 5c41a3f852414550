package traces

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// A Console takes the spans of OTEL_TRACES_EXPORTER=console, each a JSON object.
type Console func(span []byte)

// Write implements io.Writer; a call has one span and the end of its line.
func (c Console) Write(line []byte) (int, error) {
	c(bytes.TrimSpace(line))
	return len(line), nil
}

const (
	exporterVar = "OTEL_TRACES_EXPORTER"
	endpointVar = "OTEL_EXPORTER_OTLP_ENDPOINT"
	tracesVar   = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	protocolVar = "OTEL_EXPORTER_OTLP_PROTOCOL"
	ownProtocol = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"
)

// wanted returns the exporters that the environment asks for: "console", and "grpc" and "http/protobuf" for otlp. Without a name,
// an endpoint asks for otlp.
func wanted(getenv func(string) string) (exporters []string, err error) {
	names := strings.ToLower(getenv(exporterVar))
	if names == "" && cmp.Or(getenv(endpointVar), getenv(tracesVar)) != "" {
		names = "otlp"
	}
	if names == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		switch name = strings.TrimSpace(name); name {
		case "none":
			continue
		case "otlp":
			if name, err = protocol(getenv); err != nil {
				return nil, err
			}
		case "console":
		default:
			return nil, fmt.Errorf("%s: want otlp, console or none, have %q", exporterVar, name)
		}
		if !slices.Contains(exporters, name) {
			exporters = append(exporters, name)
		}
	}
	return exporters, nil
}

// protocol returns the protocol for otlp. It refuses an endpoint without a scheme, which would lead elsewhere.
func protocol(getenv func(string) string) (string, error) {
	for _, name := range []string{endpointVar, tracesVar} {
		if at := getenv(name); at != "" {
			if u, err := url.Parse(at); err != nil || !slices.Contains([]string{"http", "https", "unix"}, u.Scheme) {
				return "", fmt.Errorf("%s: want an address that begins with http:// or https://", name) // it may hold a password
			}
		}
	}
	name := ownProtocol
	if getenv(name) == "" {
		name = protocolVar
	}
	switch p := cmp.Or(getenv(name), "http/protobuf"); p {
	case "grpc", "http/protobuf":
		return p, nil
	default:
		return "", fmt.Errorf("%s: want grpc or http/protobuf, have %q", name, p)
	}
}
