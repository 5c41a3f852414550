package receipt

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Find returns the path of the receipt of a run in its folder, or in the only folder below that has one.
func Find(dir string) (string, error) {
	path := filepath.Join(dir, "receipt.json")
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	found, err := filepath.Glob(filepath.Join(dir, "*", "receipt.json"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("%s: want the receipt of a run, have %d", dir, len(found))
	}
	return found[0], nil
}

// Locate returns where an output of a receipt lies now: in the folder of the run, under as much of its path as exists there,
// or where the run wrote it. Whether it is still what the run wrote, its hash says.
func Locate(dir, path string) (string, error) {
	steps := strings.Split(filepath.ToSlash(path), "/")
	for i := range steps {
		near := filepath.Join(dir, filepath.Join(steps[i:]...))
		if _, err := os.Stat(near); err == nil {
			return near, nil
		}
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s: want the output %s, have no such file", dir, path)
	}
	return path, nil
}
