package source

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Packed files that are decompressed ahead come in order, up to one that is broken, and the error names that one.
func TestFilesAhead(t *testing.T) {
	files := map[string]string{}
	var want []string
	for i := range 20 {
		name, text := fmt.Sprintf("%02d.gz", i), strings.Repeat(fmt.Sprintln(i), 1000)
		files[name] = gzipped(text)
		if i < 15 {
			for line := range 1000 {
				want = append(want, fmt.Sprintf("%s:%d %d", name, line+1, i))
			}
		}
	}
	files["15.gz"] = files["15.gz"][:10]
	dir := write(t, files)
	s, err := open(t, "jsonl", options(Options{Paths: []string{filepath.Join(dir, "*")}, Batch: 1 << 10}))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(t, s, newArena(1<<14))
	if err == nil || !strings.HasSuffix(err.Error(), "15.gz:1: read 0 records, 10 bytes: want the rest of the gzip data, have the end of the file") {
		t.Errorf("have %v", err)
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	if in := s.Inputs(); len(in) != 15 || in[14].Records != 1000 || in[14].Bytes != int64(len(files["14.gz"])) {
		t.Errorf("have %d inputs", len(in))
	}
}
