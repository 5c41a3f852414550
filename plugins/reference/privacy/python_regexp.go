package privacy

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pythonPattern matches like Python's re module: leftmost, first alternative first, with \b, \d and \s of Unicode. Go's regexp
// has these for ASCII only.
type pythonPattern struct {
	prog  *syntax.Prog
	first [256]bool // bytes a match can begin with
}

// pythonSpace is what \s matches, for use in a class.
const pythonSpace = `\t-\r\x1c-\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`

// pythonSyntax rewrites Python's syntax to Go's. (?i) lets i match the dotless and the dotted one as well.
var pythonSyntax = strings.NewReplacer(`[\s`, `[`+pythonSpace, `\s`, `[`+pythonSpace+`]`, `\d`, `\p{Nd}`)

func mustPython(expr string) *pythonPattern {
	if strings.HasPrefix(expr, "(?i)") {
		expr = "(?i)" + strings.ReplaceAll(expr[len("(?i)"):], "i", "[iıİ]")
	}
	re, err := syntax.Parse(pythonSyntax.Replace(expr), syntax.Perl)
	if err != nil {
		panic(err)
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		panic(err)
	}
	p := &pythonPattern{prog: prog}
	p.addFirst(uint32(prog.Start), map[uint32]bool{})
	return p
}

// addFirst adds the first bytes of what can match from pc on.
func (p *pythonPattern) addFirst(pc uint32, seen map[uint32]bool) {
	if seen[pc] {
		return
	}
	seen[pc] = true
	switch in := &p.prog.Inst[pc]; in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		p.addFirst(in.Out, seen)
		p.addFirst(in.Arg, seen)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		p.addFirst(in.Out, seen)
	default:
		for b := range p.first {
			p.first[b] = p.first[b] || b >= utf8.RuneSelf || in.MatchRune(rune(b))
		}
	}
}

// A backtracker runs patterns, with memory that searches share.
type backtracker struct {
	jobs    []job
	visited []uint64
}

type job struct {
	pc uint32
	at int
}

// all calls found for each match in s, from left to right, without overlaps.
func (b *backtracker) all(p *pythonPattern, s string, found func(start, end int)) {
	// A state that failed once fails for every start, so one set of visited states makes a search linear.
	size := (len(p.prog.Inst)*(len(s)+1) + 63) / 64
	if cap(b.visited) < size {
		b.visited = make([]uint64, size)
	}
	b.visited = b.visited[:size]
	clear(b.visited)
	for start := 0; start < len(s); {
		if !p.first[s[start]] {
			start++
			continue
		}
		if end := b.match(p, s, start); end > start {
			found(start, end)
			start = end
			continue
		}
		_, width := utf8.DecodeRuneInString(s[start:])
		start += width
	}
}

// match returns the end of the match that begins at start, or -1.
func (b *backtracker) match(p *pythonPattern, s string, start int) int {
	b.jobs = append(b.jobs[:0], job{uint32(p.prog.Start), start})
	for len(b.jobs) > 0 {
		j := b.jobs[len(b.jobs)-1]
		b.jobs = b.jobs[:len(b.jobs)-1]
		for {
			state := j.at*len(p.prog.Inst) + int(j.pc)
			if b.visited[state/64]&(1<<(state%64)) != 0 {
				break
			}
			b.visited[state/64] |= 1 << (state % 64)
			in := &p.prog.Inst[j.pc]
			switch in.Op {
			case syntax.InstMatch:
				return j.at
			case syntax.InstAlt, syntax.InstAltMatch:
				b.jobs = append(b.jobs, job{in.Arg, j.at})
			case syntax.InstEmptyWidth:
				if syntax.EmptyOp(in.Arg) == syntax.EmptyWordBoundary && !wordBoundary(s, j.at) {
					j.pc = noInst
				}
			case syntax.InstCapture, syntax.InstNop:
			default:
				r, width := utf8.DecodeRuneInString(s[j.at:])
				if width == 0 || !in.MatchRune(r) {
					j.pc = noInst
					break
				}
				j.at += width
			}
			if j.pc == noInst {
				break
			}
			j.pc = in.Out
		}
	}
	return -1
}

const noInst = ^uint32(0)

func wordBoundary(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return (at > 0 && isWord(before)) != (at < len(s) && isWord(after))
}

// isWord reports whether Python's \w matches r.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum(byte(r)) || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

func isAlnum(c byte) bool { return isDigit(c) || (c|0x20)-'a' < 26 }

func isDigit(c byte) bool { return c-'0' < 10 }
