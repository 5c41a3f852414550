package host

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/host/internal/config"
)

var escapes = regexp.MustCompile("%..")

// TestHiding holds that a secret is replaced however a message spells it, and that what is no secret stays.
func TestHiding(t *testing.T) {
	quoted := func(x any) string {
		text, _ := json.Marshal(x)
		return string(text)
	}
	python := func(ascii bool, secret string) string { // as repr and ascii have it
		var b strings.Builder
		for _, r := range strings.ReplaceAll(secret, `\`, `\\`) {
			switch {
			case r == '\'' && strings.Contains(secret, `"`):
				b.WriteString(`\'`)
			case r < 0x80 || !ascii:
				b.WriteRune(r)
			case r < 0x100:
				fmt.Fprintf(&b, `\x%02x`, r)
			case r < 0x10000:
				fmt.Fprintf(&b, `\u%04x`, r)
			default:
				fmt.Fprintf(&b, `\U%08x`, r)
			}
		}
		return "KeyError: '" + b.String() + "'"
	}
	for _, secret := range []string{"hunter2-and-more", "p4ss'wo\"rdX", "pässwört€99", "Sec\"ret\\k\u00e9y<>&1+2/3 é😀", "pass word~'(1)!*", "4711"} {
		for _, tt := range []struct{ reason, text string }{
			{"as it is", secret},
			{"JSON", quoted(secret)},
			{"JSON in JSON", quoted(map[string]string{"body": quoted(secret)})},
			{"a value of Go in quotes", fmt.Sprintf("%q", secret)},
			{"JSON in ASCII", strings.NewReplacer("é", `\u00e9`, "😀", `\ud83d\ude00`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(quoted(secret))},
			{"the query of a URL", "https://example.com/?key=" + url.QueryEscape(secret) + "&a=b"},
			{"a query with %20 and digits in lower case", escapes.ReplaceAllStringFunc(strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"), strings.ToLower)},
			{"the path of a URL", "https://example.com/" + url.PathEscape(secret) + "/x"},
			{"the error of a request", (&url.Error{Op: "Get", URL: "https://example.com/?key=" + url.QueryEscape(secret), Err: fmt.Errorf("no such host")}).Error()},
			{"HTML", "<p>" + html.EscapeString(secret) + "</p>"},
			{"HTML with names for quotes", strings.NewReplacer("&#34;", "&quot;", "&#39;", "&#x27;").Replace(html.EscapeString(secret))},
			{"a value of Python", python(false, secret)},
			{"a value of Python in JSON", quoted(python(false, secret))},
			{"a value of Python in ASCII", python(true, secret)},
			{"base64", base64.StdEncoding.EncodeToString([]byte(secret))},
			{"base64 of URLs, without padding", base64.RawURLEncoding.EncodeToString([]byte(secret))},
		} {
			have := hiding([]string{secret}).Replace(tt.text)
			if !strings.Contains(have, Sensitive) {
				t.Errorf("%q as %s: have %s", secret, tt.reason, have)
			}
		}
	}
	if have := hiding([]string{"pässwört"}).Replace(`b'p\xc3\xa4ssw\xc3\xb6rt'`); have != "b'"+Sensitive+"'" {
		t.Errorf("want bytes of Python hidden, have %s", have)
	}
	text := "https://example.com/?q=hunter+2 aHVudGVy " + template.HTMLEscapeString("<hunter>")
	if have := hiding([]string{"hunter2-and-more"}).Replace(text); have != text {
		t.Errorf("want what is no secret as it is, have %s", have)
	}
}

// TestHidingBase64 holds that base64 of a text shows no more of a secret in it than what shares characters with its neighbours.
func TestHidingBase64(t *testing.T) {
	const secret = "hunter2-and-more"
	for _, before := range []string{"", "u", "user:", "user1:", "user12:"} {
		for _, behind := range []string{"", "@", "@h", "@ho"} {
			coded := base64.StdEncoding.EncodeToString([]byte(before + secret + behind))
			have := hiding([]string{secret}).Replace("authorization: Basic " + coded)
			left := strings.Replace(strings.TrimPrefix(have, "authorization: Basic "), Sensitive, "", 1)
			if !strings.Contains(have, Sensitive) || len(left) > 4*(len(before)+len(behind)+2)/3+4 {
				t.Errorf("%q and %q beside it: have %s", before, behind, have)
			}
		}
	}
}

// TestHidingLines holds that long lines of a secret are replaced by themselves, since tools print such values line by line.
func TestHidingLines(t *testing.T) {
	const secret = "-----BEGIN KEY-----\nMIIEvQIBADAN+/gkq\nshort\n"
	have := hiding([]string{secret}).Replace("bad line MIIEvQIBADAN+/gkq, then MIIEvQIBADAN%2B%2Fgkq, then short")
	if want := "bad line (sensitive), then (sensitive), then short"; have != want {
		t.Errorf("want %s, have %s", want, have)
	}
	if have := hiding([]string{"hunter2\n"}).Replace("ValueError: hunter2"); have != "ValueError: (sensitive)" {
		t.Errorf("want the only line hidden without its end, have %s", have)
	}
}

// TestCommandHidesByName holds that the command that goes on with a run shows no value of a sensitive variable, of whatever size or type, and
// all else that is in it.
func TestCommandHidesByName(t *testing.T) {
	tree := &config.Pipeline{Vars: []config.Variable{{Name: "token", Sensitive: true}, {Name: "pin", Sensitive: true}, {Name: "out"}}}
	opts := Options{Command: []string{"sluice", "run", "p.hcl", "--receipt=token=x", "--var", "token=qz7x9", "--var", "pin=48", "--var", "out=a b", "--resume"}}
	r := &run{Pipeline: &Pipeline{tree: tree, opts: opts.WithDefaults()}}
	want := `sluice run p.hcl --receipt=token=x --var 'token=(sensitive)' --var 'pin=(sensitive)' --var 'out=a b' --resume`
	if have := r.command(); have != want {
		t.Errorf("want %s, have %s", want, have)
	}
}
