package conversation

import (
	"regexp"
	"strings"
)

// special finds the special tokens that a text of a thread or of ChatML is made with.
var special = regexp.MustCompile(`<\|(role|im_start)\|>`)

func tokens(text string) bool { return special.MatchString(text) }

func fromTokens(text string) (all []Turn) {
	places := special.FindAllStringSubmatchIndex(text, -1)
	if places[0][0] > 0 {
		all = append(all, Turn{Role: "other", Spelling: "text", Path: "text", Parts: []Part{{Kind: Text, Text: text[:places[0][0]]}}})
	}
	for i, place := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		kind, body := text[place[2]:place[3]], text[place[1]:end]
		if kind == "role" {
			all = append(all, fromThread(body))
			continue
		}
		role, content, _ := strings.Cut(body, "\n")
		all = append(all, Turn{Role: shownRole(role), Spelling: role, Path: "text", Parts: textOf(strings.TrimSpace(strings.Replace(content, "<|im_end|>", "", 1)))})
	}
	return all
}

func fromThread(body string) Turn {
	head, content, _ := strings.Cut(body, "<|content|>")
	role, format, _ := strings.Cut(head, "<|format|>")
	role, name, _ := strings.Cut(role, "<|name|>")
	t := Turn{Role: shownRole(role), Spelling: role, Name: name, Path: "text"}
	content, ends := strings.CutSuffix(strings.TrimSuffix(content, "\n"), "<|end_turn|>")
	content = strings.TrimSuffix(content, "<|end_message|>")
	if format != "" {
		t.Marks = append(t.Marks, "format "+format)
		if !ends {
			t.Marks = append(t.Marks, "goes on")
		}
	}
	t.Parts = textOf(content)
	t.format(format)
	return t
}

func textOf(text string) []Part {
	if text == "" {
		return nil
	}
	return []Part{{Kind: Text, Text: text}}
}
