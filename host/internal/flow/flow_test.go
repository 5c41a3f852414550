package flow

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestOrder checks that every body writes the same bytes under many schedules, worker counts, chunk and answer sizes.
func TestOrder(t *testing.T) {
	bad := map[int]bool{2: true, 11: true}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			want, wantSums, err := run(t, 1, 57, -1, bad, body)
			if err != nil {
				t.Fatal(err)
			}
			for seed := int64(2); seed < 40; seed++ {
				have, sums, err := run(t, seed, 57, -1, bad, body)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, have); diff != "" {
					t.Fatalf("seed %d writes other bytes (-want +have):\n%s", seed, diff)
				}
				if diff := cmp.Diff(wantSums, sums); diff != "" {
					t.Fatalf("seed %d has another account (-want +have):\n%s", seed, diff)
				}
			}
			var gone int64
			for _, n := range wantSums.Rejected {
				gone += n
			}
			for _, n := range wantSums.Dropped {
				gone += n
			}
			s := wantSums
			if s.Read+s.Extra+s.Teed != s.Written+gone {
				t.Errorf("want a balanced account, have %+v", s)
			}
		})
	}
}

// TestContents checks what the bodies write, for few enough records to read.
func TestContents(t *testing.T) {
	cases := []struct {
		reason, body string
		n            int
		want         map[string]string
	}{
		{"the dead letter is in input order, whichever step rejects", "steps, drops and rejects in order", 8, map[string]string{
			"main": "\"0!\"\n\"1!\"\n\"2!\"\n\"4!\"\n\"6!\"\n",
			"dead": `{"code":"bad","message":"as asked","path":"a","step":"b.x","plugin":"fake","file":"in","line":6,"record":"5"}` + "\n" +
				`{"code":"bad","message":"as asked","path":"a","step":"c.x","plugin":"fake","file":"in","line":8,"record":"7"}` + "\n",
		}},
		{"a record that all decline is rejected with every reason", "first of three, with rejects when all decline", 3, map[string]string{
			"main": "\"1/1!\"\n\"2/2!\"\n",
			"dead": `{"code":"declined","message":"no step of first f took it: one.x: not mine; two.x: not mine; three.x: not mine","path":"","step":"first.f","plugin":"","file":"in","line":1,"record":"0"}` + "\n",
		}},
		{"routed records rejoin in input order", "a route puts its branches back in order", 7, map[string]string{
			"main": "\"0!\"\n\"1-one!\"\n\"y!\"\n\"4!\"\n\"5-five!\"\n\"6!\"\n", "threes": "\"3\"\n", "dead": "",
		}},
		{"a reject in a tee does not touch the stream", "a tee sends a copy", 7, map[string]string{
			"main": "\"0\"\n\"1\"\n\"2\"\n\"3\"\n\"4\"\n\"5\"\n", "copy": "\"0-copy\"\n\"1-copy\"\n\"2-copy\"\n\"3-copy\"\n\"4-copy\"\n\"5-copy\"\n",
			"dead": `{"code":"bad","message":"as asked","path":"a","step":"side.x","plugin":"fake","file":"in","line":7,"record":"6"}` + "\n" +
				`{"code":"bad","message":"as asked","path":"a","step":"b.x","plugin":"fake","file":"in","line":7,"record":"6"}` + "\n",
		}},
		{"side rows begin with their origin", "side rows go to their output", 2, map[string]string{
			"main": "\"0\"\n\"1\"\n", "dead": "",
			"log": `{"file":"in","line":1,"step":"a.x","saw":"\"0\""}` + "\n" + `{"file":"in","line":2,"step":"a.x","saw":"\"1\""}` + "\n",
		}},
	}
	for _, c := range cases {
		have, _, err := run(t, 3, c.n, -1, nil, bodies[c.body])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, have); diff != "" {
			t.Errorf("%s (-want +have):\n%s", c.reason, diff)
		}
	}
}

// TestAccepted checks that the first and the last record of a step do not depend on which worker was first.
func TestAccepted(t *testing.T) {
	for seed := int64(1); seed < 20; seed++ {
		var steps []*Step
		_, _, err := run(t, seed, 40, -1, nil, func(w *world) []Node {
			steps = []*Step{
				w.stepWith("one.x", 3, func(s string) string {
					if strings.HasSuffix(s, `7"`) {
						return "reject"
					}
					return "decline"
				}),
				w.stepWith("two.x", 3, func(s string) string {
					if strings.HasSuffix(s, `3"`) {
						return "drop"
					}
					return "decline"
				}),
				w.stepWith("three.x", 3, func(string) string { return "decline" }),
			}
			return []Node{&First{Name: "f", Members: []Member{steps[0], steps[1], steps[2]}}, w.out("main")}
		})
		if err != nil {
			t.Fatal(err)
		}
		at := func(line int64) receipt.Position { return receipt.Position{File: "in", Line: line} }
		want := []Range{{4, at(8), at(38), 7, 37}, {4, at(4), at(34), 3, 33}, {}}
		for i, s := range steps {
			if have := s.Account.Snapshot().Accepted; have != want[i] {
				t.Errorf("step %s with seed %d: want %+v taken, have %+v", s.Name, seed, want[i], have)
			}
		}
	}
}

