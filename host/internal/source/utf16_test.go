package source

import (
	"encoding/binary"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// A text in UTF-16 is told as such, whatever the kind of its source, and not as thousands of records with mistakes.
func TestUTF16(t *testing.T) {
	for name, text := range map[string]string{
		"jsonl": "{\"a\":1}\n{\"a\":2}\n", "json": "[{\"a\":1}]\n", "csv": "a,b\n1,2\n3,4\n", "sessions": "{\"sessionId\":\"s\"}\r\n{}\r\n", "text": "a text\n",
	} {
		for order, encode := range map[string]binary.AppendByteOrder{"LE": binary.LittleEndian, "BE": binary.BigEndian} {
			for _, mark := range []string{"", "\uFEFF"} {
				var data []byte
				for _, unit := range utf16.Encode([]rune(mark + text)) {
					data = encode.AppendUint16(data, unit)
				}
				path := filepath.Join(write(t, map[string]string{"in": string(data)}), "in")
				s, err := open(t, name, options(Options{Paths: []string{path}}))
				if err != nil {
					t.Fatal(err)
				}
				rows, err := drain(t, s, newArena(1<<21))
				told := strings.Join(rows, "\n")
				if err != nil {
					told += err.Error()
				}
				if !strings.Contains(told, "have UTF-16") {
					t.Errorf("%s %s, mark %q: want UTF-16 told, have %q", name, order, mark, told)
				}
			}
		}
	}
}

// What is no UTF-16 is not taken for it: a zero byte in a record, and few bytes.
func TestNoUTF16(t *testing.T) {
	for _, text := range []string{"", "\x00", "{}", "\x00{}", "{\x00\"a\"", "\x00\x00\x00\x00", "{\"a\":1}", "\xff\xff\xfe\xfe"} {
		if isUTF16([]byte(text)) {
			t.Errorf("%q is no UTF-16", text)
		}
	}
}
