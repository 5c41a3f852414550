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
)

// TestMetrics reads the metrics of a run that waits for more input, and holds the dashboard in examples to their names.
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
	for !strings.Contains(page, "sluice_step_records_in_total{plugin=\"noop\",step=\"noop.n\"} 1000\n") { // the test's limit ends it
		page = get(t, address)
	}
	if ok := get(t, strings.Replace(address, "/metrics", "/healthz", 1)); ok != "ok\n" {
		t.Errorf("want ok at /healthz, have %q", ok)
	}
	known := map[string]bool{}
	for _, d := range regexp.MustCompile(`desc\("(\w+)"`).FindAllStringSubmatch(fileText(t, "metrics.go"), -1) {
		known["sluice_"+d[1]] = true
	}
	for _, name := range regexp.MustCompile(`(?m)^sluice_\w+`).FindAllString(page, -1) {
		if !known[name] {
			t.Errorf("want metrics that metrics.go declares, have %s", name)
		}
	}
	for _, name := range regexp.MustCompile(`sluice_\w+`).FindAllString(fileText(t, "../../examples/grafana/dashboard.json"), -1) {
		if !known[name] {
			t.Errorf("the dashboard: want metrics that there are, have %s", name)
		}
	}
	stdin.Close()
	if err := run.Wait(); err != nil {
		t.Error(err)
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
