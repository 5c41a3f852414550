package build

import (
	"slices"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// mediaColumns are the columns of records that hold media, with the kind and the tag that marks their places in texts, as LLaVA,
// LLaMA-Factory, ms-swift and TRL have them.
var mediaColumns = [...]struct {
	kind, tag string
	names     []string
}{
	{"image", "<image>", []string{"images", "image"}},
	{"video", "<video>", []string{"videos", "video"}},
	{"audio", "<audio>", []string{"audios", "audio"}},
}

// placeMedia puts the media of columns in their places: at the tags in texts, in parts that refer to nothing, or else before the first
// text of the user. It rejects as "media" a row that has more places than media, or fewer, and one whose column holds no media.
func (c *Builder) placeMedia() error {
	if !c.PlacesMedia {
		return nil
	}
	for _, column := range mediaColumns {
		for _, name := range column.names {
			if all := listed(c.Kept(name)); len(all) > 0 {
				if err := c.place(column.kind, column.tag, name, all); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// listed returns the elements of a list, or a value that is no list alone, without those that say nothing.
func listed(value jsontext.JSON) (all []jsontext.JSON) {
	if value.Kind() != '[' {
		all = append(all, value)
	}
	all = append(all, value.List()...)
	return slices.DeleteFunc(all, empty)
}

// isMedium reports whether a value is the path or URL of a medium, or its data, in a string or in an object with its path or bytes.
func isMedium(value jsontext.JSON) bool {
	m, ok := canonical.MediumOf(`{"image":` + value + `}`)
	return ok && m.Evident()
}

// place puts the media of one column in their places.
func (c *Builder) place(kind, tag, column string, media []jsontext.JSON) error {
	places, referred := 0, 0
	for i := range c.Turns {
		open, full := c.Turns[i].places(kind, tag)
		if open > 0 && c.Turns[i].Role == canonical.Assistant {
			return sdk.Reject("media", column, "want media of type %s in questions and results only, have an answer with one", kind)
		}
		places, referred = places+open, referred+full
	}
	looks := !slices.ContainsFunc(media, func(v jsontext.JSON) bool { return !isMedium(v) })
	first := slices.IndexFunc(c.Turns, func(t Message) bool { return t.Role == canonical.User })
	switch {
	case places == 0 && (referred > 0 || first < 0): // a column of what the messages hold
		return nil
	case places == 0 && !looks:
		return sdk.Reject("media", column, "want only paths, URLs or base64 of type %s", kind)
	case places > 0 && places != len(media):
		return sdk.Reject("media", column, "want as many places of type %s in the messages as the column has media, have %d and %d", kind, places, len(media))
	}
	parts := make([]jsontext.JSON, 0, len(media))
	for _, v := range media {
		if bytes := v.Get("bytes"); bytes.Truthy() {
			c.Leave("loss.part_member", v, "bytes")
			v = bytes
		}
		part := jsontext.JSON(`{"type":"` + kind + `","` + kind + `":` + string(v) + `}`)
		if _, ok := canonical.MediumOf(part); !ok {
			return sdk.Reject("media", column, "want a path, a URL or base64 for each medium, have %s", jsontext.KindName(v.Kind()))
		}
		parts = append(parts, part)
	}
	if places == 0 {
		c.fill(&c.Turns[first], kind, tag, &parts, true)
	}
	for i := range c.Turns {
		c.fill(&c.Turns[i], kind, tag, &parts, false)
	}
	c.Forget(column)
	return nil
}

// places counts the places for media of a kind, and the parts that refer to one.
func (t *Message) places(kind, tag string) (open, full int) {
	if t.Raw == "" {
		return strings.Count(string(t.Body), tag), 0
	}
	content := t.Raw.Get("content")
	if body, ok := content.Quoted(); ok {
		return strings.Count(string(body), tag), 0
	}
	for _, part := range content.Elements() {
		m, ok := canonical.MediumOf(part)
		switch {
		case part.Get("type") == `"text"`:
			open += strings.Count(string(part.Get("text").Body()), tag)
		case m.Kind != kind && part.Get("type").Text() != kind:
		case ok:
			full++
		default:
			open++
		}
	}
	return open, full
}

// fill puts the first of some media into the places of a turn, or all before its content, and removes them from the list.
func (c *Builder) fill(t *Message, kind, tag string, media *[]jsontext.JSON, before bool) {
	if open, _ := t.places(kind, tag); open == 0 && !before {
		return
	}
	content := []byte("[")
	add := func(part jsontext.JSON) { content = append(jsontext.AppendComma(content), part...) }
	next := func(place jsontext.JSON) { // whose other members stay
		part := []byte((*media)[0][:len((*media)[0])-1])
		for key, v := range place.Members() {
			if key != "type" && key != kind && v != "null" {
				part = append(jsontext.AppendKey(part, key), v...)
			}
		}
		add(jsontext.JSON(append(part, '}')))
		*media = (*media)[1:]
	}
	text := func(body jsontext.Body) {
		pieces := strings.Split(string(body), tag)
		for i, piece := range pieces {
			if i > 0 && !before {
				next("")
			} else if i > 0 {
				piece = tag + piece
			}
			if piece != "" {
				add(jsontext.JSON(`{"type":"text","text":"` + piece + `"}`))
			}
		}
	}
	for before && len(*media) > 0 {
		next("")
	}
	if t.Raw == "" {
		text(t.Body)
	} else if body, ok := t.Raw.Get("content").Quoted(); ok {
		text(body)
	}
	for _, part := range t.Raw.Get("content").Elements() {
		_, ok := canonical.MediumOf(part)
		switch {
		case part.Get("type") == `"text"` && !before && strings.Contains(string(part.Get("text").Body()), tag):
			c.Leave("loss.part_member", part, "type", "text")
			text(part.Get("text").Body())
		case part.Get("type").Text() == kind && !ok && !before:
			next(part)
		default:
			add(part)
		}
	}
	t.replace(append(content, ']'))
}

// replace makes a message with another content.
func (t *Message) replace(content []byte) {
	b := append([]byte(`{"role":"`), t.Role.String()...)
	b = append(b, '"')
	if t.Raw == "" {
		if t.Role == canonical.Tool && t.ID != "" {
			b = appendText(b, `,"tool_call_id":`, t.ID)
		}
		if t.Name != "" {
			b = appendText(b, `,"name":`, t.Name)
		}
	}
	for key, v := range t.Raw.Members() {
		if key != "role" && key != "from" && key != "content" {
			b = append(jsontext.AppendKey(b, key), v...)
		}
	}
	b = append(jsontext.AppendKey(b, "content"), content...)
	t.Raw, t.Body = jsontext.JSON(append(b, '}')), ""
}
