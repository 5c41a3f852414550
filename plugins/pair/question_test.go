package pair

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/plugins/internal/ask"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// result says what a record became: the user's turns and the answer, or the code and path of its reject.
func result(r sdktest.Result) string {
	if r.Verdict != "emit" {
		return strings.TrimSpace(r.Verdict + " " + r.Code + " " + r.Path)
	}
	row := gjson.Parse(r.Emitted[0])
	var said []string
	for _, m := range row.Get("request.messages").Array() {
		said = append(said, m.Get("content").String())
	}
	return strings.Join(said, " / ") + " => " + row.Get("response.text").String()
}

// TestQuestions protects the question of a row that has material too: whatever the columns are called and in whatever order they
// are, both are in the prompt, and the question is next to the answer.
func TestQuestions(t *testing.T) {
	var records, want []string
	for _, about := range ask.Material {
		for _, asks := range ask.Questions {
			if about == asks {
				continue
			}
			for _, answers := range []string{"answer", "response", "output", "completion", "solution"} {
				expected := "THE MATERIAL\nTHE QUESTION => THE ANSWER"
				if asks == "instruction" {
					expected = "THE QUESTION\nTHE MATERIAL => THE ANSWER"
				}
				columns := []string{`"` + about + `":"THE MATERIAL"`, `"` + asks + `":"THE QUESTION"`, `"` + answers + `":"THE ANSWER"`}
				for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
					records = append(records, "{"+columns[order[0]]+","+columns[order[1]]+","+columns[order[2]]+"}")
					want = append(want, expected)
				}
			}
		}
	}
	results, counts := sdktest.Run(t, Plugin, "", records...)
	for i, r := range results {
		if have := result(r); have != want[i] {
			t.Fatalf("want %q of %s, have %q", want[i], records[i], have)
		}
	}
	if len(counts) > 0 {
		t.Errorf("want every column in the conversation, have the counts %v", counts)
	}
}

// TestWhatIsAsked has a record for each rule of what asks, what is material and what answers.
func TestWhatIsAsked(t *testing.T) {
	long := "The tower was built in 1889 by engineers of the city."
	for _, c := range []struct{ reason, record, want string }{
		{"several columns of material", `{"context":"C","input":"I","question":"Q","answer":"A"}`, "C\nI\nQ => A"},
		{"Dolly", `{"instruction":"Q","context":"C","response":"A"}`, "Q\nC => A"},
		{"Alpaca with a question", `{"instruction":"Answer briefly.","question":"Q","context":"C","answer":"A"}`, "Answer briefly.\nC\nQ => A"},
		{"an input that asks about a context", `{"context":"C","input":"Q","output":"A"}`, "C\nQ => A"},
		{"a context that asks by itself", `{"context":"Q","response":"A"}`, "Q => A"},
		{"a blank question beside material", `{"context":"C","question":" ","answer":"A"}`, "C => A"},
		{"a list of passages", `{"contexts":["C1","C2"],"question":"Q","answer":"A"}`, "C1\n\nC2\nQ => A"},
		{"documents with titles", `{"documents":[{"title":"T","text":"C1"},{"text":"C2"}],"query":"Q","answer":"A"}`, "T\nC1\n\nC2\nQ => A"},
		{"HotpotQA", `{"context":[["T1",["S1."," S2."]],["T2",["S3."]]],"question":"Q","answer":"A"}`, "T1\nS1. S2.\n\nT2\nS3.\nQ => A"},
		{"HotpotQA in columns", `{"context":{"title":["T1","T2"],"sentences":[["S1."," S2."],["S3."]]},"question":"Q","answer":"A"}`, "T1\nS1. S2.\n\nT2\nS3.\nQ => A"},
		{"PubMedQA", `{"context":{"contexts":["C1","C2"],"labels":["L"]},"question":"Q","answer":"A"}`, "C1\n\nC2\nQ => A"},
		{"material that is no text", `{"context":{"rows":[["` + long + `"],["` + long + `"]]},"question":"Q","answer":"A"}`, "reject bad_context context"},
		{"an object of settings is no material", `{"context":{"user":"u1"},"question":"Q","answer":"A"}`, "Q => A"},
		{"Alpaca's column text is the row once more", `{"instruction":"Name the year of the tower.","input":"","output":"1889","text":"### Instruction: Name the year of the tower. ### Response: 1889"}`, "Name the year of the tower. => 1889"},
		{"a prompt that is the question with all around it", `{"question":"When was it built?","context":"` + long + `","prompt":"` + long + ` When was it built?","answer":"1889"}`, long + " When was it built? => 1889"},
		{"a prompt that renders the instruction", `{"instruction":"Q","prompt":"### Q","output":"A"}`, "Q => A"},
		{"two questions", `{"query":"one thing","question":"another","answer":"A"}`, "reject two_prompts question"},
		{"two questions and no answer", `{"query":"one thing","question":"another"}`, "decline"},
		{"distilabel's evolved instruction", `{"instruction":"Q","evolved_instruction":"Q+","answer":"A+"}`, "Q+ => A+"},
		{"an evolved instruction and an answer to either", `{"instruction":"Q","evolved_instruction":"Q+","response":"A"}`, "reject two_prompts evolved_instruction"},
		{"distilabel's evolved answer", `{"instruction":"Q","response":"A","evolved_response":"A+"}`, "Q => A+"},
		{"a result and the solution that ends in it", `{"problem":"2+70?","answer":"72","solution":"2+70 is 72."}`, "2+70? => 2+70 is 72."},
		{"a number as the answer", `{"question":"2+70?","answer":72,"rationale":"` + long + `","hint":"` + long + `"}`, "2+70? => 72"},
		{"a code of somebody who rated two texts", `{"prompt":"Simplify.","answer":15,"simplification1":"` + long + `","simplification2":"` + long + long + `"}`, "reject rated_texts answer"},
		{"a truth value about two texts", `{"question":"Same?","answer":true,"first":"` + long + `","second":"` + long + long + `"}`, "reject rated_texts answer"},
	} {
		results, _ := sdktest.Run(t, Plugin, "", c.record)
		if have := result(results[0]); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
	}
}

