package launch

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// serving are the functions below those of a plugin in each of its stacks.
const serving = `github.com/sluicehq/sluice/sdk.Map.Process(0x2?, {0xa50f00?, 0x1?}, 0x26e642135928, 0x26e642202af0)
	/sdk/sdk.go:123 +0x23
github.com/sluicehq/sluice/sdk.(*step).call(0x26e642298e08, {0xba3570, 0x26e6421a5d40})
	/sdk/step.go:162 +0x4ba
google.golang.org/grpc.(*Server).serveStreams.func2.1()
	/grpc/server.go:1096 +0x7f
created by google.golang.org/grpc.(*Server).serveStreams.func2 in goroutine 19
	/grpc/server.go:1107 +0x11d
`

// TestStacks checks that a stack is shown without what calls the plugin, and in one line when it has been shown before.
func TestStacks(t *testing.T) {
	named := func(name string) string {
		return "goroutine 35 [running]:\nmain." + name + "(0x888e4559928)\n\t/hello/main.go:9 +0x234\n"
	}
	boom := "panic: boom\n\n" + named("greet") + serving
	cases := []struct {
		reason string
		prints []string // what each process prints
		want   string
	}{
		{
			"a panic is shown without the functions that call the plugin", []string{boom},
			"panic: boom\n" + named("greet"),
		},
		{
			"the same places again take a line each, with words of their own", []string{boom, boom, strings.Replace(boom, "boom", "bang", 1)},
			"panic: boom\n" + named("greet") + "panic: boom (as before, 2 times so far)\npanic: bang (as before, 3 times so far)\n",
		},
		{
			"another place is shown whole", []string{boom, strings.Replace(boom, "main.go:9", "main.go:12", 1)},
			"panic: boom\n" + named("greet") + "panic: boom\n" + strings.Replace(named("greet"), ":9", ":12", 1),
		},
		{
			"how deep a function recurses makes no other place", []string{
				"panic: deep\n\n" + named("walk") + serving,
				"panic: deep\n\n" + named("walk") + "main.walk(0x1)\n\t/hello/main.go:9 +0x17\n" + serving,
			},
			"panic: deep\n" + named("walk") + "panic: deep (as before, 2 times so far)\n",
		},
		{
			"frames that repeat are cut, also of functions that call each other, and say how many they were", []string{
				"fatal error: stack overflow\n\n" + named("walk") + strings.Repeat("main.walk(0x1, {0x2?, 0x3})\n\t/hello/main.go:12 +0x17\nmain.(*tree).down(0x4)\n\t/hello/tree.go:7 +0x18\n", 30) +
					"...additional frames elided...\nmain.start(0x1)\n\t/hello/main.go:3 +0x1\n" + serving,
			},
			"fatal error: stack overflow\n" + named("walk") + "main.walk(0x1, {0x2?, 0x3})\n\t/hello/main.go:12 +0x17\nmain.(*tree).down(0x4)\n\t/hello/tree.go:7 +0x18\n" +
				"...and 58 more of the places above...\n...additional frames elided...\nmain.start(0x1)\n\t/hello/main.go:3 +0x1\n",
		},
		{
			"a message of several lines, and a signal", []string{strings.Replace(boom, "boom\n", "boom\n\tand more\n[signal SIGSEGV: segmentation violation]\n", 1), boom},
			"panic: boom\n\tand more\n[signal SIGSEGV: segmentation violation]\n" + named("greet") + "panic: boom (as before, 2 times so far)\n",
		},
		{
			"the stack of a call that was made ahead comes before the panic", []string{named("greet") + serving + boomAgain, named("greet") + serving + boomAgain},
			named("greet") + "panic: boom\npanic: boom (as before, 2 times so far)\n",
		},
		{
			"of all goroutines, those of the plugin", []string{"fatal error: concurrent map writes\n\n" + named("greet") + serving + "\ngoroutine 7 [select]:\n" + serving},
			"fatal error: concurrent map writes\n" + named("greet"),
		},
		{
			"a stack without the plugin is shown whole", []string{"panic: boom\n\ngoroutine 1 [running]:\n" + serving},
			"panic: boom\ngoroutine 1 [running]:\n" + serving,
		},
		{
			"lines around a stack stay where they are", []string{"before\n" + boom + "after (all)\n"},
			"before\npanic: boom\n" + named("greet") + "after (all)\n",
		},
		{
			"no stack, though it begins like one", []string{"panic: no\npanic: again\nwell\n", "panic: no\n"},
			"panic: no\npanic: again\nwell\npanic: no\n",
		},
	}
	for _, c := range cases {
		for _, size := range []int{1, 1 << 20} { // of a write
			var shown strings.Builder
			var stacks seenStacks
			for _, text := range c.prints {
				w := &lineWriter{stacks: &stacks, tail: &logTail{released: true, show: func(line string) { shown.WriteString(line + "\n") }}}
				for part := range slices.Chunk([]byte(text), size) {
					if _, err := w.Write(part); err != nil {
						t.Fatal(err)
					}
				}
				w.flush()
			}
			if diff := cmp.Diff(c.want, shown.String()); diff != "" {
				t.Errorf("%s, in writes of %d (-want +have):\n%s", c.reason, size, diff)
			}
		}
	}
}

// boomAgain is the panic with which the turn of a record fails whose call was made ahead.
const boomAgain = "panic: boom\n\ngoroutine 21 [running]:\ngithub.com/sluicehq/sluice/sdk.(*earlyCall).replay(0x1, 0x2)\n\t/sdk/concurrent.go:189 +0x1\n" + serving

// TestStacksTogether checks that of processes that panic at the same time one shows its stack whole, and each of the others a line.
func TestStacksTogether(t *testing.T) {
	const n = 20
	var mu sync.Mutex
	var shown []string
	var stacks seenStacks
	var g sync.WaitGroup
	for i := range n {
		w := &lineWriter{stacks: &stacks, tail: &logTail{released: true, show: func(line string) {
			mu.Lock()
			defer mu.Unlock()
			shown = append(shown, line)
		}}}
		g.Go(func() {
			fmt.Fprintf(w, "panic: of %d\n\ngoroutine 1 [running]:\nmain.greet(%d)\n\t/hello/main.go:9 +0x234\n%s", i, i, serving)
			w.flush()
		})
	}
	g.Wait()
	if want := 4 + n - 1; len(shown) != want {
		t.Errorf("want %d lines, have %d:\n%s", want, len(shown), strings.Join(shown, "\n"))
	}
	for i, line := range shown[4:] {
		if want := fmt.Sprintf("(as before, %d times so far)", i+2); !strings.HasSuffix(line, want) {
			t.Errorf("want the stack first and then %q, have %q", want, line)
		}
	}
}
