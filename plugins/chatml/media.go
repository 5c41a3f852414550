package chatml

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"

	"github.com/sluicehq/sluice/sdk"
	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// mediaMark begins a text that is a medium: what follows is its part as JSON. No body has this byte.
const mediaMark = "\x00"

// mediaOutput is the side output for the data of media.
const mediaOutput = "media"

// mediaKinds are the kinds of media that rows can hold, with the tag and the column of each.
var mediaKinds = [...]struct{ kind, tag, column string }{
	{"image", "<image>", "images"}, {"video", "<video>", "videos"}, {"audio", "<audio>", "audios"},
}

func mediaKind(kind string) int {
	for i, k := range mediaKinds {
		if k.kind == kind {
			return i
		}
	}
	return -1
}

// keepsMedia reports whether rows hold references to media.
func (r *rules) keepsMedia() bool {
	return r.media == "parts" || r.media == "lists" || r.media == "tags"
}

// medium returns the reference to a medium as a text of the message. Data go to the side output, under a hash.
func (c *conversation) medium(r *sdk.Record, p *canonical.Part, t canonical.Turn) (jsontext.Body, error) {
	m, ok := canonical.MediumOf(p.Value)
	i := mediaKind(m.Kind)
	switch {
	case t.Role == canonical.Assistant:
		return "", sdk.Reject("media", t.Path(), "want text and calls in an answer, have a part of type %s", p.Body)
	case !ok:
		return "", sdk.Reject("media", t.Path(), "want exactly 1 path, URL or base64 in a part of type %s", p.Body)
	case i < 0:
		return "", sdk.Reject("media", t.Path(), "want an image, audio or video, have a part of type %s", p.Body)
	case strings.HasPrefix(m.Ref, "data:"):
		return "", sdk.Reject("media", t.Path(), "want base64 as the encoding of a data URL")
	}
	name, ref := "path", m.Ref
	if strings.Contains(ref, "://") {
		name = "url"
	}
	if m.Data != "" {
		m.Data = standardBase64.Replace(m.Data)
		encoding := base64.StdEncoding
		if len(m.Data)%4 > 0 {
			encoding = base64.RawStdEncoding
		}
		sum := sha256.New()
		if _, err := io.Copy(sum, base64.NewDecoder(encoding, strings.NewReader(m.Data))); err != nil {
			return "", sdk.Reject("media", t.Path(), "want only characters of base64 in a part of type %s", p.Body)
		}
		hash := hex.EncodeToString(sum.Sum(nil))
		ref = "media/" + hash + m.Ending()
		row := jsontext.AppendMember([]byte("{"), "sha256", hash)
		row = jsontext.AppendMember(jsontext.AppendMember(row, "path", ref), "media_type", m.Type)
		r.Side(mediaOutput, append(jsontext.AppendMember(row, "base64", m.Data), '}'))
	}
	r.Count("media."+m.Kind, 1)
	if m.Left > 0 {
		r.Count("loss.part_member", m.Left)
	}
	b := jsontext.AppendMember([]byte(mediaMark+`{`), "type", m.Kind)
	return jsontext.Body(append(jsontext.AppendMember(b, name, ref), '}')), nil
}

// standardBase64 makes the alphabet of URLs the standard one, and takes out the breaks of lines.
var standardBase64 = strings.NewReplacer("-", "+", "_", "/", "\r", "", "\n", "")

// A content is the content of a message as it is written: a string, or parts.
type content struct {
	parts bool
	open  bool // a text is
}

// beginContent begins a content behind its key.
func (c *conversation) beginContent() content {
	if c.media == "parts" || c.media == "lists" {
		c.buf = append(c.buf, '[')
		return content{parts: true}
	}
	c.buf = append(c.buf, '"')
	return content{open: true}
}

// openText opens a part for text, unless one is open.
func (c *conversation) openText(w *content) {
	if !w.open {
		c.buf = append(jsontext.AppendComma(c.buf), `{"type":"text","text":"`...)
		w.open = true
	}
}

// closeText closes the part for text.
func (c *conversation) closeText(w *content) {
	if w.open {
		c.buf = append(c.buf, `"}`...)
		w.open = false
	}
}

// endContent ends a content.
func (c *conversation) endContent(w *content) {
	if !w.parts {
		c.buf = append(c.buf, '"')
		return
	}
	c.closeText(w)
	c.buf = append(c.buf, ']')
}

// writeTexts writes texts, and media among them.
func (c *conversation) writeTexts(w *content, bodies []jsontext.Body) {
	for _, body := range bodies {
		part, isMedium := strings.CutPrefix(string(body), mediaMark)
		switch {
		case isMedium:
			c.writeMedium(w, jsontext.JSON(part))
		case body != "":
			c.openText(w)
			c.buf = c.long.Append(c.buf, string(body))
		}
	}
}

// writeMedium writes a medium as a part or a tag, and notes it for the column of its kind.
func (c *conversation) writeMedium(w *content, part jsontext.JSON) {
	kind := part.Get("type").Text()
	i := mediaKind(kind)
	if !w.parts {
		c.buf = append(c.buf, mediaKinds[i].tag...)
	} else {
		c.closeText(w)
		c.buf = jsontext.AppendComma(c.buf)
		if c.media == "parts" {
			c.buf = append(c.buf, part...)
			return
		}
		c.buf = append(c.buf, `{"type":"`+kind+`"}`...)
	}
	for name, v := range part.Members() {
		if name != "type" {
			c.columns[i] = append(c.columns[i], v)
		}
	}
}

// appendColumns appends the columns of the media of a row.
func (c *conversation) appendColumns(dst []byte) []byte {
	for i, column := range c.columns {
		if len(column) == 0 {
			continue
		}
		dst = append(jsontext.AppendKey(dst, mediaKinds[i].column), '[')
		for _, ref := range column {
			dst = append(jsontext.AppendComma(dst), ref...)
		}
		dst = append(dst, ']')
	}
	return dst
}

// tagged rejects a text that has a tag of its own, since trainers would take it for that of a medium.
func (c *conversation) tagged(body jsontext.Body, t canonical.Turn) error {
	if c.media != "tags" {
		return nil
	}
	text := body.Text()
	for _, k := range mediaKinds {
		if strings.Contains(text, k.tag) {
			return sdk.Reject("media_tag", t.Path(), "want no %s in a text: media = \"parts\" or \"lists\" keeps the row", k.tag)
		}
	}
	return nil
}
