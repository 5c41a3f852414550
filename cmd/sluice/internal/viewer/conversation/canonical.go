package conversation

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/canonical"
	"github.com/sluicehq/sluice/sdk/jsontext"
)

func (t *Conversation) canonical(v gjson.Result, at string) {
	var row canonical.Row
	row.Read(jsontext.JSON(v.Raw))
	t.Shape = "canonical row"
	t.offers(gjson.Parse(string(row.Tools)))
	for _, x := range row.Turns {
		t.Turns = append(t.Turns, canonicalTurn(&row, x, at))
	}
	if response := canonicalTurn(&row, row.Response, at); len(response.Parts) > 0 {
		t.Turns = append(t.Turns, response)
	}
	t.keepRest(v, at, "", "format", "request", "response")
	t.keepRest(v.Get("request"), under(at, "request"), "request.", "system", "messages", "prompt", "tools")
	t.keepRest(v.Get("response"), under(at, "response"), "response.", "text", "toolCalls", "reasoning")
}

func canonicalTurn(row *canonical.Row, x canonical.Turn, at string) Turn {
	t := Turn{Role: x.Role.String(), Spelling: x.Role.String(), Name: x.Name.Text(), Path: under(at, x.Path())}
	if x.Role == canonical.NoRole {
		t.Role, t.Spelling = "other", "no role"
	}
	if x.Untrained {
		t.Marks = append(t.Marks, "not trained on")
	}
	if x.Index == canonical.InResponse {
		t.Marks = append(t.Marks, "response")
	}
	for i := x.From; i < x.To; i++ {
		p := row.Parts[i]
		y := Part{Name: p.Name.Text(), ID: p.ID.Text(), Failed: p.Failed}
		switch p.Kind {
		case canonical.TextPart:
			y.Kind, y.Text = Text, p.Body.Text()
			if strings.TrimSpace(y.Text) == "" {
				continue
			}
		case canonical.ReasoningPart:
			y.Kind, y.Text = Thought, p.Body.Text()
		case canonical.CallPart:
			y.Kind = Call
			y.value(gjson.Parse(string(p.Value)), "")
		case canonical.ResultPart:
			y.Kind, y.Text, y.JSON = Result, p.Body.Text(), string(p.Value)
			for j := i + 1; j <= i+p.Sub && j < x.To; j++ { // its own text and media
				if sub := row.Parts[j]; sub.Kind == canonical.TextPart {
					y.Text = strings.TrimPrefix(y.Text+"\n"+sub.Body.Text(), "\n")
				} else {
					y.Text = strings.TrimPrefix(y.Text+"\n["+sub.Body.Text()+"]", "\n")
				}
			}
			i += p.Sub
		case canonical.MediaPart:
			y.Kind, y.Name = Media, p.Body.Text()
		case canonical.StepPart:
			continue
		default:
			y.Kind, y.Name = Aside, p.Body.Text()
		}
		t.add(y)
	}
	return t
}
