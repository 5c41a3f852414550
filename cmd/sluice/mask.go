package main

import (
	"encoding/json"
	"strings"

	"github.com/sluicehq/sluice/plugins/privacy"
)

// maskName masks personal data and secrets in a path: in each of its parts without their endings, then in the whole.
func maskName(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		stem, ending := part, ""
		for _, e := range []string{".gz", ".zst", ".jsonl", ".json", ".txt"} {
			if rest, ok := strings.CutSuffix(stem, e); ok {
				stem, ending = rest, e+ending
			}
		}
		parts[i] = maskText(stem) + ending
	}
	return maskText(strings.Join(parts, "/"))
}

// maskText masks personal data and secrets in a text.
func maskText(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return ""
	}
	masked := "(masked)" // when even that cannot be told without showing it
	if err := json.Unmarshal(privacy.Mask(quoted), &masked); err != nil {
		return ""
	}
	return masked
}
