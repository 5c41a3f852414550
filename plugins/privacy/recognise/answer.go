package recognise

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy/ascii"
	"github.com/sluicehq/sluice/plugins/privacy/prefilter"
	"github.com/sluicehq/sluice/plugins/privacy/rules"
	"github.com/sluicehq/sluice/plugins/privacy/shape"
)

const (
	maxQuestion = 120 // the most bytes of the end of a question that are read
	maxAnswer   = 80
	wordsOfNoun = 4 // the most words of what a question asks for
)

// speakerForm is what transcripts have before what somebody says: the time, and a name.
var speakerForm = shape.Compiled(`^[ \t>*-]{0,4}(?:\[[^\]\n]{1,24}\] ?|\(?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?\)? ){0,2}[\pL][\pL\pN ._()-]{0,24}[*]{0,2}:[*]{0,2}[ \t]+`)

// leadForm is what people say before the value that they were asked for.
var leadForm = shape.Compiled(`^(?i:(?:sure|yes|yeah|ok|okay|of course|ja|oui|sí|sim)[,.!]? )?(?i:it's|it is|it’s|that's|that is|that’s|my [a-z ]{1,20} is|das ist|c'est|es|é|è|to)? ?`)

// asked reads the question, or request, that ends the line at at, and the line of the next speaker as a value of what it asks for, as the
// cell of a column is by the name of that.
func (s *Scan) asked(at int) {
	end := at + until(s.s[at:min(len(s.s), at+maxQuestion)], 0, "\n")
	if s.after(end) != '\n' {
		return
	}
	from := max(0, end-maxQuestion)
	from += strings.LastIndexByte(s.s[from:end], '\n') + 1
	class := s.askedFor(strings.TrimRight(s.s[from:end], " \t\r?.:*"))
	if class == 0 {
		return
	}
	start := s.lineOn(end)
	stop := until(s.s[:min(len(s.s), start+maxAnswer)], start, "\n")
	label := len(speakerForm().FindString(s.s[start:stop]))
	if label == 0 {
		return
	}
	start += label
	start += len(leadForm().FindString(s.s[start:stop]))
	for stop > start && strings.IndexByte(" \t\r.,\"'`*", s.s[stop-1]) >= 0 {
		stop--
	}
	for start < stop && strings.IndexByte("\"'`*", s.s[start]) >= 0 {
		start++
	}
	answer := s.s[start:stop]
	if answer == "" || class&rules.BirthKey == 0 && strings.Contains(strings.Trim(answer, ascii.DigitBytes+"+()-./ "), " ") {
		return // a sentence
	}
	s.cell(span{start, stop}, class, false)
}

// askedFor returns the class of what a question ends with, as in: what is your date of birth.
func (s *Scan) askedFor(question string) rules.Class {
	cues, words := rules.Cues(), strings.Fields(question)
	for n := 1; n <= wordsOfNoun && n < len(words); n++ {
		before := strings.ToLower(words[len(words)-n-1])
		what := before == "the" && strings.Contains(strings.ToLower(question), "what")
		if !what && !slices.Contains(cues.Yours, before) && !strings.HasSuffix(before, "'s") && !strings.HasSuffix(before, "’s") {
			continue
		}
		class := s.Class(strings.Join(words[len(words)-n:], " "))
		return class&columnClasses | class&^(rules.FirstOwn-1)
	}
	return 0
}

// addQuestions adds what ends a question, and what begins a request.
func (e *Engine) addQuestions() {
	never := func(string, int) bool { return false } // the answer or its word is enough
	for _, end := range []string{"?\n", "?\r\n"} {
		e.add(prefilter.Anchor{Text: end}, handler{try: (*Scan).asked, counts: never})
	}
	for _, request := range rules.Cues().Request {
		e.add(prefilter.Anchor{Text: request, Fold: true}, handler{try: (*Scan).asked, counts: never})
	}
}
