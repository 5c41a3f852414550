package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A fixture is a run to look at.
type fixture struct {
	name     string
	protects string // what is looked at here and nowhere else
	pipeline string // the name of a shipped pipeline, or the text of one
	corpus   func() map[string][]byte
	args     []string // of run, beside input and output
}

var fixtures = []fixture{
	{"ordinary", "every part of a page, as people meet it", "prepare.hcl", func() map[string][]byte { return ordinary(600) }, nil},
	{"empty", "nothing to show is no hole in the page", "eliza-sft.hcl", func() map[string][]byte { return rows("none") }, nil},
	{"one", "one row: charts and plurals", "eliza-sft.hcl", func() map[string][]byte { return rows("one", chat(1, quiet)) }, nil},
	{"rejected", "not one row came through", "eliza-sft.hcl", rejected, nil},
	{"steps", "a long pipeline, with all that one can hold", manySteps(), func() map[string][]byte { return ordinary(200) }, nil},
	{"huge", "a row of 60 MiB and its neighbours", "eliza-sft.hcl", huge, nil},
	{"languages", "writing from right to left, wide letters, letters of several runes", "eliza-sft.hcl", languages, nil},
	{"hostile", "text stays text", hostilePipeline, hostileCorpus, []string{"--var", "title=</script><script>alert('var')</script>"}},
}

// fixtureOf gives the fixture of a name.
func fixtureOf(name string) fixture {
	return fixtures[slices.IndexFunc(fixtures, func(f fixture) bool { return f.name == name })]
}

// runs has the folder of each run that was made.
var runs = map[string]string{}

// run runs the fixture once and gives the folder that it wrote to. The names in the receipt are short, as they are when people
// run a pipeline where they stand.
func (f fixture) run(t *testing.T, more ...string) string {
	t.Helper()
	name := strings.Join(append([]string{f.name}, more...), " ")
	if out, ok := runs[name]; ok {
		return out
	}
	dir, err := os.MkdirTemp(work, f.name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "pipelines"), os.DirFS("../../../pipelines")); err != nil {
		t.Fatal(err)
	}
	pipeline := f.pipeline
	if strings.Contains(pipeline, "\n") {
		pipeline = f.name + ".hcl"
		files(t, filepath.Join(dir, "pipelines"), map[string][]byte{pipeline: []byte(f.pipeline)})
	}
	files(t, filepath.Join(dir, "corpus"), f.corpus())
	c := sluice(t, slices.Concat([]string{"run", "pipelines/" + pipeline, "--var", "input=corpus/*.jsonl", "--var", "out=out"}, f.args, more)...)
	c.Dir = dir
	if said, err := c.CombinedOutput(); err != nil {
		t.Fatalf("run %s: %v\n%s", name, err, said)
	}
	runs[name] = filepath.Join(dir, "out")
	return runs[name]
}

