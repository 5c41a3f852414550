package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
)

// TestMetrics reads the metrics of a run that waits for more input, holds them to the conventions of Prometheus, and the
// dashboard in examples to showing each of them and nothing else.
func TestMetrics(t *testing.T) {
	dir := t.TempDir()
	pipeline := filepath.Join(dir, "p.hcl")
	text := `source "jsonl" "in" {
  paths = ["-"]
}

step "noop" "n" {}

sink "jsonl" "out" {
  path = "` + filepath.ToSlash(filepath.Join(dir, "out.jsonl")) + `"
}
`
	if err := os.WriteFile(pipeline, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	run := exec.Command("sluice", "run", pipeline, "--metrics", "localhost:0", "--progress", "off")
	stdin, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := run.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = run.Process.Kill() }()
	said := bufio.NewReader(stderr)
	line, err := said.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "metrics at ") {
		t.Fatalf("want the address of the metrics, have %q (%v)", line, err)
	}
	if _, err := io.WriteString(stdin, strings.Repeat("{\"a\":1}\n", 1000)); err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(strings.TrimPrefix(line, "metrics at "))
	var page string
	in := regexp.MustCompile(`(?m)^sluice_step_records_in_total\{pipeline="[^"]*",plugin="noop",run="\w+",step="noop\.n"\} 1000$`)
	for !in.MatchString(page) { // the test's limit ends it
		page = get(t, address)
	}
	if ok := get(t, strings.Replace(address, "/metrics", "/healthz", 1)); ok != "ok\n" {
		t.Errorf("want ok at /healthz, have %q", ok)
	}
	for host, want := range map[string]int{"evil.example": 421, "evil.example:9464": 421, "localhost": 200, "[::1]:80": 200, "10.1.2.3:9464": 200} {
		r, err := http.NewRequest("GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != want {
			t.Errorf("want %d for a request with host %s, have %d", want, host, answer.StatusCode)
		}
	}
	known := map[string]bool{}
	for _, d := range regexp.MustCompile(`desc\("(\w+)"`).FindAllStringSubmatch(fileText(t, "internal/metrics/metrics.go"), -1) {
		known["sluice_"+d[1]] = true
	}
	for _, name := range regexp.MustCompile(`(?m)^sluice_\w+`).FindAllString(page, -1) {
		if !known[name] {
			t.Errorf("want metrics that metrics.go declares, have %s", name)
		}
	}
	shown := map[string]bool{}
	for _, name := range regexp.MustCompile(`sluice_\w+`).FindAllString(fileText(t, "../../examples/grafana/dashboard.json"), -1) {
		shown[name] = true
	}
	if diff := cmp.Diff(known, shown); diff != "" {
		t.Errorf("metrics that there are (-) and that the dashboard shows (+):\n%s", diff)
	}
	lint(t, promlint.New(strings.NewReader(page)))
	stdin.Close()
	if err := run.Wait(); err != nil {
		t.Error(err)
	}
}

// lint holds metrics to what promtool checks.
func lint(t *testing.T, l *promlint.Linter) {
	t.Helper()
	problems, err := l.Lint()
	if err != nil {
		t.Error(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func get(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("want %s, have %s (%v)", address, response.Status, err)
	}
	return string(body)
}
