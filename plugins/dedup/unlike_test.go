package dedup

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sluicehq/sluice/sdk/jsontext"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// dialogue is a row of texts that a user and an assistant say in turn.
func dialogue(texts ...string) string {
	row := `{"format":"eliza_native_v1","request":{"messages":[`
	for i, text := range texts[:len(texts)-1] {
		row += strings.Repeat(",", min(i, 1)) + `{"role":"` + []string{"user", "assistant"}[i%2] + `","content":` + string(jsontext.Quote(text)) + `}`
	}
	return row + `]},"response":{"text":` + string(jsontext.Quote(texts[len(texts)-1])) + `}}`
}

// kept returns how many of some rows stay.
func kept(t *testing.T, near string, rows ...string) (n int) {
	t.Helper()
	results, _ := sdktest.Direct(t, Plugin, `{"near":`+near+`}`, rows...)
	for _, r := range results {
		if r.Verdict == "emit" {
			n++
		}
	}
	return n
}

// requests are short questions and orders, some of them the same in other languages.
var requests = []string{
	"delete everything", "öffne den Kalender", "muéstrame mi calendario", "ouvre mon agenda", "show my calendar", "show my wallet",
	"我的日历", "我的钱包", "私のカレンダー", "내 일정 보여 줘", "покажи мой календарь", "اعرض تقويمي", "check my messages", "check my email",
	"revisa mi correo", "montre-moi mon portefeuille", "what is 5+3?", "what is 5-3?", "is x > 5?", "is x < 5?", "remind me at 5", "remind me at 7",
	"👍", "👎", "yes", "no", "please move the meeting with the whole team from Monday to Friday at ten",
	"please move the meeting with the whole team from Monday to Thursday at ten",
}

// TestUnlikeQuestions holds that different questions stay though nearly all else is the same, at the lowest threshold too.
func TestUnlikeQuestions(t *testing.T) {
	preamble := strings.TrimSpace(strings.Repeat("You are one of several agents in a room and you see what was said so far. ", 17)) // 255 words
	stock := []string{"On it.", "I cannot help with that, since it is against the rules that I was told to follow. Is there anything else that I can do for you today?"}
	for _, c := range []struct {
		reason string
		row    func(request, answer string) string
	}{
		{"alone", func(q, a string) string { return dialogue(q, a) }},
		{"a line below a preamble", func(q, a string) string { return dialogue(preamble+"\n\nmessage:user:\n"+q, a) }},
		{"a line in a preamble", func(q, a string) string { return dialogue(preamble+"\nuser: "+q+"\n\n# Instructions\n"+preamble, a) }},
		{"the last sentence of a preamble", func(q, a string) string { return dialogue(preamble+" "+q, a) }},
		{"a line below words without an end", func(q, a string) string {
			return dialogue(strings.ReplaceAll(preamble, ".", "")+"\n"+strings.ToLower(q), a)
		}},
		{"above a preamble", func(q, a string) string { return dialogue(q+"\n"+preamble, a) }},
		{"the last of a long conversation", func(q, a string) string { return dialogue(preamble, "Understood.", q, a) }},
		{"the first of a long conversation", func(q, a string) string { return dialogue(q, preamble, "Go on.", a) }},
		{"what the assistant asked before yes", func(q, a string) string { return dialogue(preamble, q, "yes", a) }},
	} {
		for _, answer := range stock {
			for _, near := range []string{"0.5", "0.8"} {
				var rows []string
				for _, q := range requests {
					rows = append(rows, c.row(q, answer))
				}
				if n := kept(t, near, rows...); n != len(rows) {
					t.Errorf("%s, near %s, %q: want %d rows kept, have %d", c.reason, near, answer, len(rows), n)
				}
			}
		}
	}
}

// TestUnlikeInOneLine holds that a request of two words or more that nothing divides from a preamble stays.
func TestUnlikeInOneLine(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	words, _ := text(r, 250, 0)
	for n := 2; n < 20; n++ {
		for at := range 5 {
			var rows []string
			for range 8 {
				request, _ := text(r, n, 0)
				all := append(append(append([]string{}, words[:at*50]...), request...), words[at*50:]...)
				rows = append(rows, dialogue(strings.Join(all, " "), "On it."))
			}
			if have := kept(t, "0.8", rows...); have != len(rows) {
				t.Errorf("%d words after %d: want %d rows kept, have %d", n, at*50, len(rows), have)
			}
		}
	}
	thai := strings.Repeat("คุณเป็นหนึ่งในหลายตัวแทนในห้องนี้", 20)
	if n := kept(t, "0.8", dialogue(thai+"ลบทุกอย่าง", "On it."), dialogue(thai+"แสดงปฏิทินของฉัน", "On it."), dialogue(thai+"ส่งข้อความ", "On it.")); n != 3 {
		t.Errorf("Thai, which has no spaces: want 3 rows kept, have %d", n)
	}
}

