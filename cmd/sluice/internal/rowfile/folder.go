package rowfile

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
)

// tables are the endings of other files that hold rows, which a source reads and Open does not.
var tables = []string{".ndjson", ".csv", ".tsv"}

// Folder returns the files of JSON Lines and of Parquet below a folder, and the other files there that hold rows. Hidden folders hold none.
// Without any file of the first two kinds it returns an error.
func Folder(dir string) (files, others []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
		switch ending := filepath.Ext(name); {
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != dir:
			return filepath.SkipDir
		case d.IsDir():
		case ending == ".jsonl", filepath.Ext(path) == ".parquet":
			files = append(files, path)
		case slices.Contains(tables, ending), ending == ".json" && holdsList(path):
			others = append(others, path)
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: want files named .jsonl, .jsonl.gz, .jsonl.zst or .parquet", mask.Name(dir))
		if len(others) > 0 {
			err = fmt.Errorf("%w, have %s: name that to have it read", err, mask.Name(others[0]))
		}
	}
	return files, others, err
}

// holdsList reports whether a file, compressed or not, begins with a list, as a document of rows does and a receipt does not.
func holdsList(path string) bool {
	in, err := Open(path, nil)
	if err != nil {
		return false
	}
	defer in.Close()
	for line := range in.Lines() {
		if text := bytes.TrimSpace(line); len(text) > 0 {
			return text[0] == '['
		}
	}
	return false
}

// Split returns the inputs that are no folders, with the files of the others whose rows have a known shape, and the names of those files
// in folders that are left out.
func Split(inputs []string) (paths, left []string, err error) {
	for _, input := range inputs {
		if info, err := os.Stat(input); err != nil || !info.IsDir() {
			paths = append(paths, input)
			continue
		}
		files, others, err := Folder(input)
		if err != nil {
			return nil, nil, err
		}
		for _, file := range files {
			shape, err := ShapeOf(file)
			switch {
			case err != nil:
				return nil, nil, err
			case shape == "":
				left = append(left, mask.Name(file)+": no rows of a known shape")
			default:
				paths = append(paths, file)
			}
		}
		for _, file := range others {
			left = append(left, mask.Name(file)+": "+Unasked)
		}
	}
	if len(paths) == 0 {
		return nil, nil, fmt.Errorf("%s: want rows of a known shape in its files", mask.Name(inputs[0]))
	}
	return paths, left, nil
}

// Unasked says why a file of rows that is not JSON Lines is left out of a folder.
const Unasked = "read only when it is named"
