package check

import (
	"testing"
)

func TestPrograms(t *testing.T) {
	for _, c := range []struct{ reason, language, text, want string }{
		{"a program", "python", "import os\n\n@x\ndef f(a, *, b=1, **c):\n    '''doc'''\n    if a in {1: 2}:\n        return [i for i in a if i]  # c\n    else:\n        pass\n    return lambda x: x.y[1:2, ...]\n\nmatch a:\n    case 1:\n        print(f\"{a}\", end='')\n", ""},
		{"calls", "python", "play(\n  \"A\",\n  name='B',\n)\nstop(); go(-1, not x)", ""},
		{"brackets", "python", "foo(((", "a bracket without its end"},
		{"a bracket too many", "python", "foo())", "a bracket that closes none"},
		{"two values", "python", "open url", "two values with nothing between"},
		{"a string", "python", "a = 'b", "a string without its end"},
		{"indentation", "python", "a = 1\n  b = 2", "an indentation that nothing asks for"},
		{"no block", "python", "if a:\nb = 2", "a block without statements"},
		{"an operator", "python", "a = 1 +\n", "an operator without its end"},
		{"a keyword that is a name", "python", "x?", "a character that Python does not have"},
		{"a program", "javascript", "const f = async (a) => { return `x ${a[`y`]} }` + /[/)]/g.test(a) }; // (\nlet b = a / 2 /* ( */", ""},
		{"elements", "jsx", "return <p className='a'>It is {n} > 2</p>", ""},
		{"brackets", "javascript", "foo(((", "a bracket without its end"},
		{"brackets of two kinds", "typescript", "f(a]", "a bracket that closes none"},
		{"a string", "javascript", "'a\n'", "a string without its end"},
		{"a template", "javascript", "`a ${b}", "a template without its end"},
		{"a comment", "javascript", "/* a", "a comment without its end"},
	} {
		language := c.language
		if language == "jsx" {
			language = "javascript"
		}
		if have := parses(language, c.text); have != c.want {
			t.Errorf("%s, %s: want %q, have %q", c.language, c.reason, c.want, have)
		}
	}
}

func TestGrammars(t *testing.T) {
	for _, c := range []struct {
		reason, grammar, text string
		want                  bool
	}{
		{"rules that begin with themselves", "<s> ::= <s> \"+\" <n> | <n>\n<n> ::= \"1\" | \"2\"", "1+2+1", true},
		{"a rule that wants more", "<s> ::= <s> \"+\" <n> | <n>\n<n> ::= \"1\" | \"2\"", "1+", false},
		{"EBNF", "list = item, { \",\", item } ;\nitem = [ \"-\" ], ( \"a\" | \"b\" ) ;", "-a,b", true},
		{"sets, repetition, a root", "word ::= [a-z]+\nroot ::= word (\" \" word)* [^a-z]?", "ab c!", true},
		{"a set that has not the letter", "root ::= [^0-9]*", "a1", false},
		{"escapes", `root ::= "\n" "\""`, "\n\"", true},
	} {
		g, err := readGrammar(c.grammar)
		if err != nil || g.matches(c.text) != c.want {
			t.Errorf("%s: want %v, have the other (%v)", c.reason, c.want, err)
		}
	}
	for reason, grammar := range map[string]string{"no rule": "a b", "an unknown name": "a ::= b", "a text without its end": "a ::= \"b", "a group without its end": "a ::= (\"b\""} {
		if _, err := readGrammar(grammar); err == nil {
			t.Errorf("%s: want a mistake, have none", reason)
		}
	}
}
