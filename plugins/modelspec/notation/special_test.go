package notation

import (
	"strings"
	"testing"
)

// TestEscapeCode holds how contents in languages are spelled so that they hold no special token and mean what they meant.
func TestEscapeCode(t *testing.T) {
	const broken = "broken"
	for _, c := range []struct{ reason, language, text, want string }{
		{"a string of JSON", "json", `{"a":"<|role|>"}`, `{"a":"\u003c|role|>"}`},
		{"a string of JavaScript", "javascript", "say('<|role|>') // <|x|>", `say('\u003c|role|>') // \u003c|x|>`},
		{"nothing to escape", "yaml", "a: <b", "a: <b"},
		{"a double-quoted scalar", "yaml", `a: "<|role|>" # kept`, `a: "\u003c|role|>" # kept`},
		{"a plain scalar", "yaml", "a: <|role|>\nb: c # gone", "a: \"\\u003c|role|>\"\nb: c"},
		{"a single-quoted scalar", "yaml", "a: '<|role|>'", `a: "\u003c|role|>"`},
		{"a block scalar", "yaml", "a: |\n  x\n  <|role|>\n", `a: "x\n\u003c|role|>\n"`},
		{"a block scalar without its last line break", "yaml", "a: |\n  x\n  <|role|>", `a: "x\n\u003c|role|>"`},
		{"blanks at the end of a line", "yaml", "a: |\n  x \n  <|role|>", `a: "x \n\u003c|role|>"`},
		{"a word that older versions of YAML take for a boolean", "yaml", "a: <|role|>\nb: no", broken},
		{"a word that older versions of YAML take for a number", "yaml", "a: <|role|>\nb: 007", broken},
		{"a key", "yaml", "<|role|>: 1\nl:\n- <|x|>", "\"\\u003c|role|>\": 1\nl:\n  - \"\\u003c|x|>\""},
		{"a comment", "yaml", "a: b # <|role|>", `a: b # \u003c|role|>`},
		{"what is no YAML", "yaml", "a: [<|role|>", `a: [\u003c|role|>`},
		{"YAML that is left to others", "yaml", "a: &x <|role|>\nb: *x", broken},
		{"a string of Python", "python", `say("<|role|>", f'<|x|>')`, `say("\u003c|role|>", f'\u003c|x|>')`},
		{"a long string", "python", "say(\"\"\"a \" '\n<|role|>\"\"\")", "say(\"\"\"a \" '\n\\u003c|role|>\"\"\")"},
		{"a quote that is escaped", "python", `say("\"<|role|>")`, `say("\"\u003c|role|>")`},
		{"a comment of Python", "python", "say(1) # r'<|role|>'", `say(1) # r'\u003c|role|>'`},
		{"a raw string", "python", `say(r"<|role|>")`, broken},
		{"a raw string beside others", "python", `say(r"a", "<|role|>", Rb'b')`, `say(r"a", "\u003c|role|>", Rb'b')`},
		{"bytes", "python", `say(b"<|role|>")`, broken},
		{"a name that ends like a prefix", "python", `bar"<|role|>"`, `bar"\u003c|role|>"`},
		{"a token of the tokenizer's own in a string", "python", `say("<s>")`, `say("\u003cs>")`},
		{"operators that look like one", "python", `a<s>b`, broken},
	} {
		special := Special{}
		if strings.Contains(c.text, "<s>") {
			special = specialOf([]string{"<s>"})
		}
		have, _, _, ok := special.escapeCode(c.text, c.language)
		if !ok {
			have = broken
		}
		if have != c.want {
			t.Errorf("%s: want %s, have %s", c.reason, c.want, have)
		}
		if at, end := special.next(have); at != end {
			t.Errorf("%s: want no special token, have %s", c.reason, have)
		}
	}
}

// FuzzEscapeYAML holds that a value of YAML stays what it is, or is refused.
func FuzzEscapeYAML(f *testing.F) {
	for _, text := range []string{"a: <|b|>", "- '<|b|>'\n- |\n  <|c|>", "{a: <|b|>}", "? <|a|>", "a: >-\n  <|x|>\n\n  y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, verdict := ReadYAML(text)
		escaped, _, _, ok := (&Special{}).escapeCode(text, "yaml")
		if verdict != YAMLRead || !ok {
			return
		}
		if read, _ := ReadYAML(escaped); read != value {
			t.Errorf("want %s, have %s from %q", value, read, escaped)
		}
	})
}
