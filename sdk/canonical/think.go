package canonical

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

// Thought cuts <think>...</think> off the head of a part's text, with the line breaks around both.
func (p *Part) Thought() (thought, rest jsontext.Body, ok bool) {
	body := p.Body
	if head := body[:min(len(body), 64)]; !strings.Contains(string(head), "think") {
		return "", body, false
	}
	after, ok := strings.CutPrefix(string(trimBreaks(body)), "<think>")
	if !ok {
		return "", body, false
	}
	before, behind, ok := strings.Cut(after, "</think>")
	if !ok {
		return "", body, false
	}
	return trimBreaks(jsontext.Body(before)), trimBreaks(jsontext.Body(behind)), true
}

// trimBreaks trims escaped line breaks from both ends of a body.
func trimBreaks(body jsontext.Body) jsontext.Body {
	for strings.HasPrefix(string(body), `\n`) {
		body = body[2:]
	}
	for strings.HasSuffix(string(body), `\n`) && !strings.HasSuffix(string(body), `\\n`) {
		body = body[:len(body)-2]
	}
	return body
}
