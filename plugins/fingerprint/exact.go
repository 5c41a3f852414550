package fingerprint

import (
	"encoding/binary"

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
)

// isLong says what of a row is compared by its sketch.
type isLong struct{ any, answer bool }

// Marks in the hash of what is short.
const (
	turnMark = 1 + iota
	longMark
	lineMark
)

// exact computes what of a row is compared exactly, and how its questions are worded.
func (s *sketcher) exact(row *canonical.Row, sk *Sketch) (long isLong) {
	for _, t := range row.Turns {
		switch t.Role {
		case canonical.System, canonical.Developer:
			if s.said(row, t, short); len(s.read.tokens) < short { // an order such as "Is this spam?"
				sk.foldAll(s.read.tokens)
			}
			continue
		case canonical.Tool:
			long.any = true
			continue
		}
		limit := short
		if t.Role == canonical.User {
			limit = int(^uint(0) >> 1)
		}
		if s.said(row, t, limit) {
			long.any = true // also calls
		}
		tokens := s.read.tokens
		sk.fold(turnMark<<8 | uint64(t.Role))
		if t.Role == canonical.User {
			sk.ask(tokens)
		}
		if len(tokens) < short {
			sk.foldAll(tokens)
			continue
		}
		sk.fold(longMark)
		if long.any = true; t.Role == canonical.User {
			sk.foldLines(tokens)
		}
	}
	s.said(row, row.Response, short)
	for i := row.Response.From; i < row.Response.To; i++ {
		switch p := &row.Parts[i]; p.Kind {
		case canonical.CallPart:
			s.read.read(p.Name, short)
			s.read.read(jsontext.Body(p.Value), short)
		case canonical.ReasoningPart:
			s.read.read(p.Body, short)
		}
	}
	sk.fold(turnMark)
	if long.answer = len(s.read.tokens) >= short; long.answer {
		long.any = true
		sk.fold(longMark)
	} else {
		sk.foldAll(s.read.tokens)
	}
	return long
}

// said reads the tokens of a turn's texts, until there are at least limit. It reports whether the turn has other parts too.
func (s *sketcher) said(row *canonical.Row, t canonical.Turn, limit int) (more bool) {
	s.read.tokens = jsontext.Reuse(s.read.tokens)
	for i := t.From; i < t.To; i++ {
		if p := &row.Parts[i]; p.Kind == canonical.TextPart {
			s.read.read(p.Body, limit)
		} else {
			more = true
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

// append appends the sketch to a label.
func (s *Sketch) append(b []byte) []byte {
	b = append(append(b, s.Whole[:]...), s.answer[:]...)
	b = binary.LittleEndian.AppendUint64(b, s.Exact)
	for _, sum := range s.asked.sums {
		b = binary.LittleEndian.AppendUint32(b, sum)
	}
	b = append(b, s.asked.counts[:]...)
	b = binary.LittleEndian.AppendUint32(b, s.words)
	return binary.LittleEndian.AppendUint32(b, s.last)
}

// parse decodes what append made.
func (s *Sketch) parse(b []byte) {
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
}
