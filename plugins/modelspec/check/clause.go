package check

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// A stance is what a clause says of a format that it names. The zero value lets it be used.
type stance uint8

const (
	allows  stance = iota
	demands        // it and no other: "only respond in the `json` format"
	forbids        // "never use the `yaml` format"
	lifts          // it may be used and need not be: "you no longer have to respond in `json`"
)

var (
	verbs = []string{
		"respond", "answer", "reply", "return", "output", "write", "use", "produce", "emit", "speak",
		"answers", "response", "responses", "reply", "replies", "outputs", "message", "messages",
	}
	musts      = []string{"only", "exclusively", "solely", "must", "always", "shall", "have to", "required to", "nothing else", "no other"}
	conditions = []string{"if", "when", "whenever", "unless", "until", "while", "where", "once", "to call", "in case"}
	nots       = []string{
		"not", "never", "no", "nor", "neither", "nothing", "none", "avoid", "without", "refuse", "ignore", "reject", "forbidden", "prohibited",
	}
	// duties say the opposite of the word "not" in them, and freedoms that one may and need not.
	duties   = []string{"not forget", "never forget", "not fail", "never fail", "not hesitate", "never hesitate", "not only", "no matter"}
	freedoms = []string{
		"not need", "not have to", "not required", "not necessary", "not obliged", "not limited", "no longer have to", "no longer need",
		"no longer required", "no need", "not restricted",
	}
	others     = []string{"but", "except", "except for", "other than", "besides", "apart from"}
	instead    = []string{"instead of", "rather than", "in place of"}
	adjectives = []string{"the", "a", "an", "valid", "raw", "pure", "plain", "strict", "following", "this", "one", "single"}
	ways       = []string{"in", "as", "using", "use", "with", "be", "only", "via", "through"}
	verdicts   = []string{"is", "are", "must", "may", "should", "can", "will", "does", "do", "was"}
	languages  = []string{
		"json", "jsonl", "yaml", "xml", "csv", "html", "markdown", "plaintext", "text", "python", "javascript", "typescript", "sql", "latex", "svg", "toml",
		"rust", "go", "java", "diff", "svelte", "css",
	}
	// follow are the words that may stand behind the name of a language which a clause ends with.
	follow = []string{"only", "exclusively", "with", "and", "or", "so", "at", "from", "please", "nothing", "code", "data", "objects", "object", "always"}
)

// stanceOf tells what a clause says of the format between two parts of it. sentence is all that it stands in.
func stanceOf(format, before, behind, sentence string) stance {
	before, behind = wordsOf(before), wordsOf(behind)
	not := denies(before, behind)
	switch {
	case ends(before, instead):
		return forbids
	case has(before, freedoms) || has(behind, freedoms):
		return lifts
	case ends(before, others) && not:
		return demands // no format but this
	case ends(before, others):
		return forbids // any format but this
	case not && has(wordsOf(sentence), []string{"unless", "until"}):
		return allows
	case not:
		return forbids
	}
	clause := before + behind
	asked := has(clause, musts) && has(clause, verbs) && (isWay(before, ways) || isWay(before, verbs)) && isFormat(format, behind)
	if asked && !has(wordsOf(sentence), conditions) {
		return demands
	}
	return allows
}

// denies tells whether a clause says not, before the name of a format or of it: "`html` is not allowed".
func denies(before, behind string) bool {
	for _, phrase := range duties {
		before = strings.ReplaceAll(before, " "+phrase+" ", " ")
	}
	if has(before, nots) {
		return true
	}
	rest := strings.Fields(behind)
	for len(rest) > 0 && slices.Contains([]string{"response", "message", "format", "formats", "tool", "responses"}, rest[0]) {
		rest = rest[1:]
	}
	return len(rest) > 0 && slices.Contains(verdicts, rest[0]) && has(behind, nots) && !has(behind, duties)
}

// isWay tells whether what stands before a name ends with a word that makes it the way in which to speak.
func isWay(before string, words []string) bool {
	all := strings.Fields(before)
	for len(all) > 0 && slices.Contains(adjectives, all[len(all)-1]) {
		all = all[:len(all)-1]
	}
	return len(all) > 0 && slices.Contains(words, all[len(all)-1])
}

// isFormat tells whether a name is called a format, or is that of a language and nothing else.
func isFormat(format, behind string) bool {
	rest := strings.Fields(behind)
	if len(rest) > 1 && (rest[0] == "response" || rest[0] == "message") {
		rest = rest[1:]
	}
	if len(rest) > 0 && (rest[0] == "format" || rest[0] == "syntax") {
		return true
	}
	_, language := notation.Split(format)
	return slices.Contains(languages, language) && (len(rest) == 0 || slices.Contains(follow, rest[0]))
}

// has tells whether a text, as wordsOf gives it, has one of some phrases.
func has(text string, phrases []string) bool {
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, " "+p+" ") })
}

// ends tells whether a text, as wordsOf gives it, ends with one of some phrases, but for adjectives.
func ends(text string, phrases []string) bool {
	for _, adjective := range []string{" the ", " a ", " an "} {
		if rest, ok := strings.CutSuffix(text, adjective); ok {
			text = rest + " "
		}
	}
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.HasSuffix(text, " "+p+" ") })
}

// wordsOf gives the words of a text in lower case, with a blank before and behind each. A contracted "not" is a word.
func wordsOf(text string) string {
	text = contractions.Replace(strings.ToLower(text))
	return " " + strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) }), " ") + " "
}

var contractions = strings.NewReplacer("cannot", "can not", "n't", " not", "n’t", " not")

func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}

// speaks tells whether a text names a language as a format without a code span: "respond in JSON format". What is negated or
// quoted, or stands in a fenced block, is no permission.
func speaks(text, language string) bool {
	fenced := false
	for line := range strings.Lines(text) {
		fenced = fenced != strings.HasPrefix(strings.TrimLeft(line, " \t"), "```")
		for line != "" && !fenced {
			end := sentenceEnd(line)
			if sentence := line[:end]; strings.Contains(strings.ToLower(sentence), language) && !strings.HasPrefix(line, ">") {
				before, behind, found := strings.Cut(wordsOf(unmarked(sentence)), " "+language+" ")
				if found && namesFormat(language, before+" ", " "+behind) {
					return true
				}
			}
			line = line[end:]
		}
	}
	return false
}

// namesFormat tells whether a language between two parts of a sentence is a format that may be used.
func namesFormat(language, before, behind string) bool {
	called := strings.HasPrefix(behind, " format ") || strings.HasPrefix(behind, " response format ") || isWay(before, ways) && isFormat(language, behind)
	return called && !denies(before, behind) && !ends(before, instead) && !ends(before, others)
}

// unmarked leaves out what stands in quotation marks or in code spans.
func unmarked(sentence string) string {
	for _, mark := range []string{"`", `"`} {
		parts := strings.Split(sentence, mark)
		for i := range parts {
			if i%2 == 1 {
				parts[i] = ""
			}
		}
		sentence = strings.Join(parts, " ")
	}
	return sentence
}
