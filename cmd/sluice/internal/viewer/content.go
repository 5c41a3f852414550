package viewer

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/cmd/sluice/internal/mask"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/conversation"
	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/rows"
)

// Sizes of rows in bytes. A larger row waits until no other such row is in memory, or is only read in parts.
const (
	mostAtOnce = 1 << 20
	mostWhole  = 16 << 20
)

// content holds a row, masked unless values are shown.
type content struct {
	json    []byte // nil when it is no JSON, or cannot be masked
	text    string // of what is no JSON
	large   bool   // it is not read as a whole
	unknown bool   // it cannot be masked
	unread  bool   // it cannot be read
}

// content reads a row, masked unless values are shown. Of a large one it only notes that it is large.
func (s *Server) content(ctx context.Context, x *rows.Index, row rows.Row, shown bool) (content, error) {
	if row.Size > mostWhole {
		return content{large: true}, nil
	}
	if row.Size > mostAtOnce {
		if err := acquire(ctx, s.large); err != nil {
			return content{}, err
		}
		defer release(s.large)
	}
	return whole(ctx, x, row, shown)
}

// whole reads a row of any size.
func whole(ctx context.Context, x *rows.Index, row rows.Row, shown bool) (content, error) {
	text, err := x.Read(ctx, row.ID)
	switch {
	case err != nil:
		return content{}, err
	case !row.JSON && shown:
		return content{text: string(text)}, nil
	case !row.JSON:
		return content{text: mask.Text(string(text))}, nil
	case shown:
		return content{json: text}, nil
	}
	masked := mask.Row(text)
	if string(masked) == "null" && gjson.ParseBytes(text).Type != gjson.Null {
		return content{unknown: true}, nil
	}
	return content{json: masked}, nil
}

// glance reads a row for a list, which neither a large row nor one that cannot be read holds up.
func (s *Server) glance(ctx context.Context, row rows.Row, shown bool) (content, error) {
	if row.Size > mostAtOnce {
		return content{large: true}, nil
	}
	c, err := s.content(ctx, s.index, row, shown)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
		return content{unread: true}, nil
	}
	return c, err
}

func acquire(ctx context.Context, of chan struct{}) error {
	select {
	case of <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func release(of chan struct{}) { <-of }

// says returns what a row asks and answers, each on a line, and what the search hits elsewhere in it. Where it does not answer, the
// first line is what there is to say of it.
func (c *content) says(hit *regexp.Regexp) (asks, answers, elsewhere []textPiece) {
	switch {
	case c.large:
		return pieces("a large row, which is read in parts", nil), nil, nil
	case c.unread:
		return pieces("cannot be read", nil), nil, nil
	case c.unknown:
		return pieces("cannot be shown masked", nil), nil, nil
	case c.json == nil:
		return around(c.text, hit), nil, nil
	}
	v := gjson.ParseBytes(c.json)
	talk := conversation.Read(c.json)
	question, answer := opening(talk), ending(talk)
	if talk.Reject != nil {
		question, answer = talk.Reject.Message, question
	}
	if question == "" && answer == "" {
		question = members(v)
	}
	if hit != nil && !hit.MatchString(question) && !hit.MatchString(answer) {
		if text, ok := firstHit(v, hit, 64); ok {
			elsewhere = around(text, hit)
		}
	}
	if answer != "" {
		answers = around(answer, hit)
	}
	return around(question, hit), answers, elsewhere
}

// members lists the first simple members of an object; anything else it writes as JSON.
func members(v gjson.Result) string {
	var parts []string
	v.ForEach(func(key, value gjson.Result) bool {
		if key.Type == gjson.String && value.Type != gjson.JSON && value.Type != gjson.Null && key.Str != "file" && key.Str != "line" {
			parts = append(parts, key.Str+" "+value.String())
		}
		return len(parts) < 8
	})
	if len(parts) == 0 {
		return v.Raw
	}
	return strings.Join(parts, " · ")
}

// ending returns the last text of the assistant, or what it calls in place of one; of a preference that which was chosen.
func ending(talk *conversation.Conversation) (text string) {
	turns := talk.Turns
	if len(talk.Candidates) > 0 {
		turns = talk.Candidates[0].Turns
	}
	for _, t := range slices.Backward(turns) {
		if t.Role != "assistant" {
			continue
		}
		for _, p := range slices.Backward(t.Parts) {
			switch {
			case p.Kind == conversation.Text && p.Text != "":
				return p.Text
			case p.Kind == conversation.Call && text == "":
				text = "calls " + p.Name + " " + p.JSON + p.Text
			}
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// opening returns the first text of the user, or else the first text of anybody.
func opening(talk *conversation.Conversation) (text string) {
	for _, t := range talk.Turns {
		for _, p := range t.Parts {
			if p.Text == "" {
				continue
			}
			if t.Role == "user" {
				return p.Text
			}
			if text == "" {
				text = p.Text
			}
		}
	}
	return text
}
