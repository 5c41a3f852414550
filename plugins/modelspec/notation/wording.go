package notation

// SectionKind is what a section of a developer's text enables.
type SectionKind string

// The kinds of sections.
const (
	ToolSection   SectionKind = "tool"
	AnswerSection SectionKind = "answer"    // an answer in JSON
	ThinkSection  SectionKind = "reasoning" // thoughts
	TextSection   SectionKind = "markdown"  // texts for people
)

// A wording is the fixed text around what a section enables. Sections are written and read by it.
type wording struct {
	head, tail     string // around the name of a tool, on the line above
	before, behind string // around the format, up to its backticks
	only           string // in the place of before, where no other format is wanted
	several        string // behind that, where a message may hold several calls
	schema         string // what introduces a block with a schema
}

// wordings lists the wordings of each kind. The first is the one without variation.
var wordings = map[SectionKind][]wording{
	ToolSection: {
		{
			head: "## ", before: "You can use the `", behind: "` response format to call this tool",
			several: ", once or several times in a list,", schema: " with the following schema:\n",
		},
		{
			head: "### ", before: "To call this tool, respond in the `", behind: "` format",
			several: ", with one call or several in a list", schema: ", which has this schema:\n",
		},
		{
			head: "# ", before: "Call this tool with a message in the `", behind: "` format",
			several: ", which may hold several calls in a list", schema: ". What it holds follows this schema:\n",
		},
		{
			head: "**", tail: "**", before: "Messages in the `", behind: "` response format call this tool",
			several: ", each once or several times in a list", schema: ". They are described by this schema:\n",
		},
		{
			head: "## Tool: ", before: "When you need this tool, write to it in the `", behind: "` message format",
			several: ", one call or several in a list", schema: ", as this schema says:\n",
		},
	},
	AnswerSection: {
		{before: "Respond in the `", only: "Respond only in the `", behind: "` response format", schema: " with the following schema:\n"},
		{before: "Give your answer in the `", only: "You must answer in the `", behind: "` format", schema: ", which has this schema:\n"},
		{before: "Write the answer in the `", only: "Always write the answer in the `", behind: "` format", schema: ". It follows this schema:\n"},
	},
	ThinkSection: {
		{before: "Before you answer or call a tool, think in the `", behind: "` response format."},
		{before: "Think in the `", behind: "` format before you answer or call a tool."},
		{before: "Write down what you think in the `", behind: "` format, and then answer or call a tool."},
	},
	TextSection: {
		{before: "Where you call no tool, respond in the `", behind: "` format."},
		{before: "What you say to people stands in the `", behind: "` response format."},
		{before: "You can answer in the `", behind: "` format."},
	},
}

// The introductions of a schema in prose.
const (
	takes = ". It takes "
	is    = ". It is "
)

// formatOf is the format that sections of a kind enable; each tool has its own.
var formatOf = map[SectionKind]string{AnswerSection: "json", ThinkSection: Reasoning, TextSection: "markdown"}

// Wordings returns the number of wordings of a kind.
func Wordings(kind SectionKind) int { return len(wordings[kind]) }

// A mark is where the sentence of a wording begins in a text.
type mark struct {
	kind    SectionKind
	wording int
	only    bool
	from    int // in the text
	format  int // where the format begins
}

// marksOf returns the marks of a text, in order. Each ends with a backtick.
func marksOf(text string) (all []mark) {
	for i := range len(text) {
		if text[i] != '`' {
			continue
		}
		for _, m := range phrases {
			if n := i + 1 - len(m.phrase); n >= 0 && text[n:i+1] == m.phrase {
				all = append(all, mark{m.kind, m.wording, m.only, n, i + 1})
			}
		}
	}
	return all
}

// phrases lists the beginnings of all sentences, each up to its backtick.
var phrases = func() (all []phrase) {
	for _, kind := range []SectionKind{ToolSection, AnswerSection, ThinkSection, TextSection} {
		for i, w := range wordings[kind] {
			all = append(all, phrase{kind, i, false, w.before})
			if w.only != "" {
				all = append(all, phrase{kind, i, true, w.only})
			}
		}
	}
	return all
}()

type phrase struct {
	kind    SectionKind
	wording int
	only    bool
	phrase  string
}
