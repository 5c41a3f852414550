package source

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestSessions holds which lines become one record, and that neither the size of batches nor that of the arena's regions changes it.
func TestSessions(t *testing.T) {
	const head, other = `{"type":"session_meta","payload":{"id":"p"}}`, `{"type":"session_meta","payload":{"id":"q"}}`
	for _, tt := range []struct {
		reason, text string
		members      []string // nil: the usual ones
		want         []string
	}{
		{"a file without any is one session", "{\"a\":1}\n{\"b\": 2 }\r\n", nil, []string{`a.x:1 {"session":"a","events":[{"a":1},{"b": 2 }]}`}},
		{"sessions that take turns", `{"session_id":"s"}` + "\n" + `{"session_id":7}` + "\n" + `{"session_id":"s","n":2}`, nil,
			[]string{`a.x:1 {"session":"s","events":[{"session_id":"s"},{"session_id":"s","n":2}]}`, `a.x:2 {"session":"7","events":[{"session_id":7}]}`}},
		{"the first of the names counts", `{"conversation_id":"c","sessionId":"s"}` + "\n" + `{"sessionId":"s"}`, nil, []string{`a.x:1 {"session":"s","events":[{"conversation_id":"c","sessionId":"s"},{"sessionId":"s"}]}`}},
		{"lines before the first name are of that session", "{\"n\":1}\n{\"sessionId\":\"s\"}\n{\"n\":2}\n{\"sessionId\":\"t\"}\n", nil,
			[]string{`a.x:1 {"session":"s","events":[{"n":1},{"sessionId":"s"},{"n":2}]}`, `a.x:4 {"session":"t","events":[{"sessionId":"t"}]}`}},
		{"a header begins a session", head + "\n{\"n\":1}\n" + other + "\n{\"n\":2}\n" + head + "\n{\"n\":3}", nil,
			[]string{`a.x:1 {"session":"p","events":[` + head + `,{"n":1},` + head + `,{"n":3}]}`, `a.x:3 {"session":"q","events":[` + other + `,{"n":2}]}`}},
		{"but not behind another one: it is of the session that this one continues", head + "\n" + other + "\n{\"n\":1}\n", nil, []string{`a.x:1 {"session":"p","events":[` + head + `,` + other + `,{"n":1}]}`}},
		{"members of members", `{"a":{"b":"s"}}` + "\n" + `{"a":{"b":"t"},"sessionId":"s"}`, []string{"a.b"}, []string{`a.x:1 {"session":"s","events":[{"a":{"b":"s"}}]}`, `a.x:2 {"session":"t","events":[{"a":{"b":"t"},"sessionId":"s"}]}`}},
		{"no member: the file", `{"sessionId":"s"}` + "\n" + head, []string{}, []string{`a.x:1 {"session":"a","events":[{"sessionId":"s"},` + head + `]}`}},
		{"an escaped name", `{"sessionId":"\u0073\""}` + "\n" + `{"sessionId":"s\""}`, nil, []string{`a.x:1 {"session":"s\"","events":[{"sessionId":"\u0073\""},{"sessionId":"s\""}]}`}},
		{"a line that is no JSON leaves null, unless it is the last", "{\n{\"n\":1}\n[\n\n{\"n\":2}\n3\n", nil, []string{
			"a.x:1 { invalid_json want a key, have the end at byte 1", "a.x:3 [ invalid_json want a value, have the end at byte 1",
			"a.x:6 3 invalid_json want an object in each line of a session, have a number", `a.x:2 {"session":"a","events":[null,{"n":1},null,{"n":2}]}`}},
		{"no line at all", "\n \n", nil, nil},
	} {
		opts := options(Options{Paths: []string{filepath.Join(write(t, map[string]string{"a.x": tt.text}), "a.x")}})
		if tt.members != nil {
			opts.Own = &sessionsArgs{Session: tt.members}
		}
		for _, opts.Batch = range []int{1, 7, 1 << 10} {
			s, err := open(t, "sessions", opts)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := drain(t, s, newArena(1<<10))
			if diff := cmp.Diff(tt.want, rows); diff != "" || err != nil {
				t.Errorf("%s: batch %d: %v %s", tt.reason, opts.Batch, err, diff)
			}
		}
	}
}

