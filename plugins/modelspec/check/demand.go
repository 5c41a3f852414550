package check

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// A demanded lists the formats of which a message of the platform or a developer demands one.
type demanded struct {
	at      int // the message
	formats []string
}

// demandedFormat finds an answer in another format than the one that a platform or developer message demands last, as "You may
// only respond in the `plaintext` format" does. Calls and thoughts are no answers.
func demandedFormat(v *view, i int, m *notation.Message) string {
	if m.Format == notation.Reasoning || v.isCall(i) {
		return ""
	}
	for _, d := range slices.Backward(v.demanded) {
		if d.at > i {
			continue
		}
		if format := notation.Canonical(m.Format); !slices.Contains(d.formats, format) {
			return v.want("the format that the "+string(v.messages[d.at].Role)+" demands, "+quote(strings.Join(d.formats, " or ")), m.Format)
		}
		return ""
	}
	return ""
}

var (
	sentences = regexp.MustCompile("(?:`[^`]*`|[^.!?:`])+")
	demands   = regexp.MustCompile(`(?i)\b(?:only|must|always|shall|exclusively)\b`)
	answering = regexp.MustCompile(`(?i)\b(?:respond|answer|reply|responses?|output)\b`)
	// conditional finds sentences that demand a format for a part of the answers, or forbid one.
	conditional = regexp.MustCompile(`(?i)\b(?:if|when|whenever|where|while|unless|until|before|after|for|except|no|not|never|avoid|call|tools?|forget|need|have to|` +
		`either|first|each|every|also|should|can use|may use)\b|n['’]t\b`)
	inFormat   = regexp.MustCompile("(?i)\\b(?:in|as|with|using)(?: the| an?)? `[A-Za-z0-9_-]+`")
	formatSpan = regexp.MustCompile("`([A-Za-z0-9_-]+)`")
)

// demandWords are the words that demands finds.
var demandWords = []string{"only", "must", "always", "shall", "exclusively"}

// demandedIn returns the formats that the last sentence of a text demands which demands any. It knows formats of the settings and
// languages: the span of "the `slug` format" may be a format of something in an answer.
func (v *view) demandedIn(text string) (formats []string) {
	if !strings.Contains(text, "`") || !slices.ContainsFunc(demandWords, func(word string) bool { return holdsFold(text, word) }) {
		return nil
	}
	var paragraph []string
	end := func() {
		text := strings.Join(paragraph, " ")
		if !strings.Contains(text, "`") || !inFormat.MatchString(text) {
			text = ""
		}
		for _, s := range sentences.FindAllString(text, -1) {
			words := formatSpan.ReplaceAllString(s, "")
			if !inFormat.MatchString(s) || !demands.MatchString(words) || !answering.MatchString(words) || conditional.MatchString(words) {
				continue
			}
			var found []string
			for _, m := range formatSpan.FindAllStringSubmatch(s, -1) {
				format := notation.Canonical(m[1])
				_, listed := v.Formats.Find(format)
				if !listed && !isLanguage.MatchString(format) {
					found = nil
					break
				}
				found = append(found, format)
			}
			if found != nil {
				formats = found
			}
		}
		paragraph = paragraph[:0]
	}
	unfenced(text, func(line string) {
		if line == "" {
			end()
			return
		}
		paragraph = append(paragraph, line)
	}, func(string) { end() })
	end()
	return formats
}

var isLanguage = regexp.MustCompile(`^(?i:` + languages + `)$`)

// defaultTurn finds a text behind which the assistant goes on with another one: by default it ends its turn after one message.
func defaultTurn(v *view, i int, m *notation.Message) string {
	if m.EndTurn || i+1 == len(v.messages) || !notation.IsText(m.Format) {
		return ""
	}
	if next := &v.messages[i+1]; next.Role == notation.Assistant && notation.IsText(next.Format) {
		return "want end_turn after one message of text, have a second one in " + quote(next.Format)
	}
	return ""
}

// announced matches a line that announces a text which is no instruction, such as "From the following news article:".
var announced = regexp.MustCompile(`(?i)\b(?:following|this|below)\b(?: [\w'’-]+){0,3} ` +
	`(?:articles?|documents?|contexts?|texts?|e-?mails?|passages?|transcripts?|excerpts?|pages?|contents?|paragraphs?|logs?|reviews?|posts?|notes|reports?)\b[^.!?\n]*:$`)

// contextEscaped finds a text that is no instruction in a message that instructs, if it reads there like an instruction: without a
// fence, quotation marks, tags or brackets around it.
func contextEscaped(v *view, i int, m *notation.Message) string {
	if !m.Instructs() || !strings.Contains(v.texts[i], ":") {
		return ""
	}
	waiting, found := false, false
	fence := ""
	for line := range strings.Lines(v.texts[i]) {
		line = strings.TrimSpace(line)
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "":
			if line == ticks && len(ticks) >= len(fence) {
				fence = ""
			}
		case len(ticks) >= 3:
			fence, waiting = ticks, false
		case line == "":
		case waiting && strings.IndexAny(line, "\"'“‘«>{[<|`") != 0:
			found = true
		default:
			waiting = strings.HasSuffix(line, ":") && announced.MatchString(line)
		}
	}
	if !found {
		return ""
	}
	return "want text that is no instruction in a fence, quotation or tags, have it as it is behind a line that announces it"
}