// A blockedSink waits until the run is cancelled.
type blockedSink struct {
	lineWriter
	once    sync.Once
	reached chan struct{}
	release chan struct{}
}

func (s *blockedSink) Write(records []wire.Record) error {
	s.once.Do(func() { close(s.reached) })
	<-s.release
	return nil
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	w := newWorld(1)
	s := &blockedSink{reached: make(chan struct{}), release: make(chan struct{})}
	done := make(chan error)
	go func() {
		done <- Run(ctx, Plan{
			Sources: []*Source{{Name: "lines.x", Reader: &lineReader{texts: numbers(500), n: 2, arena: w.arena()}}},
			Body: []Node{
				&Tee{Name: "t", Body: []Node{&Sink{Name: "stalled", Writer: s}}},
				w.step("a.x", add("!")), w.out("main"),
			},
			DeadLetter: &Sink{Writer: &lineWriter{}}, Account: &Totals{},
		})
	}()
	<-s.reached
	want := errors.New("stopped by the user")
	cancel(want)
	close(s.release)
	if err := <-done; !errors.Is(err, want) {
		t.Errorf("want the cause of the cancellation, have %v", err)
	}
}

// A signallingSink signals when its first records arrive.
type signallingSink struct {
	lineWriter
	first chan struct{}
	once  sync.Once
}

func (w *signallingSink) Write(records []wire.Record) error {
	w.once.Do(func() { close(w.first) })
	return w.lineWriter.Write(records)
}

// TestStalledBranch blocks one branch of a tee, with little memory, until the other can get no further; then everything
// must arrive.
func TestStalledBranch(t *testing.T) {
	for name, behind := range map[string]bool{"a slow sink of the tee": false, "a slow sink of the stream": true} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(1)
			slow := &blockedSink{reached: make(chan struct{}), release: make(chan struct{})}
			quick := &signallingSink{first: make(chan struct{})}
			branch, stream := Writer(slow), Writer(quick)
			if behind {
				branch, stream = stream, branch
			}
			go func() {
				<-slow.reached
				<-quick.first
				close(slow.release)
			}()
			totals := &Totals{}
			err := Run(t.Context(), Plan{
				Sources: []*Source{{Name: "lines.x", Reader: &lineReader{texts: numbers(500), n: 3, arena: w.arena()}}},
				Body: []Node{
					w.step("a.x", add("!")),
					&Tee{Name: "t", Body: []Node{w.step("b.x", add("?")), &Sink{Name: "branch", Writer: branch}}},
					w.step("c.x", add("+")), &Sink{Name: "stream", Writer: stream},
				},
				DeadLetter: &Sink{Writer: &lineWriter{}}, Account: totals,
			})
			if have := totals.Snapshot().Written; err != nil || have != 1000 {
				t.Errorf("want 1,000 records written, have %d (%v)", have, err)
			}
			for i, a := range w.arenas {
				if a.InUse() != 0 {
					t.Errorf("want arena %d empty after the run, have %d bytes in use", i, a.InUse())
				}
			}
		})
	}
}

// TestRowOrigin checks that a plugin's row cannot claim another origin, and may have a line of its own beside the record's.
func TestRowOrigin(t *testing.T) {
	for row, want := range map[string]string{
		`{"a": 1}`:                              `{"file":"in","line":7,"step":"s","a": 1}`,
		`{"file":"forged","a":1,"l\u0069ne":9}`: `{"file":"in","line":9,"record_line":7,"step":"s","a":1}`,
		`{"line":5,"column":3,"record_line":1}`: `{"file":"in","line":5,"record_line":7,"step":"s","column":3}`,
		`{"line":-1,"a":1}`:                     `{"file":"in","line":7,"step":"s","a":1}`,
		`{"line":"9","record_line":1}`:          `{"file":"in","line":7,"step":"s"}`,
		`{"step":{}}`:                           `{"file":"in","line":7,"step":"s"}`,
		` { } `:                                 `{"file":"in","line":7,"step":"s"} `,
	} {
		s := Step{Name: "s", Sides: map[string]*Sink{"log": {}}}
		rows := s.sideRows([]wire.Record{{File: "in", Line: 7}}, []wire.Side{{Output: "log", JSON: []byte(row)}})
		if have := string(rows[0].row.Data); have != want {
			t.Errorf("%s: want %s, have %s", row, want, have)
		}
	}
}
