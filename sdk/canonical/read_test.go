package canonical

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
)

var kindNames = map[Kind]string{
	TextPart: "text", ReasoningPart: "reasoning", CallPart: "call", ResultPart: "result", MediaPart: "media", StepPart: "step", AsidePart: "aside", UnknownPart: "unknown",
}

// dump writes turns on one line: role[part part], each part with what it holds.
func dump(r *Row) string {
	var b strings.Builder
	for _, t := range append(r.Turns, r.Response) {
		fmt.Fprintf(&b, "%s[", t.Role)
		for i := t.From; i < t.To; i++ {
			p := r.Parts[i]
			fmt.Fprintf(&b, " %s", kindNames[p.Kind])
			for _, s := range []string{string(p.Body), string(p.ID), string(p.Name), string(p.Value)} {
				if s != "" {
					b.WriteString(":" + s)
				}
			}
			if p.Mate >= 0 && (p.Kind == CallPart || p.Kind == ResultPart) {
				fmt.Fprintf(&b, "=%d", p.Mate-i)
			}
		}
		b.WriteString(" ] ")
	}
	return strings.TrimSpace(b.String())
}

func TestRead(t *testing.T) {
	for _, tt := range []struct{ reason, request, response, want string }{
		{"a text", `{"messages":[{"role":"user","content":"hi \"you\""}]}`, `{"text":"yes"}`, `user[ text:hi \"you\" ] assistant[ text:yes ]`},
		{"members in any order", `{"messages":[{"content":"r","tool_call_id":"k","role":"tool"}],"system":"s"}`, `{"text":"y"}`, `system[ text:s ] tool[ result:r:k ] assistant[ text:y ]`},
		{"the last of two members counts", `{"messages":[{"role":"user","content":"a"}],"messages":[{"role":"user","content":"b"}]}`, `{"text":"y"}`, `user[ text:b ] assistant[ text:y ]`},
		{"calls are answered by id", `{"messages":[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"a","toolName":"F","input":{}},{"type":"tool-call","toolCallId":"b","toolName":"G","input":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"b","toolName":"G","output":{"type":"text","value":"g"}},{"type":"tool-result","toolCallId":"a","toolName":"F","output":{"type":"text","value":"f"}}]}]}`, `{"text":"y"}`,
			`assistant[ call:a:F:{}=3 call:b:G:{}=1 ] tool[ result:g:b:G=-1 result:f:a:F=-3 ] assistant[ text:y ]`},
		{"and by order when they have none", `{"messages":[{"role":"assistant","tool_calls":[{"name":"F"},{"name":"G"}]},{"role":"tool","content":"f"},{"role":"tool","content":"g"}]}`, `{"text":"y"}`,
			`assistant[ call:F=2 call:G=2 ] tool[ result:f=-2 ] tool[ result:g=-2 ] assistant[ text:y ]`},
		{"a result after the user went on answers nothing", `{"messages":[{"role":"assistant","tool_calls":[{"id":"a","name":"F"}]},{"role":"user","content":"well?"},{"role":"tool","tool_call_id":"a","content":"f"}]}`, `{"text":"y"}`,
			`assistant[ call:a:F ] user[ text:well? ] tool[ result:f:a ] assistant[ text:y ]`},
		{"reasoning comes first", `{"messages":[{"role":"assistant","content":"x","reasoning":"r"}]}`, `{"toolCalls":[{"id":"a","function":{"name":"F","arguments":"{}"}}],"text":"y","reasoning":[{"text":"s"}]}`,
			`assistant[ reasoning:r text:x ] assistant[ reasoning:s text:y call:a:F:"{}" ]`},
		{"a prompt that repeats the last turn is left out", `{"messages":[{"role":"user","content":"a"}],"prompt":"a"}`, `{"text":"y"}`, `user[ text:a ] assistant[ text:y ]`},
		{"a prompt is used when the messages ask nothing", `{"prompt":"b","messages":[{"role":"user","content":"a"}]}`, `{"text":"y"}`, `user[ text:a ] assistant[ text:y ]`},
		{"or what they ask was answered", `{"prompt":"b","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"x"}]}`, `{"text":"y"}`, `user[ text:a ] assistant[ text:x ] user[ text:b ] assistant[ text:y ]`},
		{"by a tool too", `{"prompt":"b","messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"id":"1","name":"F"}]},{"role":"tool","tool_call_id":"1","content":"r"}]}`, `{"text":"y"}`,
			`user[ text:a ] assistant[ call:1:F=1 ] tool[ result:r:1=-1 ] user[ text:b ] assistant[ text:y ]`},
		{"but not what was answered before", `{"prompt":"a","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"x"}]}`, `{"text":"y"}`, `user[ text:a ] assistant[ text:x ] assistant[ text:y ]`},
		{"as when the user says nothing", `{"prompt":"b","messages":[{"role":"user","content":" "},{"role":"assistant","content":"x"},{"role":"user","content":[]}]}`, `{"text":"y"}`, `user[ text:  ] assistant[ text:x ] user[ ] user[ text:b ] assistant[ text:y ]`},
		{"as behind a system message alone", `{"prompt":"b","messages":[{"role":"system","content":"s"}]}`, `{"text":"y"}`, `system[ text:s ] user[ text:b ] assistant[ text:y ]`},
		{"the planner's last answer", `{"prompt":"q"}`, `{"text":"{\"thought\":\"t\",\"toolCalls\":[],\"messageToUser\":\"done\"}","toolCalls":[]}`, `user[ text:q ] assistant[ reasoning:t text:done ]`},
		{"the planner's calls in text alone, in a fence", `{"prompt":"q"}`, "{\"text\":\"```json\\n{\\\"thought\\\":\\\"t\\\",\\\"toolCalls\\\":[{\\\"id\\\":\\\"a\\\",\\\"name\\\":\\\"F\\\",\\\"args\\\":{}}]}\\n```\"}", `user[ text:q ] assistant[ reasoning:t call:a:F:{} ]`},
		{"beside reasoning", `{"prompt":"q"}`, `{"reasoning":"r","text":"{\"thought\":\"t\",\"messageToUser\":\"done\"}"}`, `user[ text:q ] assistant[ reasoning:r reasoning:t text:done ]`},
		{"in the history with its result", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"{\"thought\":\"t\",\"toolCalls\":[{\"name\":\"F\",\"args\":{}}]}"},{"role":"tool","content":"r"}]}`, `{"text":"y"}`,
			`user[ text:q ] assistant[ reasoning:t call:F:{}=1 ] tool[ result:r=-1 ] assistant[ text:y ]`},
		{"in the history without one", `{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"{\"toolCalls\":[{\"name\":\"F\"}]}"},{"role":"user","content":"r"}]}`, `{"text":"y"}`,
			`user[ text:q ] assistant[ text:{\"toolCalls\":[{\"name\":\"F\"}]} ] user[ text:r ] assistant[ text:y ]`},
		{"with other members", `{"prompt":"q"}`, `{"text":"{\"thought\":\"t\",\"messageToUser\":\"done\",\"extra\":1}"}`, `user[ text:q ] assistant[ reasoning:t text:done ]`},
		{"a thought alone", `{"prompt":"q"}`, `{"text":"{\"thought\":\"t\",\"toolCalls\":[]}"}`, `user[ text:q ] assistant[ reasoning:t ]`},
		{"another document is a text", `{"prompt":"q"}`, `{"text":"{\"messageToUser\":\"done\",\"extra\":1}"}`, `user[ text:q ] assistant[ text:{\"messageToUser\":\"done\",\"extra\":1} ]`},
		{"and so is one with a broken call", `{"prompt":"q"}`, `{"text":"{\"toolCalls\":[{\"args\":{}}]}"}`, `user[ text:q ] assistant[ text:{\"toolCalls\":[{\"args\":{}}]} ]`},
		{"content of a result in parts", `{"messages":[{"role":"tool","content":[{"type":"tool-result","toolCallId":"a","output":{"type":"content","value":[{"type":"text","text":"t"},{"type":"image-data","data":"="}]}}]}]}`, `{"text":"y"}`,
			`tool[ result:a text:t media:image:{"type":"image-data","data":"="} ] assistant[ text:y ]`},
		{"UI parts", `{"messages":[{"role":"assistant","parts":[{"type":"step-start"},{"type":"tool-F","toolCallId":"a","state":"output-available","input":{"x":1},"output":2}],"content":"left out"}]}`, `{"text":"y"}`,
			`assistant[ step call:a:F:{"x":1}=1 result:a:F:2=-1 ] assistant[ text:y ]`},
	} {
		var r Row
		r.Read(jsontext.JSON(`{"request":` + tt.request + `,"response":` + tt.response + `}`))
		if have := dump(&r); have != tt.want {
			t.Errorf("%s:\nwant %s\nhave %s", tt.reason, tt.want, have)
		}
		if len(r.Faults) > 0 {
			t.Errorf("%s: want no faults, have %v", tt.reason, r.Faults)
		}
	}
}

