package viewer

import (
	"net/url"
	"strings"
	"testing"
)

// TestLargeMasked holds that nothing of a row too large to be masked as a whole stands on a page that masks: a part of it has no
// key that would say what is secret.
func TestLargeMasked(t *testing.T) {
	secret := "h" + strings.Repeat("u", 40)
	row := `{"a":"` + strings.Repeat("long ", mostWhole/5) + `","password":"` + secret + `"}`
	s := serve(t, map[string]string{"a.jsonl": row + "\n"}, nil)
	for _, page := range []string{"value?at=a.jsonl:1&byte=16777200", "value?at=a.jsonl:1&path=password"} {
		status, body := get(t, s, page)
		if status != 200 || strings.Contains(body, secret) || !strings.Contains(body, "cannot be masked") || !strings.Contains(body, "values=shown") {
			t.Errorf("%s: want a way to show the values instead of them, have %d:\n%s", page, status, body)
		}
		if _, body := get(t, s, page+"&values=shown"); !strings.Contains(body, secret) {
			t.Errorf("%s: want the value when it is asked for", page)
		}
	}
}

// TestPaths holds that no path makes the server write values that no row has, which nested ones do without end.
func TestPaths(t *testing.T) {
	s := serve(t, map[string]string{"a.jsonl": `{"a":{"b":"kept"},"@x":1}` + "\n"}, nil)
	for path, want := range map[string]int{
		"a.b": 200, `\@x`: 200, "@this": 400, "a|@tostr|@tostr": 400, "[@this,@this]|[@this,@this]": 400, "{a}": 400, "!1": 400, strings.Repeat("a", 2000): 400,
	} {
		for _, page := range []string{"value?at=a.jsonl:1&path=", "rows?sort=path:"} {
			if have, _ := get(t, s, page+url.QueryEscape(path)); have != want {
				t.Errorf("%s%.40s: want %d, have %d", page, path, want, have)
			}
		}
	}
}

// TestLargeInList holds that a list waits for no large row to be masked.
func TestLargeInList(t *testing.T) {
	s := serve(t, map[string]string{"a.jsonl": `{"text":"` + strings.Repeat("long ", mostAtOnce/5) + `"}` + "\n"}, nil)
	if _, body := get(t, s, "rows"); !strings.Contains(body, "a large row") {
		t.Errorf("want the row told to be large, have\n%s", body)
	}
	if _, body := get(t, s, "row?at=a.jsonl:1"); !strings.Contains(body, "long long") {
		t.Errorf("want the row on its own page, have\n%s", body)
	}
}
