package rows

import (
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver
)

// A store is the database of an index. A row has numbers, and one kind: the words that it shares with many others.
type store struct {
	*sql.DB // of one connection, so writing and asking take turns; a context that interrupts it would lose its temporary tables
	path    string
	kept    bool             // the file has its name in the cache
	keepAs  string           // the name that it gets when it is closed, "" for none
	inputs  map[string]int64 // their IDs, by name; who writes a batch uses it

	mu     sync.Mutex
	kinds  []kind             // by their IDs; the first is none
	shares map[string][]share // of all rows, once they were counted
}

// A kind holds the words of rows, by column.
type kind [columns][]string

func (k *kind) isJSON() bool { return k[shape][0] != noJSON && k[shape][0] != tooLong }

func (k *kind) key() (key []byte) {
	for _, all := range k {
		key = append(key, byte(len(all)))
		for _, word := range all {
			key = append(append(key, byte(len(word))), word...)
		}
	}
	return key
}

func (k *kind) clone() (own kind) {
	for name, all := range k {
		for _, word := range all {
			own[name] = append(own[name], strings.Clone(word))
		}
	}
	return own
}

// kinds are different kinds.
type kinds struct {
	list []kind
	at   map[string]int // where each is in the list, by its words
}

// add returns where a kind is in the list, at whose end a new one is added.
func (k *kinds) add(one *kind) int {
	key := one.key()
	at, ok := k.at[string(key)]
	if !ok {
		if k.at == nil {
			k.at = map[string]int{}
		}
		at = len(k.list)
		k.at[string(key)] = at
		k.list = append(k.list, one.clone())
	}
	return at
}

// storeForm is the form of the tables and of what is read into them, in a place of the file that SQLite leaves to programs.
const storeForm = 9

var tables = func() string {
	var names []string
	for _, c := range words {
		names = append(names, `"`+c.Name+`"`)
	}
	all := strings.Join(names, ", ")
	return `
CREATE TABLE index_file (id INTEGER PRIMARY KEY, name TEXT, state TEXT, read INT, rows INT, bad INT, trouble TEXT);
CREATE TABLE index_input (id INTEGER PRIMARY KEY, name TEXT, shared INT);
CREATE TABLE index_kind (id INTEGER PRIMARY KEY, ` + all + `);
CREATE TABLE index_word (kind INT, "column" TEXT, word TEXT);
CREATE TABLE index_row (id INTEGER PRIMARY KEY, line INT, "offset" INT, size INT, sum INT, shown INT, turns INT, calls INT, score REAL, kind INT, masked INT, input INT, origin INT, of_line INT, part INT);
CREATE TABLE index_of (id INT, input INT, origin INT);
PRAGMA user_version = ` + fmt.Sprint(storeForm)
}()

// hits is the table of what scans have found. It is gone with the connection.
const hits = "CREATE TEMP TABLE hit (scan INT, id INT, key, PRIMARY KEY (scan, id)) WITHOUT ROWID"

// indexes are created when all rows are inserted.
const indexes = `
CREATE INDEX index_row_kind ON index_row (kind);
CREATE INDEX index_row_masked ON index_row (masked);
CREATE INDEX index_row_origin ON index_row (origin, input);
CREATE INDEX index_of_origin ON index_of (origin, input);
CREATE INDEX index_of_id ON index_of (id);
CREATE INDEX index_word_kind ON index_word (kind)`

// newStore makes an empty store in a folder, "" for the system's folder for temporary files.
func newStore(folder string) (*store, error) {
	f, err := os.CreateTemp(folder, newPrefix+"*")
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	s, err := openStore(f.Name(), "")
	if err == nil {
		_, err = s.Exec(tables + ";" + hits)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(f.Name()))
	}
	return s, nil
}

// openStore opens a database as a cache needs it: what breaks off is made again, so nothing has to be durable.
func openStore(path, options string) (*store, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", fileURI(path, "_pragma=journal_mode(memory)&_pragma=synchronous(off)&_pragma=temp_store(memory)"+options))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return &store{DB: db, path: path, kinds: []kind{{}}, inputs: map[string]int64{}}, nil
}

func fileURI(path, query string) string {
	if path = filepath.ToSlash(path); path[0] != '/' { // C:/
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query}).String()
}

func (s *store) close() error {
	err := s.Close()
	if s.keepAs != "" && os.Rename(s.path, s.keepAs) == nil {
		return err
	}
	if !s.kept {
		err = errors.Join(err, os.Remove(s.path))
	}
	return err
}

// A batch is a transaction that writes to a store. There is one at a time.
type batch struct {
	*sql.Tx
	store *store
}