func files(t *testing.T, dir string, texts map[string][]byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

var quiet = talk{task: "smalltalk", asks: "How was it?", answers: "Quiet, and a little long."}

func rejected() map[string][]byte {
	var all []any
	for i := range 60 {
		all = append(all, []any{object{"note": i}, object{"messages": []object{{"role": "assistant", "content": "hello"}}},
			object{"format": "eliza_native_v1", "request": object{}}, "no row"}[i%4])
	}
	return rows("bad", all...)
}

func huge() map[string][]byte {
	log := strings.Repeat("worker seven says that all is well\n", 60<<20/35)
	return rows("huge", chat(1, quiet), chat(2, talk{task: "shell", asks: "What does the log say?", action: "SHELL",
		arguments: object{"command": "cat /var/log/all"}, result: log, answers: "All is well."}), chat(3, quiet))
}

// languages takes talks in scripts that pages get wrong.
func languages() map[string][]byte {
	var all []any
	for i, of := range []talk{
		{task: "العربية", asks: "ذكّرني بموعد الطبيب يوم الخميس الساعة 17:30 (غرفة A4).", answers: "حسنًا، سأذكّرك يوم الخميس الساعة 17:30، الغرفة A4."},
		{task: "עברית", asks: "מה מזג האוויר ב־Oslo מחר?", answers: "מחר ב־Oslo יהיה 4.5°C וגשם קל."},
		{task: "中文", asks: "请把下周三下午三点的会议改到周四上午十点，并通知所有参会的人，包括上海和新加坡办公室的同事。", answers: "已经改好了：周四上午十点。上海和新加坡的同事都收到了新的邀请。"},
		{task: "日本語", asks: "明日の東京の天気を教えてください。", answers: "明日の東京は晴れ、最高気温は二十三度の見込みです。"},
		{task: "한국어", asks: "내일 아침 일곱 시에 깨워 줘.", answers: "내일 아침 일곱 시에 알람을 맞췄어요."},
		{task: "हिन्दी", asks: "मुझे कल सुबह दवा लेने की याद दिलाना।", answers: "ठीक है, मैं कल सुबह याद दिला दूँगा।"},
		{task: "ไทย", asks: "พรุ่งนี้ช่วยเตือนให้รดน้ำต้นไม้ด้วยนะเพราะว่าจะไม่อยู่บ้านทั้งวัน", answers: "ได้เลย พรุ่งนี้จะเตือนให้รดน้ำต้นไม้"},
		{task: "emoji", asks: "👩‍👩‍👧‍👦 🏳️‍🌈 👍🏽 🇮🇸 🧑🏿‍🚀 5️⃣", answers: "🎉🎉🎉 ✨ Z̷̧͓a̴̰͝l̶̤̄g̵̱̈o̷͇̚ ﷽ 𒐫"},
		{task: "unbroken", asks: strings.Repeat("Donaudampfschifffahrtsgesellschaft", 12), answers: "https://example.org/" + strings.Repeat("a-very-long-path/", 20)},
	} {
		row := chat(i, of)
		of.action, of.arguments, of.result = "SEARCH", object{"query": of.asks, of.task: of.answers}, of.answers
		all = append(all, row, native(i, of, "", "stop"), object{of.task: of.asks})
	}
	return rows("لغات-语言-🌍", all...)
}

// manySteps is a pipeline of 40 steps, with every kind of block.
func manySteps() string {
	var b strings.Builder
	b.WriteString(variables + `
source "jsonl" "corpus" {
  paths = [var.input]
}

first "shape" {
  step "native" "canonical" {}
  step "anthropic" "claude" {}
  step "messages" "messages" {}
  step "eliza-record" "flat" {}
}
`)
	for i := range 28 {
		fmt.Fprintf(&b, "\nstep \"noop\" \"pass_number_%d_which_has_a_long_name\" {}\n", i+1)
	}
	b.WriteString(`
shadow "split" {
  current {
    step "split" "now" {}
  }

  candidate {
    step "split" "soon" {
      seed = "another"
    }
  }
}

step "privacy" "redact" {
  profile = "standard"

  output "ledger" {
    sink "jsonl" "ledger" {
      path = "${var.out}/ledger.jsonl"
    }
  }
}

tee "threads" {
  step "modelspec" "thread" {}

  sink "jsonl" "threads" {
    path = "${var.out}/threads.jsonl"
  }
}

step "split" "split" {
  val  = 0.1
  test = 0.1
}

route "split" {
  on = "@split"

  case "train" {
    step "chatml" "row" {}

    sink "jsonl" "train" {
      path = "${var.out}/train.jsonl"
    }
  }

  case "val" {
    step "noop" "val" {}

    sink "jsonl" "val" {
      path = "${var.out}/val.jsonl"
    }
  }

  default {
    sink "jsonl" "rest" {
      path = "${var.out}/rest.jsonl"
    }
  }
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
`)
	return b.String()
}

const variables = `
variable "input" {}

variable "out" {
  default = "out"
}
`

const hostilePipeline = variables + `
variable "title" {
  description = "</script><x-hostile>"
}

source "jsonl" "corpus" {
  paths = [var.input]
}

step "hostile" "says" {}

first "shape" {
  step "native" "canonical" {}
  step "messages" "messages" {}
}

step "privacy" "redact" {}

step "noop" "on" {}

sink "jsonl" "rows" {
  path = "${var.out}/rows <b>&'.jsonl"
}

dead_letter {
  sink "jsonl" "rejects" {
    path = "${var.out}/rejects.jsonl"
  }
}
`
