package jsonl

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluicehq/sluice/sdk/batch"
)

func records(lines ...string) []batch.Record {
	var rs []batch.Record
	for _, line := range lines {
		rs = append(rs, batch.Record{Data: []byte(line)})
	}
	return rs
}

func split(value, line string) batch.Record {
	return batch.Record{Data: []byte(line), File: "in", Line: 3, Labels: []batch.Label{{Name: "a", Value: "x"}, {Name: "split", Value: value}}}
}

// tree lists the files under dir with their contents.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		files[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestSinkAppearsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "out.jsonl")
	s := Create(path, SinkOptions{})
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write(records(`{"a":1}`, "[\n 1,\r\n\t\"b \\\" c\" ]", "2")); err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	for name := range tree(t, dir) {
		if !strings.HasPrefix(filepath.Base(name), ".out.jsonl.") || !strings.HasSuffix(name, ".tmp") {
			t.Errorf("before the commit there is %s", name)
		}
	}
	outputs, err := s.Commit()
	if err != nil {
		t.Fatal(err)
	}
	want := "{\"a\":1}\n[1,\"b \\\" c\"]\n2\n"
	if diff := cmp.Diff(map[string]string{"new/out.jsonl": want}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	sum := sha256.Sum256([]byte(want))
	if diff := cmp.Diff([]Output{{Path: path, Records: 3, Bytes: int64(len(want)), SHA256: hex.EncodeToString(sum[:])}}, outputs); diff != "" {
		t.Error(diff)
	}
	if err := s.Abort(); err != nil || len(tree(t, dir)) != 1 {
		t.Errorf("an abort after the commit takes the file away: %v", err)
	}
}

func TestSinkWithoutRecordsLeavesAnEmptyFile(t *testing.T) {
	for _, name := range []string{"a.jsonl", "a.jsonl.gz", "a.jsonl.zst"} {
		path := filepath.Join(t.TempDir(), name)
		outputs, err := Create(path, SinkOptions{}).Commit()
		if err != nil || len(outputs) != 1 {
			t.Fatalf("%v, %v", outputs, err)
		}
		s, err := Open(Options{Paths: []string{path}})
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := drain(t, s, newArena(1<<20)); err != nil || rows != nil {
			t.Errorf("%s: have %q, %v", name, rows, err)
		}
	}
}

