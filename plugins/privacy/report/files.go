package report

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// readRows returns the SHA-256 of a file and how many lines are in it, of a compressed one as they are when it is not. Each
// line goes to row, which may be nil.
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

// expanded reads what is compressed as its name says.
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

// What a row of a ledger, which holds a path and no value, may be at most.
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

// ledgerFields are those of every row of a ledger; the host has written the first three.
var ledgerFields = []string{"file", "line", "step", "path", "place", "entity", "rule", "start", "end", "unit", "replacement"}

// row counts a row of a ledger, and refuses one with other fields than there are to be.
func (s *statistics) row(line []byte) error {
	if jsontext.Check(line, maxDepth) != nil {
		return errors.New("want a row of a ledger, have no JSON")
	}
	row := gjson.ParseBytes(line)
	var err error
	said := 0
	row.ForEach(func(key, _ gjson.Result) bool {
		switch {
		case slices.Contains(ledgerFields, key.Str):
		case s.says(key.Str):
			said++
		default:
			err = fmt.Errorf("want no field beside those attested, have one more")
		}
		return err == nil
	})
	if err == nil && said != len(s.fields) {
		err = fmt.Errorf("want the fields %s, have %d of them", strings.Join(s.fields, ", "), said)
	}
	s.count(row.Get("entity").Str, row.Get("rule").Str)
	return err
}
