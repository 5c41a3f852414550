package table

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// TestLines holds that a file of Parquet is lines, that one which is cut off is an error, that another file is no table, and that reading can
// end before the rows do.
func TestLines(t *testing.T) {
	data, err := os.ReadFile("../internal/parquet/testdata/pyarrow-zstd.parquet")
	if err != nil {
		t.Fatal(err)
	}
	in, err := Lines(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	if err != nil || bytes.Count(text, []byte("\n")) != 12 || !strings.HasPrefix(string(text), `{"id":-3,`) {
		t.Errorf("want 12 rows from -3 on, have %.100s, %v", text, err)
	}
	if in, err := Lines(strings.NewReader(`{"a":"no table"}`), 16); in != nil || err != nil {
		t.Errorf("want no table, have %v, %v", in, err)
	}
	broken := append(bytes.Clone(data[:len(data)-20]), data[len(data)-4:]...)
	if in, err := Lines(bytes.NewReader(broken), int64(len(broken))); in != nil || err == nil {
		t.Errorf("want an error of a broken footer, have %v", in)
	}
	if in, err = Lines(bytes.NewReader(data), int64(len(data))); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReaderSize(in, 16).ReadByte(); err != nil || in.Close() != nil {
		t.Errorf("want the first byte and an end, have %v", err)
	}
}
