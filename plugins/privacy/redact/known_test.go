package redact

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// TestKnownValuesChangeNothing holds that what a filter remembers of earlier records changes nothing in what it finds in a record.
func TestKnownValuesChangeNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	keys := []string{"text", "system", "content", "password", "value", "name", "key", "type", "d", "dateOfBirth", "year", "tools", "example", "latitude",
		"files", "target", "headers", "kty", "properties", "metadata"}
	words := []string{"a plain text", `with \"quotes\"`, "call 2025550143", "a@example.org", "code 12", `caf\u00e9`, "1987", "12 May 1970", "hunter2", "password", "Password: x7Kq9ZpL2w",
		`{\"text\":\"a plain text\"}`, "image", "52.5200", "https://example.org/a?b=c", "Maria Lopez"}
	filters := 25
	if *long {
		filters = 100
	}
	for range filters {
		f := &Filter{Engine: testEngine}
		var values []string // that records share
		var value func(depth int) string
		value = func(depth int) string {
			if len(values) > 0 && r.IntN(2) == 0 {
				return values[r.IntN(len(values))]
			}
			var v strings.Builder
			switch kind := r.IntN(4); {
			case depth == 0 || kind < 2:
				v.WriteByte('"')
				v.WriteString(words[r.IntN(len(words))])
				for range r.IntN(2) * r.IntN(12) {
					v.WriteString(" " + words[r.IntN(len(words))])
				}
				v.WriteByte('"')
			case kind == 2:
				v.WriteByte('[')
				for i := range r.IntN(4) {
					v.WriteString(strings.Repeat([]string{",", ", "}[r.IntN(2)], min(i, 1)) + value(depth-1))
				}
				v.WriteByte(']')
			default:
				v.WriteByte('{')
				for i := range r.IntN(5) {
					fmt.Fprintf(&v, "%s%q:%s%s", strings.Repeat(",", min(i, 1)), keys[r.IntN(len(keys))], strings.Repeat(" ", r.IntN(2)), value(depth-1))
				}
				v.WriteByte('}')
			}
			if v.Len() >= leastKnownValue && len(values) < 20 {
				values = append(values, v.String())
			}
			return v.String()
		}
		for range 60 {
			doc := fmt.Sprintf(`{%q:%s,%q:%s,%q:%s,"n":"%01024d"}`, keys[r.IntN(len(keys))], value(3), keys[r.IntN(len(keys))], value(3), keys[r.IntN(len(keys))], value(3), 0)
			have, err := f.Find(doc, nil)
			want, wantErr := (&Filter{Engine: testEngine}).Find(doc, nil)
			if !reflect.DeepEqual(have, want) || (err == nil) != (wantErr == nil) {
				t.Fatalf("%s: want %v, have %v", doc, want, have)
			}
		}
	}
}

func TestKnownValues(t *testing.T) {
	long := func(text string) string { return `"` + strings.Repeat(text, 100) }
	var k knownValues
	see := func(value string) (size int) {
		size, worth := k.find(value + `,"next":1}`)
		if worth {
			k.try(value)
			k.keep(value)
		}
		return size
	}
	for _, c := range []struct {
		reason string
		value  string
		known  bool
	}{
		{"the first of its beginning is not kept", long("a") + `"`, false},
		{"the second is", long("a") + `"`, false},
		{"so the third is known", long("a") + `"`, true},
		{"one with another end is not", long("a") + `b"`, false},
		{"but both are when it comes again", long("a") + `b"`, true},
		{"and the first stays", long("a") + `"`, true},
		{"a short one is never kept", `"short"`, false},
		{"whatever comes again", `"short"`, false},
		{"or again", `"short"`, false},
	} {
		want := 0
		if c.known {
			want = len(c.value)
		}
		if have := see(c.value); have != want {
			t.Errorf("%s: want %d bytes known, have %d", c.reason, want, have)
		}
	}
	if size, _ := k.find(long("a")); size != 0 {
		t.Errorf("want none known in a text that is cut off, have %d bytes", size)
	}
	if size, _ := k.find(long("a") + `c"`); size != 0 {
		t.Errorf("want none known where a byte differs, have %d bytes", size)
	}
}

