package jsontext

import (
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// JSON is the text of one value, without blanks around it. "" means no value.
type JSON string

// A Body is the text between the quotes of a JSON string, with its escapes. Text decodes it.
//
// Decoded text is a string. It holds an escaped lone surrogate such as \ud800 as three bytes in the manner of UTF-8
// (WTF-8), so that AppendString writes the escape again and never invalid UTF-8.
type Body string

// View returns bytes as text, without a copy. They must not change while it is used.
func View[T ~string | ~[]byte](data T) string { return *(*string)(unsafe.Pointer(&data)) } // a slice begins as a string does

// Of returns bytes that are known to be JSON as JSON, without a copy. They must not change while it is used.
func Of(data []byte) JSON { return JSON(View(data)) }

// Bytes returns text as bytes, without a copy. They must not be changed.
func Bytes(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// Address returns where data lies in memory: a view of a text has an address within it, a copy does not. It does not keep data
// alive.
func Address[T ~string | ~[]byte](data T) uintptr {
	return uintptr(unsafe.Pointer(unsafe.StringData(View(data))))
}

// Within returns where in a text a piece of it begins, by their places in memory. It is not ok when piece is no view of text.
func Within[T ~string | ~[]byte](text, piece T) (at int, ok bool) {
	start, from := Address(text), Address(piece)
	return int(from - start), from >= start && from+uintptr(len(piece)) <= start+uintptr(len(text))
}

// Kind returns the first byte of a value: '{', '[', '"', 't', 'f', 'n', a digit or '-'; 0 for no value.
func (v JSON) Kind() byte {
	if v == "" {
		return 0
	}
	return v[0]
}

// KindName returns the type of a value that begins with first, as Kind returns it, for messages: "an object", "a number" and
// so on, and "nothing" for 0.
func KindName(first byte) string {
	switch first {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	case 0:
		return "nothing"
	}
	return "a number"
}

// Seen names a value for messages about a member that takes one of a few words, such as a role: the word itself in quotes, or
// the type of what cannot be such a word and may be private.
func Seen(v JSON) string {
	if body, ok := v.Quoted(); ok && isWord(string(body)) {
		return string(v)
	}
	return KindName(v.Kind())
}

// Describe names the type of a value for messages about its structure, and of an object the first members whose names are words, as
// in "an object with role, text and 2 more". Other names may be private.
func Describe(v JSON) string {
	kind := KindName(v.Kind())
	switch {
	case v.Empty():
		return strings.Replace(kind, "an ", "an empty ", 1)
	case v.Kind() != '{':
		return kind
	}
	const most = 6
	var names []string
	more := 0
	for name := range v.Members() {
		switch {
		case slices.Contains(names, name):
		case len(names) < most && name != "" && isWord(name) && (name[0] < '0' || name[0] > '9'):
			names = append(names, strings.Clone(name))
		default:
			more++
		}
	}
	switch {
	case len(names) == 0:
		return kind
	case more > 0:
		return kind + " with " + strings.Join(names, ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return kind + " with " + strings.Join(names, ", ")
}

// isWord reports whether a text is short and has the letters of a name in a format, rather than those of a sentence or an address.
func isWord(text string) bool {
	return len(text) <= 32 && strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune(wordBytes, r) }) < 0
}

const wordBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"

// Cursor returns a cursor at the beginning of the value.
func (v JSON) Cursor() Cursor { return Cursor{JSON: v} }

// Elements iterates over the elements of an array with their indices. Any other value has none.
func (v JSON) Elements() iter.Seq2[int, JSON] {
	return func(yield func(int, JSON) bool) {
		c := v.Cursor()
		for i := range c.Elements() {
			if !yield(i, c.Value()) {
				return
			}
		}
	}
}

// Members iterates over the members of an object in order, also those of a repeated key. Any other value has none.
func (v JSON) Members() iter.Seq2[string, JSON] {
	return func(yield func(string, JSON) bool) {
		c := v.Cursor()
		for key := range c.Members() {
			if !yield(key, c.Value()) {
				return
			}
		}
	}
}

// List returns the elements of an array. Any other value has none.
func (v JSON) List() (elements []JSON) {
	for _, element := range v.Elements() {
		elements = append(elements, element)
	}
	return elements
}

// First returns the first element of an array, or "".
func (v JSON) First() JSON {
	for _, element := range v.Elements() {
		return element
	}
	return ""
}

// Fill stores the members of an object that have one of the names in the places of the same indices, and calls other, unless
// it is nil, for each of the rest. The last value of a repeated key counts.
func (v JSON) Fill(names []string, places []*JSON, other func(key string, value JSON)) {
	for key, value := range v.Members() {
		if i := slices.Index(names, key); i >= 0 {
			*places[i] = value
		} else if other != nil {
			other(key, value)
		}
	}
}

// Quoted returns the body of a string. It is not ok for any other value.
func (v JSON) Quoted() (body Body, ok bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	return Body(v[1 : len(v)-1]), true
}

// Body returns the body of a string, "" for any other value.
func (v JSON) Body() Body {
	body, _ := v.Quoted()
	return body
}

// Inner returns the JSON that a string holds, "" when it holds none, and any other value as it is.
func (v JSON) Inner() JSON {
	if body, ok := v.Quoted(); ok {
		v, _ = body.Embedded()
	}
	return v
}

// Text returns the decoded text of a string, "" for any other value.
func (v JSON) Text() string { return v.Body().Text() }

// Word returns the decoded text of a string in lower case and without the space around it, "" for any other value. A letter that Unicode
// makes two of in lower case is no letter of a known word.
func (v JSON) Word() string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimFunc(v.Text(), IsSpace), "\u0130", "i\u0307"))
}

