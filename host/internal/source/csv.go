package source

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// InvalidCSV is the code of a row that does not fit its header or breaks the rules of quoting.
const InvalidCSV = "invalid_csv"

// csvKind reads tables as RFC 4180 describes them: the first row of a file names the columns, and each later row is a
// record, an object with a string for each column. Rows end at LF or CRLF, empty lines are skipped. A CR alone that no quotes surround is a
// mistake: in a file whose lines end with CR all rows would pass for a long header.
//
// Fields are taken apart here because encoding/csv turns a CRLF within quotes into LF, and a value has to stay as it is.
var csvKind = kind{
	doc:     "reads each row of a table as an object with the names of the header and strings",
	split:   newCSVConverter,
	ending:  ".csv",
	certain: []string{".csv", ".tsv"},
	args: func() (any, *Args) {
		args := &csvArgs{Args: defaultArgs()}
		return args, &args.Args
	},
}

type csvArgs struct {
	Args
	Delimiter string `hcl:"delimiter,optional" doc:"one ASCII character between fields; empty: a comma, or a tab in files named .tsv" example:"\";\""`
}

func (a *csvArgs) check() []Mistake {
	if len(a.Delimiter) > 1 || a.Delimiter > "\x7f" || strings.ContainsAny(a.Delimiter, "\"\r\n") {
		return []Mistake{{"delimiter", fmt.Sprintf("want one ASCII character that is not a quote or a line end, have %q", a.Delimiter)}}
	}
	return nil
}

// maxHeader bounds the names of the columns, which are kept.
const maxHeader = 1 << 20

type csvConverter struct {
	delimiter byte
	at        int64
	state     csvState
	open      bool        // there are bytes before the end of the row
	header    []byte      // the part of it that has come
	keys      [][]byte    // "name": of each column; nil until the header has come
	bad       *wire.Fault // the mistake in the header
	fields    [][]byte    // for reuse
}

// csvState is the place of the next byte in a row.
type csvState uint8

const (
	fieldStart  csvState = iota
	unquoted             // in a field
	quoted               // in a field with quotes around it
	behindQuote          // which ends such a field, or is the first of two that mean one
)

func newCSVConverter(e entry, opts Options) (splitter, error) {
	c := &csvConverter{delimiter: ',', at: 1}
	if own, ok := opts.Own.(*csvArgs); ok && own.Delimiter != "" {
		c.delimiter = own.Delimiter[0]
	} else if endingOf(e.name) == ".tsv" {
		c.delimiter = '\t'
	}
	return c, nil
}

func (c *csvConverter) split(b []byte) (int, stretch) {
	n, is := c.splitRow(b)
	if c.keys != nil || is == gap {
		return n, is
	}
	if c.header = append(c.header, b[:n]...); len(c.header) > maxHeader {
		if c.bad = loneCR(c.header); c.bad == nil {
			c.bad = invalidCSV("want a header of at most %d bytes", maxHeader)
		}
		return n, broken
	}
	if is == ended {
		is = c.readHeader()
	}
	return n, is
}

func (c *csvConverter) splitRow(b []byte) (int, stretch) {
	for i := 0; i < len(b); i++ {
		if c.state == quoted {
			end := indexFrom(b, i, '"')
			c.at += int64(bytes.Count(b[i:end], []byte{'\n'}))
			if i = end; i < len(b) {
				c.state = behindQuote
			}
			continue
		}
		switch char := b[i]; {
		case char == '\n' && !c.open:
			c.at++
			return 1, gap
		case char == '\n':
			c.open, c.state = false, fieldStart
			return i, ended
		case char == c.delimiter:
			c.state = fieldStart
		case char == '"' && c.state != unquoted:
			c.state = quoted
		default:
			c.state = unquoted
		}
		c.open = true
	}
	return len(b), inside
}

func (c *csvConverter) end() stretch {
	if !c.open {
		return gap
	}
	c.open = false
	if c.keys == nil {
		return c.readHeader()
	}
	return ended
}

func (c *csvConverter) line() int64 { return c.at }

func (c *csvConverter) fault([]byte, int) *wire.Fault { return c.bad }

