package notation

import (
	"testing"
)

// TestPrograms holds which texts are no whole programs.
func TestPrograms(t *testing.T) {
	for _, c := range []struct{ reason, language, text, want string }{
		{"a program", "python", "import os\n\n@x\ndef f(a, *, b=1, **c):\n    '''doc'''\n    if a in {1: 2}:\n        return [i for i in a if i]  # c\n    else:\n        pass\n    return lambda x: x.y[1:2, ...]\n\nmatch a:\n    case 1:\n        print(f\"{a}\", end='')\n", ""},
		{"calls", "python", "play(\n  \"A\",\n  name='B',\n)\nstop(); go(-1, not x)", ""},
		{"brackets", "python", "foo(((", "a bracket without its end"},
		{"a bracket too many", "python", "foo())", "a bracket that closes none"},
		{"a string", "python", "a = 'b", "a string without its end"},
		{"a program", "javascript", "const f = async (a) => { return `x ${a[`y`]} }` + /[/)]/g.test(a) }; // (\nlet b = a / 2 /* ( */", ""},
		{"elements", "jsx", "return <p className='a'>It is {n} > 2</p>", ""},
		{"brackets", "javascript", "foo(((", "a bracket without its end"},
		{"brackets of two kinds", "typescript", "f(a]", "a bracket that closes none"},
		{"a string", "javascript", "'a\n'", "a string without its end"},
		{"a template", "javascript", "`a ${b}", "a template without its end"},
		{"a comment", "javascript", "/* a", "a comment without its end"},
		{"a long string", "python", "a = \"\"\"b\n", "a string without its end"},
		{"what only a parser sees", "python", "open url", ""},
	} {
		if have := programFault(Canonical(c.language), c.text); have != c.want {
			t.Errorf("%s, %s: want %q, have %q", c.language, c.reason, c.want, have)
		}
	}
}
