package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/sluicehq/sluice/host/internal/flow"
	"github.com/sluicehq/sluice/sdk"
)

// numbering counts records. Its state is the count, with pad bytes behind it.
var numbering = sdk.Plugin{
	Name: "number", Doc: "numbers records", Args: numberArgs{}, Ordered: true,
	New: func(a sdk.Args) (sdk.Processor, error) {
		n := &numberer{}
		return n, a.Decode(&n.numberArgs)
	},
}

type numberArgs struct {
	Pad int    `hcl:"pad,optional"`
	How string `hcl:"how,optional"`
}

type numberer struct {
	numberArgs
	seen uint8
}

func (n *numberer) Process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	n.seen++
	if err := r.Set("n", int(n.seen)); err != nil {
		return err
	}
	emit(r)
	return nil
}

func (n *numberer) Save(w io.Writer) error {
	switch n.How {
	case "error":
		return errors.New("could not save")
	case "panic":
		panic("in the middle")
	case "hang":
		select {}
	}
	_, err := w.Write(append([]byte{n.seen}, make([]byte, n.Pad)...))
	return err
}

func (n *numberer) Restore(r io.Reader) error {
	state := make([]byte, 1+n.Pad)
	if _, err := io.ReadFull(r, state); err != nil {
		return err
	}
	n.seen = state[0]
	return nil
}

func saverOf(t *testing.T, opts Options, r Request) (*Fleet, flow.Saver) {
	t.Helper()
	f, problems, err := tryStart(opts, r)
	if err != nil || problems != nil {
		t.Fatalf("start: %v %v", problems, err)
	}
	t.Cleanup(f.Abort)
	return f, f.Chains[0].Stages()[0].(flow.Saver)
}

// TestState holds that a step goes on in another process, or worker, from the state that the first has saved, which itself goes on too.
func TestState(t *testing.T) {
	for mode, opts := range modes {
		for _, pad := range []int{0, 1<<20 - 1, 5 << 20} { // one piece, whole pieces, and several
			t.Run(fmt.Sprint(mode, " ", pad), func(t *testing.T) {
				req := Request{Plugin: "number", Args: fmt.Appendf(nil, `{"pad":%d}`, pad), Timeout: time.Minute}
				f, first := saverOf(t, opts, req)
				if !first.Saves() {
					t.Fatal("want a step that saves its state, have one that does not")
				}
				numbers := func(f *Fleet, s flow.Saver, want string) {
					t.Helper()
					have, err := send(t.Context(), s, records(t, f, "{}", "{}"))
					if err != nil || have != want {
						t.Errorf("want %q, have %q (%v)", want, have, err)
					}
				}
				numbers(f, first, "{\"n\":1}[]\n{\"n\":2}[]\n")
				var state bytes.Buffer
				if err := first.Save(t.Context(), &state); err != nil {
					t.Fatal(err)
				}
				if state.Len() != 1+pad {
					t.Errorf("want a state of %d bytes, have %d", 1+pad, state.Len())
				}
				numbers(f, first, "{\"n\":3}[]\n{\"n\":4}[]\n")

				g, second := saverOf(t, opts, req)
				if err := second.Restore(t.Context(), &state); err != nil {
					t.Fatal(err)
				}
				numbers(g, second, "{\"n\":3}[]\n{\"n\":4}[]\n")
				if err := g.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestNoState holds that a step without order, or whose processor has no Save, says that it saves nothing.
func TestNoState(t *testing.T) {
	for mode, opts := range modes {
		for _, plugin := range []string{"echo", "steady"} {
			if _, s := saverOf(t, opts, Request{Plugin: plugin}); s.Saves() {
				t.Errorf("%s, %s: want no state, have one", mode, plugin)
			}
		}
	}
}

// TestStateFails holds whose fault it is when a state gets lost on its way, and that none hangs or ends the host.
func TestStateFails(t *testing.T) {
	full, cut := errors.New("disk full"), errors.New("cannot be read")
	save := func(w io.Writer) func(context.Context, flow.Saver) error {
		return func(ctx context.Context, s flow.Saver) error { return s.Save(ctx, w) }
	}
	zeros := func(n int) func() io.Reader { return func() io.Reader { return bytes.NewReader(make([]byte, n)) } }
	restore := func(r func() io.Reader) func(context.Context, flow.Saver) error {
		return func(ctx context.Context, s flow.Saver) error { return s.Restore(ctx, r()) }
	}
	for _, c := range []struct {
		reason, how string
		do          func(context.Context, flow.Saver) error
		want        string
		goesOn      bool
	}{
		{"the host cannot write it: the step goes on", "", save(failingWriter{full}), "disk full", true},
		{"the plugin cannot save", "error", save(io.Discard), "step number.x: save its state: could not save", false},
		{"the plugin panics", "panic", save(io.Discard), "panic: in the middle", false},
		{"the plugin hangs", "hang", save(io.Discard), "step number.x: save its state: want a piece of it within 2s, have silence", false},
		{"the host cannot read it", "", restore(func() io.Reader { return iotest.ErrReader(cut) }), "cannot be read", false},
		{"nothing is left of it", "", restore(zeros(0)), "want a whole state of plugin number, have one that ends too early", false},
		{"it is cut off", "", restore(zeros(2 << 20)), "have one that ends too early", false},
		{"it has more than the plugin reads", "", restore(zeros(3<<20 + 5)), "want Restore of plugin number to read its whole state, have 4 bytes left", false},
	} {
		for mode, opts := range modes {
			t.Run(mode+"/"+c.reason, func(t *testing.T) {
				limit := time.Minute
				if c.how == "hang" {
					limit = 2 * time.Second
				}
				f, s := saverOf(t, opts, Request{Plugin: "number", Args: fmt.Appendf(nil, `{"pad":%d,"how":%q}`, 3<<20, c.how), Timeout: limit})
				if err := c.do(t.Context(), s); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("want %q, have %v", c.want, err)
				}
				_, err := send(t.Context(), s, records(t, f, "{}"))
				if (err == nil) != c.goesOn {
					t.Errorf("want the step to go on: %v, have error %v", c.goesOn, err)
				}
			})
		}
	}
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }
