package source

import (
	"encoding/base64"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/host/receipt"
	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// NotReject is the code of a line that is no row of a dead letter.
const NotReject = "not_a_reject"

// rejectsKind reads what a run has rejected: the record of each row, as it reached the step that rejected it. What a source could not read
// is in the row as text. It is a record if it can be read now, and is otherwise rejected with the same code again, as is a row without
// a record.
var rejectsKind = kind{
	doc:    "reads the records in a dead letter, each as it reached the step that rejected it",
	split:  newRejectsConverter,
	ending: ".jsonl",
	join:   joinRejects,
}

// joinRejects writes rows of a first that no step took.
func joinRejects(rows []string) string {
	var text strings.Builder
	for _, row := range rows {
		text.WriteString(`{"code":"declined","message":"","step":"first.all","record":` + row + "}\n")
	}
	return text.String()
}

func newRejectsConverter(_ entry, opts Options) (splitter, error) {
	return &rejectsConverter{lineSplitter{at: 1}, opts.Depth}, nil
}

type rejectsConverter struct {
	lineSplitter
	depth int
}

func (c *rejectsConverter) convert(dst, line []byte) ([]byte, *wire.Fault) {
	if line = trim(line); len(line) == 0 {
		return dst, nil
	}
	if bad := jsontext.Check(line, c.depth+1); bad != nil {
		return dst, &wire.Fault{Code: bad.Code, Message: bad.Message}
	}
	row := gjson.ParseBytes(line)
	code, message, record := row.Get("code"), row.Get("message"), row.Get("record")
	if code.Type != gjson.String || message.Type != gjson.String || !record.Exists() {
		return dst, &wire.Fault{Code: NotReject, Message: "want a row of a dead letter, with code, message and record"}
	}
	again := &wire.Fault{Code: code.Str, Message: message.Str, Path: row.Get("path").Str, Record: []byte{}}
	switch {
	case record.Type == gjson.Null:
		return dst, again
	case record.Type != gjson.String || !receipt.IsUnread(row.Get("step").Str, row.Get("plugin").Str):
		return append(dst, record.Raw...), nil
	}
	again.Record = []byte(record.Str)
	if row.Get("encoding").Str == "base64" {
		again.Record, _ = base64.StdEncoding.DecodeString(record.Str)
	}
	if jsontext.Check(again.Record, c.depth) != nil {
		return dst, again
	}
	return append(dst, again.Record...), nil
}
