package rows

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"modernc.org/sqlite"

	"github.com/sluicehq/sluice/host"
)

// A Table is a view of an exported database, with its columns.
type Table struct {
	Name, Doc string
	Columns   []Column
	query     string
}

// Tables returns the views of an exported database.
func Tables() []Table {
	file := Column{Name: "file", Doc: "its name"}
	row := []Column{{Name: "file", Doc: "the file that the row is in"}, {Name: "line", Doc: "its line in the file, from 1", Number: true}}
	all := Table{Name: "rows", Doc: "a row for each row of the files", Columns: row[:2:2]}
	from := []string{"k.file", "r.line"}
	for _, c := range Columns() {
		if c.Number {
			from = append(from, "r."+c.Name)
		} else if c.Name != file.Name {
			from = append(from, "k."+c.Name)
		} else {
			continue
		}
		all.Columns = append(all.Columns, c)
	}
	all.Columns = append(all.Columns, Column{Name: "origin", Doc: "the input that its record was read from"},
		Column{Name: "origin_line", Doc: "and the line there", Number: true})
	all.query = strings.Join(from, ", ") + `, i.name AS origin, r.origin AS origin_line
	FROM index_row r JOIN index_kind k ON k.id = r.kind LEFT JOIN index_input i ON i.id = r.input`
	return []Table{
		all,
		{"words", "a row for each word of a row, where columns may have several, such as action and tag", append(row[:2:2],
			Column{Name: "column", Doc: "a column of rows"}, Column{Name: "word", Doc: "one of its words"}),
			`k.file, r.line, w."column", w.word FROM index_row r JOIN index_kind k ON k.id = r.kind JOIN index_word w ON w.kind = r.kind`},
		{"files", "a row for each file", []Column{file, {Name: "rows", Doc: "how many it has", Number: true},
			{Name: "bad", Doc: "how many of them are not JSON", Number: true}, {Name: "trouble", Doc: "why it could not be read whole"}},
			"name AS file, rows, bad, trouble FROM index_file"},
	}
}

