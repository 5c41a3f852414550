package terminal

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/host"
)

var update = flag.Bool("update", false, "write the wanted screens anew")

// golden holds a text to a file.
func golden(t *testing.T, name, have string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(path, []byte(have), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), have); diff != "" {
		t.Errorf("%s (-want +have):\n%s", path, diff)
	}
}

// steps are what n steps tell after so many seconds at an even pace; every third stands behind the one before it.
func steps(n int, seconds float64) (all []host.StepProgress) {
	for i := range n {
		each := int64(2000 * seconds)
		all = append(all, host.StepProgress{
			Name: fmt.Sprintf("plugin%d.step%d", i, i), In: each, BytesIn: each * 8600, Workers: 2,
			Busy:  time.Duration(seconds * float64(2*time.Second) * float64(i*37%100) / 100),
			Queue: (i % 3) % 2, Behind: i%3 == 2,
		})
	}
	return all
}

// A tale is what a run tells, each half second.
func tale(n int, seconds float64, change func(*host.Progress)) (all []host.Progress) {
	for at := 0.5; at <= seconds; at += 0.5 {
		p := host.Progress{
			Elapsed: time.Duration(at * float64(time.Second)), Bytes: int64(at * 17.2e6), Total: 340e6, Records: int64(at * 2000),
			Rejected: map[string]int64{}, Steps: steps(n, at),
		}
		p.DoneBytes, p.DoneRecords = p.Bytes, p.Records
		p.Bytes, p.Records = p.Bytes+8<<20, p.Records+1000 // what is under way
		change(&p)
		all = append(all, p)
	}
	return all
}

func none(*host.Progress) {}

// troubled is a run with rejects, of hostile codes too, and with a step that starts again and gives no answer.
func troubled(p *host.Progress) {
	p.Rejected = map[string]int64{"bad_role": 1200, "too_deep": 3, "forged\nline\x1b[31m": 3}
	p.Steps[1].Rejected = map[string]int64{"bad_role": 1200}
	p.Steps[3].Restarts = 2
	p.Step, p.Held = p.Steps[3].Name, 72*time.Second
}

// TestScreens holds what stands in terminals of several sizes.
func TestScreens(t *testing.T) {
	cases := []struct {
		name          string // and why it is tried
		width, height int
		steps         int
		change        func(*host.Progress)
	}{
		{"wide", 140, 40, 7, none},
		{"usual", 80, 24, 7, none},
		{"narrow", 60, 24, 7, none},
		{"one-line", 40, 24, 7, none},
		{"hardly-any", 12, 24, 7, none},
		{"low", 80, 6, 7, none},
		{"many-steps", 80, 24, 40, none},
		{"trouble-wide", 140, 40, 7, troubled},
		{"trouble-usual", 80, 24, 7, troubled},
		{"trouble-one-line", 40, 24, 7, troubled},
		{"size-unknown", 80, 24, 2, func(p *host.Progress) { p.Total = 0 }},
		{"finishing", 80, 24, 2, func(p *host.Progress) { p.DoneBytes = p.Total }},
		{"no-steps", 80, 24, 0, none},
		{"wide-names", 60, 24, 2, func(p *host.Progress) { p.Steps[0].Name = "東京." + strings.Repeat("京", 20) }},
	}
	for _, c := range cases {
		var past history
		for _, p := range tale(c.steps, 8, c.change) {
			past.add(p)
		}
		draw := func(paint Paint) []string {
			return (&canvas{width: c.width, height: c.height, paint: paint, past: &past}).lines()
		}
		plain := draw(false)
		for _, line := range plain {
			if n := ansi.StringWidth(line); n >= c.width {
				t.Errorf("%s: want lines below the width, have %d: %q", c.name, n, line)
			}
		}
		if len(plain) > c.height-1 {
			t.Errorf("%s: want lines below the height, have %d", c.name, len(plain))
		}
		if painted := ansi.Strip(strings.Join(draw(true), "\n")); painted != strings.Join(plain, "\n") {
			t.Errorf("%s: want colours to change nothing else:\n%s", c.name, painted)
		}
		golden(t, c.name, strings.Join(plain, "\n")+"\n")
	}
}

// TestScreenSays holds that a message, the end, and lines that are drawn anew leave nothing of the lines before, by the bytes
// that are written.
func TestScreenSays(t *testing.T) {
	var out bytes.Buffer
	s := &Screen{to: &out, size: func() (int, int, error) { return 40, 24, nil }}
	s.Say("before")
	p := tale(1, 3, none)
	s.Show(p[0])
	s.Say("as it begins")
	s.Show(p[1])
	s.Say("two\nlines")
	s.End()
	s.Show(p[2])
	s.Say("after")
	live := "5%  17.2 MB/s  19s left  2,000 records\x1b[J\r"
	want := "before\nas it begins\n\r" + live + "\r\x1b[Jtwo\nlines\n\r" + live + "\r\x1b[Jafter\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +have:\n%s", diff)
	}
}
