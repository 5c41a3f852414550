package viewer

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/conversation"
)

// TestLeft holds that turns that are left out are told, on whichever way they are, and that no way takes the room of another.
func TestLeft(t *testing.T) {
	turns := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"x"},`, n), ",") + "]"
	}
	for _, c := range []struct{ prompt, chosen, rejected, left int }{
		{1, 1, 1, 0}, {150, 1, 1, 0}, {300, 1, 1, 102}, {1, 300, 1, 234}, {300, 300, 300, 700},
	} {
		row := `{"prompt":` + turns(c.prompt) + `,"chosen":` + turns(c.chosen) + `,"rejected":` + turns(c.rejected) + `}`
		have := layOutConversation(conversation.Read([]byte(row)), nil, func(string) string { return "" })
		if have.Left != c.left || len(have.Candidates[1].Turns) == 0 {
			t.Errorf("%+v: want %d left out, have %d", c, c.left, have.Left)
		}
	}
}

// TestMore holds that each link to what is left out of a conversation leads to a value, of calls and results in any spelling.
func TestMore(t *testing.T) {
	long := strings.Repeat("0123456789", 3*mostString)
	var rows strings.Builder
	for _, row := range []string{
		`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":{"city":"LONG"}}}]}]}`,
		`{"messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"city\":\"LONG\"}"}}]}]}`,
		`{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"city":"LONG"}}]},{"role":"user","content":[{"type":"odd","x":"LONG"}]}]}`,
		`{"messages":[{"role":"tool","content":[{"type":"tool-result","toolName":"f","output":{"type":"json","value":{"city":"LONG"}}}]},{"role":"user","content":{"y":"LONG"}}]}`,
		`{"format":"eliza_native_v1","request":{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"1","toolName":"send","input":{"to":"LONG"}}]}]},"response":{"text":"sent"}}`,
		`{"messages":[{"role":"user","content":"q"}],"a.b":{"@c":"LONG"},"tools":[{"type":"function","function":{"name":"f","parameters":{"d":"LONG"}}}]}`,
	} {
		rows.WriteString(strings.ReplaceAll(row, "LONG", long) + "\n")
	}
	s := serve(t, map[string]string{"a.jsonl": rows.String()}, nil)
	for line := 1; line <= 6; line++ {
		_, body := get(t, s, fmt.Sprintf("row?as=talk&at=a.jsonl:%d", line))
		links := regexp.MustCompile(`href="(value[^"]+path=[^"]+)"`).FindAllStringSubmatch(body, -1)
		if len(links) == 0 {
			t.Errorf("row %d: want links to what is left out, have\n%s", line, body)
		}
		for _, link := range links {
			if status, body := get(t, s, html.UnescapeString(link[1])); status != 200 || !strings.Contains(body, "0123456789") {
				t.Errorf("row %d: %s: want the value, have %d", line, link[1], status)
			}
		}
	}
}
