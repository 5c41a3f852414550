package flow

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math/rand"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/wire"
)

// A notebook keeps every checkpoint of a run, as JSON, with what the sinks hold.
type notebook struct {
	world *world
	notes []note
}

type note struct {
	state []byte
	sinks map[string]string
}

func (n *notebook) Note(_ context.Context, s *State) error {
	state, err := json.Marshal(s)
	n.notes = append(n.notes, note{state, n.world.written()})
	return err
}

func (n *notebook) Sync(context.Context) error { return nil }

func (w *world) written() map[string]string {
	all := map[string]string{}
	for name, s := range w.sinks {
		all[name] = s.String()
	}
	return all
}

// counted returns what a plan has counted, as JSON, but for times.
func counted(t *testing.T, p *Plan) string {
	t.Helper()
	e := &engine{plan: *p}
	s := e.state()
	s.Totals.First = time.Time{}
	for i := range s.Steps {
		s.Steps[i].Sums.Busy = 0
	}
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A run that goes on from any of its checkpoints writes the same bytes and counts the same as one that was never interrupted.
func TestGoesOnFromCheckpoints(t *testing.T) {
	bad := map[int]bool{2: true, 11: true, 40: true}
	const records = 57
	plan := func(seed int64, body func(*world) []Node, from *note) (*world, Plan) {
		w := newWorld(seed)
		src := &lineReader{texts: numbers(records), n: 1 + w.rng.Intn(8), arena: w.arena(), bad: bad}
		p := Plan{
			Sources: []*Source{{Name: "lines.x", Reader: src, Batch: w.batchSize()}}, Body: body(w),
			DeadLetter: &Sink{Name: "dead", Writer: w.sinks["dead"]}, Account: &Totals{},
		}
		if from != nil {
			if err := json.Unmarshal(from.state, &p.From); err != nil {
				t.Fatal(err)
			}
			src.texts, src.ord = src.texts[p.From.Ord:], p.From.Ord
			for name, text := range from.sinks {
				w.sinks[name].WriteString(text)
			}
		}
		return w, p
	}
	all := maps.Clone(bodies)
	all["a shadow compares"] = func(w *world) []Node {
		return []Node{&Shadow{
			Name: "s", Current: w.step("now.x", add("!")), Candidate: w.step("new.x", is("5", "drop")), Differences: &Differences{}, Rows: w.out("rows"),
		}, w.out("main")}
	}
	for name, body := range all {
		t.Run(name, func(t *testing.T) {
			for seed := int64(2); seed < 12; seed++ {
				w, p := plan(seed, body, nil)
				kept := &notebook{world: w}
				p.Checkpoints, p.Every = kept, 1
				if err := Run(t.Context(), p); err != nil {
					t.Fatal(err)
				}
				want, sums := w.written(), counted(t, &p)
				if len(kept.notes) == 0 {
					t.Fatal("want checkpoints, have none")
				}
				w, p = plan(seed, body, nil)
				kept.world, p.Checkpoints, p.Every = w, kept, time.Hour
				until, end := context.WithCancel(t.Context())
				p.Until, p.Sources[0].Reader = until, &endedReader{p.Sources[0].Reader, 3, end}
				before := len(kept.notes)
				if err := Run(t.Context(), p); !errors.Is(err, context.Canceled) || len(kept.notes) != before+1 {
					t.Fatalf("want a last checkpoint and %v, have %d and %v", context.Canceled, len(kept.notes)-before, err)
				}
				from := kept.notes[before-rand.New(rand.NewSource(seed)).Intn(before+1)]
				w, p = plan(seed+100, body, &from)
				if err := Run(t.Context(), p); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, w.written()); diff != "" {
					t.Fatalf("seed %d: other bytes from a checkpoint (-want +have):\n%s", seed, diff)
				}
				if diff := cmp.Diff(sums, counted(t, &p)); diff != "" {
					t.Fatalf("seed %d: another account from a checkpoint (-want +have):\n%s", seed, diff)
				}
			}
		})
	}
}

// An endedReader waits for a chunk while its run is to end.
type endedReader struct {
	Reader
	chunks int // that come before
	end    func()
}

