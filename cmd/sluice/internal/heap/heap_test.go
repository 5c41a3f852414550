package heap

import (
	"math"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
)

// TestGrowth holds how much the heap grows before and after the first collection, by what the environment says.
func TestGrowth(t *testing.T) {
	if os.Getenv("HEAP_CHILD") != "" {
		child(t)
		return
	}
	for _, c := range []struct {
		reason, gogc, grow string
		want               string // before the first collection, and after it
	}{
		{"the host, whose user says nothing", "", "", "1600 400"},
		{"a plugin process, to which the host says as much", "GOGC=400", "", "1600 400"},
		{"whose user says how much", "GOGC=150", "", "150 150"},
		{"a server, before the first collection", "", "100", "100 100"},
		{"a server whose user says how much", "GOGC=150", "100", "150 150"},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestGrowth$", "-test.v")
		for _, v := range os.Environ() {
			if !strings.HasPrefix(v, "GOGC=") {
				cmd.Env = append(cmd.Env, v)
			}
		}
		cmd.Env = append(cmd.Env, "HEAP_CHILD=1", "HEAP_GROW="+c.grow)
		if c.gogc != "" {
			cmd.Env = append(cmd.Env, c.gogc)
		}
		text, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(text), "growth "+c.want+"\n") {
			t.Errorf("%s: want growth %s, have %s (%v)", c.reason, c.want, text, err)
		}
	}
}

func child(t *testing.T) {
	growth := func() uint64 {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	if os.Getenv("HEAP_GROW") != "" {
		Grow(100)
	}
	before := growth()
	for range 100 { // the cleanup runs behind a collection
		runtime.GC()
		if growth() != before && debug.SetMemoryLimit(-1) == math.MaxInt64 {
			break
		}
	}
	t.Logf("growth %d %d", before, growth())
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		t.Errorf("want no limit of memory once the growth is chosen, have %d bytes", limit)
	}
}

// The garbage of a large record stays small beside the record.
func TestPercentFor(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{{0, 400}, {16 << 20, 400}, {17 << 20, 200}, {64 << 20, 100}, {100 << 20, 50}, {4 << 30, 25}} {
		if have := percentFor(c.live); have != c.want {
			t.Errorf("%d bytes live: want %d percent, have %d", c.live, c.want, have)
		}
	}
}
