package report

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// readRows returns the SHA-256 of a file and the number of its lines, uncompressed. It calls row, unless nil, for each line.
func readRows(name string, open Open, row func([]byte) error) (sum string, rows int64, err error) {
	file, err := open(name)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	hash := sha256.New()
	raw := io.TeeReader(file, hash)
	plain, closed, err := expanded(name, raw)
	if err != nil {
		return "", 0, err
	}
	defer closed()
	if row == nil {
		rows, err = countLines(plain)
	} else {
		rows, err = eachLine(plain, row)
	}
	if err != nil {
		return "", 0, err
	}
	if _, err := io.Copy(io.Discard, raw); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), rows, nil
}

// expanded returns a reader of a file's content uncompressed, by the ending of its name, and a function that closes it.
func expanded(name string, from io.Reader) (io.Reader, func(), error) {
	switch {
	case strings.HasSuffix(name, ".gz"):
		r, err := gzip.NewReader(from)
		return r, func() {}, err
	case strings.HasSuffix(name, ".zst"):
		r, err := zstd.NewReader(from, zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, err
		}
		return r, r.Close, nil
	}
	return from, func() {}, nil
}

func countLines(from io.Reader) (lines int64, err error) {
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if err == io.EOF {
			return lines, nil
		}
		if err != nil {
			return lines, err
		}
	}
}

// The most bytes and the most depth of a ledger row, which holds a path and no value.
const (
	maxLine  = 16 << 20
	maxDepth = 4
)

func eachLine(from io.Reader, row func([]byte) error) (lines int64, err error) {
	scan := bufio.NewScanner(from)
	scan.Buffer(nil, maxLine)
	for scan.Scan() {
		lines++
		if err := row(scan.Bytes()); err != nil {
			return lines, fmt.Errorf("line %d: %w", lines, err)
		}
	}
	return lines, scan.Err()
}

// ledgerFields are the fields of every row of a ledger; the host writes the first three.
var ledgerFields = []string{"file", "line", "step", "path", "place", "entity", "rule", "start", "end", "unit", "replacement"}

// row counts a row of a ledger. Other fields than the attested ones are an error.
func (s *statistics) row(line []byte) error {
	if jsontext.Check(line, maxDepth) != nil {
		return fmt.Errorf("want a row of a ledger as JSON, have %d bytes of another kind", len(line))
	}
	row := gjson.ParseBytes(line)
	var err error
	fields, allowed := 0, 0
	row.ForEach(func(key, _ gjson.Result) bool {
		fields++
		switch {
		case slices.Contains(ledgerFields, key.Str):
		case slices.Contains(s.fields, key.Str):
			allowed++
		default:
			err = fmt.Errorf("want attested fields only, have field %d, which is not", fields)
		}
		return err == nil
	})
	if err == nil && allowed != len(s.fields) {
		err = fmt.Errorf("want the fields %s, have %d of %d", strings.Join(s.fields, ", "), allowed, len(s.fields))
	}
	s.count(row.Get("entity").Str, row.Get("rule").Str)
	return err
}