// readHeader makes the keys of the header, which is no record.
func (c *csvConverter) readHeader() stretch {
	fields, bad := c.parse(c.header)
	columns := map[string]int{}
	for i, name := range fields {
		if first, twice := columns[string(name)]; twice {
			bad = invalidCSV("want columns with names of their own, have one name for columns %d and %d", first, i+1)
		}
		if len(name) == 0 {
			bad = invalidCSV("want a name for each column, have column %d without one", i+1)
		}
		if bad != nil {
			break
		}
		columns[string(name)] = i + 1
		c.keys = append(c.keys, append(jsontext.AppendString(nil, name), ':'))
	}
	c.header = c.header[:0]
	if c.bad = bad; bad != nil {
		bad.Message = "in the header, " + bad.Message
		return broken
	}
	return gap
}

func (c *csvConverter) convert(dst, row []byte) ([]byte, *wire.Fault) {
	fields, bad := c.parse(row)
	if bad != nil || len(fields) == 0 {
		return dst, bad
	}
	if len(fields) != len(c.keys) {
		return dst, invalidCSV("want %d fields, as many as the header, have %d", len(c.keys), len(fields))
	}
	for i, field := range fields {
		dst = append(append(dst, "{,"[min(i, 1)]), c.keys[i]...)
		dst = jsontext.AppendString(dst, field)
	}
	return append(dst, '}'), nil
}

// parse returns the values of a row, none when it is empty. They are valid until the next call.
func (c *csvConverter) parse(row []byte) ([][]byte, *wire.Fault) {
	if bad := loneCR(row); bad != nil {
		return nil, bad
	}
	if row = bytes.TrimSuffix(row, []byte{'\r'}); len(row) == 0 {
		return nil, nil
	}
	if at := invalidUTF8(row); at >= 0 {
		return nil, &wire.Fault{Code: jsontext.InvalidUTF8, Message: fmt.Sprintf("want UTF-8, have an invalid sequence at byte %d of the row", at)}
	}
	c.fields = c.fields[:0]
	for more := true; more; {
		var field []byte
		if row[0] != '"' {
			field, row, more = bytes.Cut(row, []byte{c.delimiter})
			if bytes.IndexByte(field, '"') >= 0 {
				return nil, invalidCSV("want quotes around field %d, and two for each in it, have a bare quote", len(c.fields)+1)
			}
		} else if field, row, more = cutQuoted(row[1:], c.delimiter); field == nil {
			return nil, invalidCSV("want a quote and then a delimiter or the end of the row behind field %d, have %s",
				len(c.fields)+1, jsontext.ByteName(row, 0))
		}
		c.fields = append(c.fields, field)
		if more && len(row) == 0 { // an empty last field
			c.fields, more = append(c.fields, nil), false
		}
	}
	return c.fields, nil
}

// loneCR returns the mistake in a row that has a CR outside of quotes, but for one at its end.
func loneCR(row []byte) *wire.Fault {
	quotes := 0
	for from, at := 0, 0; ; from = at + 1 {
		if at = indexFrom(row, from, '\r'); at >= len(row)-1 {
			return nil
		}
		if quotes += bytes.Count(row[from:at], []byte{'"'}); quotes%2 == 0 {
			return invalidCSV("want lines that end with LF or CRLF, have CR alone at byte %d of the row", at)
		}
	}
}

// cutQuoted returns the value of a field that begins behind a quote, and what follows the delimiter behind it. Where the
// field does not end as it has to, the value is nil and rest begins there.
func cutQuoted(text []byte, delimiter byte) (field, rest []byte, more bool) {
	end := indexFrom(text, 0, '"')
	for end+1 < len(text) && text[end+1] == '"' {
		end = indexFrom(text, end+2, '"')
	}
	if end >= len(text)-1 { // the row ends
		if end == len(text) {
			return nil, nil, false
		}
	} else if text[end+1] != delimiter {
		return nil, text[end+1:], false
	}
	if field = text[:end:end]; bytes.IndexByte(field, '"') >= 0 {
		field = bytes.ReplaceAll(field, []byte(`""`), []byte{'"'})
	}
	return field, text[min(end+2, len(text)):], end+1 < len(text)
}

func invalidCSV(format string, args ...any) *wire.Fault {
	return &wire.Fault{Code: InvalidCSV, Message: fmt.Sprintf(format, args...)}
}
