package viewer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/format"
	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
	"github.com/sluicehq/sluice/host"
	"github.com/sluicehq/sluice/host/fetch"
	"github.com/sluicehq/sluice/host/receipt"
)

// A Subject is what people view: a run by its receipt, or files.
type Subject struct {
	Title   string           // as it may be shown
	Path    string           // of the receipt
	Receipt *receipt.Receipt // nil of files
	Files   []rows.File
	Missing []string          // files of the run that are not there, as they may be shown
	Listed  []Listed          // files of the run whose rows are not shown
	dir     string            // of the run, absolute
	named   map[string]string // files by their names in the receipt
	numbers map[string]int    // of the names of files: the last one put behind each, 1 for none

	Unfinished bool // the files are what a run has left that has not finished
}

// Listed is a file that is only named.
type Listed struct {
	Name, What     string
	Input          bool
	Records, Bytes int64
}

// shared returns the names that several inputs of the run have because they are masked: such a name is ambiguous.
func (s *Subject) shared() (names []string) {
	if s.Receipt == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, in := range s.Receipt.Inputs {
		if seen[in.Name] {
			names = append(names, in.Name)
		}
		seen[in.Name] = true
	}
	return names
}

var endings = []string{".jsonl", ".jsonl.gz", ".jsonl.zst", ".ndjson", ".parquet"}

func hasRows(path string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(path, e) })
}

// Open returns the subject that paths name: the folder or the receipt of one run, or folders of files and files.
func Open(paths ...string) (*Subject, error) {
	return OpenWith(func(input string) string { return input }, paths...)
}

// OpenWith is Open, and gets where the inputs of a run lie on this machine.
func OpenWith(local func(input string) string, paths ...string) (*Subject, error) {
	if len(paths) == 1 {
		if s, err := openRun(local, paths[0]); s != nil || err != nil {
			return s, err
		}
	}
	s := &Subject{numbers: map[string]int{}}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, host.AtPath(err)
		case !info.IsDir():
			s.add(filepath.Base(path), rows.File{Path: path})
			continue
		}
		before := len(s.Files)
		err = filepath.WalkDir(path, func(at string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && strings.HasPrefix(d.Name(), ".") && at != path:
				return filepath.SkipDir
			case !d.IsDir() && hasRows(at) && !strings.HasPrefix(d.Name(), "."):
				name, err := filepath.Rel(path, at)
				if err != nil {
					return err
				}
				s.add(name, rows.File{Path: at})
			}
			return nil
		})
		unfinished := unfinishedIn(path)
		s.Unfinished = s.Unfinished || unfinished != nil
		if err == nil && len(s.Files) == before {
			if unfinished != nil {
				return nil, unfinished
			}
			err = fmt.Errorf("%s: want a run, or files named %s, have a folder without them", mask.Name(path), strings.Join(endings, ", "))
		}
		if err != nil {
			return nil, err
		}
	}
	s.Title = s.Files[0].Name
	if len(paths) == 1 {
		s.Title = mask.Name(filepath.Base(filepath.Clean(paths[0])))
	} else if n := len(s.Files); n > 1 {
		s.Title = fmt.Sprintf("%s and %d more", s.Title, n-1)
	}
	if s.Unfinished {
		s.Title += ", not finished"
	}
	return s, nil
}

// unfinishedIn returns why the run in a folder has not finished, nil when there is none of that kind.
func unfinishedIn(folder string) error {
	_, err := receipt.Find(folder)
	if u, ok := errors.AsType[*receipt.Unfinished](err); ok {
		return u
	}
	return nil
}

// openRun opens a run by its folder or its receipt. It returns nil for anything else.
func openRun(local func(input string) string, path string) (*Subject, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, host.AtPath(err)
	}
	dir := filepath.Dir(path)
	switch {
	case info.IsDir():
		dir = path
		if path, err = receipt.Find(path); err != nil {
			return nil, nil // it may hold files, of a run that has not finished too
		}
	case filepath.Ext(path) != ".json":
		return nil, nil
	}
	s := &Subject{Path: path, named: map[string]string{}, numbers: map[string]int{}}
	if s.Receipt, err = receipt.Read(path); err != nil {
		return nil, err
	}
	if s.Receipt.Run == "" {
		return nil, fmt.Errorf("%s: want the receipt of a run, have a JSON file without one", mask.Name(path))
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s.dir, s.Title = absolute, mask.Name(filepath.Base(absolute))
	s.outputs(absolute)
	s.inputs(local)
	return s, nil
}

// apart names two runs by their folders, with as much of their paths as distinguishes them.
func apart(a, b *Subject) (nameA, nameB string) {
	partsA, partsB := strings.Split(filepath.ToSlash(a.dir), "/"), strings.Split(filepath.ToSlash(b.dir), "/")
	for n := 1; n <= max(len(partsA), len(partsB)); n++ {
		nameA, nameB = format.Printable(mask.Name(last(partsA, n))), format.Printable(mask.Name(last(partsB, n)))
		if nameA != nameB {
			return nameA, nameB
		}
	}
	return format.Printable(a.Title), format.Printable(b.Title)
}

func last(parts []string, n int) string { return strings.Join(parts[max(0, len(parts)-n):], "/") }

