package browser

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestChecksFind holds that each check finds what it is for, so that pages without findings are good pages and not unseen ones.
func TestChecksFind(t *testing.T) {
	needs(t)
	cases := []struct{ reason, html, want string }{
		{"what a content policy refuses", `<meta http-equiv="Content-Security-Policy" content="media-src 'none'"><audio src="faults.html"></audio>`, "policy: media-src"},
		{"of another machine", `<img alt="" src="https://example.org/x.png">`, "asks for https://example.org/x.png"},
		{"of another port", `<link rel="stylesheet" href="http://127.0.0.1:9/x.css">`, "asks for http://127.0.0.1:9/x.css"},
		{"errors of scripts", `<script>missing()</script>`, "missing is not defined"},
		{"text that became a script", `<img src="nothing:" alt="" onerror="alert('ran')">`, "dialog: ran"},
		{"text that became an element", `<x-hostile></x-hostile>`, "an element was made of text"},
		{"text that became an address", `<a href="javascript:alert(1)">go</a>`, "leads to javascript:"},
		{"text that turns its neighbours", "<p>\u202eabc</p>", "a control character U+202e"},
		{"a page that scrolls sideways", `<div style="width: 2000px">wide</div>`, "pixels wide, for <div"},
		{"contrast", `<p style="color: #999; background: #fff">pale</p>`, "axe color-contrast"},
		{"names for screen readers", `<button></button>`, "axe button-name"},
		{"focus that nobody sees", `<a href="#a" style="outline: none">a</a>`, "no focus ring: <a"},
		{"controls out of the tabulator's way", `<button inert style="outline: auto">b</button>`, "never reached by the tabulator: <button"},
		{"what jumps", `<p id="p">below</p><script>setTimeout(() => p.before(Object.assign(document.createElement("div"), {style: "height: 300px"})), 100)</script>`, "jumps by"},
	}
	page := "<!doctype html><html lang=en><title>t</title>"
	for _, c := range cases {
		page += c.html + "\n"
	}
	files(t, work, map[string][]byte{"faults.html": []byte(page)})
	at := "file://" + filepath.Join(work, "faults.html")
	said, err := script(t, "pages.mjs", object{"allowed": []string{at}, "pages": []object{{"name": "faults", "url": at, "axe": true, "keys": true}}})
	if err == nil {
		t.Error("want pages.mjs to end with 1 for pages with faults, have 0")
	}
	for _, c := range cases {
		if !strings.Contains(said, c.want) {
			t.Errorf("%s: want %q found, have it not in\n%s", c.reason, c.want, said)
		}
	}
}
