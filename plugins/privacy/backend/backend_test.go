package backend

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"
)

// The test binary is the program too, when this variable says how it is to behave.
const behaviour = "SLUICE_TEST_RECOGNISER"

func TestMain(m *testing.M) {
	if how := os.Getenv(behaviour); how != "" {
		recogniseTexts(how)
		return
	}
	// A race ends a process that a test starts, so that it is seen; and none waits a second for others at its end.
	os.Setenv("GORACE", "halt_on_error=1 atexit_sleep_ms=0")
	os.Exit(m.Run())
}

type request struct {
	ID    int
	Texts []string
}

// recogniseTexts finds the word Ann in texts, and behaves as the variable says.
func recogniseTexts(how string) {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	if how == "deaf" {
		hang()
	}
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var r request
		json.Unmarshal(line, &r)
		switch {
		case how == "hang", how == "hang at the second" && n == 2:
			hang()
		case how == "crash", how == "crash at the second" && n == 2:
			fmt.Print(`{"id":`)
			os.Exit(3)
		case how == "close":
			os.Stdout.Close()
			hang()
		case how == "endless":
			for word := strings.Repeat("x", 1<<20); ; {
				if _, err := os.Stdout.WriteString(word); err != nil {
					return
				}
			}
		case how == "child":
			child := exec.Command("sleep", "60") // holds the output when this one is gone
			child.Stdout = os.Stdout
			child.Start()
			hang()
		case how == "noise":
			fmt.Println("loading the model")
		}
		if how == "later" {
			r.ID++
		}
		say(r, n, how)
	}
}

// hang waits with a timer, since the runtime ends a program without cgo that waits for nothing.
func hang() { <-time.After(time.Hour) }

func say(r request, n int, how string) {
	results := make([][]map[string]any, len(r.Texts))
	for i, text := range r.Texts {
		results[i] = []map[string]any{}
		if at := strings.Index(text, "Ann"); at >= 0 {
			at = utf8.RuneCountInString(text[:at])
			results[i] = append(results[i], map[string]any{"start": at, "end": at + 3, "entity": fmt.Sprintf("ANSWER_%d", n), "score": 0.9})
			if how == "score as text" {
				results[i][0]["score"] = "0.98"
			}
		}
	}
	line, _ := json.Marshal(map[string]any{"id": r.ID, "results": results})
	fmt.Println(string(line))
}

// open returns a backend that behaves so.
func open(t *testing.T, how string, c Config) *Backend {
	t.Helper()
	t.Setenv(behaviour, how)
	c.Command = []string{os.Args[0]}
	b := c.Open(func(attr, format string, args ...any) { t.Errorf(attr+": "+format, args...) })
	t.Cleanup(func() { b.Close() })
	return b
}

// TestFailures holds that whatever a program does becomes an error in the time that is given, with nothing left running
// and no text in it, and that the program is started again for the next texts.
func TestFailures(t *testing.T) {
	defer goleak.VerifyNone(t)
	for _, c := range []struct{ how, timeout, want string }{
		{"hang", "100ms", "want an answer within 100ms"},
		{"hang at the second", "100ms", "want an answer within 100ms"},
		{"crash", "1m", "the backend ended: exit status 3"},
		{"crash at the second", "1m", "the backend ended: exit status 3"},
		{"close", "1m", "the backend closed its output"},
		{"deaf", "100ms", "want an answer within 100ms"},
		{"endless", "1m", "want an answer of at most"},
		{"child", "100ms", "want an answer within 100ms"},
		{"noise", "1m", "want a line of JSON from the backend"},
		{"later", "1m", "want an answer to request"},
	} {
		b := open(t, c.how, Config{Timeout: c.timeout, Start: c.timeout, Batch: 1})
		for range 2 {
			_, err := b.Ask(t.Context(), []string{"Ann" + strings.Repeat(" ", 1<<20), "Ann is here"})
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "Ann") {
				t.Errorf("%s: want %q, have %v", c.how, c.want, err)
			}
			if b.process != nil {
				t.Errorf("%s: want the program ended, have it running", c.how)
			}
		}
		b.Close()
	}
}

// TestEndsWithTheRun holds that Ask does not wait for an answer when the run is interrupted.
func TestEndsWithTheRun(t *testing.T) {
	b := open(t, "hang", Config{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Ask(ctx, []string{"Ann"}); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("want the run's end, have %v", err)
	}
}

// TestAsk holds that every text gets its own answer, whatever batches they go in.
func TestAsk(t *testing.T) {
	var texts []string
	for i := range 50 {
		texts = append(texts, strings.Repeat("é", i)+" Ann", fmt.Sprintf("nobody %d", i))
	}
	texts = append(texts, "Ann"+strings.Repeat("x", 2*maxRequest))
	for _, batch := range []int{1, 7, 64, 1000} {
		b := open(t, "well", Config{Batch: batch})
		found, err := b.Ask(t.Context(), slices.Clone(texts))
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			want := strings.Contains(text, "Ann")
			if have := len(found[i]) == 1 && text[found[i][0].Start:found[i][0].End] == "Ann"; have != want {
				t.Errorf("batches of %d, text %d: want Ann found: %v, have %v", batch, i, want, found[i])
			}
		}
		b.Close()
	}
}

