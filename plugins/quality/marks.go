package quality

import (
	"strings"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

// endings follow a text that a recorder has cut.
var endings = []string{"[truncated]", "...truncated", "<truncated>", "(truncated)"}

// marks replace the parts of JSON that a recorder has left out.
var marks = []string{`[truncated]"`, `__truncatedItems"`, `__truncatedKeys"`, `"[MaxDepth]"`, `"[object Object]"`, `"[Circular]"`}

func (j *judge) truncated() (string, string) {
	if path := j.ended[cut]; path != "" {
		return want(path, "an answer that is all there")
	}
	if j.isCut(j.row.Response) {
		return want("response", "an answer that is all there, have the mark of one that was cut")
	}
	return "", ""
}

func (j *judge) truncatedInput() (string, string) {
	for _, t := range j.row.Turns {
		if j.isCut(t) {
			return want(t.Path(), "all of what was said, have the mark of something that was cut")
		}
	}
	return "", ""
}

// isCut reports whether a text of a turn ends with a mark, or its JSON holds one.
func (j *judge) isCut(t canonical.Turn) bool {
	for i := t.From; i < t.To; i++ {
		p := &j.row.Parts[i]
		if endsCut(string(p.Body)) || holdsMark(p.Value) {
			return true
		}
	}
	return false
}

func endsCut(text string) bool {
	text = strings.TrimRight(text, " ")
	if text == "" || strings.IndexByte("])>d", text[len(text)-1]) < 0 {
		return false
	}
	for _, end := range endings {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}

func holdsMark(value jsontext.JSON) bool {
	text := string(value)
	if body, ok := value.Quoted(); ok {
		text = body.Text()
		if endsCut(text) {
			return true
		}
	}
	for _, mark := range marks {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}
