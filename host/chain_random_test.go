package host_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/sdk"
)

// chance are plugins that do to each record what its bytes and their seed say.
var chance = []sdk.Plugin{chancePlugin("chance", false), chancePlugin("chance-private", true)}

type chanceArgs struct {
	Seed  int  `hcl:"seed,optional"`
	Crash bool `hcl:"crash,optional"`
}

func chancePlugin(name string, private bool) sdk.Plugin {
	return sdk.Plugin{
		Name: name, Doc: "does what chance says", Args: chanceArgs{}, Private: private,
		Labels: []string{"split"}, Outputs: []string{"log"},
		New: func(a sdk.Args) (sdk.Processor, error) {
			var cfg chanceArgs
			return sdk.Func(cfg.process), a.Decode(&cfg)
		},
	}
}

// hugeRecord is longer than four records of the largest size in these tests.
var hugeRecord = []byte(`"` + strings.Repeat("x", 140<<10) + `"`)

func (c *chanceArgs) process(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
	h := fnv.New64a()
	fmt.Fprintln(h, c.Seed, r.Pos().Line)
	h.Write(r.JSON())
	rng := rand.New(rand.NewSource(int64(h.Sum64())))
	if rng.Intn(3) == 0 {
		r.Count([]string{"a", "b"}[rng.Intn(2)], rng.Intn(3))
	}
	if rng.Intn(4) == 0 {
		r.Side("log", fmt.Appendf(nil, `{"seed":%d,"n":%d}`, c.Seed, rng.Intn(100)))
	}
	if rng.Intn(6) == 0 {
		r.SetLabel("split", []string{"x", "y"}[rng.Intn(2)])
	}
	if c.Crash && rng.Intn(40) == 0 {
		panic("as chance had it")
	}
	var err error
	switch rng.Intn(24) {
	case 0:
		return sdk.Drop("as chance had it")
	case 1:
		return sdk.Reject("bad", "a", "as chance had it")
	case 2:
		r.Conceal([]byte(`"concealed"`))
		return sdk.Keep(sdk.Reject("bad", "", "as chance had it"))
	case 3, 4:
		return sdk.Decline("as chance had it")
	case 5:
		return sdk.Keep(sdk.Decline("as chance had it"))
	case 6, 7:
		err = r.Set("n", rng.Intn(1000))
	case 8:
		err = r.Set("pad", strings.Repeat("p", 3000))
	case 9:
		emit(r)
		err = r.Set("piece", rng.Intn(1000))
	case 10:
		emit(r)
	case 11:
		emit(r.Derive(fmt.Appendf(nil, `{"derived": %d,`+"\n"+`"from":%q}`, rng.Intn(1000), r.Get("n").Raw)))
		r.SetLabel("split", "z")
	case 12:
		emit(r.Derive([]byte(`{"not":json}`)))
	case 13:
		emit(r.Derive(hugeRecord))
	case 14:
		r.Side("log", []byte(`["no object"]`))
	case 15:
		r.Side("log", []byte(`["no object"]`))
		return sdk.Drop("with a row")
	case 16:
		emit(r.Derive(nil))
	case 17:
		return errors.New("as chance had it")
	}
	emit(r)
	return err
}

// A maze is a pipeline that chance draws.
type maze struct {
	*rand.Rand
	own     bool // every step has a process of its own
	crash   bool
	workers int
	names   int
	text    strings.Builder
}

func (m *maze) step() string {
	m.names++
	name := fmt.Sprintf("s%d", m.names)
	output := ""
	if m.Intn(2) == 0 {
		output = fmt.Sprintf("  output \"log\" {\n    sink \"jsonl\" \"log-%[1]s\" {\n      path = \"out/log-%[1]s.jsonl\"\n    }\n  }\n", name)
	}
	plugin, seed := []string{"chance", "chance", "chance-private"}[m.Intn(3)], m.Intn(1000)
	host := ""
	if m.own {
		host += "    process = \"own\"\n"
	}
	if m.workers > 0 {
		host += fmt.Sprintf("    workers = %d\n", m.workers)
	}
	if m.crash {
		host += "    on_crash = \"isolate\"\n"
	}
	return fmt.Sprintf("step %q %q {\n  seed = %d\n  crash = %v\n%s  host {\n%s  }\n}\n", plugin, name, seed, m.crash, output, host)
}