// TestChoices protects rows of multiple choice: the choices are in the prompt and the answer says the right one, in every spelling.
func TestChoices(t *testing.T) {
	const row = "Q?\nA. oak\nB. elm\nC. ash => "
	for _, c := range []struct{ reason, columns, want string }{
		{"MMLU", `"choices":["oak","elm","ash"],"answer":2`, row + "C. ash"},
		{"the first", `"choices":["oak","elm","ash"],"answer":0`, row + "A. oak"},
		{"an index in a string, as in HellaSwag", `"endings":["oak","elm","ash"],"label":"1"`, row + "B. elm"},
		{"ARC", `"choices":{"text":["oak","elm","ash"],"label":["A","B","C"]},"answerKey":"B"`, row + "B. elm"},
		{"ARC with numbers, which are labels and no indexes", `"choices":{"text":["oak","elm","ash"],"label":["1","2","3"]},"answerKey":"1"`, row + "A. oak"},
		{"CommonsenseQA", `"choices":[{"label":"A","text":"oak"},{"label":"B","text":"elm"},{"label":"C","text":"ash"}],"answerKey":"C"`, row + "C. ash"},
		{"MedQA", `"options":{"A":"oak","B":"elm","C":"ash"},"answer_idx":"B","answer":"elm"`, row + "B. elm"},
		{"MedMCQA", `"opa":"oak","opb":"elm","opc":"ash","cop":0`, row + "A. oak"},
		{"AQuA, whose choices have letters", `"options":["A)oak","B)elm","C)ash"],"correct":"C"`, row + "C. ash"},
		{"columns of letters", `"A":"oak","B":"elm","C":"ash","answer":"B"`, row + "B. elm"},
		{"numbered columns, by their number", `"option1":"oak","option2":"elm","option3":"ash","answer":"1"`, row + "A. oak"},
		{"numbered columns, by the number of a class", `"choice1":"oak","choice2":"elm","choice3":"ash","label":1`, row + "B. elm"},
		{"lettered columns", `"option_a":"oak","option_b":"elm","option_c":"ash","correct_option":"b"`, row + "B. elm"},
		{"the text of the choice", `"choices":["oak","elm","ash"],"answer":"Ash"`, row + "C. ash"},
		{"letter and text", `"choices":["oak","elm","ash"],"answer":"B. elm"`, row + "B. elm"},
		{"a letter in brackets", `"choices":["oak","elm","ash"],"answer":"(C)"`, row + "C. ash"},
		{"an answer in words", `"choices":["oak","elm","ash"],"solution":"It is elm, since oak is no elm."`, row + "It is elm, since oak is no elm."},
		{"a list in a string", `"choices":"['oak', 'elm', 'ash']","answer":1`, row + "B. elm"},
		{"an index beyond the choices", `"choices":["oak","elm","ash"],"answer":3`, "reject bad_choice answer"},
		{"the -1 of a test set", `"choices":["oak","elm","ash"],"label":-1`, "reject bad_choice label"},
		{"a letter beyond the choices", `"choices":["oak","elm","ash"],"answer":"E"`, "reject bad_choice answer"},
		{"several choices", `"choices":["oak","elm","ash"],"answer":[0,1]`, "reject bad_choice answer"},
		{"numbers that name a choice and another by index", `"choices":["1","2","0"],"answer":"1"`, "reject bad_choice answer"},
		{"choices in a text, with a letter", `"options":"A) oak B) elm","answer":"A"`, "reject bad_choice options"},
		{"one choice", `"choices":["oak"],"answer":0`, "reject bad_choice choices"},
		{"settings are no choices", `"options":{"temperature":1,"top_p":0.9},"answer":"A"`, "Q? => A"},
		{"a question with its choices in it", `"question":"Q?\nA. oak\nB. elm","choices":["oak","elm"],"answer":1`, "Q?\nA. oak\nB. elm => B. elm"},
		{"choices and a passage", `"passage":"P","choices":["oak","elm","ash"],"answer":1`, "P\n" + row + "B. elm"},
	} {
		record := `{"question":"Q?",` + c.columns + "}"
		if strings.Contains(c.columns, "question") {
			record = "{" + c.columns + "}"
		}
		results, counts := sdktest.Run(t, Plugin, "", record)
		if have := result(results[0]); have != c.want {
			t.Errorf("%s: want %q, have %q", c.reason, c.want, have)
		}
		for name := range counts {
			if !slices.Contains([]string{"beside.answer", "beside.options", "loss.choice_label"}, name) {
				t.Errorf("%s: want no column outside of the conversation, have the count %s", c.reason, name)
			}
		}
	}
}
