package fingerprint

import (
	"encoding/binary"
	"slices"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// What is compared exactly: a text of fewer words than short, in longer ones each line of fewer than shortLine, and in longer lines
// each sentence of at most shortSentence, and the last one if it is shorter than a text may be. A request among a preamble that many
// rows share is mostly one of them.
const (
	short         = 16
	shortLine     = 24
	shortSentence = 8

	// maxTokens bounds the memory for the tokens of a text.
	maxTokens = 1 << 20
)

// isLong says what of a row is compared by its sketch.
type isLong struct {
	any, answer bool
	others      bool // what is not of users
	tooLong     bool // to be compared
}

// Marks in the hash of what is short.
const (
	turnMark = 1 + iota
	longMark
	lineMark
)

// kinds is a set of kinds of parts.
type kinds uint

func kindsOf(all ...canonical.Kind) (set kinds) {
	for _, k := range all {
		set |= 1 << k
	}
	return set
}

var (
	texts  = kindsOf(canonical.TextPart)
	steps  = kindsOf(canonical.TextPart, canonical.CallPart, canonical.ResultPart)
	answer = kindsOf(canonical.TextPart, canonical.CallPart, canonical.ReasoningPart)
)

// exact computes what of a row is compared exactly, and how its questions are worded.
func (s *sketcher) exact(row *canonical.Row, sk *Sketch) (long isLong) {
	asked := slices.IndexFunc(row.Turns, func(t canonical.Turn) bool { return t == lastUser(row) })
	for i, t := range row.Turns {
		of, limit := texts, short
		switch t.Role {
		case canonical.System, canonical.Developer:
			if s.said(row, t, of, limit); len(s.read.tokens) < short { // an order such as "Is this spam?"
				sk.foldAll(s.read.tokens)
			}
			continue
		case canonical.User:
			limit = maxTokens
		case canonical.Tool:
			long.any, long.others = true, true
		}
		if i > asked { // the response answers these
			of = steps
		}
		if more := s.said(row, t, of, limit); more {
			long.any, long.others = true, true
		}
		tokens := s.read.tokens
		sk.fold(turnMark<<8 | uint64(t.Role))
		if t.Role == canonical.User {
			sk.ask(tokens)
			long.tooLong = long.tooLong || len(tokens) >= maxTokens
		}
		if len(tokens) < short {
			sk.foldAll(tokens)
			continue
		}
		sk.fold(longMark)
		if long.any = true; t.Role == canonical.User {
			sk.foldLines(tokens)
		} else {
			long.others = true
		}
	}
	s.said(row, row.Response, answer, short)
	sk.fold(turnMark)
	if long.answer = len(s.read.tokens) >= short; long.answer {
		long.any = true
		sk.fold(longMark)
	} else {
		sk.foldAll(s.read.tokens)
	}
	return long
}

// said reads the tokens of some kinds of a turn's parts, until there are at least limit. It reports whether the turn has others too.
func (s *sketcher) said(row *canonical.Row, t canonical.Turn, of kinds, limit int) (more bool) {
	s.read.tokens = jsontext.Reuse(s.read.tokens)
	for i := t.From; i < t.To; i++ {
		p := &row.Parts[i]
		if of&(1<<p.Kind) == 0 {
			more = true
			continue
		}
		s.read.read(p.Body, limit)
		if p.Kind == canonical.CallPart || p.Kind == canonical.ResultPart {
			s.read.read(p.Name, limit)
			s.read.read(jsontext.Body(p.Value), limit)
		}
	}
	return more
}

func (s *Sketch) fold(n uint64) { s.Exact = spread(s.Exact ^ n) }

func (s *Sketch) foldAll(tokens []token) {
	for _, t := range tokens {
		s.fold(t.word)
	}
}

// ask adds what a user says to the wording.
func (s *Sketch) ask(tokens []token) {
	s.last = uint32(len(tokens))
	s.words += s.last
	left := uint64(0)
	for _, t := range tokens {
		s.asked.add(pairOf(left, t.word), 1)
		left = t.word
	}
	s.asked.add(pairOf(left, 0), 1)
}

// foldLines folds the short lines of a long text, and the short sentences of its long lines.
func (s *Sketch) foldLines(tokens []token) {
	for from, i := 0, 0; i < len(tokens); i++ {
		if tokens[i].ends != endsLine {
			continue
		}
		line := tokens[from : i+1]
		if from = i + 1; len(line) < shortLine && len(line) < len(tokens) {
			s.fold(lineMark)
			s.foldAll(line)
		} else {
			s.foldSentences(line, from == len(tokens))
		}
	}
}

func (s *Sketch) foldSentences(line []token, last bool) {
	for from, i := 0, 0; i < len(line); i++ {
		if line[i].ends == endsWord {
			continue
		}
		sentence := line[from : i+1]
		if from = i + 1; len(sentence) <= shortSentence || last && from == len(line) && len(sentence) < short {
			s.fold(lineMark)
			s.foldAll(sentence)
		}
	}
}

// Append appends the sketch in SketchSize bytes.
func (s *Sketch) Append(b []byte) []byte {
	b = append(append(b, s.Whole[:]...), s.answer[:]...)
	b = binary.LittleEndian.AppendUint64(b, s.Exact)
	for _, sum := range s.asked.sums {
		b = binary.LittleEndian.AppendUint32(b, sum)
	}
	b = append(b, s.asked.counts[:]...)
	b = binary.LittleEndian.AppendUint32(b, s.words)
	b = binary.LittleEndian.AppendUint32(b, s.last)
	if s.others {
		return append(b, 1)
	}
	return append(b, 0)
}

// Parse decodes what Append made.
func (s *Sketch) Parse(b []byte) {
	b = b[copy(s.Whole[:], b):]
	b = b[copy(s.answer[:], b):]
	s.Exact, b = binary.LittleEndian.Uint64(b), b[8:]
	number := func() (n uint32) {
		n, b = binary.LittleEndian.Uint32(b), b[4:]
		return n
	}
	for i := range s.asked.sums {
		s.asked.sums[i] = number()
	}
	b = b[copy(s.asked.counts[:], b):]
	s.words, s.last = number(), number()
	s.others = b[0] == 1
}
