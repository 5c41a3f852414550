package canonical

import (
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// TestMediumOf holds what a part refers to, in each spelling: a reference that is read wrong trains on another image.
func TestMediumOf(t *testing.T) {
	const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
	for _, c := range []struct {
		reason, part string
		want         Medium
		ok           bool
	}{
		{"the AI SDK's image by URL", `{"type":"image","image":"https://x/a.png"}`, Medium{Kind: "image", Ref: "https://x/a.png"}, true},
		{"its base64 without a type", `{"type":"image","image":"` + png + `"}`, Medium{Kind: "image", Type: "image/png", Data: png}, true},
		{"its file, by the media type", `{"type":"file","mediaType":"video/mp4","data":"https://x/v"}`, Medium{Kind: "video", Type: "video/mp4", Ref: "https://x/v", Left: 1}, true},
		{"an attachment of its UI", `{"name":"n","contentType":"image/png","url":"data:image/png;base64,` + png + `"}`, Medium{Kind: "image", Type: "image/png", Data: png, Left: 1}, true},
		{"OpenAI's image", `{"type":"image_url","image_url":{"url":"https://x/a","detail":"low"}}`, Medium{Kind: "image", Ref: "https://x/a", Left: 1}, true},
		{"OpenAI's image in Responses", `{"type":"input_image","image_url":"data:image/png;base64,` + png + `"}`, Medium{Kind: "image", Type: "image/png", Data: png}, true},
		{"OpenAI's audio", `{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}`, Medium{Kind: "audio", Type: "audio/wav", Data: "UklGRg=="}, true},
		{"Anthropic's image", `{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"/9j/4A=="}}`, Medium{Kind: "image", Type: "image/jpeg", Data: "/9j/4A=="}, true},
		{"Anthropic's image by URL", `{"type":"image","source":{"type":"url","url":"https://x/a"}}`, Medium{Kind: "image", Ref: "https://x/a"}, true},
		{"a path of Transformers", `{"type":"image","path":"d/a.jpg"}`, Medium{Kind: "image", Ref: "d/a.jpg"}, true},
		{"a video of Qwen", `{"type":"video","video":"file:///v.mp4","fps":2}`, Medium{Kind: "video", Ref: "file:///v.mp4", Left: 1}, true},
		{"an image of datasets", `{"type":"image","image":{"bytes":null,"path":"a.png"}}`, Medium{Kind: "image", Ref: "a.png"}, true},
		{"a short path of letters", `{"type":"image","image":"abcd"}`, Medium{Kind: "image", Ref: "abcd"}, true},
		{"a file by its ending", `{"type":"file","file":{"url":"https://x/a.WAV?k=1"}}`, Medium{Kind: "audio", Ref: "https://x/a.WAV?k=1"}, true},
		{"a document", `{"type":"file","file":{"url":"https://x/a.pdf"}}`, Medium{Kind: "file", Ref: "https://x/a.pdf"}, true},
		{"an id of a provider's file", `{"type":"image","source":{"type":"file","file_id":"f"}}`, Medium{Kind: "image", Left: 2}, false},
		{"a place to fill", `{"type":"image"}`, Medium{Kind: "image"}, false},
		{"two references", `{"type":"image","path":"a.png","url":"https://x/b.png"}`, Medium{Kind: "image", Ref: "https://x/b.png"}, false},
		{"frames", `{"type":"video","video":["a.png","b.png"]}`, Medium{Kind: "video"}, false},
	} {
		if have, ok := MediumOf(jsontext.JSON(c.part)); have != c.want || ok != c.ok {
			t.Errorf("%s: want %+v %v, have %+v %v", c.reason, c.want, c.ok, have, ok)
		}
	}
}