func TestReadOutcome(t *testing.T) {
	for _, tt := range []struct {
		reason, response, finish string
		usage                    Usage
	}{
		{"hyphens", `{"finishReason":"tool-calls","usage":{"promptTokens":1,"completionTokens":2,"totalTokens":3}}`, "tool_calls", Usage{1, 2}},
		{"underscores", `{"finishReason":"content_filter","usage":{"inputTokens":1,"outputTokens":2}}`, "content_filter", Usage{1, 2}},
		{"unified and raw", `{"finishReason":{"unified":"length","raw":"MAX"},"usage":{"inputTokens":{"total":7},"outputTokens":{"total":8}}}`, "length", Usage{7, 8}},
		{"space and blanks", `{"finishReason":" Tool Calls\n"}`, "tool_calls", Usage{}},
		{"nothing", `{"finishReason":null,"usage":null}`, "", Usage{}},
	} {
		var r Row
		r.Read(jsontext.JSON(`{"request":{},"response":` + tt.response + `}`))
		if r.FinishReason != tt.finish || r.Usage != tt.usage {
			t.Errorf("%s: want %q %v, have %q %v", tt.reason, tt.finish, tt.usage, r.FinishReason, r.Usage)
		}
	}
}

func TestReadKnowsTools(t *testing.T) {
	tools := func(n int) jsontext.JSON {
		return jsontext.JSON(`[{"name":"T` + strings.Repeat("x", 300) + `","n":` + fmt.Sprint(n) + `}]`)
	}
	row := func(tools jsontext.JSON) jsontext.JSON {
		return `{"request":{"messages":[],"tools":` + tools + ` ,"prompt":"p"},"response":{"text":"y"}}`
	}
	var r Row
	r.Read(row(tools(1)))
	first := r.ToolsID
	r.Read(row(tools(2)))
	if second := r.ToolsID; first == 0 || second == first {
		t.Errorf("want another number for other tools, have %d and %d", first, second)
	}
	r.Read(row(tools(1)))
	if r.ToolsID != first || r.Tools != tools(1) || len(r.Turns) != 1 {
		t.Errorf("want the tools known as %d, have %d and %s", first, r.ToolsID, r.Tools)
	}
	for n := range KnownTools + 2 {
		r.Read(row(tools(n + 10)))
	}
	r.Read(row(tools(1)))
	if r.ToolsID == first || r.Tools != tools(1) {
		t.Errorf("want forgotten tools read anew, have %d and %s", r.ToolsID, r.Tools)
	}
}

