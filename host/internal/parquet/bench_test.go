package parquet

import (
	"bytes"
	"io"
	"os"
	"testing"
)

// The benchmarks take the rows of SLUICE_ROWS; bytes per second are those of JSON.
func benchmarkRows(b *testing.B) []byte {
	name := os.Getenv("SLUICE_ROWS")
	if name == "" {
		b.Skip("SLUICE_ROWS names no file of rows")
	}
	data := read(b, name)
	b.SetBytes(int64(len(data)))
	return data
}

func BenchmarkShape(b *testing.B) {
	data := benchmarkRows(b)
	for b.Loop() {
		if _, err := ShapeOf(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	data := benchmarkRows(b)
	check := NewCheck(nil)
	for b.Loop() {
		err := eachLine(data, func(row []byte) error {
			_, err := check.Row(row)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkConvert(b *testing.B) {
	data := benchmarkRows(b)
	shape, err := ShapeOf(bytes.NewReader(data))
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for b.Loop() {
		if _, err := Convert(io.Discard, bytes.NewReader(data), NewSchema(shape, nil), DefaultLimits); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLines(b *testing.B) {
	data := benchmarkRows(b)
	file := written(b, string(data), nil, DefaultLimits)
	f, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		b.Fatal(err)
	}
	b.ResetTimer()
	for b.Loop() {
		if err := f.WriteLines(io.Discard, 0, len(f.Groups), AsWritten, nothing); err != nil {
			b.Fatal(err)
		}
	}
}
