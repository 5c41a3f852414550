package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluicehq/sluice/cmd/sluice/internal/cli"
)

// A logged message is a line of --log-format json.
type logged map[string]any

// parseLog holds every line to be an object with time, level and msg.
func parseLog(t *testing.T, said string) (all []logged) {
	t.Helper()
	for line := range strings.Lines(said) {
		m := logged{}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("want a JSON object a line, have %q: %v", line, err)
		}
		if _, err := time.Parse(time.RFC3339Nano, fmt.Sprint(m["time"])); err != nil {
			t.Errorf("want a time, have %v", err)
		}
		if !slices.Contains([]any{"INFO", "WARN", "ERROR"}, m["level"]) || fmt.Sprint(m["msg"]) == "" {
			t.Errorf("want a level and a message, have %q", line)
		}
		all = append(all, m)
	}
	return all
}

// has tells whether a message has all of some values, where "…" stands for any text behind what is before it.
func (m logged) has(want logged) bool {
	for name, value := range want {
		have, ok := m[name]
		text, isText := value.(string)
		if before, open := strings.CutSuffix(text, "…"); open && isText && strings.HasPrefix(fmt.Sprint(have), before) {
			continue
		}
		if !ok || fmt.Sprint(have) != fmt.Sprint(value) {
			return false
		}
	}
	return true
}

// TestJSONLog parses every line that commands write to stderr, whatever becomes of them.
func TestJSONLog(t *testing.T) {
	act := filepath.Dir(must(exec.LookPath("sluice-plugin-act"))(t))
	const good, crash = "{\"do\":\"say hello \\u001b[31m\"}\n{\"do\":\"reject bad\"}\n", "{\"do\":\"panic over\"}\n"
	tests := []struct {
		why, records, host string
		args               []string // behind the pipeline; an argument "=" stands for it
		code               int
		want               []logged
	}{
		{"a run that goes well, and a plugin that speaks", good, "", []string{"run", "="}, cli.ExitDone, []logged{
			{"level": "INFO", "msg": `hello \x1b[31m`, "step": "act.a"},
			{"level": "INFO", "msg": "done", "records_read": 2, "records_written": 1, "records_rejected": 1, "rejected": "map[bad:1]"},
		}},
		{"a code with a value in it", "{\"do\":\"drop ann@corp-mail.io\"}\n", "", []string{"run", "="}, cli.ExitDone, []logged{
			{"msg": "done", "dropped": "map[<EMAIL_ADDRESS>:1]"},
		}},
		{"a crash that is set aside", good + crash, "    on_crash = \"isolate\"\n", []string{"run", "="}, cli.ExitDone, []logged{
			{"msg": "done", "rejected": "map[bad:1 plugin_crash:1]"},
		}},
		{"a crash that ends the run", crash, "    on_crash = \"fail\"\n", []string{"run", "="}, cli.ExitFailed, []logged{
			{"level": "ERROR", "msg": "…", "step": "act.a", "place": "…", "exit": 1},
		}},
		{"where the metrics are", good, "", []string{"run", "=", "--sample", "1", "--metrics", "localhost:0"}, cli.ExitDone, []logged{
			{"level": "INFO", "msg": "metrics at http://…"},
		}},
		{"a pipeline with mistakes", "", "    wrokers = 1\n", []string{"validate", "="}, cli.ExitUsage, []logged{
			{"level": "ERROR", "msg": "…", "place": "…", "suggestion": "workers"}, {"level": "ERROR", "msg": "1 mistake", "exit": 2},
		}},
		{"a flag that there is not, before the format", "", "", []string{"run", "--bogus", "="}, cli.ExitUsage, []logged{
			{"level": "ERROR", "msg": "unknown flag: --bogus", "exit": 2, "usage": "sluice run FILE [flags]"},
		}},
		{"another command that fails", "", "", []string{"check", "nowhere.jsonl"}, cli.ExitFailed, []logged{{"level": "ERROR", "msg": "…", "exit": 1}}},
		{"a valid pipeline", good, "", []string{"validate", "="}, cli.ExitDone, []logged{{"level": "INFO", "msg": "…"}}},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			args := slices.Clone(test.args)
			if i := slices.Index(args, "="); i >= 0 {
				args[i] = crashing(t, test.records, test.host)
			}
			said, code := sluice(t, []string{"SLUICE_PLUGIN_PATH=" + act}, append(args, "--log-format", "json")...)
			all := parseLog(t, said)
			if code != test.code {
				t.Errorf("want exit code %d, have %d", test.code, code)
			}
			for _, want := range test.want {
				if !slices.ContainsFunc(all, func(m logged) bool { return m.has(want) }) {
					t.Errorf("want %v, have\n%s", want, said)
				}
			}
		})
	}
}

// TestJSONLogMasks has no message name what is private, as the text has not.
func TestJSONLogMasks(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "jane.roe@example.com.jsonl")
	if err := os.WriteFile(input, []byte("{\"a\":1}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	said, _ := sluice(t, nil, "run", "../../pipelines/eliza-sft.hcl", "--var", "input="+input, "--var", "out="+dir, "--log-format", "json")
	if parseLog(t, said); strings.Contains(said, "jane.roe") {
		t.Errorf("want the name masked, have\n%s", said)
	}
}

// TestJSONLogOfTraces has every message of a traced run name its trace, and the console's spans be messages.
func TestJSONLogOfTraces(t *testing.T) {
	env := []string{"OTEL_TRACES_EXPORTER=console", "TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	said, code := sluice(t, env, "run", "../../pipelines/eliza-sft.hcl", "--var", "out="+t.TempDir(), "--log-format=json")
	if code != cli.ExitDone {
		t.Fatal(said)
	}
	spans := 0
	for _, m := range parseLog(t, said) {
		if m["trace_id"] != "0af7651916cd43dd8448eb211c80319c" {
			t.Errorf("want the trace of the caller, have %v", m)
		}
		if _, ok := m["span"].(map[string]any); ok {
			spans++
		}
	}
	if spans == 0 {
		t.Error("want spans as messages, have none")
	}
}