// FuzzRead looks for records that make Read panic, parts that are not where their turns say, and names that have no place.
func FuzzRead(f *testing.F) {
	f.Add(`{"request":{"messages":[{"role":"tool","content":[{"type":"tool-result","output":{"type":"content","value":[{"type":"text"}]}}]}],"system":[{"role":"system"}]},"response":{"content":[{"type":"tool-error"}]}}`)
	f.Add(`{"request":{"messages":[{"role":"assistant","toolInvocations":[{"state":"result","result":1}],"experimental_attachments":[1],"function_call":{"name":"x"}}]},"response":[`)
	f.Fuzz(func(t *testing.T, record string) {
		var r Row
		r.Read(jsontext.JSON(record))
		for _, turn := range append(r.Turns, r.Response) {
			if turn.From < 0 || turn.From > turn.To || turn.To > len(r.Parts) {
				t.Fatalf("want a turn inside of %d parts, have %+v", len(r.Parts), turn)
			}
			for i := turn.From; i < turn.To; i++ {
				if p := r.Parts[i]; i+p.Sub >= turn.To && p.Sub > 0 || p.Mate >= len(r.Parts) {
					t.Fatalf("want a part inside of its turn, have %+v", p)
				}
			}
		}
		for _, n := range r.Names() {
			if _, ok := r.Place(string(n.Body)); !ok && n.Body != "" {
				t.Fatalf("want a place for the name %s, have none", n.Body)
			}
		}
	})
}