// TestRemembers holds that a text of late is not asked about again, and what is kept is bounded.
func TestRemembers(t *testing.T) {
	b := open(t, "well", Config{})
	for want, text := range []string{"call Ann", "call Ann again", "call Ann"} {
		found, err := b.Ask(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		if have, want := found[0][0].Entity, fmt.Sprintf("ANSWER_%d", want%2+1); have != want {
			t.Errorf("%q: want %s, have %s", text, want, have)
		}
	}
	for i := range 3 * maxKnown / (maxKnown / 32) { // the first are forgotten
		if _, err := b.Ask(t.Context(), []string{fmt.Sprintf("%d %s", i, strings.Repeat("x", maxKnown/32))}); err != nil {
			t.Fatal(err)
		}
	}
	if found, _ := b.Ask(t.Context(), []string{"call Ann"}); found[0][0].Entity == "ANSWER_1" {
		t.Error("want it asked about again, have the first answer")
	}
	if b.known.size > maxKnown {
		t.Errorf("want at most %d bytes, have %d", maxKnown, b.known.size)
	}
}

// TestBatches holds what goes into one request.
func TestBatches(t *testing.T) {
	long := strings.Repeat("x", maxRequest)
	for _, c := range []struct {
		reason string
		texts  []string
		most   int
		want   int
	}{
		{"all", []string{"a", "b", "c"}, 64, 3},
		{"as many as are wanted", []string{"a", "b", "c"}, 2, 2},
		{"as many bytes as a request has", []string{"a", long, "c"}, 64, 1},
		{"a long one alone", []string{long + "x", "b"}, 64, 1},
	} {
		places := []int{0, 1, 2}[:len(c.texts)]
		if have := batchOf(c.texts, places, c.most); have != c.want {
			t.Errorf("%s: want %d, have %d", c.reason, c.want, have)
		}
	}
}

// TestOpen holds that Open reports what cannot work, at its attribute.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		reason string
		config Config
		attr   string
	}{
		{"no program", Config{}, "backend.command"},
		{"a program that is not there", Config{Command: []string{"/nowhere/ner"}}, "backend.command"},
		{"no batch", Config{Command: []string{os.Args[0]}, Batch: -1}, "backend.batch"},
		{"no time", Config{Command: []string{os.Args[0]}, Timeout: "0s"}, "backend.timeout"},
		{"a least score that no span has", Config{Command: []string{os.Args[0]}, MinScore: 50}, "backend.min_score"},
		{"a least score below all", Config{Command: []string{os.Args[0]}, MinScore: -1}, "backend.min_score"},
		{"no duration", Config{Command: []string{os.Args[0]}, Start: "soon"}, "backend.start_timeout"},
	} {
		var attrs []string
		c.config.Open(func(attr, _ string, _ ...any) { attrs = append(attrs, attr) })
		if !slices.Equal(attrs, []string{c.attr}) {
			t.Errorf("%s: want a mistake at %s, have %v", c.reason, c.attr, attrs)
		}
	}
}

// TestSlowStart holds that a program may take its time to load a model, and no longer than that for what follows.
func TestSlowStart(t *testing.T) {
	c := Config{Command: []string{os.Args[0]}, Timeout: "3m"}
	if b := c.Open(nil); b.start != 3*time.Minute || b.timeout != 3*time.Minute {
		t.Errorf("want 3m for both, have %s and %s", b.start, b.timeout)
	}
	c.Timeout = "1s"
	if b := c.Open(nil); b.start != 2*time.Minute || b.timeout != time.Second {
		t.Errorf("want 2m and 1s, have %s and %s", b.start, b.timeout)
	}
}

// BenchmarkPipe is what asking costs when the program finds nothing and takes no time.
func BenchmarkPipe(b *testing.B) {
	b.Setenv(behaviour, "well")
	c := Config{Command: []string{os.Args[0]}}
	backend := c.Open(nil)
	defer backend.Close()
	size := 0
	for i := 0; b.Loop(); i++ {
		texts := make([]string, 64)
		for j := range texts {
			texts[j] = fmt.Sprintf("%d %d %s", i, j, strings.Repeat("some words of a chat ", 20))
			size = len(texts[j]) * len(texts)
		}
		if _, err := backend.Ask(b.Context(), texts); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(size))
}