// Export writes a database of the index, with the tables that people query. masked replaces each name and word in it, and
// rows then have the words that masked rows show; nil leaves all as it is.
func (x *Index) Export(ctx context.Context, path string, masked func(string) string) (err error) {
	if err := x.Wait(ctx); err != nil {
		return err
	}
	to, err := newDatabase(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	known := map[string]string{"": ""}
	show := func(text string) string {
		if masked == nil {
			return text
		}
		if _, ok := known[text]; !ok {
			known[text] = masked(text)
		}
		return known[text]
	}
	statements := []string{tables, fmt.Sprintf("ATTACH '%s' AS made", strings.ReplaceAll(fileURI(x.store.path, "mode=ro"), "'", "''"))}
	for _, t := range Tables() {
		statements = append(statements, "CREATE VIEW "+t.Name+" AS SELECT "+t.query)
	}
	for _, statement := range append(statements, "CREATE TEMP TABLE exported (id INTEGER PRIMARY KEY, kind INT)") {
		if _, err := to.Exec(statement); err != nil {
			return err
		}
	}
	words, raw := "r.kind", `r."offset", r.size, r.sum`
	if masked != nil {
		words, raw = "r.masked", "0, r.shown, 0" // a sum would tell whether a guess of what is hidden is right, and a size how long it is
	}
	if err := x.exportNames(to, words, show); err != nil {
		return err
	}
	_, err = to.Exec(`INSERT INTO index_row SELECT r.id, r.line, ` + raw + `, r.shown, r.turns, r.calls, r.score, e.kind, e.kind, r.input, r.origin, r.of_line, r.part
	FROM made.index_row r JOIN exported e ON e.id = ` + words + `; DROP TABLE exported; DETACH made;` + indexes)
	return err
}

// newDatabase makes a file for a database, and opens it.
func newDatabase(path string) (*store, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s: want a file that does not exist yet, have a file or folder of that name", path)
	}
	if err != nil {
		return nil, host.AtPath(err)
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	return openStore(path, "")
}

// exportNames writes the inputs, the files and the kinds of rows, and which kind each of the index has become. words is the column with the
// kind of a row.
func (x *Index) exportNames(to *store, words string, show func(string) string) error {
	kinds, ids := x.store.allKinds(), []int64(nil)
	err := each(to.Query("SELECT " + words + " FROM made.index_row r GROUP BY 1 ORDER BY MIN(r.id)"))(func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return err
	}
	inputs := map[int64]string{}
	err = each(to.Query("SELECT id, name FROM made.index_input"))(func(scan func(...any) error) error {
		var id int64
		var name string
		err := scan(&id, &name)
		inputs[id] = name
		return err
	})
	if err != nil {
		return err
	}
	return to.write(func(b batch) (err error) {
		for id, name := range inputs {
			err = errors.Join(err, b.exec("INSERT INTO index_input VALUES (?, ?, ?)", id, show(name), x.shared[name]))
		}
		for _, id := range ids {
			var own kind
			for name, all := range kinds[id] {
				for _, word := range all {
					own[name] = append(own[name], show(word))
				}
			}
			exported, failed := b.addKind(own)
			err = errors.Join(err, failed, b.exec("INSERT INTO exported VALUES (?, ?)", id, exported))
		}
		for i, s := range x.States() {
			trouble := any(nil)
			if s.Err != nil {
				trouble = show(s.Err.Error())
			}
			err = errors.Join(err, b.exec("INSERT INTO index_file VALUES (?, ?, '', ?, ?, ?, ?)", i, show(s.Name), s.Read, s.Rows, s.Bad, trouble))
		}
		return err
	})
}

// ErrQuery marks queries that are wrong, or that would do more than read.
var ErrQuery = errors.New("want one query that SQLite answers and that only reads")

// statements counts the statements of a query. What is quoted, and comments, have no end of a statement in them.
func statements(query string) (n int) {
	open := false // a statement has begun
	for query != "" {
		skip := 1
		switch c := query[0]; {
		case strings.HasPrefix(query, "--"):
			skip = end(query, 2, "\n")
		case strings.HasPrefix(query, "/*"):
			skip = end(query, 2, "*/")
		case c == ';':
			open = false
		case c == ' ' || c >= '\t' && c <= '\r':
		default:
			if !open {
				open, n = true, n+1
			}
			if i := strings.IndexByte("'\"`[", c); i >= 0 { // a quote that is doubled ends one text and begins the next
				skip = end(query, 1, "'\"`]"[i:i+1])
			}
		}
		query = query[skip:]
	}
	return n
}

// end returns where a text ends that is closed by a word behind from.
func end(text string, from int, word string) int {
	i := strings.Index(text[from:], word)
	if i < 0 {
		return len(text)
	}
	return from + i + len(word)
}

// Ask calls with the columns of the answer to a query of an exported database, and then for each of its rows. The query can
// neither write nor read another file.
func Ask(ctx context.Context, path, query string, call func(columns []string, values []any) error) (err error) {
	if n := statements(query); n > 1 { // of which SQLite would answer the last
		return fmt.Errorf("%w, have %d statements", ErrQuery, n)
	}
	s, err := openStore(path, "&mode=ro")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	c, err := s.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	err = c.Raw(func(connection any) error {
		return connection.(sqlite.AuthorizerRegisterer).RegisterAuthorizer(func(what sqlite.AuthorizerActionCode, _, _, _, _ string) sqlite.AuthorizerReturnCode {
			switch what {
			case sqlite.AuthSelect, sqlite.AuthRead, sqlite.AuthFunction, sqlite.AuthRecursive:
				return sqlite.AuthorizerOK
			}
			return sqlite.AuthorizerDeny
		})
	})
	if err != nil {
		return err
	}
	answer, err := c.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrQuery, err)
	}
	defer answer.Close()
	columns, err := answer.Columns()
	if err != nil {
		return err
	}
	if len(columns) == 0 {
		return fmt.Errorf("%w, have one without an answer", ErrQuery)
	}
	if err := call(columns, nil); err != nil {
		return err
	}
	values, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		to[i] = &values[i]
	}
	for answer.Next() {
		if err := answer.Scan(to...); err != nil {
			return err
		}
		if err := call(columns, values); err != nil {
			return err
		}
	}
	if err := answer.Err(); err != nil {
		return fmt.Errorf("%w: %w", ErrQuery, err)
	}
	return nil
}
