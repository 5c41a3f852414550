package instruction

import (
	"strings"
	"testing"

	"github.com/sluicehq/sluice/plugins/modelspec/notation"
)

// TestDemanded holds which sentences demand a format. What may mean something else demands none, since the check rejects.
func TestDemanded(t *testing.T) {
	settings := notation.Formats{{Name: "report"}, {Name: "weather:json"}}
	for _, c := range []struct{ reason, text, want string }{
		{"the document's", "You may only respond in the `plaintext` format.", "plaintext"},
		{"the document's, which says what the answer is", "Create a basic HTML form. Respond with only the form code using `html` format.", "html"},
		{"without the word format", "You MUST respond in `plaintext`.", "plaintext"},
		{"a command", "Respond only in `html`.", "html"},
		{"a command with the adverb first", "Always answer in `markdown`.", "markdown"},
		{"two formats", "Be brief. You must answer in the `json` or `yaml`\nformat.", "json yaml"},
		{"a format of the settings", "Always respond in the `report` response format.", "report"},
		{"the last counts", "You must answer in the `json` format. Later: always answer in the `html` format.", "html"},
		{"an abbreviation", "Respond only in the `js` format.", "javascript"},
		{"capitals", "You must answer in `JSON`.", "json"},
		{"all responses", "All responses must be in the `json` format.", "json"},
		{"your answer", "Your answer must be in `xml`.", "xml"},
		{"your responses, as a fact", "Your responses are always written in the `json` format.", "json"},
		{"the response", "The response must be given in the `csv` format.", "csv"},
		{"answers of nobody in particular", "Answers must be in the `json` format.", "json"},
		{"use for responses", "Only use the `plaintext` format for your responses.", "plaintext"},
		{"use for answers", "You must use `yaml` for all your answers.", "yaml"},
		{"the assistant", "The assistant always responds in the `json` format.", "json"},
		{"an object that is the answer", "Always write the answer in the `json` format.", "json"},
		{"to the user", "You must always reply to the user in the `json` format.", "json"},
		{"the adverb behind", "Respond in the `json` format only.", "json"},
		{"the adverb in the middle", "You shall answer exclusively in the `html` format.", "html"},
		{"permitted", "You are only allowed to respond in `json`.", "json"},
		{"behind a lead", "From now on, you must respond in the `json` format.", "json"},
		{"it is important", "It is important that you always respond in the `json` format.", "json"},
		{"what and adds", "You must be brief and respond in the `json` format.", "json"},
		{"what and adds, with an adverb", "Be brief and always respond in the `json` format.", "json"},
		{"what an assistant is", "You are a helpful assistant that only responds in the `json` format.", "json"},
		{"code of a language", "Respond only in `python` code.", "python"},
		{"what else is said of it", "Always answer in `markdown` with blocks of code.", "markdown"},
		{"emphasis", "You **must** respond in the `json` format.", "json"},
		{"an item of a list", "Rules:\n- Be brief\n- Always respond in the `json` format\n- Be kind", "json"},
		{"a numbered item", "1. Be brief.\n2. Only respond in the `json` format.", "json"},
		{"a line of its own", "You are a poet\nAlways respond in the `json` format", "json"},
		{"behind a heading", "# Output\nYou must respond in the `json` format.", "json"},
		{"a schema behind", "Respond only in the `json` response format with the following schema:", "json"},
		{"a semicolon", "Never lie; always respond in the `json` format.", "json"},

		{"questions about something", "You are a coding tutor. Only answer questions about code in `python`.", ""},
		{"data in a format", "You only answer questions about data in the `csv` format.", ""},
		{"files in a format", "Answer questions about config files, which are always written in `yaml`.", ""},
		{"the user", "The user must respond in the `json` format.", ""},
		{"another's responses", "The API's responses are always in the `json` format.", ""},
		{"another's output, in a clause", "You must explain that our API always returns output in `json`.", ""},
		{"what users always do", "Users always answer in the `json` format.", ""},
		{"what the user is told", "Tell the user that you must respond in the `json` format.", ""},
		{"what another does and must", "The server reads and must respond in the `json` format.", ""},
		{"a rule for the user", "The user must follow this rule: always respond in the `json` format.", ""},
		{"a response of nobody, as a fact", "The response is always in the `json` format.", ""},
		{"a topic", "Only answer technical matters in `python`.", ""},
		{"files that are given", "You must always answer with files that are in the `yaml` format.", ""},
		{"a part of an answer", "Always respond with a loop in `python`.", ""},
		{"a field", "You must answer in the `json` field.", ""},
		{"a subject that is named for a language", "Only answer in `python` code reviews.", ""},
		{"what an API does", "You are an agent for an API that always responds in the `json` format.", ""},
		{"output of a program", "Write a program. The output must be in the `csv` format.", ""},
		{"responses of an API", "All responses of the API must be in the `json` format.", ""},
		{"requests in a format", "You must respond to requests in the `json` format.", ""},
		{"what another must do", "You must always be polite, and the API must respond in the `json` format.", ""},
		{"other objects", "You must write tests in `python`.", ""},
		{"other uses", "Always use the `json` format for requests.", ""},
		{"a condition behind", "You may only respond in the `yaml` format if asked to.", ""},
		{"a condition that introduces", "When the user asks for data: respond only in the `json` format.", ""},
		{"a condition that introduces a list", "When the user asks for data:\n- Be brief.\n- Respond only in the `json` format.", ""},
		{"what is forbidden", "You must not respond in the `yaml` format.", ""},
		{"what is not always so", "You don't always respond in the `json` format.", ""},
		{"no only", "Respond in the `json` format.", ""},
		{"an only of something else", "Respond in the `json` format and only speak of cars.", ""},
		{"one of the answers", "Your first response must be in `json`.", ""},
		{"two sentences", "You must always be polite. The `json` format is read.", ""},
		{"a tool's format", "Only respond in the `weather:json` format.", ""},
		{"a format of dates", "Always respond with dates in the `iso` format.", ""},
		{"a part of the answers", "For code you must respond in the `python` format.", ""},
		{"a quotation", "The user says \"you must respond in the `json` format\".", ""},
		{"a fence", "```text\nYou must respond in the `json` format.\n```", ""},
		{"two paragraphs", "You must read the answer in the\n\n`json` format.", ""},
		{"an exception", "You can only respond in the `json` format, except that you greet in the `html` one.", ""},
	} {
		if have := strings.Join(read(c.text, settings, false).Firm.Formats, " "); have != c.want {
			t.Errorf("%s: want %q, have %q in %s", c.reason, c.want, have, c.text)
		}
	}
}
