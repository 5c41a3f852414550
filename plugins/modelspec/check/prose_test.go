package check

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestProse holds what sentences of a developer are understood to say of formats: those that they let the assistant use, and
// behind a bar those that they demand. Where the reading is only a guess, the reason says what is not read.
func TestProse(t *testing.T) {
	for _, c := range []struct{ sentence, want, reason string }{
		// Leave to use a format.
		{"You can use the `browser:json` response format using the following schema:", "browser:json", "a tool is offered"},
		{"Use the `javascript` message format when you want to execute javascript code.", "javascript", "under a condition"},
		{"You can use the `calc` tool to perform inline calculations in your responses.", "calc", "a tool without a language"},
		{"Respond in the `json` response format with the following schema:", "json", "a request lets other formats stand, such as text before it"},
		{"Use `json` for data and `markdown` for prose.", "json markdown", "two formats with a purpose each"},
		{"Both `xml` and `yaml` are accepted.", "xml yaml", "neither is demanded"},
		{"Not only `json` but also `yaml` may be used.", "json yaml", "the word not denies nothing here"},
		{"Tool results come in the `xml` format.", "xml", "a name in backticks is a mention, and a mention enables"},
		{"The `users` table has three columns.", "users", "whether a name is one of a format is not known"},
		{"Always cite sources in `markdown` footnotes.", "markdown", "nothing is demanded of the answer"},
		{"Always write file names in `snake_case`.", "snake_case", "no language, and not called a format"},
		{"You must write commit messages in the `imperative` mood.", "imperative", "a mood is no format"},
		{"You must reply to `alice` only.", "alice", "to whom, not how"},
		{"Respond only with `yes` or `no`.", "no yes", "words of an answer, not formats"},
		{"Return only `true` or `false`.", "false true", "values"},
		{"Return only rows of the `users` table.", "users", "a table"},
		{"Only answer questions about the `pandas` library.", "pandas", "a library"},
		{"Only use the `search:json` tool twice.", "search:json", "how often, not that nothing else may be said"},
		{"The endpoint returns `json`.", "json", "another's output"},
		{"You can use `a:json`. It must respond within a second.", "a:json", "sentences are apart"},
		{"Read the query, in YAML format below, and generate a response in `markdown` format.", "markdown", "generate asks, and demands nothing"},
		// Demands.
		{"You may only respond in the `plaintext` format.", "plaintext|plaintext", "the document's own example"},
		{"Respond with only the form code using `html` format.", "html|html", "the document's own example"},
		{"You must respond in the `plaintext` format", "plaintext|plaintext", "must"},
		{"Always respond in the `json` format", "json|json", "always"},
		{"Respond exclusively as `csv`.", "csv|csv", "exclusively, as"},
		{"All answers must be in `json`.", "json|json", "of the answers"},
		{"Your response must use the `yaml` format.", "yaml|yaml", "of the response"},
		{"Output must be valid `json`.", "json|json", "adjectives stand between"},
		{"Use only the `json` format.", "json|json", "only behind the verb"},
		{"Only use `json`.", "json|json", "a language needs no word for format"},
		{"Output `json` only.", "json|json", "only at the end"},
		{"Respond only with valid `json`.", "json|json", "with"},
		{"Write your answer only in `latex`.", "latex|latex", "a language"},
		{"Only respond in the `tide_table` format.", "tide_table|tide_table", "a format of the developer's own"},
		{"Respond only in `json` or `yaml`.", "json yaml|json yaml", "one of two"},
		{"You must always answer in `json`, `yaml` or `csv`.", "csv json yaml|csv json yaml", "one of three"},
		{"Respond in `json` and nothing else.", "json|json", "nothing else"},
		{"Do not use any format but `json`.", "json|json", "no format but this"},
		{"No format other than `json` is allowed.", "json|json", "no format other than this"},
		{"Nothing except `json` may be written.", "json|json", "nothing except this"},
		{"Never answer in plain text; always use `json`.", "json|json", "clauses are apart"},
		{"Until now you wrote `yaml`; respond only in `json`.", "json yaml", "a condition anywhere in the sentence makes it no demand: not read"},
		{"You shall reply in the `xml` format, whatever the user says.", "xml|xml", "shall"},
		{"Respond only in the `Markdown` format.", "Markdown|Markdown", "names keep their case"},
		// Conditions.
		{"You may only respond in the `yaml` format if asked to.", "yaml", "if"},
		{"When asked for a table, you must respond in the `csv` format.", "csv", "when, in a clause before"},
		{"Unless told otherwise, always use `json`.", "json", "unless"},
		{"You must use the `run:json` response format to call this tool.", "run:json", "how to call, not how to answer"},
		// What is forbidden.
		{"Never use the `yaml` format.", "", "never"},
		{"Never use the `shell:json` format. Schema for the logs:", "", "a tool is forbidden"},
		{"Don't respond in `html`.", "", "a contraction"},
		{"You don’t have access to `browser:json`.", "", "the other apostrophe"},
		{"You cannot use `html`.", "", "one word"},
		{"You mustn't answer in `html`, `xml` or `yaml`.", "", "a list is forbidden as a whole"},
		{"Neither `xml` nor `yaml` will be read.", "", "neither, nor"},
		{"Avoid the `xml` format.", "", "avoid"},
		{"Ignore requests to respond in `html`.", "", "ignore"},
		{"The `html` format is forbidden.", "", "behind the name"},
		{"`html` is not allowed.", "", "behind the name, without the word format"},
		{"The `shell:json` tool does not exist.", "", "behind the name of a tool"},
		{"Respond in any format except `html`.", "", "all but this"},
		{"Don't answer in `markdown`, answer in `json`.", "json", "the second clause denies nothing"},
		{"Use `json`, not `yaml`.", "json", "not behind a comma"},
		{"Answer in `json` instead of `yaml`.", "json", "instead of"},
		{"Instead of `yaml`, use the `json` format.", "json", "instead of, at the beginning"},
		{"Use `json` rather than the `xml` format.", "json", "rather than"},
		{"Respond only in `json`, never in `yaml`.", "json|json", "a demand and what it excludes"},
		// No duty is no prohibition.
		{"It is not necessary to use the `json` format.", "json", "it may be used"},
		{"You no longer have to respond only in `json`.", "json", "a demand is taken back"},
		{"You do not need permission to use `shell:json`.", "shell:json", "no duty"},
		{"Do not forget to respond in the `json` format.", "json", "the word not denies nothing here"},
		{"Never use `yaml` unless the user asks for it.", "yaml", "allowed under a condition"},
		// What others say.
		{`The user may say "respond only in ` + "`html`" + `"; ignore it.`, "", "in quotation marks"},
		{`The phrase "only use ` + "`json`" + `" is an example.`, "", "in quotation marks"},
		{"> Use the `html` format.", "", "a quotation"},
		{"```\nUse the `html` format.\n```", "", "in a fenced block"},
		{"If the user asks for `yaml`, refuse.", "yaml", "that another clause refuses is not read"},
	} {
		n := formatsIn(c.sentence)
		have := strings.Join(slices.Sorted(maps.Keys(n.formats)), " ")
		if len(n.demanded) > 0 {
			have += "|" + strings.Join(slices.Sorted(maps.Keys(n.demanded)), " ")
		}
		if have != c.want {
			t.Errorf("%s (%s): want %q, have %q", c.sentence, c.reason, c.want, have)
		}
	}
}

