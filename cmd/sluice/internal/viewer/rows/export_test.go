package rows

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// exported writes the database of a file with words that are masked: one by what it is, and one by the row that it is in.
func exported(t *testing.T) string {
	t.Helper()
	f := writeFile(t, t.TempDir(), "a.jsonl", `{"messages":[],"source":"zeb@corp-mail.io","tags":["a","b"]}`, `{"messages":[1]}`,
		`{"secret":true,"task":"plan"}`, `{"task":"plan"}`)
	x := openWith(t, Options{Cache: t.TempDir(), Mask: &Mask{Row: func(row []byte) []byte {
		if bytes.Contains(row, []byte("secret")) {
			return bytes.ReplaceAll(row, []byte("plan"), []byte("<SECRET>"))
		}
		return row
	}}}, f)
	path := filepath.Join(t.TempDir(), "it's.sqlite")
	if err := x.Export(t.Context(), path, func(text string) string { return strings.ReplaceAll(text, "zeb", "(masked)") }); err != nil {
		t.Fatal(err)
	}
	if err := x.Export(t.Context(), path, nil); err == nil {
		t.Error("want a file that is there refused")
	}
	return path
}

// ask returns the rows of an answer, with its columns as the first.
func ask(t *testing.T, path, query string) (all []string, err error) {
	t.Helper()
	err = Ask(t.Context(), path, query, func(columns []string, values []any) error {
		if values == nil {
			all = append(all, strings.Join(columns, " "))
			return nil
		}
		all = append(all, strings.Trim(fmt.Sprint(values), "[]"))
		return nil
	})
	return all, err
}

// TestTables holds the documentation of the tables to what is in a database.
func TestTables(t *testing.T) {
	path := exported(t)
	for _, table := range Tables() {
		var names []string
		for _, c := range table.Columns {
			names = append(names, c.Name)
		}
		have, err := ask(t, path, "SELECT * FROM "+table.Name+" LIMIT 0")
		if err != nil || !slices.Equal(have, []string{strings.Join(names, " ")}) {
			t.Errorf("%s: want the columns %v, have %v, %v", table.Name, names, have, err)
		}
	}
	for query, want := range map[string]string{
		"SELECT line, turns, source, tag FROM rows":                    "line turns source tag|1 0 (masked)@corp-mail.io a, b|2 1 <nil> <nil>|3 0 <nil> <nil>|4 0 <nil> <nil>",
		"SELECT line, task FROM rows WHERE task IS NOT NULL":           "line task|3 <SECRET>|4 plan",
		"SELECT word FROM index_word WHERE word LIKE '%a%' ORDER BY 1": "word|(masked)@corp-mail.io|a|a.jsonl|a.jsonl|a.jsonl|a.jsonl|chatml|chatml|plan",
		"SELECT DISTINCT sum FROM index_row":                           "sum|0",
		`SELECT line, word FROM words WHERE "column" = 'tag'`:          "line word|1 a|1 b",
		"SELECT file, rows, bad FROM files":                            "file rows bad|a.jsonl 4 0",
		"WITH x AS (SELECT 1 AS y UNION ALL SELECT 2) SELECT * FROM x": "y|1|2",
	} {
		if have, err := ask(t, path, query); err != nil || strings.Join(have, "|") != want {
			t.Errorf("%s: want %s, have %v, %v", query, want, have, err)
		}
	}
}

// TestAskRefuses holds that a query can neither write nor read another file.
func TestAskRefuses(t *testing.T) {
	path := exported(t)
	other := filepath.Join(t.TempDir(), "other")
	for _, query := range []string{
		"DELETE FROM index_row", "SELECT 1; DELETE FROM index_row", "ATTACH '" + other + "' AS x", "VACUUM INTO '" + other + "'", "PRAGMA user_version = 1",
		"CREATE TEMP TABLE x (y)", "SELECT load_extension('x')", "WITH x AS (SELECT 1) DELETE FROM index_row", "SELEKT", "", "BEGIN",
	} {
		if _, err := ask(t, path, query); !errors.Is(err, ErrQuery) {
			t.Errorf("%s: want it refused, have %v", query, err)
		}
	}
	if have, err := ask(t, path, "SELECT count(*) FROM rows"); err != nil || have[1] != "4" {
		t.Errorf("want all rows still there, have %v, %v", have, err)
	}
}

// TestStatements holds where a query ends and another begins.
func TestStatements(t *testing.T) {
	for _, c := range []struct {
		query, reason string
		want          int
	}{
		{"", "nothing", 0},
		{" ;; -- a\n", "no query", 0},
		{"SELECT 1", "one", 1},
		{"SELECT 1; ", "with its end", 1},
		{"SELECT 1; -- two; three", "a comment behind it", 1},
		{"SELECT 1 /* ; SELECT 2 */", "a comment in it", 1},
		{"SELECT 'it''s; x', \"a;b\", `c;d`, [e;f]", "ends in quotes", 1},
		{"SELECT 'open; x", "a quote without an end, which SQLite refuses", 1},
		{"SELECT 1;SELECT 2", "two", 2},
		{"SELECT 'a'; SELECT 2; /* b */ SELECT 3;", "three", 3},
	} {
		if have := statements(c.query); have != c.want {
			t.Errorf("%s: want %d, have %d", c.reason, c.want, have)
		}
	}
}