// outputs adds the files that the run has written: what was kept first, of that the file with the most rows, then copies and the dead letter.
func (s *Subject) outputs(dir string) {
	all := slices.Clone(s.Receipt.Outputs)
	slices.SortStableFunc(all, func(a, b receipt.Output) int {
		of := s.outcome(a)
		if by := slices.Index(outcomes, of) - slices.Index(outcomes, s.outcome(b)); by != 0 || of != rows.Kept {
			return by
		}
		return cmp.Compare(b.Records, a.Records)
	})
	for _, out := range all {
		path, err := s.Receipt.Locate(dir, out.Path)
		if err != nil {
			s.Missing = append(s.Missing, mask.Name(out.Path))
			continue
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(name) {
			name = filepath.Base(path)
		}
		if hasRows(path) {
			s.named[out.Path] = s.add(name, rows.File{Path: path, Hash: out.Named(), Outcome: s.outcome(out)})
		}
	}
}

// inputs adds the files that the run has read, which local leads to on this machine.
func (s *Subject) inputs(local func(input string) string) {
	for _, in := range s.Receipt.Inputs {
		why, path := "rows are shown of files of lines and of Parquet", local(in.Name)
		switch info, err := os.Stat(path); {
		case in.Name == "-":
			why = "standard input, which no run keeps"
		case err != nil && fetch.Remote(in.Name):
			why = "in a bucket, from which it could not be copied"
		case err != nil:
			why = "not there any more, or not under that name"
		case !info.Mode().IsRegular():
			why = "no regular file"
		case hasRows(in.Name):
			why = ""
		}
		if why != "" {
			s.Listed = append(s.Listed, Listed{"input/" + mask.Name(filepath.Base(in.Name)), why, true, in.Records, in.Bytes})
			continue
		}
		s.named[in.Name] = s.add("input/"+filepath.Base(in.Name), rows.File{Path: path, Hash: in.Named(), Input: in.Name, Outcome: rows.Input})
	}
}

// outcome says what became of the records that an output of the run has rows of.
func (s *Subject) outcome(out receipt.Output) string {
	switch {
	case out.Side == receipt.DeadLetter:
		return rows.Rejected
	case out.Side != "":
		return rows.Noted
	case !s.Receipt.Keeps(out):
		return rows.Copied
	}
	return rows.Kept
}

// main returns the outcome that people look at first: of what was kept, else of what was rejected; "" for all files.
func (s *Subject) main() string {
	for _, of := range []string{rows.Kept, rows.Rejected} {
		for _, out := range s.outputsOf(of) {
			if out.Records > 0 {
				return of
			}
		}
	}
	return ""
}

func (s *Subject) outputsOf(outcome string) (all []receipt.Output) {
	if s.Receipt == nil {
		return nil
	}
	for _, out := range s.Receipt.Outputs {
		if s.outcome(out) == outcome {
			all = append(all, out)
		}
	}
	return all
}

// outcomes are in the order in which people look at them.
var outcomes = []string{rows.Kept, rows.Copied, rows.Rejected, rows.Noted}

// add adds a file under a unique name.
func (s *Subject) add(name string, f rows.File) string {
	name = filepath.ToSlash(mask.Name(name))
	f.Name = name
	for s.numbers[f.Name] > 0 {
		s.numbers[name]++
		f.Name = fmt.Sprintf("%s (%d)", name, s.numbers[name])
	}
	s.numbers[f.Name] = 1
	s.Files = append(s.Files, f)
	return f.Name
}

// Row returns the address of a row, below the token: of a file by its name in the receipt. It is "" when the file is not shown.
func (s *Subject) Row(name string, line int64) string {
	return s.address(name, "row", atKey, func(name string) string { return place(name, line) })
}

// Rows returns the address of the rows of a file in the same way.
func (s *Subject) Rows(name string) string {
	return s.address(name, "rows", inKey+"file", func(name string) string { return name })
}

func (s *Subject) address(name, page, key string, value func(name string) string) string {
	if shown, ok := s.named[name]; ok && !mask.Masked(shown) && !slices.Contains(s.shared(), name) {
		return page + "?" + url.Values{key: {value(shown)}}.Encode()
	}
	return ""
}

// Coded returns the address of the rows with a code, among those of an outcome.
func (s *Subject) Coded(outcome, code string) string {
	return "rows?" + url.Values{inKey + "outcome": {outcome}, inKey + "code": {code}}.Encode()
}

// output returns the output of the receipt that is a file.
func (s *Subject) output(f rows.File) (found receipt.Output, ok bool) {
	if s.Receipt == nil || f.Input != "" {
		return found, false
	}
	for _, out := range s.Receipt.Outputs {
		if out.Named() == f.Hash && strings.HasSuffix(filepath.ToSlash(out.Path), cmp.Or(filepath.Base(f.Path), f.Name)) {
			return out, true
		}
	}
	return found, false
}

// masking is how an index masks. All indexes do, so that they are one in the cache.
func masking() *rows.Mask {
	return &rows.Mask{Row: mask.Row, Visible: mask.Visible, Rules: mask.Rules()}
}

// Export writes a database of the rows, with personal values in it shown or masked.
func (s *Subject) Export(ctx context.Context, path string, shown bool) (err error) {
	index, err := rows.Open(ctx, s.Files, rows.Options{Shared: s.shared(), Mask: masking()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	if shown {
		return index.Export(ctx, path, nil)
	}
	return index.Export(ctx, path, mask.Text)
}
