package viewer

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/cmd/sluice/internal/viewer/conversation"
)

// laid lays out a page of the turns of a row.
func laid(row string, turn int) *conversationLayout {
	s := &turnLayout{more: func(string) string { return "" }, turn: func(n int) string { return fmt.Sprint(n) }}
	return s.page(conversation.Read([]byte(row)), turn)
}

// messages writes turns of a user.
func messages(n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"x"},`, n), ",") + "]"
}

// TestTurnPages holds that every turn is on a page, whichever is asked for, and that pages lead to each other.
func TestTurnPages(t *testing.T) {
	for _, c := range []struct {
		reason         string
		turns, at      int
		from, to       int
		earlier, later string
	}{
		{"few", 3, 0, 1, 3, "", ""},
		{"a page", mostTurns, 0, 1, mostTurns, "", ""},
		{"the first of several", 500, 0, 1, 100, "", "101"},
		{"one in the middle", 500, 250, 201, 300, "101", "301"},
		{"the last", 500, 500, 401, 500, "301", ""},
		{"behind the end", 250, 9999, 201, 250, "101", ""},
	} {
		x := laid(`{"messages":`+messages(c.turns)+`}`, c.at)
		if x.From != c.from || x.To != c.to || x.Prev != c.earlier || x.Next != c.later || len(x.Blocks) != c.to-c.from+1 || x.Blocks[0].Number != c.from {
			t.Errorf("%s: want turns %d to %d between %q and %q, have %d to %d between %q and %q", c.reason, c.from, c.to, c.earlier, c.later, x.From, x.To, x.Prev, x.Next)
		}
		if c.turns >= leastIndex && len(x.Index) != c.turns {
			t.Errorf("%s: want an index of %d turns, have %d", c.reason, c.turns, len(x.Index))
		}
	}
}

// TestLeft holds that turns of candidates that are left out are told, and that none takes the room of another.
func TestLeft(t *testing.T) {
	for _, c := range []struct{ prompt, chosen, rejected, left int }{
		{1, 1, 1, 0}, {150, 1, 1, 0}, {1, 300, 1, 200}, {300, 300, 300, 400},
	} {
		x := laid(`{"prompt":`+messages(c.prompt)+`,"chosen":`+messages(c.chosen)+`,"rejected":`+messages(c.rejected)+`}`, 0)
		if x.Left != c.left || len(x.Candidates[1].Blocks) == 0 {
			t.Errorf("%+v: want %d left out, have %d", c, c.left, x.Left)
		}
	}
}

// TestRunsOfCalls holds that calls with nothing said between them become a table, each with the result of its own ID, and that
// few calls do not.
func TestRunsOfCalls(t *testing.T) {
	called := func(id, name string) string {
		return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","function":{"name":"` + name + `","arguments":"{\"of\":\"` + id + `\"}"}}]}`
	}
	gave := func(id string) string {
		return `{"role":"tool","tool_call_id":"` + id + `","content":"gave ` + id + `"}`
	}
	user, said := `{"role":"user","content":"q"}`, `{"role":"assistant","content":"done"}`
	row := func(turns ...string) string { return `{"messages":[` + strings.Join(turns, ",") + `]}` }
	x := laid(row(user, called("a", "f"), called("b", "g"), gave("b"), gave("a"), called("c", "f"), said), 0)
	if len(x.Blocks) != 3 || x.Blocks[1].Run == nil {
		t.Fatalf("want a turn, a run and a turn, have %+v", x.Blocks)
	}
	run := x.Blocks[1].Run
	if run.Summary != "f × 2, g" || run.From != 2 || run.To != 6 || len(run.Calls) != 3 {
		t.Errorf("want f × 2, g of turns 2 to 6, have %q of %d to %d", run.Summary, run.From, run.To)
	}
	for i, id := range []string{"a", "b", "c"} {
		c := run.Calls[i]
		results := ""
		for _, r := range c.Results {
			results += r.Short[0].Text
		}
		if want := map[bool]string{true: "gave " + id}[id != "c"]; c.ID != id || results != want {
			t.Errorf("call %s: want %q, have %q of %s", id, want, results, c.ID)
		}
	}
	if x := laid(row(user, called("a", "f"), gave("a"), said), 0); len(x.Blocks) != 4 || x.Blocks[1].Run != nil {
		t.Errorf("want four turns of one call, have %+v", x.Blocks)
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
