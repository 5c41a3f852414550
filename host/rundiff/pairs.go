package rundiff

import (
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/host/internal/compare"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// show passes a pair that differs to Rows: its kind, its key or file and line with the records that it was made of, and each row as null
// or {output, line, row}.
func (c *comparison) show(kind string, p pair) error {
	if c.Rows == nil {
		return nil
	}
	dst := jsontext.AppendMember(append(jsontext.Reuse(c.line), '{'), "kind", kind)
	if p.value != "" {
		dst = append(append(dst, `,"key":`...), p.value...)
	} else {
		dst = jsontext.AppendMember(append(dst, ','), "file", p.of.File)
		dst = strconv.AppendInt(append(dst, `,"line":`...), p.of.Line, 10)
		if p.of.OfLine > 0 {
			dst = strconv.AppendUint(append(dst, `,"record":`...), uint64(p.of.OfLine)+1, 10)
		}
		dst = p.madeOf().appendTo(dst)
	}
	dst = c.appendRow(append(dst, `,"a":`...), p.a)
	dst = append(c.appendRow(append(dst, `,"b":`...), p.b), '}')
	c.line = dst
	return c.Rows(dst)
}

// appendTo appends the members "origins" and "more_origins", each after a comma.
func (m MadeOf) appendTo(dst []byte) []byte {
	for i, p := range m.Origins {
		sep := ","
		if i == 0 {
			sep = `,"origins":[`
		}
		dst = jsontext.AppendMember(append(append(dst, sep...), '{'), "file", p.File)
		dst = append(strconv.AppendInt(append(dst, `,"line":`...), p.Line, 10), '}')
	}
	if m.Origins != nil {
		dst = append(dst, ']')
	}
	if m.MoreOrigins > 0 {
		dst = strconv.AppendInt(append(dst, `,"more_origins":`...), m.MoreOrigins, 10)
	}
	return dst
}

func (c *comparison) appendRow(dst []byte, r *row) []byte {
	if r == nil {
		return append(dst, "null"...)
	}
	dst = jsontext.AppendMember(append(dst, '{'), "output", c.pairs[r.output].Name)
	dst = strconv.AppendInt(append(dst, `,"line":`...), r.line, 10)
	dst = append(dst, `,"row":`...)
	if v := valueOf(r.data); v != "" {
		dst = append(dst, v...)
	} else {
		dst = jsontext.AppendString(dst, strings.ToValidUTF8(string(r.data), "\uFFFD"))
	}
	return append(dst, '}')
}

type reject struct{ step, code, path, message string }

// String returns STEP CODE.
func (r reject) String() string { return r.step + " " + r.code }

func rejectOf(data []byte) reject {
	v := valueOf(data)
	text := func(key string) string { return strings.Clone(v.Get(key).Text()) }
	return reject{text("step"), text("code"), placeless(text("path")), text("message")}
}

// placeless returns a path with # for array indexes, and without keys that may be data.
func placeless(path string) string {
	if path == "" {
		return ""
	}
	const dot = "\x00" // that is part of a key
	keys := strings.Split(strings.ReplaceAll(path, `\.`, dot), ".")
	for i, key := range keys {
		if key != "" && strings.Trim(key, "0123456789") == "" {
			keys[i] = "#"
		}
	}
	return compare.Path(keys)
}
