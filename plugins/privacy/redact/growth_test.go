package redact

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sluicehq/sluice/sdk/sdktest"
)

// hostile are records of about n bytes in which something is many.
var hostile = []struct {
	reason string
	make   func(n int) string
}{
	{"addresses in one array", func(n int) string { return "[" + repeat(`"user@example.com"`, ",", n) + "]" }},
	{"places in one array", func(n int) string { return "[" + repeat(`{"lat":37.7749,"lng":-122.4194}`, ",", n) + "]" }},
	{"GeoJSON positions", func(n int) string { return `{"coordinates":[` + repeat(`[37.7749,-122.4194]`, ",", n) + "]}" }},
	{"personal keys of one object", func(n int) string { return "{" + numbered(`"user%d@example.com":1`, n) + "}" }},
	{"keys that become one, beside numbered ones", func(n int) string {
		return "{" + numbered(`"<EMAIL_ADDRESS>_%[1]d":1,"user%[1]d@example.com":1`, n) + "}"
	}},
	{"personal keys in JSON in a string", func(n int) string { return `{"a":"{` + numbered(`\"user%d@example.com\":1`, n) + `}"}` }},
	{"addresses in one string", func(n int) string { return `"` + repeat("user@example.com", " ", n) + `"` }},
	{"addresses behind escapes", func(n int) string { return `"` + repeat(`user@example.com`, `\n\u00e9`, n) + `"` }},
	{"matches of two ranks in turn", func(n int) string { return `"` + repeat(`user@example.com born 1990-01-02`, " ", n) + `"` }},
	{"commands without credentials", func(n int) string { return `"` + repeat("curl -u", " ", n) + `"` }},
	{"numbers of an array in a text", func(n int) string { return `"x: {\"card\": [` + repeat("4111111111111111", `, \"a\", `, n) + `]}"` }},
	{"numbers of arrays in a text that do not end", func(n int) string { return `"x: ` + repeat("[[4111111111111111", `, `, n) + `]"` }},
	{"cookies of members that do not end", func(n int) string {
		return `"` + repeat(`cookie\":\"a=b`, `\n`, n) + repeat(`cookie':'`, `\\`, n) + `"`
	}},
	{"addresses behind escapes of JSON in a string", func(n int) string { return `"[\"` + repeat(`user@example.com`, `\\u00e9\u0020`, n) + `\"]"` }},
	{"dates behind escapes, which strict reads", func(n int) string { return `"` + repeat(`born: 12.03.198`, `\\u0037 \u0022`, n) + `"` }},
	{"handles in one line", func(n int) string { return `"` + repeat("hey @alice_smith", " ", n) + `"` }},
	{"anchors of keys", func(n int) string { return `"` + repeat("-----BEGIN RSA PRIVATE KEY-----", "abc", n) + `"` }},
	{"prefixes of secrets", func(n int) string { return `"` + repeat("sk-ant-", "hf_", n) + `"` }},
	{"markers", func(n int) string { return `"` + repeat("<EMAIL_ADDRESS>", "password=", n) + `"` }},
	{"names of secrets in one value", func(n int) string { return `"token=` + repeat("token", "=", n) + `"` }},
	{"names of secrets, and quotes that do not close", func(n int) string { return `"` + repeat(`token=\"x`, `password='`, n) + `"` }},
	{"names of secrets, each in a value of its own", func(n int) string { return `"` + repeat(`token=\"a8f5f167f44f4964e6c9\"`, "&secret=", n) + `"` }},
	{"lines below the names of columns", func(n int) string { return `"` + repeat("|--", "|:-", n) + `"` }},
	{"names of columns in one line", func(n int) string { return `"` + repeat("password", ",", n) + `"` }},
	{"words of a script without blanks", func(n int) string { return `"` + repeat("パスワード", "は", n) + `"` }},
	{"calls that do not end", func(n int) string { return `"` + repeat("login(", "auth=(", n) + `"` }},
	{"beginnings of web tokens", func(n int) string { return `"` + repeat("eyJhbGciOiJIUzI1", "-", n) + `"` }},
	{"beginnings of web tokens in two parts", func(n int) string {
		return `"` + repeat("eyJhbGciOiJIUzI1", "-", n/2) + "." + repeat("eyJhbGciOiJIUzI1", "-", n/2) + `"`
	}},
	{"one secret, and many beginnings of it", func(n int) string {
		secret := strings.Repeat("abcdefgh23", n/80)
		return `{"token":"` + secret + `","a":"` + strings.Repeat(secret[:len(secret)-1]+" ", 6) + secret + `"}`
	}},
	{"many secrets and their copies", func(n int) string {
		return "{" + numbered(`"token":"a8f5f167f44f4964%[1]d","n%[1]d":"a8f5f167f44f4964%[1]d"`, n) + "}"
	}},
	{"many short passwords, and words like them", func(n int) string {
		return "{" + numbered(`"password":"hunter2!%[1]d","n%[1]d":"xhunter2!%[1]d hunter2!"`, n) + "}"
	}},
	{"passwords of signs, which have many spellings", func(n int) string {
		return "{" + numbered(`"password":"%%&\"<!%[1]d","n%[1]d":"%%&\"<!%[1]dx"`, n) + "}"
	}},
	{"many numbers and their copies", func(n int) string {
		return "{" + numbered(`"ssn":"219-09-%04[1]d","n%[1]d":"219 09 %04[1]d 219 21909 "`, n) + "}"
	}},
	{"one number, and many digits", func(n int) string { return `"ssn 219-09-9999 ` + repeat("2190999", " ", n) + `"` }},
	{"telephone numbers before other numbers", func(n int) string { return `"` + repeat("+1 415 555 2671 12 34", " ", n) + `"` }},
	{"national ones before others, behind a word", func(n int) string { return `"phone ` + repeat("030 901820 2024-01-01", " ", n) + `"` }},
	{"numbers before dates", func(n int) string { return `"` + repeat("219-09-9999 2024-01-01", " ", n) + `"` }},
	{"numbers that run into others", func(n int) string { return `"` + repeat("+1 415 555 2671 4111 1111 1111 1111", " ", n) + `"` }},
	{"passwords that run into others", func(n int) string { return `"` + repeat("password: hunter2X9!k,219-09-9999", `\n`, n) + `"` }},
	{"underscores that begin an emphasis", func(n int) string { return `"` + repeat("_a", " ", n) + `"` }},
	{"brackets behind names", func(n int) string { return `"` + repeat("token=(", "[", n) + `"` }},
	{"objects under names of secrets", func(n int) string {
		return strings.Repeat(`{"password":`, n/13) + "1" + strings.Repeat("}", n/13)
	}},
	{"JSON in strings under names of secrets", func(n int) string { return "{" + numbered(`"password%d":"{\"a\":\"b\"}"`, n) + "}" }},
	{"digits with signs between them", func(n int) string { return `"` + repeat("1", "+", n) + `"` }},
	{"words for a number that no rule finds", func(n int) string {
		return `"` + repeat("iban DE44 5001 0517 5407 3249 3", " ssn 000-00-0001 ", n) + `"`
	}},
	{"commands with many words", func(n int) string { return `"` + repeat("mysql -h host -u", " ", n) + `"` }},
	{"kinds of a manifest", func(n int) string { return `"` + repeat(`kind: Secret\ndata:\n  a: b`, `\n`, n) + `"` }},
	{"kinds of a manifest in an object", func(n int) string { return `"{` + repeat(`\"kind\": \"Secret\", \"data\": {}`, `,`, n) + `"` }},
	{"kinds of a manifest in no object", func(n int) string { return `"` + repeat(`\"kind\": \"Secret\"`, `}`, n) + `"` }},
	{"manifests in each other", func(n int) string {
		return strings.Repeat(`{"kind":"Secret","data":`, n/25) + "1" + strings.Repeat("}", n/25)
	}},
	{"manifests in each other in a text", func(n int) string {
		return `"# ` + strings.Repeat(`{\"kind\":\"Secret\",\"data\":`, n/33) + `"`
	}},
	{"commands in arrays", func(n int) string { return "[" + repeat(`["curl","-u","bob:Zx9!kQ2m"]`, ",", n) + "]" }},
	{"a command of many arguments", func(n int) string { return `["curl",` + repeat(`"-u"`, ",", n) + "]" }},
	{"options that name secrets", func(n int) string { return "[" + repeat(`"--password"`, ",", n) + "]" }},
	{"rows of a table", func(n int) string {
		return `{"columns":["a","ssn"],"rows":[` + repeat(`["1","219-09-9999"]`, ",", n) + "]}"
	}},
	{"tables in each other", func(n int) string {
		return strings.Repeat(`{"c":["a","ssn"],"r":[["1","2"]],"x":`, n/39) + "1" + strings.Repeat("}", n/39)
	}},
	{"names of columns in one object", func(n int) string { return "{" + numbered(`"c%[1]d":["a","ssn"],"r%[1]d":[[1,2,3]]`, n) + "}" }},
	{"arrays in each other", func(n int) string { return `{"a":` + strings.Repeat("[", n/2) + strings.Repeat("]", n/2) + "}" }},
	{"zeros", func(n int) string { return "[" + repeat("0", ",", n) + "]" }},
	{"lines of one letter", func(n int) string { return `"` + repeat("a", `\n`, n) + ` user@example.com"` }},
	{"colours", func(n int) string { return `"` + strings.Repeat(`\u001b[1m`, n/9) + ` user@example.com"` }},
	{"colours around letters", func(n int) string { return `"` + repeat(`\u001b[1ma\u001b[0m`, "b", n) + ` user@example.com"` }},
	{"titles that do not end", func(n int) string { return `"` + repeat(`\u001b]0;a`, "b", n) + ` user@example.com"` }},
	{"escapes that are text", func(n int) string { return `"` + repeat(`\\n`, "pw: x", n) + ` user@example.com"` }},
	{"elements", func(n int) string { return `"` + repeat("<b><td>", "a</td>", n) + ` user@example.com"` }},
	{"elements alone", func(n int) string { return `"` + strings.Repeat("<b>", n/3) + ` user@example.com"` }},
	{"elements that do not end", func(n int) string { return `"` + repeat("<b a", "<td b", n) + ` user@example.com"` }},
	{"emphasis that does not end", func(n int) string { return `"` + repeat(" **a", " *b", n) + ` user@example.com"` }},
	{"asterisks", func(n int) string { return `"` + strings.Repeat("*", n) + ` user@example.com"` }},
	{"cells of one row", func(n int) string { return `"` + repeat("| a ", "| pw ", n) + ` user@example.com"` }},
	{"references", func(n int) string { return `"` + repeat("&#64;", "a&amp;", n) + ` user@example.com"` }},
	{"encoded bytes", func(n int) string { return `"` + repeat("a%40b.org", "%C3%A9+", n) + ` user@example.com"` }},
	{"forms", func(n int) string { return `"` + repeat("a=b+c", "&", n) + ` user@example.com"` }},
	{"full-width letters", func(n int) string { return `"` + repeat("ａ１", "\u200b", n) + ` user@example.com"` }},
	{"quoted parts", func(n int) string { return `"` + repeat(`q7Rk2ZpX9mWc\"`, ` + \"`, n) + ` user@example.com"` }},
	{"torn lines", func(n int) string {
		return `"` + repeat(`q7Rk2ZpX9mWc4TbY8nVf3LsH6dJg5QaN1`, `\n`, n) + ` user@example.com"`
	}},
	{"lines in colour", func(n int) string { return `"` + repeat(`\u001b[36muser@example.com\u001b[0m a`, `\n`, n) + `"` }},
	{"backslashes", func(n int) string { return `"` + strings.Repeat(`\\`, n/2) + ` user@example.com"` }},
	{"brackets that do not close", func(n int) string { return `"[` + strings.Repeat(`[1,`, n/3) + ` user@example.com"` }},
	{"JSON in strings in an array", func(n int) string { return "[" + repeat(`"{\"to\":\"user@example.com\"}"`, ",", n) + "]" }},
	{"digests in one line", func(n int) string {
		return `"` + repeat("Authorization: Digest nonce=a1b2c3d4 ", "", n) + `"`
	}},
	{"names of services", func(n int) string { return `"` + repeat("heroku=q7Rk2ZpX9mWc4TbY8nVf ", "", n) + `"` }},
	{"values before names", func(n int) string { return `"` + repeat("q7Rk2ZpX9mWc4TbY8nVf3LsH (API key) ", "", n) + `"` }},
	{"blocks of Kubernetes secrets", func(n int) string {
		return `"` + repeat(`kind: Secret\ndata:\n  a: |\n    QUJDREVG\n`, "", n) + `"`
	}},
	{"accounts in groups", func(n int) string { return `"` + repeat("NO 12 34 5", " ", n) + `"` }},
	{"objects that name a value", func(n int) string {
		return "[" + repeat(`{"target":{"name":"password"},"value":"a1"}`, ",", n) + "]"
	}},
}

