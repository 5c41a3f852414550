package publish

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/rowfile"
	"github.com/sluicehq/sluice/host/filehash"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

type writer struct {
	dir   string
	shard int64             // bytes
	sums  map[string]string // SHA-256 of each file, by its path in the folder
	about string            // the config whose rows say where all are from; "": each
	rows  *column           // those of the config that is being written
	found found
}

// A config is the rows of one shape, by split.
type config struct {
	Name   string
	Dir    string // of its files
	Splits []split
	rows   *column
}

// Features returns the types of the columns, as a card has them.
func (c config) Features() string {
	var b strings.Builder
	c.rows.features(&b, "  ")
	return strings.TrimSuffix(b.String(), "\n")
}

// Texts returns the paths where JSON text replaces values that have no one type.
func (c config) Texts() []string { return c.rows.texts("") }

type split struct {
	Name        string
	Rows, Bytes int64
	Files       int
}

var splitOrder = []string{"train", "val", "test", "repair_eval", "calibration"}

// write writes the rows of all sources, config by config and split by split.
func (w *writer) write(sources []source) (configs []config, err error) {
	files := map[string]map[string][]source{} // by config and split
	for _, s := range sources {
		if files[s.config] == nil {
			files[s.config] = map[string][]source{}
		}
		files[s.config][s.split] = append(files[s.config][s.split], s)
	}
	if files[rowfile.Canonical] != nil { // the others are made from these, and say less
		w.about = rowfile.Canonical
	}
	names := slices.Sorted(maps.Keys(files))
	for i, name := range []string{rowfile.Canonical, rowfile.ChatML} { // the rows that the others are made from come first
		if at := slices.Index(names, name); at > i {
			names = slices.Insert(slices.Delete(names, at, at+1), min(i, at), name)
		}
	}
	for _, name := range names {
		if w.rows, err = readColumns(files[name]); err != nil {
			return nil, err
		}
		c := config{Name: name, Dir: "data", rows: w.rows}
		if len(names) > 1 {
			c.Dir = path.Join("data", name)
		}
		for _, of := range splitOrder {
			if files[name][of] == nil {
				continue
			}
			s, err := w.writeSplit(c.Dir, hubName(of), files[name][of])
			if err != nil {
				return nil, err
			}
			c.Splits = append(c.Splits, *s)
		}
		configs = append(configs, c)
	}
	return configs, nil
}

// readColumns reads all rows of a config for the types of their columns.
func readColumns(files map[string][]source) (*column, error) {
	rows := newColumn(atRow)
	for _, name := range splitOrder {
		for _, file := range files[name] {
			if err := addRows(rows, file.path); err != nil {
				return nil, err
			}
		}
	}
	rows.settle()
	return rows, nil
}

