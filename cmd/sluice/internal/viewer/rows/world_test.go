package rows

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A wanted row is a line of a file as whoever made it knows it.
type wanted struct {
	file         string
	line         int64
	text         string
	json         bool
	turns, calls int64
	words        map[string][]string
	strings      []string // decoded, keys not among them
	id           float64  // the value of its member id; below 0 for none
}

// A maker makes rows of random shapes with what is in them.
type maker struct{ *rand.Rand }

var vocabulary = []string{"deploy", "Kraków", "naïve", "東京", "say \"hi\"", "a\\b", "tab\there", "Straße", "😀 smile", "TASKS", "ÅNGSTRÖM", "x"}

func (m maker) pick(from ...string) string { return from[m.IntN(len(from))] }

// speech is some words, now and then many.
func (m maker) speech() string {
	var b strings.Builder
	n := m.IntN(6)
	switch m.IntN(150) {
	case 0:
		n = 30_000
	case 1:
		n = 200_000
	}
	for range n {
		b.WriteString(m.pick(vocabulary...))
		b.WriteByte(' ')
	}
	return b.String()
}

// quote writes a string with escapes that JSON demands, and some that it does not.
func (m maker) quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	escape := m.IntN(3) == 0
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		case escape && r > 0xffff:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		case escape && (r > 0x7f || m.IntN(9) == 0):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// row makes a row.
func (m maker) row() wanted {
	w := wanted{json: true, words: map[string][]string{}, id: -1}
	if m.IntN(12) == 0 {
		w.json = false
		w.text = m.pick(`{"messages":`, `not JSON at all`, `{"a":1}}`, `{"a" : "`+"\xff"+`"}`, strings.Repeat("[", 20_000))
		w.strings, w.words["shape"] = []string{w.text}, []string{noJSON}
		return w
	}
	say := func(text string) string {
		w.strings = append(w.strings, text)
		return m.quote(text)
	}
	var members []string
	switch m.IntN(5) {
	case 0:
		var turns []string
		for range m.IntN(4) {
			w.turns++
			calls := ""
			if m.IntN(2) == 0 {
				name := m.pick("SHELL", "TASKS", "REPLY")
				w.calls++
				w.word("action", name)
				calls = `,"tool_calls":[{"type":` + say("function") + `,"function":{"name":` + say(name) + `,"arguments":` + say(`{"a":"b"}`) + `}}]`
			}
			turns = append(turns, `{"role":`+say("assistant")+`,"content":`+say(m.speech())+calls+`}`)
		}
		w.words["shape"] = []string{chatmlShape}
		members = append(members, `"messages":[`+strings.Join(turns, ",")+`]`)
	case 1:
		w.words["shape"], w.turns, w.calls = []string{canonicalShape}, 2, 1
		w.words["split"], w.words["action"] = []string{m.pick("train", "val")}, []string{"SHELL"}
		members = append(members, `"format":`+say("eliza_native_v1"), `"request":{"prompt":`+say("p"+m.speech())+`}`,
			`"response":{"text":`+say(m.speech())+`,"toolCalls":[{"toolName":`+say("SHELL")+`}]}`,
			`"metadata":{"split":`+say(w.words["split"][0])+`}`)
	case 2:
		w.words["shape"], w.words["code"], w.words["step"] = []string{RejectShape}, []string{m.pick("no_user", "bad_role")}, []string{"native.check"}
		members = append(members, `"code":`+say(w.words["code"][0]), `"step":`+say("native.check"), `"plugin":"native"`, `"record":`+say(m.speech()))
		w.strings = append(w.strings, "native")
	case 3:
		w.words["shape"], w.words["entity"], w.words["step"] = []string{FindingShape}, []string{m.pick("EMAIL", "PHONE")}, []string{"privacy.redact"}
		members = append(members, `"step":`+say("privacy.redact"), `"place":`+say("value"), `"entity":`+say(w.words["entity"][0]))
	case 4:
		w.text = m.pick(`17`, `null`, `[1,[2]]`, ` {"other" : true} `)
		w.words["shape"] = []string{valueShape}
		if strings.Contains(w.text, "other") {
			w.words["shape"] = []string{otherShape}
		}
		return w
	}
	if m.IntN(3) > 0 {
		w.id = float64(m.IntN(20))
		members = append(members, fmt.Sprintf(`"id":%v`, w.id))
	}
	m.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	w.text = "{" + strings.Join(members, m.pick(",", " , ")) + "}"
	return w
}

func (w *wanted) word(column, word string) {
	for _, have := range w.words[column] {
		if have == word {
			return
		}
	}
	w.words[column] = append(w.words[column], word)
}

// file writes a file of random rows, perhaps packed.
func (m maker) file(t *testing.T, dir, name string) (File, []wanted) {
	t.Helper()
	var b bytes.Buffer
	var rows []wanted
	if m.IntN(4) == 0 {
		b.WriteString("\ufeff")
	}
	line := int64(0)
	for range m.IntN(60) {
		for m.IntN(6) == 0 {
			b.WriteString(m.pick("\n", "\r\n", " \t\n"))
			line++
		}
		line++
		w := m.row()
		w.file, w.line = name, line
		rows = append(rows, w)
		b.WriteString(w.text + m.pick("\n", "\r\n"))
	}
	data := b.Bytes()
	if m.IntN(3) == 0 {
		data = bytes.TrimRight(data, "\r\n")
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, pack(t, data, m.pick("", "", "gzip", "zstd")), 0o600); err != nil {
		t.Fatal(err)
	}
	return File{Name: name, Path: path}, rows
}

// pack packs a text.
func pack(t *testing.T, data []byte, how string) []byte {
	t.Helper()
	var b bytes.Buffer
	switch how {
	case "gzip":
		w := gzip.NewWriter(&b)
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	case "zstd":
		w, err := zstd.NewWriter(nil)
		if err != nil {
			t.Fatal(err)
		}
		return w.EncodeAll(data, nil)
	default:
		return data
	}
	return b.Bytes()
}

// open indexes files, all of them, with a cache in a folder.
func open(t *testing.T, cache string, files ...File) *Index {
	t.Helper()
	return openWith(t, Options{Cache: cache}, files...)
}

// openWith opens an index and waits for it.
func openWith(t *testing.T, o Options, files ...File) *Index {
	t.Helper()
	x, err := Open(t.Context(), files, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := x.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return x
}

// writeFile writes a file of lines.
func writeFile(t *testing.T, dir, name string, lines ...string) File {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return File{Name: name, Path: path}
}

// FindAll is Find that waits until everything is found or the context ends, which is no error.
func (x *Index) FindAll(ctx context.Context, q Query) (*Found, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	for _, of := range q.readings() {
		select {
		case <-x.reading(of).ended:
		case <-ctx.Done():
		}
	}
	_ = x.Wait(ctx) // that it was not long enough is told by Progress
	return x.Find(q)
}