func TestAbortLeavesWhatWasThere(t *testing.T) {
	dir := write(t, map[string]string{"out.jsonl": "old\n"})
	s := Create(filepath.Join(dir, "out.jsonl"), SinkOptions{})
	if err := s.Write(records("1")); err != nil {
		t.Fatal(err)
	}
	if err := s.Abort(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"out.jsonl": "old\n"}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestSinkReplacesBehindALinkAndKeepsTheMode(t *testing.T) {
	dir := write(t, map[string]string{"disk/out.jsonl": "old\n"})
	target, link := filepath.Join(dir, "disk", "out.jsonl"), filepath.Join(dir, "out.jsonl")
	if err := os.Chmod(target, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(link, []byte("new\n")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(target)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if diff := cmp.Diff(map[string]string{"disk/out.jsonl": "new\n", "out.jsonl": "new\n"}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestLabels(t *testing.T) {
	dir := t.TempDir()
	s := Create(filepath.Join(dir, "{a}", "{split}.jsonl"), SinkOptions{})
	if err := s.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := s.Write([]batch.Record{split("train", "1"), split("test", "2"), split("train", "3")}); err != nil {
		t.Fatal(err)
	}
	outputs, err := s.Commit()
	if err != nil {
		t.Fatal(err)
	}
	if len(outputs) != 2 || outputs[0].Path != filepath.Join(dir, "x", "test.jsonl") || outputs[1].Records != 2 {
		t.Errorf("have %+v", outputs)
	}
	if diff := cmp.Diff(map[string]string{"x/test.jsonl": "2\n", "x/train.jsonl": "1\n3\n"}, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestAccepts(t *testing.T) {
	tests := []struct{ reason, path, value, code string }{
		{"a plain value", "out/{split}.jsonl", "train", ""},
		{"letters of any script, and dots inside", "out/{split}.jsonl", "é..東", ""},
		{"no labels in the path", "out.jsonl", "../x", ""},
		{"a label the record lacks", "out/{other}.jsonl", "train", NoLabel},
		{"empty", "{split}", "", BadLabel},
		{"the folder above", "{split}/x", "..", BadLabel},
		{"a hidden file", "{split}", ".x", BadLabel},
		{"a separator", "{split}", "a/b", BadLabel},
		{"a separator elsewhere", "{split}", `a\b`, BadLabel},
		{"a drive or stream", "{split}", "c:x", BadLabel},
		{"a zero byte", "{split}", "a\x00", BadLabel},
		{"a line end", "{split}", "a\nb", BadLabel},
		{"not UTF-8", "{split}", "a\xff", BadLabel},
		{"too long for a name", "{split}", strings.Repeat("x", 129), BadLabel},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			r := split(tt.value, "1")
			code := ""
			if f := Create(tt.path, SinkOptions{}).Accepts(&r); f != nil {
				code = f.Code
			}
			if code != tt.code {
				t.Errorf("have %q, want %q", code, tt.code)
			}
		})
	}
}

func TestPrepareFindsTheProblem(t *testing.T) {
	t.Chdir(write(t, map[string]string{"folder/x": "", "file": ""}))
	tests := []struct{ reason, path, want string }{
		{"a folder is in the way", "folder", `want a file to write, have the folder "folder"`},
		{"the path of a folder", "new/", `want a file to write, have "new/"`},
		{"no path", "", `want a file to write, have ""`},
		{"a file where a folder has to be", "file/out.jsonl", "file/out.jsonl: not a directory"},
		{"a label that is not closed", "out/{split", `"out/{split": want a label such as {split} at '{'`},
		{"a label without a name", "out/{}", `"out/{}": want a label such as {split} at '{'`},
		{"a label that was not opened", "out/split}", `"out/split}": want '{' before '}'`},
		{"no standard output", "-", "want standard output, have none"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			err := Create(tt.path, SinkOptions{}).Prepare()
			if err == nil || err.Error() != tt.want {
				t.Errorf("have %v, want %q", err, tt.want)
			}
		})
	}
	if len(tree(t, ".")) != 2 {
		t.Error("something is left behind")
	}
}

func TestWritingFailures(t *testing.T) {
	t.Run("a full disk", func(t *testing.T) {
		const full = "/dev/full"
		if _, err := os.Stat(full); err != nil {
			return // only where the system has the device
		}
		s := Create(full, SinkOptions{})
		if err := s.Write(records(strings.Repeat("1", 1<<20))); err == nil || err.Error() != full+": no space left on device" {
			t.Errorf("have %v", err)
		}
		if _, err := s.Commit(); err == nil {
			t.Error("it commits all the same")
		}
	})
	t.Run("a record without the label", func(t *testing.T) {
		dir := t.TempDir()
		err := Create(filepath.Join(dir, "{b}"), SinkOptions{}).Write([]batch.Record{split("x", "1")})
		if want := `in:3: want label "b", which the sink's path names, have none`; err == nil || err.Error() != want {
			t.Errorf("have %v", err)
		}
	})
	t.Run("too many files", func(t *testing.T) {
		dir := t.TempDir()
		s := Create(filepath.Join(dir, "{split}"), SinkOptions{})
		var err error
		n := 0
		for ; err == nil; n++ {
			err = s.Write([]batch.Record{split(fmt.Sprint(n), "1")})
		}
		if n != maxOpen+1 || !strings.Contains(err.Error(), "512") {
			t.Errorf("after %d: %v", n, err)
		}
		if err := s.Abort(); err != nil || len(tree(t, dir)) != 0 {
			t.Errorf("the abort leaves files behind: %v", err)
		}
	})
	t.Run("the last step", func(t *testing.T) {
		dir := t.TempDir()
		s := Create(filepath.Join(dir, "{split}"), SinkOptions{})
		if err := s.Write([]batch.Record{split("1", "1"), split("2", "2")}); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, "2", "x"), 0o777); err != nil {
			t.Fatal(err)
		}
		outputs, err := s.Commit()
		if err == nil || !strings.Contains(err.Error(), "(1 of 2 files are in place)") || len(outputs) != 1 {
			t.Errorf("have %v, %v", outputs, err)
		}
		if err := s.Abort(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(map[string]string{"1": "1\n"}, tree(t, dir)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestStdout(t *testing.T) {
	var out bytes.Buffer
	s := Create("-", SinkOptions{Stdout: &out})
	if err := s.Write(records("1", "2")); err != nil {
		t.Fatal(err)
	}
	if out.String() != "1\n2\n" {
		t.Errorf("have %q before the end", out.String())
	}
	outputs, err := s.Commit()
	if err != nil || len(outputs) != 1 || outputs[0].Path != "-" || outputs[0].Bytes != 4 {
		t.Errorf("have %+v, %v", outputs, err)
	}
}

// The same records give the same bytes, however they come in batches.
func TestCompressedOutput(t *testing.T) {
	var lines []string
	for i := range 3000 {
		lines = append(lines, fmt.Sprintf(`{"n":%d,"text":%q}`, i, strings.Repeat("word ", i%300)))
	}
	lines = append(lines, `"`+strings.Repeat("long ", 50_000)+`"`)
	for _, name := range []string{"out.jsonl.gz", "out.jsonl.zst"} {
		var first []Output
		for _, step := range []int{1, 7, 4000} {
			path := filepath.Join(t.TempDir(), name)
			s := Create(path, SinkOptions{})
			for from := 0; from < len(lines); from += step {
				if err := s.Write(records(lines[from:min(from+step, len(lines))]...)); err != nil {
					t.Fatal(err)
				}
			}
			outputs, err := s.Commit()
			if err != nil {
				t.Fatal(err)
			}
			outputs[0].Path = name
			if first == nil {
				first = outputs
			}
			if diff := cmp.Diff(first, outputs); diff != "" {
				t.Errorf("batches of %d: %s", step, diff)
			}
			src, err := Open(Options{Paths: []string{path}})
			if err != nil {
				t.Fatal(err)
			}
			rows, err := drain(t, src, newArena(1<<20))
			if err != nil || len(rows) != len(lines) || rows[len(rows)-1] != fmt.Sprintf("%s:%d %s", name, len(lines), lines[len(lines)-1]) {
				t.Errorf("%d records come back, %v", len(rows), err)
			}
			if in := src.Inputs(); in[0].SHA256 != outputs[0].SHA256 || in[0].Bytes != outputs[0].Bytes {
				t.Errorf("written %+v, read %+v", outputs[0], in[0])
			}
		}
	}
}

func TestOverlaps(t *testing.T) {
	t.Chdir(write(t, map[string]string{"in.jsonl": "", "corpus/train.jsonl": "", "corpus/deep/train.jsonl": "", "other": ""}))
	for link, target := range map[string]string{"link.jsonl": "in.jsonl", "folder": "corpus"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		reason, input, output string
		want                  bool
	}{
		{"two files", "in.jsonl", "other", false},
		{"a new file", "in.jsonl", "new/out.jsonl", false},
		{"one file", "in.jsonl", "in.jsonl", true},
		{"spelled otherwise", "in.jsonl", "./corpus/../in.jsonl", true},
		{"through a link", "in.jsonl", "link.jsonl", true},
		{"a link is the input", "link.jsonl", "in.jsonl", true},
		{"standard input and output", "-", "-", false},
		{"a label can make it the input", "corpus/train.jsonl", "corpus/{split}.jsonl", true},
		{"a label behind a link", "corpus/train.jsonl", "folder/t{split}.jsonl", true},
		{"a label for the folder", "corpus/train.jsonl", "{split}/train.jsonl", true},
		{"a label is no folder", "corpus/deep/train.jsonl", "corpus/{split}.jsonl", false},
		{"another name around the label", "corpus/train.jsonl", "corpus/{split}-rows.jsonl", false},
		{"a device is no file", "/dev/null", "/dev/null", false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			if err := Overlaps([]string{"other-input", tt.input}, tt.output); (err != nil) != tt.want {
				t.Errorf("have %v, want an error = %v", err, tt.want)
			}
		})
	}
}

func FuzzCompact(f *testing.F) {
	f.Add([]byte("{ \"a \\\" b\" :\r\n[ 1 ,\t2 ] }"))
	f.Add([]byte(` "\\" `))
	f.Fuzz(func(t *testing.T, data []byte) {
		if Check(data, 1000) != nil {
			return
		}
		var want bytes.Buffer
		if err := json.Compact(&want, data); err != nil {
			t.Fatal(err)
		}
		if have := appendCompact(nil, data); !bytes.Equal(have, want.Bytes()) {
			t.Errorf("have %q, want %q", have, want.Bytes())
		}
	})
}

func BenchmarkSink(b *testing.B) {
	lines := corpus(b)
	rs := make([]batch.Record, len(lines))
	size := 0
	for i, line := range lines {
		rs[i].Data = line
		size += len(line) + 1
	}
	path := filepath.Join(b.TempDir(), "out.jsonl")
	b.SetBytes(int64(size))
	for b.Loop() {
		s := Create(path, SinkOptions{})
		if err := s.Write(rs); err != nil {
			b.Fatal(err)
		}
		if err := s.Abort(); err != nil {
			b.Fatal(err)
		}
	}
}