func addRows(rows *column, path string) error {
	in, err := rowfile.Open(path, nil)
	if err != nil {
		return err
	}
	defer in.Close()
	n := 0
	for line, err := range in.Lines() {
		if err != nil {
			return err
		}
		n++
		text := jsontext.Of(bytes.TrimSpace(line))
		if text.Kind() != '{' {
			return fmt.Errorf("%s:%d: want a row, have %s", path, n, jsontext.KindName(text.Kind()))
		}
		if err := rows.add(text); err != nil {
			return fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
	return nil
}

// writeSplit writes shards of about one size. How many there are is known in the end, so they get their names then.
func (w *writer) writeSplit(dir, name string, files []source) (*split, error) {
	if err := os.MkdirAll(filepath.Join(w.dir, filepath.FromSlash(dir)), 0o755); err != nil {
		return nil, err
	}
	s := &split{Name: name}
	out := &shards{place: filepath.Join(w.dir, filepath.FromSlash(dir), name), limit: w.shard}
	for _, file := range files {
		if err := w.copy(out, s, file); err != nil {
			return nil, errors.Join(err, out.close())
		}
	}
	if err := out.close(); err != nil {
		return nil, err
	}
	s.Files = len(out.sums)
	for i, sum := range out.sums {
		final := fmt.Sprintf("%s-%05d-of-%05d.jsonl", name, i, s.Files)
		if err := os.Rename(out.name(i), filepath.Join(w.dir, filepath.FromSlash(dir), final)); err != nil {
			return nil, err
		}
		w.sums[path.Join(dir, final)] = sum
	}
	return s, nil
}

// copy copies the rows of a file, which has to be the one that the run wrote.
func (w *writer) copy(out *shards, s *split, file source) error {
	sum := filehash.New(file.Algorithm())
	in, err := rowfile.Open(file.path, sum)
	if err != nil {
		return err
	}
	defer in.Close()
	read := int64(0)
	var buf []byte
	for line, err := range in.Lines() {
		if err != nil {
			return err
		}
		if w.about == "" || w.about == file.config {
			w.found.add(line)
		}
		if w.rows.form != asIs {
			buf = append(w.rows.append(jsontext.Reuse(buf), jsontext.Of(bytes.TrimSpace(line))), '\n')
			line = buf
		}
		if err := out.write(line); err != nil {
			return err
		}
		read, s.Bytes = read+1, s.Bytes+int64(len(line))
	}
	s.Rows += read
	if have := sum.Result(); have != file.Sum || read != file.Records {
		return file.changed()
	}
	return nil
}

type shards struct {
	place string // the path of the files without their numbers
	limit int64
	sums  []string // of those that are closed

	file *os.File
	out  *bufio.Writer
	sum  hash.Hash
	size int64
}

func (w *shards) name(i int) string { return fmt.Sprintf("%s-%05d", w.place, i) }

func (w *shards) write(line []byte) (err error) {
	if w.file != nil && w.size+int64(len(line)) > w.limit {
		if err := w.close(); err != nil {
			return err
		}
	}
	if w.file == nil {
		if w.file, err = os.OpenFile(w.name(len(w.sums)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
			return err
		}
		w.sum, w.size = sha256.New(), 0
		w.out = bufio.NewWriterSize(io.MultiWriter(w.file, w.sum), 1<<20)
	}
	w.size += int64(len(line))
	_, err = w.out.Write(line)
	return err
}

func (w *shards) close() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.out.Flush(), w.file.Sync(), w.file.Close())
	w.sums = append(w.sums, hex.EncodeToString(w.sum.Sum(nil)))
	w.file = nil
	return err
}

func (w *writer) put(name, text string) error {
	w.sums[name] = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	return os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644)
}

// putSums writes the hashes of all files, in the form that sha256sum --check reads.
func (w *writer) putSums() error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(w.sums)) {
		fmt.Fprintf(&b, "%s  %s\n", w.sums[name], name)
	}
	return os.WriteFile(filepath.Join(w.dir, "SHA256SUMS"), []byte(b.String()), 0o644)
}

// found counts what rows say about where they are from.
type found struct {
	rows               int64
	licenses, datasets map[string]int64
}

// plainName matches a name that may be shown on a card. Any other is counted as "other".
var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._+:/()-]*$`)

const longestName = 64

const mostNames = 50

// none counts rows without a name. It is no plainName.
const none = "(none)"

func (f *found) add(row []byte) {
	f.rows++
	if f.licenses == nil {
		f.licenses, f.datasets = map[string]int64{}, map[string]int64{}
	}
	f.licenses[nameOf(row, f.licenses, "metadata.license", "license")]++
	f.datasets[nameOf(row, f.datasets, "metadata.source_dataset", "source.dataset", "source_dataset")]++
}

// nameOf returns the first name that a row has at one of the paths, as it is counted.
func nameOf(row []byte, known map[string]int64, paths ...string) string {
	for _, at := range paths {
		v := gjson.GetBytes(row, at)
		if v.Type != gjson.String || v.Str == "" {
			continue
		}
		if known[v.Str] == 0 && (len(v.Str) > longestName || !plainName.MatchString(v.Str) || len(known) >= mostNames) {
			return "other"
		}
		return v.Str
	}
	return none
}

// license returns the one that all rows have, "" when they have several or some have none.
func (f *found) license() string {
	for name, n := range f.licenses {
		if n == f.rows && name != none {
			return strings.ToLower(name)
		}
	}
	return ""
}