// TestKnownValuesAreFew holds that texts of which none comes again are not kept for long, and that the memory is bounded.
func TestKnownValuesAreFew(t *testing.T) {
	var k knownValues
	kept := 0
	for i := range 10_000 { // they begin alike
		value := fmt.Sprintf(`"%s %d"`, strings.Repeat("alike ", 200), i)
		if _, worth := k.find(value); worth {
			k.try(value)
			k.keep(value)
			kept++
		}
	}
	if kept > credit {
		t.Errorf("want few values kept that do not come again, have %d", kept)
	}
	for i := range 10_000 {
		value := fmt.Sprintf(`"%d %s"`, i%1000, strings.Repeat("x", 20_000))
		if size, worth := k.find(value); worth && size == 0 {
			k.keep(value)
		}
		held := 0
		for b := range k.begun {
			for _, v := range k.begun[b].values {
				held += len(v.text)
			}
		}
		if held > mostHeld || held != k.held {
			t.Fatalf("want at most %d bytes, as many as are counted, have %d and %d", mostHeld, held, k.held)
		}
	}
}

// TestMediaInKnownValues holds that a filter sees media in a value each time that it comes.
func TestMediaInKnownValues(t *testing.T) {
	f := &Filter{Engine: testEngine}
	for i := range 5 {
		doc := fmt.Sprintf(`{"system":{"text":%q,"files":["a"]},"n":%d}`, strings.Repeat("plain ", 300), i)
		if found, err := f.Find(doc, nil); err != nil || !found.Media {
			t.Errorf("record %d: want media, have %t (%v)", i, found.Media, err)
		}
	}
}

// TestKnownValuesInOthers holds that a prompt becomes known in requests that begin alike and never do: since they are large, or hold something.
func TestKnownValuesInOthers(t *testing.T) {
	prompt := fmt.Sprintf(`{"text":%q}`, strings.Repeat("You are an agent. ", 20))
	for _, c := range []struct{ reason, rest string }{
		{"large requests", strings.Repeat("go on ", mostKnownValue/6)},
		{"requests with a finding", strings.Repeat("go on ", 200) + "a@example.org"},
		{"others", strings.Repeat("go on ", 200)},
	} {
		f := &Filter{Engine: testEngine}
		for i := range 2 * credit {
			if _, err := f.Find(fmt.Sprintf(`{"request":{"system":%s,"messages":["%d %s"]}}`, prompt, i, c.rest), nil); err != nil {
				t.Fatal(err)
			}
		}
		if size, _ := f.values.find(prompt); size != len(prompt) {
			t.Errorf("%s: want a prompt of %d bytes known, have %d", c.reason, len(prompt), size)
		}
	}
}

// TestKnownValuesComeAgain holds that a value is kept only when another one has begun like it, with blanks between the tokens as without.
func TestKnownValuesComeAgain(t *testing.T) {
	for _, form := range []string{`{"request":{"messages":[{"content":%q}]}}`, `{"request": {"messages": [{"content": %q}]}}`, "{\n\t\"request\" : {\n\t\t\"messages\" : [\n\t\t\t{\"content\" : %q}\n]}}"} {
		f := &Filter{Engine: testEngine}
		row := func(n int) string {
			return fmt.Sprintf(form, fmt.Sprintf("%d. %s", n, strings.Repeat("some words ", 300)))
		}
		for n := range 1000 {
			if f.Find(row(n), nil); f.values.held > 0 {
				t.Fatalf("%s: want no value kept that has not come again, have %d bytes after %d rows", form, f.values.held, n+1)
			}
		}
		f.Find(row(999), nil)
		if f.values.held == 0 {
			t.Errorf("%s: want a value kept that has come again, have 0 bytes", form)
		}
	}
}