func repeat(what, between string, n int) string {
	return strings.TrimSuffix(strings.Repeat(what+between, max(1, n/len(what+between))), between)
}

func numbered(form string, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// TestTimeGrowsWithSize holds that eight times as much takes about eight times as long, and not sixty-four times.
func TestTimeGrowsWithSize(t *testing.T) {
	f := &Filter{Engine: testEngine}
	size := 16 << 10
	if *long {
		size = 32 << 10
	}
	for _, c := range hostile {
		small, large := c.make(size), c.make(8*size)
		find := func(doc string) func() {
			return func() {
				found, _ := f.Find(doc, nil)
				f.Look(doc, found.Edits)
			}
		}
		least := sdktest.Least(3, find(small))
		have := sdktest.Least(1, find(large)) // which is enough when it is in proportion
		for tries := 0; have > 24*least+20*time.Millisecond && tries < 4; tries++ {
			have = min(have, sdktest.Least(1, find(large)))
		}
		if have > 24*least+20*time.Millisecond {
			t.Errorf("%s: want time in proportion to size, have %s for %d bytes and %s for %d", c.reason, least, len(small), have, len(large))
		}
	}
}

// TestMemoryGrowsWithSize holds what one record takes to a small multiple of its size, or of what is found in it.
func TestMemoryGrowsWithSize(t *testing.T) {
	const size = 4 << 20
	for _, c := range []struct {
		reason string
		doc    string
		most   float64 // times its size
	}{
		{"zeros", "[" + repeat("0", ",", size) + "]", 0.1},
		{"empty arrays", "[" + repeat("[]", ",", size) + "]", 0.1},
		{"members, all that is ever allocated", "{" + repeat(`"":0`, ",", size) + "}", 6},
		{"lines of one letter with an address", `"` + repeat("a", `\n`, size) + ` user@example.com"`, 4},
		{"JSON in a string", `"[` + repeat("0", ",", size) + ` , \"user@example.com\"]"`, 4},
	} {
		f := &Filter{Engine: testEngine}
		f.Find(`"user@example.com"`, nil) // what is made once
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f.Find(c.doc, nil)
		runtime.ReadMemStats(&after)
		if have := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(c.doc)); have > c.most {
			t.Errorf("%s: want at most %.1f times the size, have %.1f", c.reason, c.most, have)
		}
	}
}
