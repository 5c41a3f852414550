package privacy_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sluicehq/sluice/plugins/privacy"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// The test binary is the backend too, when this variable says how it is to behave.
const backendMode = "SLUICE_TEST_BACKEND"

func TestMain(m *testing.M) {
	if mode := os.Getenv(backendMode); mode != "" {
		serveBackend(mode)
		return
	}
	// A race ends a process that a test starts, so that it is seen; and none waits a second for others at its end.
	os.Setenv("GORACE", "halt_on_error=1 atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// serveBackend finds the word Alice.
func serveBackend(mode string) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			ID    int
			Texts []string
		}
		json.Unmarshal(lines.Bytes(), &request)
		results := make([][]map[string]any, len(request.Texts))
		for i, text := range request.Texts {
			results[i] = []map[string]any{}
			if at := strings.Index(text, "Alice"); at >= 0 {
				start := utf8.RuneCountInString(text[:at])
				results[i] = append(results[i], map[string]any{"start": start, "end": start + 5, "entity": "PERSON", "score": 0.9})
			}
		}
		switch mode {
		case "range":
			results[0] = []map[string]any{{"start": 0, "end": 9999, "entity": "PERSON"}}
		case "text":
			results[0] = []map[string]any{{"start": 0, "end": 1, "entity": "PERSON", "score": "0.98"}}
		case "short":
			results = results[1:]
		case "garbage":
			fmt.Println("no JSON")
			continue
		case "silent":
			continue
		case "exit":
			return
		}
		line, _ := json.Marshal(map[string]any{"id": request.ID, "results": results})
		fmt.Println(string(line))
	}
}

func TestBackend(t *testing.T) {
	for _, c := range []struct{ mode, reason, timeout, want string }{
		{"good", "spans in code points, in values and in JSON in strings, beside the rules", "20s",
			`{"t":"é😀 <PERSON> <EMAIL_ADDRESS>","a":"{\"n\":\"<PERSON>\"}","Alice":"x"}`},
		{"range", "a span that is out of range", "20s", "reject backend"},
		{"text", "a score that is text", "20s", "reject backend"},
		{"short", "a text without an answer", "20s", "reject backend"},
		{"garbage", "no JSON", "20s", "reject backend"},
		{"exit", "the end of the program", "20s", "reject backend"},
		{"silent", "no answer", "50ms", "reject backend"},
	} {
		t.Setenv(backendMode, c.mode)
		args := fmt.Sprintf(`{"backend": {"command": [%q], "timeout": %q, "start_timeout": %q, "batch": 2, "min_score": 0.5}}`, os.Args[0], c.timeout, c.timeout)
		record := `{"t":"é😀 Alice a@b.co","a":"{\"n\":\"Alice\"}","Alice":"x"}`
		for i, r := range run(t, args, record, record) { // the second record finds the program started again
			have := r.Verdict + " " + r.Code
			if r.Verdict == "emit" {
				have = r.Emitted[0]
			}
			if have != c.want {
				t.Errorf("%s: record %d: want %s, have %s", c.reason, i, c.want, have)
			}
			if strings.Contains(r.Message, "Alice") {
				t.Errorf("%s: want no value in the message, have %s", c.reason, r.Message)
			}
		}
	}
}

// TestBackendStopsTheRun holds that a failure of the backend ends the run by a word, not by a crash.
func TestBackendStopsTheRun(t *testing.T) {
	t.Setenv(backendMode, "exit")
	have := &stopped{TB: t}
	done := make(chan bool)
	go func() {
		defer close(done)
		sdktest.Run(have, privacy.Plugin, fmt.Sprintf(`{"backend": {"command": [%q], "on_failure": "stop"}}`, os.Args[0]), `{"t":"Alice"}`)
	}()
	<-done
	if want := "privacy: want an answer of the backend: the backend ended: exit status 0"; have.message != want {
		t.Errorf("want the run ended with %q, have %q", want, have.message)
	}
}

// A stopped test is one that keeps why it was ended.
type stopped struct {
	testing.TB
	message string
}

func (s *stopped) Fatalf(format string, args ...any) {
	s.message = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func run(t *testing.T, args string, records ...string) []sdktest.Result {
	t.Helper()
	results, _ := sdktest.Run(t, privacy.Plugin, args, records...)
	return results
}