func (r *endedReader) Next(ctx context.Context, most int) (wire.Chunk, error) {
	if r.chunks--; r.chunks >= 0 {
		return r.Reader.Next(ctx, most)
	}
	r.end()
	<-ctx.Done()
	return wire.Chunk{}, ctx.Err()
}

// A state belongs to the tree that it was noted of.
func TestRefusesAnotherState(t *testing.T) {
	w := newWorld(1)
	p := Plan{
		Sources: []*Source{{Name: "lines.x", Reader: &lineReader{arena: w.arena(), n: 1}}}, Body: []Node{w.out("main")},
		DeadLetter: &Sink{Name: "dead", Writer: w.sinks["dead"]}, Account: &Totals{}, From: &State{Names: []string{"source lines.y"}},
	}
	want := `want the state of a run of ["source lines.x" "sink main" "sink dead"], have one of ["source lines.y"]`
	if err := Run(t.Context(), p); err == nil || err.Error() != want {
		t.Errorf("want %s, have %v", want, err)
	}
}

// Checkpoints are rarer where each of them holds the run up, but they do not stop.
func TestCheckpointInterval(t *testing.T) {
	for _, c := range []struct {
		reason             string
		every, pause, want time.Duration
	}{
		{"a short pause does not count", 10 * time.Second, 10 * time.Millisecond, 10 * time.Second},
		{"a pause takes one hundredth of the time at most", 10 * time.Second, time.Second, 100 * time.Second},
		{"but checkpoints are still made", time.Second, time.Hour, 1000 * time.Second},
	} {
		if have := interval(c.every, c.pause); have != c.want {
			t.Errorf("%s: want %v, have %v", c.reason, c.want, have)
		}
	}
}

// A slowReader takes its time for each chunk.
type slowReader struct {
	*lineReader
	each time.Duration
}

func (s slowReader) Next(ctx context.Context, most int) (wire.Chunk, error) {
	time.Sleep(s.each)
	return s.lineReader.Next(ctx, most)
}

// A clocked writes down when it notes, and takes its time for that and for making it durable.
type clocked struct {
	began       time.Time
	notes       []time.Duration // when each began
	note, syncs []time.Duration // how long each takes; 0 behind the last
}

func (c *clocked) Note(context.Context, *State) error {
	c.notes = append(c.notes, time.Since(c.began).Round(time.Second))
	time.Sleep(nth(c.note, len(c.notes)))
	return nil
}

func (c *clocked) Sync(context.Context) error {
	time.Sleep(nth(c.syncs, len(c.notes)))
	return nil
}

func nth(all []time.Duration, n int) time.Duration {
	if n > len(all) {
		return 0
	}
	return all[n-1]
}

// TestCheckpointsGiveWay holds that a checkpoint which holds the run up, or is long on its way to the disk, makes the next one of the run
// come later, and only that.
func TestCheckpointsGiveWay(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		reason      string
		note, syncs []time.Duration
		want        []time.Duration
	}{
		{"as asked for", nil, nil, []time.Duration{10 * s, 20 * s, 30 * s}},
		{"no second one before the first is durable", nil, []time.Duration{0, 25 * s}, []time.Duration{10 * s, 20 * s, 55 * s, 65 * s}},
		{"a hundred times as long as it held the run up", []time.Duration{s, 0}, nil, []time.Duration{10 * s, 111 * s, 121 * s}},
		{"both", []time.Duration{s / 2}, []time.Duration{30 * s}, []time.Duration{10 * s, 91 * s, 101 * s}},
	} {
		t.Run(c.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(1)
				kept := &clocked{began: time.Now(), note: c.note, syncs: c.syncs}
				p := Plan{
					Sources: []*Source{{Name: "lines.x", Reader: slowReader{&lineReader{texts: numbers(1300), n: 1, arena: w.arena()}, s / 10}}},
					Body:    []Node{w.out("main")}, DeadLetter: &Sink{Name: "dead", Writer: w.sinks["dead"]}, Account: &Totals{},
					Checkpoints: kept, Every: 10 * s,
				}
				if err := Run(t.Context(), p); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, kept.notes[:min(len(c.want), len(kept.notes))]); diff != "" {
					t.Errorf("checkpoints come at other times (-want +have):\n%s", diff)
				}
			})
		})
	}
}
