package messages

import (
	"slices"
	"strconv"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A branch is a value whose members may be spread over keys with dots, as attributes of spans are: a.0.b is the member b of the
// first element of a.
type branch struct {
	value jsontext.JSON // of a leaf
	names []string      // in order
	kids  map[string]*branch
}

// leaves are members whose values are read as they are, whatever they hold.
var leaves = map[string]bool{"arguments": true, "json_schema": true, "parameters": true, "content": true, "text": true}

// kid returns the member of a name, new if there is none.
func (b *branch) kid(name string) *branch {
	if k := b.kids[name]; k != nil {
		return k
	}
	if b.kids == nil {
		b.kids = map[string]*branch{}
	}
	k := &branch{}
	b.kids[name], b.names = k, append(b.names, name)
	return k
}

// fill stores a value under a key with dots.
func (b *branch) fill(key string, value jsontext.JSON) {
	last := key
	for name := range strings.SplitSeq(key, ".") {
		b, last = b.kid(name), name
	}
	if leaves[last] {
		b.value = value
		return
	}
	switch value.Kind() {
	case '{':
		for k, v := range value.Members() {
			b.fill(k, v)
		}
	case '[':
		for i, v := range value.Elements() {
			b.fill(strconv.Itoa(i), v)
		}
	default:
		b.value = value
	}
}

// at returns the value under a key with dots, or nil.
func (b *branch) at(key string) *branch {
	for name := range strings.SplitSeq(key, ".") {
		if b = b.kids[name]; b == nil {
			return nil
		}
	}
	return b
}

// first returns the value under the first of two keys that there is, with the key, or nil with the first key.
func (b *branch) first(key, other string) (*branch, string) {
	if v := b.at(key); v != nil {
		return v, key
	}
	if v := b.at(other); v != nil {
		return v, other
	}
	return nil, key
}

// items returns the elements of a list by their indices.
func (b *branch) items() (items []*branch) {
	type item struct {
		at int
		of *branch
	}
	var all []item
	for _, name := range b.names {
		if at, err := strconv.Atoi(name); err == nil {
			all = append(all, item{at, b.kids[name]})
		}
	}
	slices.SortStableFunc(all, func(x, y item) int { return x.at - y.at })
	for _, x := range all {
		items = append(items, x.of)
	}
	return items
}

// json returns the value as JSON.
func (b *branch) json() jsontext.JSON {
	if b.kids == nil {
		if b.value == "" {
			return "null"
		}
		return b.value
	}
	return jsontext.JSON(b.appendTo(nil))
}

func (b *branch) appendTo(dst []byte) []byte {
	if b.kids == nil {
		return append(dst, b.json()...)
	}
	if items := b.items(); len(items) == len(b.names) {
		dst = append(dst, '[')
		for _, item := range items {
			dst = item.appendTo(jsontext.AppendComma(dst))
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for _, name := range b.names {
		dst = b.kids[name].appendTo(jsontext.AppendKey(dst, name))
	}
	return append(dst, '}')
}

// messages returns the elements as a list of messages in the form of OpenAI. role is that of one that names none, as JSON, or "".
func (b *branch) messages(role jsontext.JSON) jsontext.JSON {
	list := []byte("[")
	for _, item := range b.items() {
		list = item.appendMessage(jsontext.AppendComma(list), role)
	}
	return jsontext.JSON(append(list, ']'))
}

// appendMessage appends a message without the wrappers that OpenInference has around it, its calls and its contents.
func (b *branch) appendMessage(dst []byte, role jsontext.JSON) []byte {
	dst = append(dst, '{')
	m := b
	if inner := b.kids["message"]; inner != nil {
		m = inner
		for _, name := range b.names {
			if name != "message" {
				dst = b.kids[name].appendTo(jsontext.AppendKey(dst, name))
			}
		}
	}
	text := m.kids["content"] != nil && m.kids["content"].value.Truthy()
	for _, name := range m.names {
		kid := m.kids[name]
		switch {
		case name == "role":
			if role = kid.json(); role == `"user"` && m.kids["tool_call_id"] != nil {
				role = `"tool"`
			}
		case name == "tool_calls":
			dst = kid.appendItems(jsontext.AppendKey(dst, name), "tool_call")
		case name == "contents" && !text:
			dst = kid.appendItems(jsontext.AppendKey(dst, "content"), "message_content")
		case name == "content" && !text && m.kids["contents"] != nil:
		case name == "function_call_name":
			dst = append(append(jsontext.AppendKey(dst, "function_call"), `{"name":`...), kid.json()...)
			if arguments := m.kids["function_call_arguments_json"]; arguments != nil {
				dst = arguments.appendTo(jsontext.AppendKey(dst, "arguments"))
			}
			dst = append(dst, '}')
		case name == "function_call_arguments_json" && m.kids["function_call_name"] != nil:
		default:
			dst = kid.appendTo(jsontext.AppendKey(dst, name))
		}
	}
	if role != "" {
		dst = append(jsontext.AppendKey(dst, "role"), role...)
	}
	return append(dst, '}')
}

// appendItems appends the elements of a list without a wrapper around each.
func (b *branch) appendItems(dst []byte, wrapper string) []byte {
	dst = append(dst, '[')
	for _, item := range b.items() {
		dst = jsontext.AppendComma(dst)
		inner := item.kids[wrapper]
		if inner == nil {
			dst = item.appendPart(dst)
			continue
		}
		dst = inner.appendPart(dst)
		for _, name := range item.names { // beside the wrapper
			if name != wrapper && dst[len(dst)-1] == '}' {
				dst = append(item.kids[name].appendTo(jsontext.AppendKey(dst[:len(dst)-1], name)), '}')
			}
		}
	}
	return append(dst, ']')
}

// appendPart appends a part of a content, an image as OpenAI spells it.
func (b *branch) appendPart(dst []byte) []byte {
	picture := b.kids["image"]
	if kind := b.kids["type"]; kind == nil || kind.value != `"image"` || picture == nil {
		return b.appendTo(dst)
	}
	dst = append(dst, `{"type":"image_url"`...)
	for _, name := range b.names {
		if name != "type" && name != "image" {
			dst = b.kids[name].appendTo(jsontext.AppendKey(dst, name))
		}
	}
	if inside := picture.kids["image"]; inside != nil && len(picture.names) == 1 {
		picture = inside
	}
	return append(picture.appendTo(jsontext.AppendKey(dst, "image_url")), '}')
}
