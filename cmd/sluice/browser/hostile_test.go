package browser

import (
	"context"
	"fmt"
	"strings"

	"github.com/sluicehq/sluice/sdk"
)

// A hostile text that becomes part of a page calls alert, asks for a picture of another place, makes an element x-hostile
// or turns what stands beside it around.
var hostiles = []string{
	`</script><script>alert('script')</script>`,
	`<img src=x onerror=alert('onerror')>`,
	`"><svg onload=alert('onload')><x-hostile>`,
	`' autofocus onfocus=alert('onfocus') x='`,
	`</title></textarea></style><x-hostile>closed</x-hostile>`,
	`<!--<x-hostile>`,
	`]]></bdi></pre></details></code></dialog></template></table></noscript><x-hostile>`,
	`{{alert('template')}}${alert('literal')}`,
	`javascript:alert('address')`,
	`<a href="javascript:alert('link')">click</a><form action="https://evil.example/"><button>send</button></form>`,
	`<link rel=stylesheet href=https://evil.example/x.css><meta http-equiv=refresh content="0;url=https://evil.example/">`,
	`[click](javascript:alert('markdown)) ![x](https://evil.example/x.png)`,
	"\u202egnp.exe \u2066abc\u2069 \u200f\u200e\ufeff turned",
	"nul \x00 bell \x07 escape \x1b[31mred\x1b]0;title\x07 delete \x7f c1 \u009b31m \u2028\u2029",
	`&lt;x-hostile&gt; &amp;#x3c;x-hostile&amp;#x3e; %3Cx-hostile%3E \u003cx-hostile\u003e`,
}

// hostile says of a record what the record asks for: a reason, a label, a path or a count of anybody's choice.
var hostile = sdk.Plugin{
	Name:   "hostile",
	Doc:    "says what a record says",
	Labels: []string{"*"},
	New: func(sdk.Args) (sdk.Processor, error) {
		return sdk.Func(func(_ context.Context, r *sdk.Record, emit func(*sdk.Record)) error {
			with := r.Get("with").String()
			switch r.Get("do").String() {
			case "drop":
				return sdk.Drop(with)
			case "reject":
				return sdk.Reject("hostile", with, "want %s, have %s", with, with)
			case "count":
				r.Count(with, 1)
			case "label":
				r.SetLabel("mark", with)
			}
			emit(r)
			return nil
		}), nil
	},
}

// hostileCorpus has hostile texts everywhere that a record or a file can bring one.
func hostileCorpus() map[string][]byte {
	var all []any
	for i, text := range hostiles {
		for _, do := range []string{"drop", "reject", "count", "label"} {
			row := hostileRow(text, fmt.Sprint(i, do))
			row["do"], row["with"] = do, text
			all = append(all, row)
		}
		all = append(all, object{text: text, "of no shape": []any{text, object{text: nil}}}, object{"messages": []object{{"role": text, "content": text}}})
	}
	long := strings.Repeat(`<img src=x onerror=alert('long')> `, 10<<20/34)
	all = append(all, chat(0, talk{asks: long, answers: long}), object{"note": long}, object{"messages": []object{{"role": "assistant", "content": long}}})
	corpus := rows("rows", all...)
	corpus[`<img src=x onerror=alert('file')>"'&.jsonl`] = []byte(`{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}` + "\n{broken\n")
	corpus["\u202elnosj.<x-hostile>#?%2e\u2066 \x1b[31m.jsonl"] = []byte(`{"messages":[{"role":"user","content":"c"},{"role":"assistant","content":"d"}]}` + "\n{broken\n")
	return corpus
}

// hostileRow is a row whose every text is the one that is given. The name keeps rows of different names apart.
func hostileRow(text, name string) object {
	call := object{"id": text, "type": "function", "function": object{"name": text, "arguments": object{text: text, "name": name}}}
	return object{"format": "eliza_native_v1", "schemaVersion": 1, "boundary": "vercel_ai_sdk.generateText",
		"request": object{"system": text, "messages": []object{
			{"role": "user", "content": []object{{"type": "text", "text": text}, {"type": "image", "image": "https://evil.example/" + name + ".png"}}},
			{"role": "assistant", "content": text, "reasoning": text, "tool_calls": []object{call}},
			{"role": "tool", "tool_call_id": text, "name": text, "content": text},
			{"role": "user", "content": text},
		}, "tools": []object{{"type": "function", "function": object{"name": text, "description": text, "parameters": object{"type": "object", "properties": object{text: object{"type": "string", "description": text}}}}}}},
		"response":     object{"text": text, "reasoning": text, "finishReason": text},
		"trajectoryId": text + name, "metadata": object{"task_type": text, "source_dataset": text, "split": "train", text: text}}
}