// Empty reports whether the value is an array or object without elements or members.
func (v JSON) Empty() bool {
	return (v.Kind() == '[' || v.Kind() == '{') && skipSpace(v, 1) >= len(v)-1
}

// Truthy reports whether the value is not missing, null, false, zero, or empty.
func (v JSON) Truthy() bool {
	switch v.Kind() {
	case '"':
		return len(v) > 2
	case '{', '[':
		return !v.Empty()
	case 't':
		return true
	case 'f', 'n', 0:
		return false
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return f != 0 || err != nil && !strings.ContainsAny(string(v), ".eE")
}

// Number returns the finite number that the value is, or that its text holds, as tables write it. NaN, Inf and what is beyond the range of
// a float64 are none, since they compare with nothing.
func (v JSON) Number() (n float64, ok bool) {
	text := string(v)
	if body, quoted := v.Quoted(); quoted {
		text = strings.TrimFunc(body.Text(), IsSpace)
	}
	if strings.Trim(text, "0123456789+-.eE") != "" { // ParseFloat takes inf and 0x10 too
		return 0, false
	}
	n, err := strconv.ParseFloat(text, 64)
	return n, err == nil
}

// Bool returns the truth that the value is, in the spellings of tables too: true, 1, 1.0, "true", "True" and "1", and likewise for false.
func (v JSON) Bool() (is, ok bool) {
	switch {
	case v == "true" || v.Word() == "true":
		return true, true
	case v == "false" || v.Word() == "false":
		return false, true
	}
	n, isNumber := v.Number()
	return n == 1, isNumber && (n == 0 || n == 1)
}

// Get returns the last value of a key, or "" when the value is no object or does not have the key. It walks the whole
// object, so it is for small ones.
func (v JSON) Get(key string) (value JSON) {
	if v.Kind() != '{' || strings.IndexByte(string(v), '\\') < 0 && !strings.Contains(string(v), key) { // most keys that are asked for are absent
		return ""
	}
	c := v.Cursor()
	for k := range c.Members() {
		if member := c.Value(); k == key {
			value = member
		}
	}
	return value
}

// Text decodes the body. The text of a body without escapes is a view of it.
func (b Body) Text() string {
	if strings.IndexByte(string(b), '\\') < 0 {
		return string(b)
	}
	return View(AppendText(make([]byte, 0, len(b)), b))
}

// JSON returns the string that has the body.
func (b Body) JSON() JSON { return JSON(`"` + b + `"`) }

// Is reports whether two bodies hold the same text, however it is escaped.
func (b Body) Is(other Body) bool {
	return b == other || (strings.IndexByte(string(b), '\\') >= 0 || strings.IndexByte(string(other), '\\') >= 0) && b.Text() == other.Text()
}

// Blank reports whether the body holds only white space, as IsSpace defines it.
func (b Body) Blank() bool {
	for b != "" {
		if c := b[0]; c > ' ' && c < utf8.RuneSelf && c != '\\' {
			return false
		}
		r, n := utf8.DecodeRuneInString(string(b))
		if r == '\\' {
			if n = 2; len(b) > 1 && b[1] == 'u' {
				n = 6
			}
			n = min(n, len(b))
			r, _ = utf8.DecodeRuneInString(b[:n].Text())
		}
		if !IsSpace(r) {
			return false
		}
		b = b[n:]
	}
	return true
}

// IsSpace reports whether r is white space in Unicode, or one of U+001C to U+001F, which Python's str.strip strips too.
func IsSpace(r rune) bool {
	switch {
	case r <= ' ':
		return r >= '\t' && r <= '\r' || r >= 0x1c && r <= ' '
	case r < 0x2000:
		return r == 0x85 || r == 0xa0 || r == 0x1680
	}
	return r <= 0x200a || r == 0x2028 || r == 0x2029 || r == 0x202f || r == 0x205f || r == 0x3000
}

// BodyOf returns decoded text as a body.
func BodyOf[T ~string | ~[]byte](text T) Body {
	for i := range len(text) {
		if special[text[i]] != 0 {
			return Body(View(AppendBody(make([]byte, 0, len(text)+len(text)/8+8), View(text))))
		}
	}
	return Body(text)
}

// Limits of JSON inside a string. The source of a record bounds only the JSON outside of strings.
const (
	EmbeddedDepth = 1000
	EmbeddedSize  = 32 << 20 // bytes, decoded
)

// Embedded returns the JSON value that a decoded text consists of, without the space around it. It is not ok for a text that is
// not JSON, nests too deep or is too large.
func Embedded(text string) (JSON, bool) {
	text = strings.TrimFunc(text, IsSpace)
	if text == "" || len(text) > EmbeddedSize || Check(text, EmbeddedDepth) != nil {
		return "", false
	}
	return JSON(text), true
}

// Embedded returns the JSON value that the string consists of, as the function does, without the escapes that Longhand finds.
func (b Body) Embedded() (JSON, bool) {
	if len(b) > 6*EmbeddedSize { // no escape is longer
		return "", false
	}
	value, ok := Embedded(b.Text())
	if Longhand(value, 0) >= 0 {
		value = Of(AppendShort(nil, value))
	}
	return value, ok
}

// A Member is a decoded key of an object with its value.
type Member struct {
	Key   string
	Value JSON
}

// Unique returns the members of an object, each key once: a duplicate key keeps its first place and its last value.
func (v JSON) Unique() (members []Member) {
	const few = 16 // members that are looked through one by one
	var places map[string]int
	c := v.Cursor()
	for key := range c.Members() {
		value := c.Value()
		at, twice := places[key]
		if places == nil {
			at = slices.IndexFunc(members, func(m Member) bool { return m.Key == key })
			twice = at >= 0
		}
		if twice {
			members[at].Value = value
			continue
		}
		members = append(members, Member{key, value})
		switch n := len(members); {
		case places != nil:
			places[key] = n - 1
		case n == few:
			places = map[string]int{}
			for i, m := range members {
				places[m.Key] = i
			}
		}
	}
	return members
}

// Reuse returns a list emptied for the next record, or nil when one large record made it grow: that record's memory must
// not be held for good.
func Reuse[T any](list []T) []T {
	var one T
	if uintptr(cap(list))*unsafe.Sizeof(one) > 4<<20 {
		return nil
	}
	return list[:0]
}
