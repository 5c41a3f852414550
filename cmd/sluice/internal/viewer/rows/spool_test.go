package rows

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyPacked protects the system from many packed files: together they take a file and a bound.
func TestManyPacked(t *testing.T) {
	const lines, each = 2_500, 60
	dir := t.TempDir()
	var files []File
	for i := range each {
		row := fmt.Sprintf(`{"text":"%0400d"}`+"\n", i)
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, pack(t, []byte(strings.Repeat(row, lines)), "gzip"), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, File{Name: fmt.Sprint(i), Path: path})
	}
	taken := func() int {
		all, err := os.ReadDir("/dev/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	before := taken()
	x := open(t, t.TempDir(), files...)
	if after := taken(); after > before+each/2 {
		t.Errorf("want a file for all copies, have %d more", after-before)
	}
	for i := range files {
		for _, row := range []uint32{0, lines / 2, lines - 1} {
			want := fmt.Sprintf(`{"text":"%0400d"}`, i)
			if data, err := x.Read(t.Context(), ID{uint32(i), row}); err != nil || string(data) != want {
				t.Fatalf("file %d, row %d: want %s, have %s, %v", i, row, want, data, err)
			}
		}
	}
	const most = 2 << 20
	few, err := Open(t.Context(), files[:4], Options{Cache: t.TempDir(), Unpacked: most})
	if err != nil {
		t.Fatal(err)
	}
	defer few.Close()
	if err := few.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	size, told := int64(0), false
	for i, s := range few.States() {
		size += few.files[i].spool.have
		told = told || s.Err != nil && strings.Contains(s.Err.Error(), "want at most 2097152 bytes of unpacked files in all")
	}
	if size > most || !told {
		t.Errorf("want at most %d bytes unpacked and that there are more told, have %d, %t", most, size, told)
	}
}