// TestSpoken holds which sentences name JSON as a format without backticks.
func TestSpoken(t *testing.T) {
	for _, c := range []struct {
		sentence string
		want     bool
		reason   string
	}{
		{"Respond in JSON format, and extract the following data:", true, "the later document's own example"},
		{"Answer as valid JSON.", true, "a way to speak"},
		{"The JSON format is what the service reads.", true, "called a format"},
		{"Don't respond in JSON.", false, "forbidden"},
		{"JSON format is not allowed.", false, "forbidden behind the name"},
		{"Answer in YAML instead of JSON.", false, "instead of"},
		{"Any format except JSON format.", false, "except"},
		{"The user sends JSON.", false, "not how to answer"},
		{"The user may say \"answer in JSON\".", false, "in quotation marks"},
		{"> Answer in JSON.", false, "a quotation"},
		{"Write a JSON parser.", false, "what to write of"},
		{"Use JSON files.", false, "what to use"},
		{"Read this:\n```yaml\nquery: answer in JSON format\n```", false, "in a fenced block"},
		{"Explain what JSONP is.", false, "another word"},
	} {
		if have := speaks(c.sentence, "json"); have != c.want {
			t.Errorf("%s (%s): want %v, have %v", c.sentence, c.reason, c.want, have)
		}
	}
}

// TestLaterDemand holds which demand counts where several messages speak of formats.
func TestLaterDemand(t *testing.T) {
	for _, c := range []struct{ reason, first, second, want string }{
		{"the latest counts", "Respond only in `json`.", "Respond only in `yaml`.", "yaml"},
		{"others stay", "Respond only in `json`.", "Be kind.", "json"},
		{"a permission adds none", "Respond only in `json`.", "You can use `run:json`.", "json"},
		{"taken back", "Respond only in `json`.", "You no longer have to respond only in `json`.", ""},
		{"forbidden", "Respond only in `json`.", "Never use `json`.", ""},
		{"one of two is forbidden", "Respond only in `json` or `yaml`.", "Never use `json`.", "yaml"},
		{"any format", "Respond only in `json`.", "You may respond in any format now.", ""},
		{"not any format", "Respond only in `json`.", "You may not respond in any format you like.", "json"},
		{"any but this", "Respond only in `json`.", "You may use any format except `html`.", "json"},
	} {
		first := formatsIn(c.first).after(nil, c.first)
		have := strings.Join(slices.Sorted(maps.Keys(formatsIn(c.second).after(first, c.second))), " ")
		if have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}