func (m *maze) body(nodes int) {
	for range nodes {
		m.names++
		switch m.Intn(8) {
		case 0, 1:
			fmt.Fprintf(&m.text, "first \"f%d\" {\n", m.names)
			for range 1 + m.Intn(3) {
				m.text.WriteString(m.step())
			}
			m.text.WriteString("}\n")
		case 2:
			if nodes > 1 {
				fmt.Fprintf(&m.text, "route \"r%d\" {\n  on = \"@split\"\n  case \"x\" {\n", m.names)
				m.body(1 + m.Intn(2))
				m.text.WriteString("  }\n  default {}\n}\n")
			}
		default:
			m.text.WriteString(m.step())
		}
	}
}

func (m *maze) pipeline() string {
	m.text.WriteString("source \"jsonl\" \"in\" {\n  paths = [\"in.jsonl\"]\n  limit = \"32KiB\"\n  batch = \"4KiB\"\n}\n")
	m.text.WriteString(m.step()) // sets the label that routes are on
	m.body(2 + m.Intn(4))
	if m.Intn(2) == 0 {
		m.text.WriteString("tee \"t\" {\n")
		m.body(2)
		m.text.WriteString("sink \"jsonl\" \"teed\" {\n  path = \"out/teed.jsonl\"\n}\n}\n")
		m.body(1)
	}
	m.text.WriteString("sink \"jsonl\" \"out\" {\n  path = \"out/out.jsonl\"\n}\n")
	return m.text.String()
}

// left is what a run leaves: its files and its account.
func left(t *testing.T, opts host.Options) map[string]string {
	t.Helper()
	files := map[string]string{}
	r, err := load(t, opts).Run(t.Context())
	if err != nil {
		if strings.Contains(err.Error(), "does not balance") {
			t.Error(err)
		}
		files["error"] = err.Error()
		return files
	}
	account := r.Receipt.Comparable()
	account.Pipeline.SHA256, account.Plugins = "", nil
	text, err := account.Encode()
	if err != nil {
		t.Fatal(err)
	}
	files["account"] = string(text)
	err = filepath.WalkDir("out", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), "receipt.") {
			var data []byte
			data, err = os.ReadFile(path)
			files[path] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll("out"); err != nil {
		t.Fatal(err)
	}
	return files
}

var long = flag.Bool("long", false, "run many random pipelines, and not a few of them")

// mazes returns how many random pipelines a test runs.
func mazes(few, many int) int64 {
	if *long {
		return int64(many)
	}
	return int64(few)
}

// TestChainsChangeNothing checks that a pipeline writes the same bytes and the same account whether its steps run in one
// process, one after the other, or each in a process of its own, whatever they do, and that a poisoned run of plugins that keep nothing
// finds nothing.
func TestChainsChangeNothing(t *testing.T) {
	for name, mode := range map[string]struct {
		opts  host.Options
		mazes int64
	}{
		"in process":    {host.Options{InProcess: true}, mazes(8, 60)},
		"shared memory": {host.Options{}, mazes(2, 9)},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range mode.mazes {
				var in strings.Builder
				rng := rand.New(rand.NewSource(seed))
				for i := range 40 + rng.Intn(100) {
					fmt.Fprintf(&in, "{\"i\": %d, \"text\":%q}\n", i, strings.Repeat("t", rng.Intn(200)))
				}
				draw := func(own bool, workers int) string {
					m := &maze{Rand: rand.New(rand.NewSource(seed)), own: own, workers: workers, crash: seed%3 == 0}
					return m.pipeline()
				}
				inFolder(t, draw(true, 1), in.String())
				want := left(t, mode.opts)
				for _, workers := range []int{0, 1, 3} {
					put(t, "p.hcl", draw(false, workers))
					if diff := cmp.Diff(want, left(t, mode.opts)); diff != "" {
						t.Fatalf("seed %d, %d workers (-own process +chain):\n%s\n%s", seed, workers, diff, draw(false, workers))
					}
				}
				poisoned := mode.opts
				poisoned.Poison = true
				if diff := cmp.Diff(want, left(t, poisoned)); diff != "" {
					t.Fatalf("seed %d (-plain +poisoned):\n%s\n%s", seed, diff, draw(false, 3))
				}
			}
		})
	}
}