// TestSessionsAreBounded protects the memory of a run: a session past the limit is rejected whole, and the sessions of a file
// that are open together stay within a few limits.
func TestSessionsAreBounded(t *testing.T) {
	pad := strings.Repeat("x", 4000)
	line := func(id string) string { return fmt.Sprintf(`{"sessionId":%q,"x":%q}`, id, pad) }
	for _, tt := range []struct {
		reason string
		limit  int
		ids    string // of the lines
		want   []string
	}{
		{"a session within the limit", 9 << 10, "aab", []string{"a.x:1 2", "a.x:3 1"}},
		{"one past it, whole", 9 << 10, "abaab", []string{"a.x:1 too_large want a session of at most 9216 bytes, have 12075", "a.x:2 2"}},
		{"the frame of the record counts too", 4051, "abb", []string{"a.x:1 1", "a.x:2 too_large want a session of at most 4051 bytes, have 8050"}},
		{"many sessions: those that wait longest are passed on", 5 << 10, "abcdef", []string{"a.x:1 1", "a.x:2 1", "a.x:3 1", "a.x:4 1", "a.x:5 1", "a.x:6 1"}},
		{"and one of these that goes on is rejected", 5 << 10, "abcdeaf", []string{"a.x:1 1", "a.x:2 1", "a.x:3 1", "a.x:4 1", "a.x:5 1",
			"a.x:6 scattered_session want the lines of a session closer together: 20480 bytes of other sessions came between these and those before", "a.x:7 1"}},
	} {
		var text strings.Builder
		for _, id := range tt.ids {
			text.WriteString(line(string(id)) + "\n")
		}
		name := filepath.Join(write(t, map[string]string{"a.x": text.String()}), "a.x")
		for _, batch := range []int{1, 1 << 10, 1 << 20} {
			s, err := open(t, "sessions", options(Options{Paths: []string{name}, Limit: tt.limit, Batch: batch}))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := drain(t, s, newArena(1<<20))
			for i, row := range rows {
				if place, events, ok := strings.Cut(row, " {"); ok {
					rows[i] = fmt.Sprint(place, " ", strings.Count(events, `"x":`))
				} else {
					rows[i] = strings.Replace(row, "  ", " ", 1)
				}
			}
			if diff := cmp.Diff(tt.want, rows); diff != "" || err != nil {
				t.Errorf("%s: batch %d: %v %s", tt.reason, batch, err, diff)
			}
		}
	}
}

// FuzzSessions checks that neither the size of batches nor that of reads changes the records, and that every line is in one of them.
func FuzzSessions(f *testing.F) {
	for _, text := range []string{"{\"sessionId\":\"a\"}\n{}\n{\"sessionId\":\"b\"}\n{\"sessionId\":\"a\"}", "{}\n{\"session_id\":1}\n\n[]", "{\"type\":\"session\",\"id\":\"a\"}\r\n{\n{}", "\uFEFF{}"} {
		f.Add(text, uint8(3), uint8(5))
	}
	f.Fuzz(func(t *testing.T, text string, batch, step uint8) {
		rows, failed := readInPieces(t, "sessions", text, int(batch)+1, int(step)+1)
		if len(text) > fuzzLimit/8 || failed != "" || !utf8.ValidString(text) {
			return
		}
		all := strings.Join(rows, "\n")
		for line := range strings.SplitSeq(strings.TrimPrefix(text, "\uFEFF"), "\n") {
			if line := string(trim([]byte(line))); !strings.Contains(all, line) {
				t.Errorf("want the line %q in a record or a reject, have %q", line, rows)
			}
		}
	})
}
