package canonical

import (
	"encoding/base64"
	"path"
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// A Medium is an image, a sound or a video that a part of a message holds or refers to.
type Medium struct {
	Kind string // "image", "audio", "video", or "file" for any other
	Type string // the media type, such as "image/png"; "" when the part does not say it
	Ref  string // a URL or a path; "" without
	Data string // base64; "" without
	Left int    // how many members of the part are not read
}

// MediumOf reads a part in the spellings of the AI SDK, of OpenAI, Anthropic and Gemini, and of the templates and data sets of Hugging
// Face. It is not ok for a part that neither refers to a medium nor holds one, or that does so twice.
func MediumOf(part jsontext.JSON) (m Medium, ok bool) {
	found := 0
	if kind := partKinds[part.Get("type").Body().Text()]; kind.kind == MediaPart {
		m.Kind = string(kind.body)
	}
	m.read(part, &found, 0)
	if m.Type != "" && m.Data == "" {
		m.Left++ // a path or URL says its type itself
	}
	if m.Kind == "" || m.Kind == "file" {
		m.Kind = kindOf(m.Type, m.Ref)
	}
	if m.Type == "" {
		m.Type = m.sniff()
	}
	if m.Kind == "file" && m.Type != "" {
		m.Kind = kindOf(m.Type, "")
	}
	return m, found == 1
}

// read reads the members of a part, or of an object in it, and counts the media that it finds.
func (m *Medium) read(value jsontext.JSON, found *int, depth int) {
	for key, v := range value.Members() {
		switch key {
		case "mediaType", "mimeType", "mime_type", "media_type", "contentType":
			m.typed(v.Text())
		case "format":
			m.typed(typeOf("." + v.Text()))
		case "image", "video", "audio", "url", "uri", "path", "image_url", "audio_url", "video_url", "file_url", "input_audio", "file", "source",
			"data", "base64", "bytes", "file_data", "fileData", "inlineData", "inline_data", "fileUri", "file_uri":
			if v.Kind() == '{' && depth < 3 {
				m.read(v, found, depth+1)
				continue
			}
			if text := v.Text(); v.Kind() == '"' && text != "" {
				m.take(key, text)
				*found++
			}
		case "type":
			if body := v.Body(); depth > 0 && body != "base64" && body != "url" {
				m.Left++
			}
		default:
			if v.Kind() != 'n' {
				m.Left++
			}
		}
	}
}

// shortest is how long base64 is at least that no member or prefix sets apart from a path.
const shortest = 64

// typed takes a media type that the part says, and counts one that goes nowhere.
func (m *Medium) typed(mediaType string) {
	if mediaType == "" || m.Type != "" && m.Type != mediaType {
		m.Left++
	}
	if m.Type == "" {
		m.Type = mediaType
	}
}

// take takes the value of a member: a data URL, base64, or else a URL or a path.
func (m *Medium) take(key, text string) {
	if behind, ok := strings.CutPrefix(text, "data:"); ok {
		kind, data, _ := strings.Cut(behind, ",")
		if kind, ok := strings.CutSuffix(kind, ";base64"); ok {
			m.Data = data
			if kind != "" {
				m.typed(kind)
			}
			return
		}
		m.Ref = text
		return
	}
	switch key {
	case "data", "base64", "bytes", "file_data":
		if !strings.Contains(text, "://") {
			m.Data = text
			return
		}
	}
	if m.Data = text; m.sniff() == "" || len(text) < shortest {
		m.Data, m.Ref = "", text
	}
}

// Evident reports whether the medium has data, or a path or URL with the ending of an image, audio or video.
func (m *Medium) Evident() bool { return m.Data != "" || kindOf("", m.Ref) != "file" }

// signatures begin the data of media.
var signatures = []struct{ begins, kind string }{
	{"\x89PNG\r\n\x1a\n", "image/png"}, {"\xff\xd8\xff", "image/jpeg"}, {"GIF8", "image/gif"}, {"BM", "image/bmp"}, {"II*\x00", "image/tiff"},
	{"MM\x00*", "image/tiff"}, {"ID3", "audio/mpeg"}, {"\xff\xfb", "audio/mpeg"}, {"OggS", "audio/ogg"}, {"fLaC", "audio/flac"},
	{"\x1aE\xdf\xa3", "video/webm"}, {"%PDF", "application/pdf"},
}

// sniff returns the media type that the data begin with, "" for none that is known.
func (m *Medium) sniff() string {
	head := m.Data[:min(len(m.Data), 32)]
	begin, err := base64.StdEncoding.DecodeString(head[:len(head)/4*4])
	if err != nil {
		return ""
	}
	data := string(begin)
	for _, s := range signatures {
		if strings.HasPrefix(data, s.begins) {
			return s.kind
		}
	}
	switch {
	case len(data) < 12:
	case strings.HasPrefix(data, "RIFF") && data[8:12] == "WEBP":
		return "image/webp"
	case strings.HasPrefix(data, "RIFF") && data[8:12] == "WAVE":
		return "audio/wav"
	case data[4:8] == "ftyp":
		return "video/mp4"
	}
	return ""
}

// mediaTypes are the media types by the endings of files.
var mediaTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".bmp": "image/bmp",
	".tif": "image/tiff", ".tiff": "image/tiff", ".svg": "image/svg+xml", ".heic": "image/heic", ".avif": "image/avif",
	".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime", ".avi": "video/x-msvideo", ".mkv": "video/x-matroska",
	".mp3": "audio/mpeg", ".wav": "audio/wav", ".ogg": "audio/ogg", ".flac": "audio/flac", ".m4a": "audio/mp4", ".aac": "audio/aac",
	".opus": "audio/opus",
}

func typeOf(ending string) string { return mediaTypes[strings.ToLower(ending)] }

// Ending returns the ending of a file with the medium, such as ".png"; "" for a type that is not known.
func (m *Medium) Ending() string {
	for _, ending := range [...]string{".png", ".jpg", ".gif", ".webp", ".bmp", ".tif", ".svg", ".heic", ".avif", ".mp4", ".webm", ".mov", ".avi",
		".mkv", ".mp3", ".wav", ".ogg", ".flac", ".m4a", ".aac", ".opus"} {
		if mediaTypes[ending] == m.Type {
			return ending
		}
	}
	return ""
}

// kindOf returns the kind of a media type, or else of the ending of a URL or path.
func kindOf(mediaType, ref string) string {
	if mediaType == "" {
		ref, _, _ = strings.Cut(ref, "?")
		mediaType = typeOf(path.Ext(ref))
	}
	kind, _, _ := strings.Cut(mediaType, "/")
	switch kind {
	case "image", "audio", "video":
		return kind
	}
	return "file"
}