// TestUnlikeCalls holds that questions stay whose answers are the same call, and calls that differ in an argument.
func TestUnlikeCalls(t *testing.T) {
	call := func(question, id string) string {
		return `{"format":"eliza_native_v1","request":{"messages":[{"role":"user","content":"` + question + `"}]},"response":{"text":"","toolCalls":[` +
			`{"toolName":"SEARCH","input":{"query":"latest","limit":10,"sort":"date","order":"desc","id":"` + id + `"}}]}}`
	}
	var rows []string
	for _, q := range requests[:8] {
		rows = append(rows, call(q, "7"))
	}
	rows = append(rows, call(requests[0], "8"))
	if n := kept(t, "0.8", rows...); n != len(rows) {
		t.Errorf("want %d rows kept, have %d", len(rows), n)
	}
	ask := func(system, user string) string {
		return `{"format":"eliza_native_v1","request":{"system":"` + system + `","messages":[` + user + `]},"response":{"text":"No."}}`
	}
	hello := `{"role":"user","content":"hello there"}`
	if n := kept(t, "0.8", ask("Is it spam?", hello), ask("Is it rude?", hello), ask("Is the following text spam?", ""), ask("Is the following text rude?", "")); n != 4 {
		t.Errorf("want 4 orders of systems kept, have %d", n)
	}
	step := func(result string) string {
		return `{"format":"eliza_native_v1","request":{"messages":[{"role":"user","content":"` + strings.Repeat("Please look after the server. ", 20) + `"},` +
			`{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":"STATUS","input":{}}]},` +
			`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"STATUS","output":{"type":"text","value":"` + result + `"}}]}]},"response":{"text":"Noted."}}`
	}
	if n := kept(t, "0.5", step("The server is up"), step("The server is down"), step("the  server is UP")); n != 2 {
		t.Errorf("want 2 steps with other results kept, have %d", n)
	}
	image := `{"format":"eliza_native_v1","request":{"messages":[{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image","image":"IMAGE"}]}]},"response":{"text":"A cat."}}`
	if n := kept(t, "0.8", strings.Replace(image, "IMAGE", "https://a/1.png", 1), strings.Replace(image, "IMAGE", "https://a/2.png", 1)); n != 2 {
		t.Errorf("want 2 questions about other images kept, have %d", n)
	}
}

// TestSameInOtherWriting holds that case, white space, width and punctuation make no other row, in any script.
func TestSameInOtherWriting(t *testing.T) {
	long := "There is a long way from here to the station, and nobody could say how long it takes on foot when it rains. " +
		"Would you know? I have two bags, a dog and an umbrella with me, and the last train leaves at ten."
	for _, c := range []struct{ reason, a, b string }{
		{"case", "Show my calendar", "show MY calendar"},
		{"case beyond ASCII", "Öffne den Kalender", "ÖFFNE DEN KALENDER"},
		{"white space", "show  my\tcalendar ", "show\nmy calendar"},
		{"punctuation", "show my calendar", "“Show my calendar”!"},
		{"quotes", "don't show it", "don’t show it"},
		{"full width", "ＡＢＣ１２３ を開く？", "abc123 を開く?"},
		{"a full stop of Chinese", "我的日历。", "我的日历"},
		{"composed", "ou\u0300 est-ce?", "où est-ce?"},
		{"space around a symbol", "is x>5?", "is x > 5?"},
		{"a long text, wrapped", long, strings.ReplaceAll(long, " on ", "\n  on ")},
		{"a long text, case and punctuation", long, strings.ToUpper(strings.ReplaceAll(long, ",", ""))},
		{"a long text, one word", long, strings.Replace(long, "umbrella", "overcoat", 1)},
		{"a long text, a number", long, strings.Replace(long, "two bags", "3 bags", 1)},
	} {
		if n := kept(t, "0.8", dialogue(c.a, "Yes."), dialogue(c.b, "yes")); n != 1 {
			t.Errorf("%s: want one row kept, have %d", c.reason, n)
		}
	}
}

// TestFound measures how many copies are found whose question has one other word, for README.md.
func TestFound(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, c := range []struct {
		sentence, words int
		least           float64
	}{{0, 60, 0.95}, {0, 100, 0.95}, {0, 300, 0.95}, {14, 60, 0.7}, {14, 100, 0.8}, {14, 300, 0.8}} {
		found := 0
		const tries = 200
		for range tries {
			words, _ := text(r, c.words, 0)
			if c.sentence > 0 { // of 5 to 23 words
				for i := 0; i < len(words); i += 5 + r.IntN(19) {
					words[max(0, i-1)] += "."
				}
			}
			copied := append([]string{}, words...)
			at := r.IntN(len(words))
			copied[at] = "other" + strings.Repeat(".", strings.Count(words[at], "."))
			found += 2 - kept(t, "0.8", dialogue(strings.Join(words, " "), "On it."), dialogue(strings.Join(copied, " "), "On it."))
		}
		share := float64(found) / tries
		t.Logf("%d words, sentences of %d on average: %.3f found", c.words, c.sentence, share)
		if share < c.least {
			t.Errorf("%d words, sentences of %d: want %v found, have %v", c.words, c.sentence, c.least, share)
		}
	}
}
