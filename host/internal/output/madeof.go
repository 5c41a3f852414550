package output

import (
	"strconv"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/wire"
)

// appendOf appends the line that lists the records which a row was made of. Each file precedes the lines in it.
func appendOf(dst []byte, of *wire.Origins) []byte {
	if of == nil {
		return dst
	}
	dst = append(dst, `{"of":[`...)
	file := ""
	for i, p := range of.List {
		if i > 0 {
			dst = append(dst, ',')
		}
		if p.File != file {
			file = p.File
			dst = append(jsontext.AppendString(dst, file), ',')
		}
		dst = strconv.AppendInt(dst, p.Line, 10)
	}
	if dst = append(dst, ']'); of.More > 0 {
		dst = strconv.AppendInt(append(dst, `,"more":`...), of.More, 10)
	}
	return append(dst, "}\n"...)
}

// readOf reads that line, which is about the next row.
func (r *OriginReader) readOf(list gjson.Result, more int64) error {
	of, file := &wire.Origins{More: more}, ""
	list.ForEach(func(_, v gjson.Result) bool {
		if v.Type == gjson.String {
			file = jsontext.JSON(v.Raw).Text()
		} else {
			of.List = append(of.List, wire.Pos{File: file, Line: v.Int()})
		}
		return true
	})
	if len(of.List) == 0 || more < 0 {
		return r.wrong("the places of records")
	}
	r.next.Of = of
	return nil
}