// write writes a batch. Kinds that were added count when it is written whole: nothing of a store that failed is used.
func (s *store) write(fill func(batch) error) error {
	tx, err := s.Begin()
	if err != nil {
		return err
	}
	if err := fill(batch{tx, s}); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (b batch) exec(query string, args ...any) error {
	_, err := b.Exec(query, args...)
	return err
}

func (b batch) addKind(k kind) (int64, error) {
	b.store.mu.Lock()
	id := int64(len(b.store.kinds))
	b.store.kinds = append(b.store.kinds, k)
	b.store.mu.Unlock()
	args := []any{id}
	for name, all := range k {
		var text any // NULL for none
		if len(all) > 0 {
			text = strings.Join(all, ", ")
		}
		args = append(args, text)
		for _, word := range all {
			if err := b.exec("INSERT INTO index_word VALUES (?, ?, ?)", id, words[name].Name, word); err != nil {
				return 0, err
			}
		}
	}
	return id, b.exec("INSERT INTO index_kind VALUES (?"+strings.Repeat(", ?", len(k))+")", args...)
}

func (s *store) allKinds() []kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.kinds
}

func (b batch) input(name string, shared bool) (int64, error) {
	id, ok := b.store.inputs[name]
	if ok {
		return id, nil
	}
	id = int64(len(b.store.inputs) + 1)
	b.store.inputs[strings.Clone(name)] = id
	return id, b.exec("INSERT INTO index_input VALUES (?, ?, ?)", id, name, shared)
}

func (s *store) load() error {
	var form int
	if err := s.QueryRow("PRAGMA user_version").Scan(&form); err != nil || form != storeForm {
		return errors.Join(errForm, err)
	}
	if _, err := s.Exec(hits); err != nil {
		return err
	}
	err := each(s.Query(`SELECT kind, "column", word FROM index_word ORDER BY rowid`))(func(scan func(...any) error) error {
		var id int
		var name, word string
		if err := scan(&id, &name, &word); err != nil {
			return err
		}
		for len(s.kinds) <= id {
			s.kinds = append(s.kinds, kind{})
		}
		of, ok := columnOf(name)
		if !ok {
			return errForm
		}
		s.kinds[id][of] = append(s.kinds[id][of], word)
		return nil
	})
	return err
}

var errForm = errors.New("want a database of this form")

// each calls for each row of an answer.
func each(rows *sql.Rows, err error) func(func(scan func(...any) error) error) error {
	return func(call func(scan func(...any) error) error) error {
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if err := call(rows.Scan); err != nil {
				return err
			}
		}
		return rows.Err()
	}
}

// addBeside adds the words of the column "beside" to the kinds, when all rows are inserted. Rows of one record are
// found by its input, its line, and its number among the records of the line, which rows of the input itself do not have.
func (s *store) addBeside() error {
	bits := "CASE k.shape"
	for i, name := range about {
		bits += fmt.Sprintf(" WHEN '%s' THEN %d", name, 1<<i)
	}
	return s.write(func(b batch) error {
		err := b.exec(indexes + `;
CREATE TEMP TABLE mention AS SELECT DISTINCT r.input, r.origin, r.of_line, r.id >> 32 AS file, ` + bits + ` END AS bit
	FROM index_row r JOIN index_kind k ON k.id = r.kind JOIN index_input i ON i.id = r.input WHERE bit AND r.of_line >= 0 AND NOT i.shared;
CREATE INDEX temp.mention_record ON mention (origin, input, of_line);
CREATE TEMP TABLE beside (id INTEGER PRIMARY KEY, kind INT, masked INT, bits INT);
INSERT INTO beside SELECT r.id, r.kind, r.masked, SUM(DISTINCT m.bit)
	FROM mention m CROSS JOIN index_row r ON r.origin = m.origin AND r.input = m.input AND coalesce(r.of_line, 0) = m.of_line
	WHERE r.id >> 32 <> m.file GROUP BY r.id;
CREATE TEMP TABLE kind_beside (kind INT, bits INT, id INT, PRIMARY KEY (kind, bits));
INSERT INTO kind_beside SELECT kind, bits, 0 FROM beside UNION SELECT masked, bits, 0 FROM beside`)
		if err != nil {
			return err
		}
		var pairs [][2]int
		err = each(b.Query("SELECT kind, bits FROM kind_beside"))(func(scan func(...any) error) error {
			var pair [2]int
			err := scan(&pair[0], &pair[1])
			pairs = append(pairs, pair)
			return err
		})
		for _, pair := range pairs {
			k := s.kinds[pair[0]]
			for bit, name := range about {
				if pair[1]>>bit&1 == 1 {
					k[beside] = append(k[beside], name)
				}
			}
			id, failed := b.addKind(k)
			err = errors.Join(err, failed, b.exec("UPDATE kind_beside SET id = ? WHERE kind = ? AND bits = ?", id, pair[0], pair[1]))
		}
		return errors.Join(err, b.exec(`
UPDATE index_row SET kind = (SELECT k.id FROM beside b JOIN kind_beside k ON k.kind = b.kind AND k.bits = b.bits WHERE b.id = index_row.id),
	masked = (SELECT k.id FROM beside b JOIN kind_beside k ON k.kind = b.masked AND k.bits = b.bits WHERE b.id = index_row.id)
	WHERE id IN (SELECT id FROM beside);
DROP TABLE mention; DROP TABLE beside; DROP TABLE kind_beside`))
	})
}
