package traces

import (
	"slices"
	"strings"
	"testing"
)

// TestWanted says what the usual variables ask for.
func TestWanted(t *testing.T) {
	const at = "OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318"
	tests := []struct{ why, env, want, err string }{
		{"nothing is set, so nobody is told", "", "", ""},
		{"a collector alone asks for otlp, over HTTP as OpenTelemetry advises", at, "http/protobuf", ""},
		{"one for traces does too", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=https://x/y", "http/protobuf", ""},
		{"the name alone leads to the usual place", "OTEL_TRACES_EXPORTER=otlp", "http/protobuf", ""},
		{"the protocol of all signals", at + " OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "grpc", ""},
		{"that of traces comes first", at + " OTEL_EXPORTER_OTLP_PROTOCOL=grpc OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf", "http/protobuf", ""},
		{"several, each once", "OTEL_TRACES_EXPORTER=console,otlp,console", "console http/protobuf", ""},
		{"names may be in capitals", "OTEL_TRACES_EXPORTER=Console", "console", ""},
		{"none wins over an endpoint", at + " OTEL_TRACES_EXPORTER=none", "", ""},
		{"disabled wins over all", at + " OTEL_SDK_DISABLED=TRUE", "", ""},
		{"only true disables", at + " OTEL_SDK_DISABLED=1", "http/protobuf", ""},
		{"an exporter that is not there", "OTEL_TRACES_EXPORTER=zipkin", "", `want otlp, console or none, have "zipkin"`},
		{"a protocol that is not there", at + " OTEL_EXPORTER_OTLP_PROTOCOL=http/json", "", `OTEL_EXPORTER_OTLP_PROTOCOL: want grpc or http/protobuf, have "http/json"`},
		{"an address without a scheme", "OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4317", "", "OTEL_EXPORTER_OTLP_ENDPOINT: want an address that begins with http:// or https://"},
	}
	for _, test := range tests {
		env := map[string]string{}
		for _, x := range strings.Fields(test.env) {
			name, value, _ := strings.Cut(x, "=")
			env[name] = value
		}
		have, err := wanted(func(name string) string { return env[name] })
		switch {
		case test.err != "":
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: want the error %q, have %v", test.why, test.err, err)
			}
		case err != nil || !slices.Equal(have, strings.Fields(test.want)):
			t.Errorf("%s: want %q, have %q (%v)", test.why, test.want, have, err)
		}
	}
}

// TestEnding lets nothing through that a plugin said.
func TestEnding(t *testing.T) {
	for how, want := range map[string]string{
		"exit status 2":  "exit status 2",
		"signal: killed": "signal: killed",
		"want an answer within 1.5s, have silence":          "want an answer within 1.5s, have silence",
		"want at most 64MiB of memory, have 70.5MiB":        "want at most 64MiB of memory, have 70.5MiB",
		"panic: Jane Roe (exit status 2)":                   "panic",
		"fatal error: all goroutines are asleep":            "panic",
		"want a name, have Jane Roe":                        "error",
		"signal: killed\nJane Roe":                          "error",
		"want an answer within 1s, have silence of Jane's!": "error",
	} {
		if have := ending(how); have != want {
			t.Errorf("%q: want %q, have %q", how, want, have)
		}
	}
}
