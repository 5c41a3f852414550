package plugins_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/sluicehq/sluice/sdk/canonical/canonicaltest"
	"github.com/sluicehq/sluice/sdk/sdktest"
)

// questions are records of one question, with material, choices or several answers, of the kinds that public corpora have, with what
// is said in their row as in conversations, and the rejected answer behind "not".
var questions = []struct{ kind, record, want string }{
	{"SQuAD", `{"id":"1","title":"T","context":"C","question":"Q","answers":{"text":["A","B"],"answer_start":[5,6]}}`, "pair: u C\nQ => A"},
	{"SQuAD without an answer", `{"context":"C","question":"Q","answers":{"text":[],"answer_start":[]}}`, "reject no_answer"},
	{"SQuAD of spans", `{"context":"C","question":"Q","answers":[{"text":"A","answer_start":5}]}`, "pair: u C\nQ => A"},
	{"WikiQA", `{"question":"Q","document_title":"T","answer":"A","label":0}`, "reject undesired"},
	{"WikiQA, right", `{"question":"Q","document_title":"T","answer":"A","label":1}`, "pair: u Q => A"},
	{"Ragas", `{"user_input":"Q","response":"A","retrieved_contexts":["C1","C2"],"reference":"R"}`, "pair: u C1\n\nC2\nQ => A"},
	{"SocialIQa", `{"context":"C","question":"Q","answerA":"x","answerB":"y","answerC":"z","label":"2"}`, "reject bad_choice"},
	{"context_qa", `{"question":"Q","context":"C","answer":"A"}`, "pair: u C\nQ => A"},
	{"user and assistant with a context", `{"context":"C","user":"Q","assistant":"A"}`, "messages: u C\nQ => A"},
	{"promptflow", `{"query":"Q","response":"A","context":"C"}`, "pair: u C\nQ => A"},
	{"TRL with a context", `{"context":"C","prompt":"Q","completion":"A"}`, "pair: u C\nQ => A"},
	{"sql-create-context", `{"question":"Q","context":"CREATE TABLE t","answer":"SELECT 1"}`, "pair: u CREATE TABLE t\nQ => SELECT 1"},
	{"BoolQ", `{"passage":"P","question":"Q","answer":true}`, "pair: u P\nQ => true"},
	{"Natural Instructions of one's own", `{"instruction":"I","input":"Q","output":"A"}`, "pair: u I\nQ => A"},
	{"Dolly", `{"instruction":"I","context":"C","response":"A","category":"closed_qa"}`, "pair: u I\nC => A"},
	{"PubMedQA", `{"pubid":1,"question":"Q","context":{"contexts":["C1","C2"],"labels":["X"]},"answer":"A","final_decision":"yes"}`, "pair: u C1\n\nC2\nQ => A"},
	{"HotpotQA", `{"question":"Q","context":{"title":["T"],"sentences":[["S1."," S2."]]},"answer":"A","level":"hard"}`, "pair: u T\nS1. S2.\nQ => A"},
	{"retrieval", `{"query":"Q","documents":["C1","C2"],"answer":"A"}`, "pair: u C1\n\nC2\nQ => A"},
	{"tables", `{"question":"Q","table":{"header":["h"],"rows":[["c"]]},"answer":"A"}`, "reject bad_context"},
	{"medical reasoning in capitals", `{"Question":"Q","Complex_CoT":"R","Response":"A"}`, "pair: u Q => A"},
	{"counselling", `{"Context":"Q","Response":"A"}`, "pair: u Q => A"},
	{"MetaMath", `{"query":"Q","response":"A","type":"GSM","original_question":"O"}`, "pair: u Q => A"},
	{"NuminaMath", `{"problem":"2+2","solution":"Two and two are 4.","answer":"4","source":"s"}`, "pair: u 2+2 => Two and two are 4."},
	{"GSM8K", `{"question":"2+2","answer":"2+2=4\n#### 4"}`, "pair: u 2+2 => 2+2=4\n#### 4"},
	{"MMLU", `{"question":"Q","subject":"s","choices":["x","y"],"answer":1}`, "pair: u Q\nA. x\nB. y => B. y"},
	{"ARC", `{"id":"1","question":"Q","choices":{"text":["x","y"],"label":["A","B"]},"answerKey":"A"}`, "pair: u Q\nA. x\nB. y => A. x"},
	{"HellaSwag", `{"ctx":"C","endings":["x","y"],"label":"1","activity_label":"s"}`, "pair: u C\nA. x\nB. y => B. y"},
	{"HellaSwag without labels", `{"ctx":"C","endings":["x","y"],"label":""}`, "decline"},
	{"PIQA", `{"goal":"G","sol1":"x","sol2":"y","label":1}`, "pair: u G\nA. x\nB. y => B. y"},
	{"PIQA without labels", `{"goal":"G","sol1":"x","sol2":"y","label":-1}`, "reject bad_choice"},
	{"Winogrande", `{"sentence":"S","option1":"x","option2":"y","answer":"2"}`, "pair: u S\nA. x\nB. y => B. y"},
	{"COPA", `{"premise":"P","question":"cause","choice1":"x","choice2":"y","label":0}`, "pair: u P\ncause\nA. x\nB. y => A. x"},
	{"OpenBookQA", `{"question_stem":"Q","choices":{"text":["x","y"],"label":["A","B"]},"answerKey":"B"}`, "pair: u Q\nA. x\nB. y => B. y"},
	{"MedMCQA", `{"question":"Q","opa":"x","opb":"y","opc":"z","opd":"w","cop":3,"exp":"why"}`, "pair: u Q\nA. x\nB. y\nC. z\nD. w => D. w"},
	{"RACE", `{"article":"P","question":"Q","options":["x","y"],"answer":"A"}`, "pair: u P\nQ\nA. x\nB. y => A. x"},
	{"AQuA", `{"question":"Q","options":["A)x","B)y"],"rationale":"r","correct":"B"}`, "pair: u Q\nA. x\nB. y => B. y"},
	{"HF4ATS", `{"prompt":"P","answer":15,"simplification1":"A text that is simple and that is read.","simplification2":"Another text that is simple and is read."}`, "reject rated_texts"},
	{"a judge's letter", `{"question":"Q","text_a":"one","text_b":"two","answer":"A"}`, "reject rated_texts"},
	{"a conversation as context", `{"context":[{"role":"user","content":"Hi"}],"question":"Q","answer":"A"}`, "messages: u Hi | u Q => A"},
	{"OpenMathInstruct", `{"problem":"Q","generated_solution":"A","expected_answer":"4","problem_source":"s"}`, "pair: u Q => A"},
	{"axolotl's reflection", `{"instruction":"Q","input":"","output":"wrong","reflection":"R","corrected":"A"}`, "pair: u Q => A"},
	{"axolotl's explainchoice", `{"question":"Q","choices":["x","y"],"explanation":"It is x."}`, "pair: u Q\nA. x\nB. y => It is x."},
	{"EvolInstruct", `{"instruction":"Q","evolved_instruction":"Q+","answer":"A","model_name":"m"}`, "pair: u Q+ => A"},
	{"two questions", `{"prompt":"Do this.","question":"Do that?","answer":"A"}`, "reject two_prompts"},
	{"system columns", `{"system_message":"S","question":"Q","answer":"A"}`, "pair: s S | u Q => A"},

	{"PKU-SafeRLHF", `{"prompt":"Q","response_0":"bad","response_1":"good","is_response_0_safe":true,"better_response_id":1,"safer_response_id":0}`, "messages: u Q => good not bad"},
	{"AlpacaEval", `{"instruction":"Q","output_1":"bad","generator_1":"m","output_2":"good","preference":2}`, "messages: u Q => good not bad"},
	{"AlpacaFarm", `{"instruction":"I","input":"Q","output_1":"good","output_2":"bad","preference":1}`, "messages: u I\nQ => good not bad"},
	{"AlpacaEval, alike", `{"instruction":"Q","output_1":"one","output_2":"two","preference":0}`, "reject tie"},
	{"HelpSteer3", `{"context":[{"role":"user","content":"Q"}],"response1":"good","response2":"bad","overall_preference":-2}`, "messages: u Q => good not bad"},
	{"HelpSteer2", `{"prompt":"Q","response_1":"bad","response_2":"good","preference_strength":1}`, "messages: u Q => good not bad"},
	{"Arena", `{"model_a":"m","model_b":"n","winner":"model_a","conversation_a":[{"role":"user","content":"Q"},{"role":"assistant","content":"good"}],"conversation_b":[{"role":"user","content":"Q"},{"role":"assistant","content":"bad"}]}`, `messages: u Q => good not [{"role":"user","content":"Q"},{"role":"assistant","content":"bad"}]`},
	{"LMSYS", `{"prompt":"[\"Q\"]","response_a":"[\"bad\"]","response_b":"[\"good\"]","winner_model_a":0,"winner_model_b":1,"winner_tie":0}`, "messages: u Q => good not bad"},
	{"LMSYS, alike", `{"prompt":"[\"Q\"]","response_a":"[\"bad\"]","response_b":"[\"good\"]","winner_model_a":0,"winner_model_b":0,"winner_tie":1}`, "reject tie"},
	{"WebGPT", `{"question":{"full_text":"Q","id":"1"},"answer_0":"bad","score_0":-1,"answer_1":"good","score_1":1}`, "messages: u Q => good not bad"},
	{"SHP", `{"history":"Q","human_ref_A":"bad","human_ref_B":"good","labels":0}`, "messages: u Q => good not bad"},
	{"Nectar", `{"prompt":"\n\nHuman: Q\n\nAssistant: ","answers":[{"answer":"bad","rank":7},{"answer":"good","rank":1}]}`, "messages: u Q => good not bad"},
	{"UltraFeedback", `{"instruction":"Q","completions":[{"response":"bad","overall_score":2},{"response":"good","overall_score":9}]}`, "messages: u Q => good not bad"},
	{"distilabel ratings", `{"instruction":"Q","generations":["good","bad"],"ratings":[5,1]}`, "messages: u Q => good not bad"},
	{"responses with scores", `{"prompt":"Q","responses":["bad","good"],"scores":[0.1,0.2]}`, "messages: u Q => good not bad"},
	{"preferred and other", `{"prompt":"Q","preferred":"good","other":"bad"}`, "messages: u Q => good not bad"},
	{"Align-Anything", `{"question":"Q","response_1":"bad","response_2":"good","overall_response":2}`, "messages: u Q => good not bad"},
	{"Align-Anything with images", `{"image":"a.png","question":"Q","response_1":"bad","response_2":"good","overall_response":2}`, "reject media"},
	{"LLaMA-Factory", `{"instruction":"I","input":"Q","chosen":"good","rejected":"bad"}`, "messages: u I\nQ => good not bad"},
	{"JudgeBench", `{"question":"Q","response_A":"bad","response_B":"good","label":"B>A"}`, "messages: u Q => good not bad"},
	{"StackExchange", `{"question":"Q","answers":[{"text":"bad","pm_score":1},{"text":"good","pm_score":3}]}`, "messages: u Q => good not bad"},
	{"ELI5", `{"question":"Q","answers":{"text":["A","B"],"score":[1,2]}}`, "reject bad_answer"},
	{"messages with two answers", `{"messages":[{"role":"user","content":"Q"}],"response_1":"good","response_2":"bad","preference":1}`, "messages: u Q => good not bad"},
	{"gold label", `{"prompt":"Q","response_a":"good","response_b":"bad","gold_label":"A"}`, "messages: u Q => good not bad"},
	{"ShareGPT preference", `{"conversations":[{"from":"human","value":"Q"}],"chosen":{"from":"gpt","value":"good"},"rejected":{"from":"gpt","value":"bad"},"context":"C"}`, `messages: u Q => good not {"from":"gpt","value":"bad"}`},
	{"messages with two answers and a context", `{"messages":[{"role":"user","content":"Q"}],"context":"C","response_1":"good","response_2":"bad","preference":1}`, "messages: u Q => good not bad"},
	{"TRL stepwise", `{"prompt":"Q","completions":["one","two"],"labels":[true,false]}`, "messages: u Q => one\ntwo"},
	{"PRM800K", `{"question":{"problem":"Q"},"label":{"steps":[{"completions":[{"text":"bad","rating":-1},{"text":"one","rating":1}],"chosen_completion":1}]}}`, "messages: u Q => one"},
	{"Math-Shepherd", `{"input":"Q Step 1: one ки\nStep 2: two ки","label":"Q Step 1: one +\nStep 2: two -"}`, "messages: u Q => Step 1: one\nStep 2: two"},
	{"ProcessBench", `{"problem":"Q","steps":["one","two"],"label":0}`, "messages: u Q => one"},
	{"completions with ratings, which are whole answers", `{"prompt":"Q","completions":["bad","good"],"ratings":[1,5]}`, "messages: u Q => good not bad"},
	{"a judge who names no answer", `{"prompt":"Q","response_a":"one","response_b":"two","winner":"model_c"}`, "reject bad_preference"},
}

// TestQuestions protects what is learned from each kind: the whole question, the right answer, and nothing that is lost without a count.
func TestQuestions(t *testing.T) {
	for _, c := range questions {
		t.Run(strings.ReplaceAll(c.kind, " ", "-"), func(t *testing.T) {
			have := "decline"
			if p, ok := takerOf(t, c.record); ok {
				results, _ := sdktest.Direct(t, p, "", c.record)
				if r := results[0]; r.Verdict == "emit" {
					have = p.Name + ": " + told(r.Emitted[0])
					if rejected := gjson.Get(r.Emitted[0], "metadata.preference.rejected"); rejected.Exists() {
						have += " not " + rejected.String()
					}
					canonicaltest.Kept(t, p, "", nil, c.record)
				} else {
					have = r.Verdict + " " + r.Code
				}
			}
			if have != c.want {
				t.Errorf("want %s\nhave %s", c.want, have)
			}
		})
	}
}
