package launch

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// A stack is what Go's runtime prints when a program panics, as far as it has been read: what was wrong, and for one goroutine or
// more its functions, each with the place in its file.
type stack struct {
	parts []stackPart
	lines int
}

type stackPart struct {
	goroutine bool // false: what was wrong
	lines     []string
}

// maxStack is how many lines of a stack are held back at most.
const maxStack = 1000

// take adds a line. It reports whether the line is part of the stack.
func (s *stack) take(line string) bool {
	last := len(s.parts) - 1
	switch {
	case s.lines == maxStack:
		return false
	case isPanic(line):
		if slices.ContainsFunc(s.parts, func(p stackPart) bool { return !p.goroutine }) {
			return false
		}
		s.parts = append(s.parts, stackPart{})
	case isGoroutine(line):
		s.parts = append(s.parts, stackPart{goroutine: true})
	case last < 0, s.parts[last].goroutine && !isFrame(line), !s.parts[last].goroutine && !goesOn(line):
		return false
	}
	last = len(s.parts) - 1
	s.parts[last].lines = append(s.parts[last].lines, line)
	s.lines++
	return true
}

func isPanic(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

func isGoroutine(line string) bool {
	return strings.HasPrefix(line, "goroutine ") && strings.HasSuffix(line, "]:") || line == "runtime stack:"
}

// goesOn reports whether a line belongs to what was wrong: a message of several lines, a panic during a panic, or a signal.
func goesOn(line string) bool {
	return strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "[signal ") || isPanic(line)
}

// isFrame reports whether a line is a function with its arguments, or the place in its file.
func isFrame(line string) bool {
	name, _, called := strings.Cut(line, "(")
	return strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "created by ") || strings.HasPrefix(line, "...") ||
		called && name != "" && !strings.Contains(name, " ") && strings.HasSuffix(line, ")")
}

// below are the functions that call a plugin's, as their names begin.
var below = []string{"github.com/sluicehq/sluice/sdk", "google.golang.org/grpc", "github.com/hashicorp/go-plugin", "runtime.", "runtime/", "panic("}

// own returns the goroutine without the functions that call the plugin's, no line when none is the plugin's.
func (p stackPart) own() []string {
	end := 0
	for i, line := range p.lines[1:] {
		name := strings.TrimPrefix(line, "created by ")
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "...") {
			continue
		}
		if !slices.ContainsFunc(below, func(begin string) bool { return strings.HasPrefix(name, begin) }) {
			end = min(i+3, len(p.lines)) // with its place
		}
	}
	return p.lines[:end]
}

// once returns the goroutine without the frames that are above already, as a function has that recurses.
func (p stackPart) once() []string {
	if len(p.lines) == 0 {
		return nil
	}
	lines := p.lines[:1:1]
	seen, again := map[string]bool{}, 0
	end := func() {
		if again > 0 {
			lines = append(lines, fmt.Sprintf("...and %d more of the places above...", again))
		}
		again = 0
	}
	for rest := p.lines[1:]; len(rest) > 0; {
		n := 1
		for n < len(rest) && strings.HasPrefix(rest[n], "\t") {
			n++
		}
		frame := rest[:n]
		rest = rest[n:]
		place, _, _ := strings.Cut(strings.Join(frame[1:], "\n"), " +0x")
		key := frame[0][:max(strings.LastIndexByte(frame[0], '('), 0)] + place
		if n > 1 && seen[key] {
			again++
			continue
		}
		seen[key] = true
		end()
		lines = append(lines, frame...)
	}
	end()
	return lines
}

// shown returns the lines of the stack that say something about the plugin, and the places in them: none when it is no stack.
func (s *stack) shown() (lines []string, places string) {
	foreign := !slices.ContainsFunc(s.parts, func(p stackPart) bool { return p.goroutine && len(p.own()) > 0 })
	var all []string
	for _, p := range s.parts {
		if p.goroutine && !foreign {
			p.lines = p.own()
		}
		if p.goroutine {
			p.lines = p.once()
		}
		lines = append(lines, p.lines...)
		for _, line := range p.lines {
			place, _, _ := strings.Cut(line, " +0x")
			if p.goroutine && strings.HasPrefix(place, "\t") && !slices.Contains(all, place) { // once, however deep it recurses
				all = append(all, place)
			}
		}
	}
	return lines, strings.Join(all, "\n")
}

// title returns the first line of what was wrong, or of the stack.
func (s *stack) title() string {
	for _, p := range s.parts {
		if !p.goroutine {
			return p.lines[0]
		}
	}
	return s.parts[0].lines[0]
}

// seenStacks counts the stacks that the processes of a chain print, by the places in them. Its zero value has seen none.
type seenStacks struct {
	mu    sync.Mutex
	times map[string]int
}

// show shows a stack whole the first time, and then in one line.
func (seen *seenStacks) show(s *stack, show func(string)) {
	lines, places := s.shown()
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if places != "" {
		if seen.times == nil {
			seen.times = map[string]int{}
		}
		seen.times[places]++
		if n := seen.times[places]; n > 1 {
			lines = []string{fmt.Sprintf("%s (as before, %d times so far)", s.title(), n)}
		}
	}
	for _, line := range lines {
		show(line)
	}
}
