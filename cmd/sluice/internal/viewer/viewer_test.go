package viewer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/sluicehq/sluice/host/trace"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "0123456789abcdef"

// serve gives a server over files of rows, by their names, with all of them indexed.
func serve(t *testing.T, files map[string]string, change func(*Options)) *Server {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	subject, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return serveSubject(t, subject, change)
}

func serveSubject(t *testing.T, subject *Subject, change func(*Options)) *Server {
	t.Helper()
	o := Options{Subject: subject, Token: token, Cache: t.TempDir()}
	if change != nil {
		change(&o)
	}
	s, err := New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.index.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// get asks for a page below the token, as the machine itself.
func get(t *testing.T, s *Server, page string) (status int, body string) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:1234/"+token+"/"+page, nil)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestGuard holds who gets an answer, and what every answer says to the browser.
func TestGuard(t *testing.T) {
	s := serve(t, map[string]string{"a.jsonl": "{}\n"}, nil)
	for _, c := range []struct {
		reason, method, host, path string
		want                       int
	}{
		{"the address", http.MethodGet, "127.0.0.1:1234", "/" + token + "/", 200},
		{"a head", http.MethodHead, "127.0.0.1:1234", "/" + token + "/", 200},
		{"the name of this machine", http.MethodGet, "localhost:1234", "/" + token + "/rows", 200},
		{"the other loopback", http.MethodGet, "[::1]:1234", "/" + token + "/", 200},
		{"no slash", http.MethodGet, "localhost", "/" + token, 302},
		{"no token", http.MethodGet, "127.0.0.1:1234", "/", 404},
		{"another token", http.MethodGet, "127.0.0.1:1234", "/0123456789abcdee/", 404},
		{"the beginning of the token", http.MethodGet, "127.0.0.1:1234", "/0123456/", 404},
		{"a style without the token", http.MethodGet, "127.0.0.1:1234", "/style.css", 404},
		{"a name that somebody has led here", http.MethodGet, "evil.example:1234", "/" + token + "/", 421},
		{"a name that begins like this machine", http.MethodGet, "localhost.evil.example", "/" + token + "/", 421},
		{"an address of the network", http.MethodGet, "192.168.1.1:1234", "/" + token + "/", 421},
		{"no name", http.MethodGet, "", "/" + token + "/", 421},
		{"writing", http.MethodPost, "127.0.0.1:1234", "/" + token + "/rows", 405},
		{"deleting", http.MethodDelete, "127.0.0.1:1234", "/" + token + "/", 405},
		{"no page", http.MethodGet, "127.0.0.1:1234", "/" + token + "/x", 404},
		{"a page with a slash too many", http.MethodGet, "127.0.0.1:1234", "/" + token + "//row", 404},
		{"a page by another way", http.MethodGet, "127.0.0.1:1234", "/" + token + "/x/../rows", 404},
		{"a way out", http.MethodGet, "127.0.0.1:1234", "/" + token + "/../../etc/passwd", 404},
	} {
		r := httptest.NewRequest(c.method, "http://127.0.0.1/", nil)
		r.Host, r.URL.Path = c.host, c.path
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		if have := w.Code; have != c.want {
			t.Errorf("%s: want %d, have %d", c.reason, c.want, have)
		}
		h := w.Header()
		if p := h.Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'") || strings.Contains(p, "unsafe") {
			t.Errorf("%s: want a policy that lets nothing in, have %q", c.reason, p)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "no-referrer" || h.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: want what keeps rows where they are, have %v", c.reason, h)
		}
	}
}