// TestTooManyParts protects memory from a record whose parts take far more than its bytes.
func TestTooManyParts(t *testing.T) {
	list := func(element string) string { return "[" + strings.Repeat(element+",", MaxParts) + element + "]" }
	for _, c := range []struct{ reason, request, response string }{
		{"texts of a message", `"messages":[{"role":"user","content":` + list(`""`) + `}]`, `"text":"a"`},
		{"system texts", `"system":` + list(`""`), `"text":"a"`},
		{"messages", `"messages":` + list(`{"role":"user","content":""}`), `"text":"a"`},
		{"messages without content", `"messages":` + list(`{"role":"user"}`), `"text":"a"`},
		{"calls", `"messages":[{"role":"assistant","tool_calls":` + list(`{"name":"f"}`) + `}]`, `"text":"a"`},
		{"thoughts", `"messages":[{"role":"assistant","content":"","reasoning":` + list(`""`) + `}]`, `"text":"a"`},
		{"attachments", `"messages":[{"role":"user","experimental_attachments":` + list(`1`) + `}]`, `"text":"a"`},
		{"invocations", `"messages":[{"role":"assistant","toolInvocations":` + list(`{"toolName":"f"}`) + `}]`, `"text":"a"`},
		{"sources of a response", `"messages":[]`, `"sources":` + list(`1`)},
		{"content of a result", `"messages":[{"role":"tool","content":[{"type":"tool-result","output":{"type":"content","value":` + list(`""`) + `}}]}]`, `"text":"a"`},
	} {
		var r Row
		r.Read(jsontext.JSON(`{"format":"eliza_native_v1","request":{` + c.request + `},"response":{` + c.response + `}}`))
		if !slices.ContainsFunc(r.Faults, func(f Fault) bool { return f.Code == "too_many_parts" }) || len(r.Parts) > MaxParts+8 || len(r.Turns) > MaxParts {
			t.Errorf("%s: want at most %d parts and the fault, have %d and %v", c.reason, MaxParts, len(r.Parts), r.Faults)
		}
	}
	many := `{"format":"eliza_native_v1","request":{"messages":[` + strings.Repeat("1,", 100) + `1]},"response":{}}`
	var r Row
	if r.Read(jsontext.JSON(many)); len(r.Faults) != 1 {
		t.Errorf("want one fault for each code, have %d", len(r.Faults))
	}
}

// TestMeta holds that a row's metadata reads the same however it is asked for: with few members and with many, with repeated and escaped
// keys, in no object, and after another record was read into the row.
func TestMeta(t *testing.T) {
	var row Row
	many := `{"split":"a"`
	for i := range 100 {
		many += `,"k` + strconv.Itoa(i) + `":` + strconv.Itoa(i)
	}
	for _, metadata := range []string{`{"split":"val","quality":{"success":false}}`, `{}`, many + `,"split":"b"}`, `{"split":1,"spl\u0069t":2}`, `"split"`, `null`, `{"k7":1}`} {
		row.Read(jsontext.JSON(`{"metadata":` + metadata + `}`))
		for _, key := range []string{"split", "quality", "k7", "none"} {
			if have, want := row.Meta(key), row.Metadata.Get(key); have != want {
				t.Errorf("%s of %.40s: have %q, want %q", key, metadata, have, want)
			}
		}
		want := slices.Collect(keysOf(row.Metadata.Members()))
		if have := slices.Collect(keysOf(row.MetaMembers())); !slices.Equal(have, want) {
			t.Errorf("%.40s: have members %q, want %q", metadata, have, want)
		}
	}
}

func keysOf(members iter.Seq2[string, jsontext.JSON]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for key := range members {
			if !yield(key) {
				return
			}
		}
	}
}