// TestListen holds that nobody but this machine is listened to.
func TestListen(t *testing.T) {
	for address, ok := range map[string]bool{
		"localhost:0": true, "127.0.0.1:0": true, "0.0.0.0:0": false, ":0": false, "192.0.2.1:0": false, "localhost": false, "example.org:0": false,
	} {
		l, err := Listen(address)
		if (err == nil) != ok {
			t.Errorf("%s: want %v, have %v", address, ok, err)
		}
		if err == nil {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestServe holds that a server ends with its context, without an error, while somebody is connected.
func TestServe(t *testing.T) {
	s := serve(t, map[string]string{"a.jsonl": "{}\n"}, nil)
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	idle, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Get("http://" + l.Addr().String() + "/" + token + "/rows")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != 200 {
		t.Errorf("want the page, have %d, %v", answer.StatusCode, err)
	}
	answer.Body.Close()
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("want the server to end")
	}
}

// element finds what hostile text would make of a page.
var element = regexp.MustCompile(`(?i)<(script(?: src="view.js")?|img|iframe|svg|b|style|link)\b[^>]*>| on[a-z]+="|(?:href|src)="[a-z]+:`)

// TestHostile holds that nothing that stands in a row becomes part of a page, in any way to look at it.
func TestHostile(t *testing.T) {
	bad := `</script><script>alert(1)</script><img src=x onerror=alert(1)>\u202e\u0000\u001b[31m\"'{{.}}javascript:`
	rows := `{"messages":[{"role":"user","content":"` + bad + `"},{"role":"` + bad + `","name":"` + bad + `","content":[{"type":"` + bad + `"},{"type":"tool_use","name":"` + bad + `","id":"` + bad + `","input":{"` + bad + `":1}}]}],"` + bad + `":"` + bad + `","split":"` + bad + `"}
{"code":"` + bad + `","message":"` + bad + `","path":"` + bad + `","step":"` + bad + `","plugin":"p","file":"` + bad + `","line":1,"record":"` + bad + `"}
` + strings.ReplaceAll(bad, `\u0000`, "\x00") + `
`
	s := serve(t, map[string]string{"<img src=x onerror=alert(1)>.jsonl": rows}, func(o *Options) {
		o.Templates = []Template{{Name: bad, Render: func(context.Context, []byte) (*Rendering, error) {
			return &Rendering{Segments: []Segment{{true, bad}}, Losses: []string{bad}}, nil
		}}}
		o.Explain = func(context.Context, trace.Selection) (*trace.Trace, error) { return nil, errors.New(bad) }
	})
	name := url.QueryEscape("<img src=x onerror=alert(1)>.jsonl")
	all := []string{"", "rows", "rows?q=" + url.QueryEscape(bad), "rows?where=" + url.QueryEscape(bad), "rows?sort=" + url.QueryEscape(bad), "rows?in.code=" + url.QueryEscape(bad), url.PathEscape(bad)}
	for line := 1; line <= 3; line++ {
		for _, as := range []string{"", asTalk, asJSON, asTokens, asSteps} {
			all = append(all, fmt.Sprintf("row?at=%s:%d&as=%s", name, line, as))
		}
		all = append(all, fmt.Sprintf("value?at=%s:%d", name, line))
	}
	for _, page := range all {
		for _, values := range []string{"", "values=shown"} {
			at := page + "&" + values
			if !strings.Contains(page, "?") {
				at = page + "?" + values
			}
			_, body := get(t, s, at)
			for _, found := range element.FindAllString(body, -1) {
				if found != `<script src="view.js">` && !strings.HasPrefix(found, `<link rel="`) && !strings.HasPrefix(found, `<svg class="bar"`) && !strings.HasPrefix(found, `<svg class="spread"`) {
					t.Errorf("%s: want text, have %q", page, found)
				}
			}
			if strings.ContainsAny(body, "\u202e\x00\x1b") {
				t.Errorf("%s: want control characters as escapes", page)
			}
		}
	}
}

// TestMasked holds that personal values stand on a page only when it says so.
func TestMasked(t *testing.T) {
	const mail = "ann@corp-mail.io"
	row := `{"messages":[{"role":"user","content":"write to ` + mail + `"}],"split":"` + mail + `","source":"x"}` + "\n"
	s := serve(t, map[string]string{"of " + mail + ".jsonl": row + row + "no JSON " + mail + "\n", "b.jsonl": row}, nil)
	_, list := get(t, s, "rows")
	facet := regexp.MustCompile(`rows\?in\.split=%3C[A-Z_]+%3E`).FindStringSubmatch(list)
	if facet == nil {
		t.Fatalf("want a link to a word that is masked, have none in\n%s", list)
	}
	at := "at=" + url.QueryEscape("of <EMAIL_ADDRESS>.jsonl") + ":"
	for _, page := range []string{"", "rows", "rows?" + strings.TrimPrefix(facet[0], "rows?"), "row?" + at + "1", "row?as=json&" + at + "1", "value?" + at + "1", "row?" + at + "3", "value?" + at + "3"} {
		status, body := get(t, s, page)
		if status != 200 || strings.Contains(body, mail) {
			t.Errorf("%s: want nothing personal, have %d and %s", page, status, body)
		}
		if strings.Contains(body, "Personal values are shown") {
			t.Errorf("%s: want no word that values are shown", page)
		}
	}
	if _, body := get(t, s, facet[0]); !strings.Contains(body, `<strong class="num">3</strong>`) {
		t.Errorf("want the three rows with a masked word, have\n%s", body)
	}
	for _, page := range []string{"row?values=shown&" + at + "1", "value?values=shown&" + at + "1"} {
		if _, body := get(t, s, page); !strings.Contains(body, mail) || !strings.Contains(body, "Personal values are shown") {
			t.Errorf("%s: want the values and a word that they are shown", page)
		}
	}
}

// TestMaskedAnswers holds that no answer of pages that mask depends on what they hide: two corpora that differ in personal values alone
// have the same answers, whatever is asked. Where values are shown, they are found.
func TestMaskedAnswers(t *testing.T) {
	corpus := func(phone, secret, quoting string, mails ...string) *Server {
		text := ""
		for i, mail := range mails {
			text += fmt.Sprintf(`{"messages":[{"role":"user","content":"write to %s now"}],"source":%q,"to":{%q:%d},"m":{%q:"v1","key":"v2"},"n":%d}`+"\n",
				mail, mail, mail, i, mail, i)
		}
		for _, source := range []string{"open-set", secret, "open-set", "a-set"} { // the secret stands alone in a column: only its row says that it is one
			text += fmt.Sprintf(`{"text":"t","password":%q,"source":%q,"tags":[%q,"plain"]}`+"\n", secret, source, source)
		}
		return serve(t, map[string]string{"a.jsonl": text + "no JSON " + mails[0] + "\ntel:" + phone + ";x\n" +
			`{"code":"bad","message":"have ` + secret + `","path":"","step":"s.t","plugin":"p","file":"` + mails[0] + `.jsonl","line":3,"record":{"password":"` + secret + `"}}` + "\n" +
			`{"messages":[{"role":"user","content":"x","format":"` + secret + `"}],"password":"` + secret + `"}` + "\n" + // might be a call of a tool
			`{"text":"t","password":"` + quoting + `"}` + "\n"}, func(o *Options) { o.Subject.Title = "corpus" })
	}
	a := corpus("+1 415 5552671", "hunter2horse", "x<PASSWORD>9", "zoe@corp-mail.io", "ann@corp-mail.io", "kim@corp-mail.io", "bob@corp-mail.io")
	b := corpus("+1-415-5552671", "tool:7Kz-90q", "hunter2horse", "max@corp-mail.io", "tim@corp-mail.io", "uwe@corp-mail.io", "max@corp-mail.io")
	answer := func(s *Server, page string) []string {
		body := "so far"
		for strings.Contains(body, "so far") {
			_, body = get(t, s, page)
		}
		found := append(regexp.MustCompile(`<strong class="num">[^<]*`).FindAllString(body, -1), regexp.MustCompile(`row\?at=[a-z.]+:[0-9]+`).FindAllString(body, -1)...)
		return append(found, strings.Split(body, "\n")...)
	}
	for _, query := range []string{
		"q=ann", "q=zoe%40", "q=corp-mail", "q=email", "q=write", "q=to+ann", "q=JSON", "where=source%3Dann%40corp-mail.io", "where=source", "where=to.ann*",
		"where=n%3D1", "where=messages.%23(content%25%22*ann*%22)", "where=messages.%23(content!%25%22*ann*%22)", "sort=path:source", "sort=path:source&down=1", "sort=path:messages.0.content", "sort=path:n",
		"in.source=ann%40corp-mail.io", "in.source=hunter2horse", "in.tag=hunter2horse", "in.source=%3CPASSWORD%3E", "in.source=%3CEMAIL_ADDRESS%3E", "in.source=open-set",
		"sort=source", "sort=source&down=1", "sort=tag", "sort=size", "where=m.*k*%3Dv2", "where=m.?im*", "where=m.*%3Dv1", "where=to.*%3D2", "q=+", "q=%00", "q=x", "q=PASSWORD", "sort=calls", "min.calls=1", "q=", "from=2",
	} {
		have, want := answer(a, "rows?"+query), answer(b, "rows?"+query)
		if len(have) == 0 || !slices.Equal(have, want) {
			t.Errorf("%s: want the same answer of two corpora that differ in what is hidden, have (-) and (+)\n%s", query, cmp.Diff(have, want))
		}
	}
	for _, page := range []string{"", "row?at=a.jsonl:1", "row?at=a.jsonl:6", "row?at=a.jsonl:6&as=json", "value?at=a.jsonl:6", "raw?at=a.jsonl:6", "raw?at=a.jsonl:10", "row?at=a.jsonl:11", "row?at=a.jsonl:12", "row?at=a.jsonl:13", "raw?at=a.jsonl:11", "download", "download?sort=source", "download?where=m.*k*%3Dv2"} {
		if have, want := answer(a, page), answer(b, page); !slices.Equal(have, want) {
			t.Errorf("%s: want the same page of two corpora that differ in what is hidden, have (-) and (+)\n%s", page, cmp.Diff(have, want))
		}
	}
	for query, rows := range map[string]int{"q=write": 4, "q=JSON": 1, "where=n%3D1": 1, "where=source": 8, "q=ann": 0, "q=ann&values=shown": 1, "where=source%3Dann%40corp-mail.io&values=shown": 1,
		"where=m.*%3Dv1": 4, "in.source=hunter2horse": 0, "in.source=hunter2horse&values=shown": 1, "in.source=%3CPASSWORD%3E": 1, "in.source=%3CEMAIL_ADDRESS%3E": 4, "in.source=open-set": 2} {
		if have := answer(a, "rows?"+query); !strings.HasSuffix(have[0], fmt.Sprintf(">%d", rows)) {
			t.Errorf("%s: want %d rows, have %q", query, rows, have)
		}
	}
}
